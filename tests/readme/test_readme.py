"""What README.md shows must work: Python runs, C++ builds with the CMake lines, links lead somewhere."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from pages import BUILD, PROJECT, blocks, broken_links, build_and_run, run

README = (PROJECT / "README.md").read_text(encoding="utf-8")
FIRST_SCREEN_LINES = 42
SNIPPET_LINES = 8


@pytest.mark.parametrize("snippet", blocks(README, "python"))
def test_python_runs(snippet: str) -> None:
    run(sys.executable, "-W", "error", "-c", snippet, PYTHONPATH=str(BUILD / "python"))


@pytest.mark.parametrize("snippet", blocks(README, "cpp"))
def test_cpp_builds_with_the_cmake_lines_and_runs(snippet: str, prefix: Path, tmp_path: Path) -> None:
    (cmake_lines,) = blocks(README, "cmake")
    build_and_run(snippet, cmake_lines, prefix, tmp_path)


def test_both_languages_are_shown_on_the_first_screen() -> None:
    first_screen = README.splitlines()[:FIRST_SCREEN_LINES]
    assert {"```python", "```cpp", "<!-- end of figures -->"} <= set(first_screen)
    shown = blocks(README, "python") + blocks(README, "cpp")
    assert all(len(block.splitlines()) <= SNIPPET_LINES for block in shown)


def test_links_lead_to_files_that_exist() -> None:
    assert broken_links(PROJECT / "README.md") == []


def test_figures_are_those_of_the_result_files() -> None:
    run(sys.executable, PROJECT / "tools" / "update_readme.py", "--check")
