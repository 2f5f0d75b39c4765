"""The parts that make the site: docstrings and headers translated, links rewritten, mistakes found."""

from __future__ import annotations

import re
from pathlib import Path

import cpp_page
import pytest
from check_site import problems_of
from docstrings import as_rst
from pages import PROJECT
from stage import Stage, front_page, with_links_of_the_site


def test_a_table_of_arguments_becomes_a_definition_list() -> None:
    made = as_rst("one, two   (time,) or\n           (channels, time)\ncells      of the field")
    assert "``one``, ``two``\n    (time,) or\n    (channels, time)\n" in made
    assert "``cells``\n    of the field\n" in made


def test_values_of_an_argument_become_a_list_inside_it() -> None:
    made = as_rst('method   "warp"   the mean\n         "dba"    another')
    assert '``method``\n    .. rst-class:: arguments\n\n    ``"warp"``\n        the mean\n' in made


def test_a_table_under_a_heading_stays_under_it() -> None:
    assert "After fit\n\n.. rst-class::" in as_rst("After fit\n    classes_   the labels")


def test_signs_of_rst_are_kept_as_signs_and_code_as_code() -> None:
    assert as_rst("|φ - x| of classes_, `a * b` and `fit`") == (
        "\\|φ - x\\| of classes\\_, ``a * b`` and :py:obj:`fit`\n"
    )


def test_examples_and_formulas_are_left_as_they_are() -> None:
    assert (
        as_rst("Words:\n\n    a_b * c\n\n>>> f(x_)\n'*'") == "Words:\n\n::\n\n    a_b * c\n\n>>> f(x_)\n'*'\n"
    )


def test_a_header_is_shown_as_paragraphs_points_and_blocks() -> None:
    comment = ["What it is.", "", "  y = a_b x", "so it is", "", "  * one point", "    goes on", "  * two"]
    assert cpp_page.as_markdown(comment) == (
        "What it is.\n\n```text\ny = a_b x\n```\n\nso it is\n\n- one point goes on\n- two\n"
    )


def test_every_installed_header_and_no_other_is_on_the_page() -> None:
    page = cpp_page.page(PROJECT / "include")
    headers = cpp_page.public_headers()
    assert "diffeo/flow.hpp" in headers
    assert "diffeo/torch/operators.hpp" in headers
    assert sorted(re.findall(r"^### (diffeo/.*\.hpp)$", page, flags=re.MULTILINE)) == sorted(headers)


@pytest.mark.parametrize(
    ("link", "moved"),
    [
        ("[a](../math.md#1-set-up)", "[a](../math.md#1-set-up)"),
        ("[a](../../CHANGELOG.md)", "[a](../changelog.md)"),
        ("[a](../../include/diffeo/flow.hpp)", "[a](../cpp.md#diffeoflowhpp)"),
        ("[a](../../include/diffeo/archive.hpp)", "[a](../code/include/diffeo/archive.hpp.md)"),
        ("[a](../../examples/train.py)", "[a](../code/examples/train.py.md)"),
        ("![a](../figures/align.svg)", "![a](../figures/align.svg)"),
        ("[a](https://example.org/b)", "[a](https://example.org/b)"),
        ("```\n[a](nowhere.md)\n```", "```\n[a](nowhere.md)\n```"),
    ],
)
def test_links_are_made_to_fit_the_site(link: str, moved: str, tmp_path: Path) -> None:
    assert with_links_of_the_site(link, "docs/guide/align.md", Stage(tmp_path)) == moved


def test_a_link_to_nothing_ends_the_build(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"docs/a.md: expected a link to a file .* got nowhere.md"):
        with_links_of_the_site("[a](nowhere.md)", "docs/a.md", Stage(tmp_path))


def test_the_lists_of_the_front_page_are_the_navigation() -> None:
    page = front_page("# d\n\n## Start\n\n- [One](a.md): b\n\n## Reference\n\n<!-- api -->\n<!-- cpp -->\n")
    assert ":caption: Start\n\nOne <a>\n```" in page
    assert "\nC++ headers <cpp>\n" in page


SITE = {
    "index.html": '<h1 id="top">a</h1><a href="b/c.html#there">c</a><a href="#top">t</a><img src="p.png">',
    "b/c.html": '<p id="there">c</p><a href="../index.html">i</a><a href="https://example.org/x">x</a>',
    "p.png": "",
    "s.css": "body { background: url(data:image/png;base64,AA) }",
}


@pytest.mark.parametrize(
    ("name", "old", "new", "problem"),
    [
        ("index.html", "", "", None),
        ("index.html", "c.html#there", "d.html", "index.html: link to b/d.html: no such file"),
        ("index.html", "#there", "#here", "index.html: link to b/c.html#here: no anchor here there"),
        ("index.html", "#top", "#bottom", "index.html: link to #bottom: no anchor bottom there"),
        ("index.html", "p.png", "q.png", "index.html: loads q.png: no such file"),
        (
            "index.html",
            "p.png",
            "https://e.org/p.png",
            "index.html: loads https://e.org/p.png from elsewhere",
        ),
        (
            "b/c.html",
            "https://example",
            "ftp://example",
            "b/c.html: link to ftp://example.org/x: expected a page",
        ),
        ("b/c.html", "example.org", "example", "b/c.html: link to https://example/x: expected an address"),
        ("s.css", "data:image/png;base64,AA", "//e.org/f", "s.css: loads //e.org/f from elsewhere"),
    ],
)
def test_a_site_that_is_not_whole_is_found_out(
    name: str, old: str, new: str, problem: str | None, tmp_path: Path
) -> None:
    for file, text in SITE.items():
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.replace(old, new) if file == name and old else text, encoding="utf-8")
    found = problems_of(tmp_path)
    if problem is None:
        assert found == []
    else:
        assert [line for line in found if line.startswith(problem)] == found != []
