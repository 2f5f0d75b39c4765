"""What the pages of the site show must work, each page from top to bottom, and print what it says."""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from pages import BUILD, PROJECT, blocks, broken_links, build_and_run, links
from pictures import drawn_by
from stage import pages as pages_of_the_site

from diffeo._core import TrainingOptions
from run_page import OUTPUT, RUN, blocks_of, run_page

PAGES = pages_of_the_site()
TAUGHT = [page for page in PAGES if page.parent.name == "guide" or page.stem in ("install", "tutorial")]
BUILT = ("cpp", "cmake")
(README_LINES,) = blocks((PROJECT / "README.md").read_text(encoding="utf-8"), "cmake")


def name_of(page: Path) -> str:
    return page.relative_to(PROJECT).with_suffix("").as_posix()


def languages_of(page: Path) -> set[str]:
    return {block.language for block in blocks_of(page.read_text(encoding="utf-8"))}


def pages_with(*languages: str) -> pytest.MarkDecorator:
    found = [page for page in PAGES if languages_of(page) & set(languages)]
    return pytest.mark.parametrize("page", found, ids=name_of)


@pages_with(*RUN)
def test_blocks_run_from_top_to_bottom_and_print_what_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(BUILD / "python"))
    programs = [str(BUILD / "bin"), str(Path(sys.executable).parent)]  # ours, and torchrun
    problem = run_page(page, sys.executable, tmp_path, programs)
    assert problem is None, problem
    assert {name for name in drawn_by(page) if not (tmp_path / name).exists()} == set(), "shown, not drawn"


@pages_with("cpp")
def test_cpp_builds_and_runs(page: Path, prefix: Path, tmp_path: Path) -> None:
    for number, snippet in enumerate(blocks(page.read_text(encoding="utf-8"), "cpp")):
        directory = tmp_path / str(number)
        directory.mkdir()
        build_and_run(snippet, README_LINES, prefix, directory)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_is_of_a_language_that_is_run(page: Path) -> None:
    assert languages_of(page) <= {*RUN, OUTPUT, *BUILT}


@pytest.mark.parametrize("page", TAUGHT, ids=name_of)
def test_a_page_that_teaches_shows_something_that_runs(page: Path) -> None:
    assert languages_of(page) & {*RUN, *BUILT}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_what_is_printed_stands_under_what_prints_it(page: Path) -> None:
    shown = blocks_of(page.read_text(encoding="utf-8"))
    before = [None, *(block.language for block in shown)]
    assert all(last in RUN for last, block in zip(before, shown, strict=False) if block.language == OUTPUT)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_to_files_and_headings_that_exist(page: Path) -> None:
    assert broken_links(page) == []


def test_every_page_is_in_the_navigation() -> None:
    front = PROJECT / "docs" / "index.md"
    listed = {(front.parent / link).resolve() for link in links(front)}
    assert [name_of(page) for page in PAGES if page != front and page not in listed] == []


def test_accuracies_quoted_by_the_guide_are_those_of_the_results() -> None:
    results = PROJECT / "docs" / "results"
    accuracies = (results / "ncc.md").read_text("utf-8")
    ours = re.search(r"Mean test accuracy \*\*([\d.]+)\*\*", accuracies)
    classics = re.search(r"\| mean of all 31 \| (.+?) \|\n", (results / "baselines.md").read_text("utf-8"))
    assert ours is not None
    assert classics is not None
    mean, _, _, dba, _, _, soft_dtw, *_ = (f"{float(value):.2f}" for value in classics[1].split(" | "))
    expected = (
        f"a mean test accuracy of {float(ours[1]):.2f}. "
        "There [the classics](../results/baselines.md) have "
        f"{mean} with Euclidean means, {dba} with DBA and {soft_dtw} with soft-DTW"
    )
    guide = (PROJECT / "docs" / "guide" / "classify.md").read_text(encoding="utf-8")
    assert expected in " ".join(guide.split())


def test_the_choice_of_the_prior_of_dtan_is_that_of_its_cross_validation() -> None:
    lines = (PROJECT / "docs" / "results" / "settings" / "dtan.jsonl").read_text("utf-8").splitlines()
    held_out: dict[float, list[float]] = defaultdict(list)
    for line in map(json.loads, lines):
        held_out[float(line["options"]["prior_weight"])].append(line["cv_accuracy"])
    assert {len(accuracies) for accuracies in held_out.values()} == {12}
    means = {weight: sum(accuracies) / len(accuracies) for weight, accuracies in held_out.items()}
    assert float(TrainingOptions("dtan").values()["prior_weight"]) == max(means, key=means.__getitem__)
    page = " ".join((PROJECT / "docs" / "guide" / "variants.md").read_text("utf-8").split())
    assert f"1e-5 had {means[1e-5]:.3f} of the held-out series right" in page
    assert f"right, 1e-4 {means[1e-4]:.3f}, 1e-3 {means[1e-3]:.3f}." in page
