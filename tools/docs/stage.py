"""Lays out the source of the site: pages of the repository, their links made to fit, and pages made of code.

    docs/…                        at the top of the site
    CONTRIBUTING.md, CHANGELOG.md contributing, changelog
    include/diffeo/*.hpp          the page cpp, made of what each header says first
    other files that are linked   a page each that shows the file
    the Python package            the pages api/…, made of its docstrings

Pages stay plain Markdown that reads as well where there is no site: links lead to files of the repository,
and this rewrites them. A link to what is not there is an error. Only what has changed is written, so that the
next build does only what is new.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import cpp_page
from api_pages import API_PAGES, check_that_every_name_has_a_page

ROOT = Path(__file__).resolve().parents[2]
AT_THE_TOP = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md", "README.md": "index.md"}
FRONT = "docs/index.md"
HEADERS = "include/"
PICTURES = (".png", ".svg")
FENCED = re.compile(r"(^```.*?^```$)", flags=re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
LANGUAGES = {".py": "python", ".cpp": "cpp", ".hpp": "cpp", ".sh": "bash", ".json": "json", ".txt": "text"}


class Stage:
    """The folder of the staged source, and what has been put there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.written: set[Path] = set()
        self.shown: set[str] = set()  # files that have a page because something links to them

    def write(self, name: str, text: str) -> bool:
        """Whether it is new, or another than before."""
        path = self._place(name)
        is_new = not path.exists() or path.read_text(encoding="utf-8") != text
        if is_new:
            path.write_text(text, encoding="utf-8")
        return is_new

    def copy(self, name: str, source: Path) -> None:
        path = self._place(name)
        if not path.exists() or path.read_bytes() != source.read_bytes():
            shutil.copyfile(source, path)

    def _place(self, name: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self.written.add(path)
        return path

    def remove_what_is_left_over(self) -> None:
        for path in self.folder.rglob("*"):
            if path.is_file() and path not in self.written:
                path.unlink()


def pages() -> list[Path]:
    """Those of the repository that are pages of the site."""
    return [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]


def site_name(path: str) -> str:
    """Where a file of the repository, by its path there, is in the site."""
    if path in AT_THE_TOP:
        return AT_THE_TOP[path]
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return f"code/{path}.md"


def with_links_of_the_site(text: str, page: str, stage: Stage) -> str:
    """`text`, of the page that has the path `page` in the repository, with the links that the site has."""

    def moved(link: re.Match[str]) -> str:
        mark, label, target = link.groups()
        return f"{mark}[{label}]({_moved(target, page, stage)})"

    parts = FENCED.split(text)  # what is between fences stands at the odd places
    return "".join(part if at % 2 else LINK.sub(moved, part) for at, part in enumerate(parts))


def _moved(target: str, page: str, stage: Stage) -> str:
    if "://" in target or target.startswith(("#", "mailto:")):
        return target
    path, _, anchor = target.partition("#")
    found = os.path.normpath(PurePosixPath(page).parent / path)
    if not (ROOT / found).is_file():
        raise SystemExit(f"{page}: expected a link to a file of the repository, got {target}")
    here = PurePosixPath(site_name(page)).parent
    if found.removeprefix(HEADERS) in cpp_page.public_headers():
        return os.path.relpath("cpp.md", here) + "#" + cpp_page.anchor_of(found.removeprefix(HEADERS))
    if found.endswith(".html"):  # a page of its own, beside those that Sphinx makes
        return "path:" + os.path.relpath(site_name(found), here)
    if site_name(found).startswith("code/"):
        stage.shown.add(found)
    return os.path.relpath(site_name(found), here) + (f"#{anchor}" if anchor else "")


def code_page(path: str) -> str:
    text = (ROOT / path).read_text(encoding="utf-8")
    language = LANGUAGES.get(PurePosixPath(path).suffix, "text")
    return f"---\norphan: true\n---\n\n# {path}\n\n````{language}\n{text}````\n"


def front_page(text: str) -> str:
    """The front page with the pages made from code in their place, and the navigation that its lists are."""
    made = {
        "api": "\n".join(f"- [{page.title}]({page.name}.rst): {page.about}" for page in API_PAGES),
        "cpp": "- [C++ headers](cpp.md): what each is for",
    }
    for name, items in made.items():
        mark = f"<!-- {name} -->"
        if mark not in text:
            raise SystemExit(f"{FRONT}: expected the mark {mark} where those pages are listed")
        text = text.replace(mark, items)
    trees = "\n".join(_tree(caption, entries) for caption, entries in _sections(text) if entries)
    return f"{text}\n{trees}"


def _sections(text: str) -> Iterator[tuple[str, list[str]]]:
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        caption = section.partition("\n")[0]
        entries = re.findall(r"^- \[([^\]]+)\]\(([^)#]+)\.(?:md|rst)\)", section, flags=re.MULTILINE)
        yield caption, [f"{title} <{page}>" for title, page in entries]


def _tree(caption: str, entries: list[str]) -> str:
    listed = "\n".join(entries)
    return f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{listed}\n```\n"


def stage_site(folder: Path, pictures: Path) -> bool:
    """Everything that Sphinx reads, in `folder`; `pictures` are those that this build has made.

    Returns whether the front page, and with it the navigation on every page, is another than before.
    """
    check_that_every_name_has_a_page()
    stage = Stage(folder)
    navigation_changed = False
    for page in pages():
        name = page.relative_to(ROOT).as_posix()
        text = with_links_of_the_site(page.read_text(encoding="utf-8"), name, stage)
        changed = stage.write(site_name(name), front_page(text) if name == FRONT else text)
        navigation_changed |= changed and name == FRONT
    for made in API_PAGES:
        stage.write(f"{made.name}.rst", made.text())
    stage.write("cpp.md", cpp_page.page(ROOT / "include"))
    for path in sorted(stage.shown):
        stage.write(site_name(path), code_page(path))
    chosen: dict[str, Path] = {}
    for source in (ROOT / "docs" / "figures", pictures):  # the later wins
        found = (picture for picture in source.rglob("*") if picture.suffix in PICTURES)
        chosen |= {f"figures/{picture.relative_to(source).as_posix()}": picture for picture in found}
    for name, picture in chosen.items():
        stage.copy(name, picture)
    results = ROOT / "docs" / "results"
    for shown in (each for each in sorted(results.rglob("*")) if each.suffix in (*PICTURES, ".html")):
        stage.copy(f"results/{shown.relative_to(results).as_posix()}", shown)
    stage.remove_what_is_left_over()
    return navigation_changed
