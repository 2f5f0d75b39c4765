"""What the pages of docs/guide show must work, each page as one program from top to bottom."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from pages import BUILD, PROJECT, blocks, broken_links, build_and_run, run

GUIDE = sorted((PROJECT / "docs" / "guide").glob("*.md"))
(CMAKE_LINES,) = blocks((PROJECT / "README.md").read_text(encoding="utf-8"), "cmake")


@pytest.fixture(params=GUIDE, ids=lambda path: path.stem)
def page(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def test_python_runs_from_top_to_bottom(page: Path, tmp_path: Path) -> None:
    program = "\n".join(blocks(page.read_text(encoding="utf-8"), "python"))
    assert program
    run(sys.executable, "-W", "error", "-c", program, directory=tmp_path, PYTHONPATH=str(BUILD / "python"))


def test_cpp_builds_and_runs(page: Path, prefix: Path, tmp_path: Path) -> None:
    for number, snippet in enumerate(blocks(page.read_text(encoding="utf-8"), "cpp")):
        directory = tmp_path / str(number)
        directory.mkdir()
        build_and_run(snippet, CMAKE_LINES, prefix, directory)


def test_links_lead_to_files_that_exist(page: Path) -> None:
    assert broken_links(page) == []
