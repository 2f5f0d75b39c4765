"""What the pages of docs/guide show must work, each page as one program from top to bottom."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from pages import BUILD, PROJECT, blocks, broken_links, build_and_run, run

GUIDE = sorted((PROJECT / "docs" / "guide").glob("*.md"))
(CMAKE_LINES,) = blocks((PROJECT / "README.md").read_text(encoding="utf-8"), "cmake")


def program_of(page: Path, language: str) -> str:
    """All that a page shows in a language, in its order."""
    return "\n".join(blocks(page.read_text(encoding="utf-8"), language))


def pages_with(language: str) -> pytest.MarkDecorator:
    found = [page for page in GUIDE if program_of(page, language)]
    return pytest.mark.parametrize("page", found, ids=lambda path: path.stem)


@pytest.fixture(params=GUIDE, ids=lambda path: path.stem)
def page(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def test_every_page_shows_something_that_runs(page: Path) -> None:
    assert program_of(page, "python") or program_of(page, "sh")


@pages_with("sh")
def test_commands_run_from_top_to_bottom(page: Path, tmp_path: Path) -> None:
    path = f"{BUILD / 'bin'}{os.pathsep}{os.environ['PATH']}"
    run("bash", "-euo", "pipefail", "-c", program_of(page, "sh"), directory=tmp_path, PATH=path)


@pages_with("python")
def test_python_runs_from_top_to_bottom(page: Path, tmp_path: Path) -> None:
    program = program_of(page, "python")
    run(sys.executable, "-W", "error", "-c", program, directory=tmp_path, PYTHONPATH=str(BUILD / "python"))


def test_cpp_builds_and_runs(page: Path, prefix: Path, tmp_path: Path) -> None:
    for number, snippet in enumerate(blocks(page.read_text(encoding="utf-8"), "cpp")):
        directory = tmp_path / str(number)
        directory.mkdir()
        build_and_run(snippet, CMAKE_LINES, prefix, directory)


def test_links_lead_to_files_that_exist(page: Path) -> None:
    assert broken_links(page) == []
