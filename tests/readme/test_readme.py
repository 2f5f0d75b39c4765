"""What README.md shows must work: Python runs, C++ builds with the CMake lines, links lead somewhere."""

from __future__ import annotations

import os
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


def test_a_file_becomes_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (walkthrough,) = blocks(README, "sh")
    monkeypatch.setenv("PATH", str(BUILD / "bin"), prepend=os.pathsep)
    for name, cases in (("gestures", 6), ("new", 3)):  # few and short: the training is that of the page
        series = ("cbf", "--cases", str(cases), "--length", "16", "--seed", "1")
        run("diffeo", "generate", *series, "-o", f"{name}.csv", directory=tmp_path)
    run("bash", "-euo", "pipefail", "-c", walkthrough, directory=tmp_path)
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert len((tmp_path / "labels.csv").read_text(encoding="utf-8").splitlines()) == 1 + 3


def test_the_demonstration_takes_a_file(tmp_path: Path) -> None:
    if not (PROJECT / ".venv").is_dir() or BUILD != PROJECT / "build":
        pytest.skip("the demonstration is for a checkout that make has set up")
    (tmp_path / "build").mkdir()
    for name in (".venv", "examples", "build/bin"):  # so that what lies in build/demo stays
        (tmp_path / name).symlink_to(PROJECT / name)
    series = ("cbf", "--cases", "9", "--length", "16", "--seed", "1")
    run(BUILD / "bin" / "diffeo", "generate", *series, "-o", "gestures.csv", directory=tmp_path)
    run(PROJECT / "tools" / "demo.sh", "gestures.csv", directory=tmp_path)
    page = (tmp_path / "build" / "demo" / "report.html").read_text(encoding="utf-8")
    assert "gestures.csv, series not seen in training" in page


def test_both_languages_are_shown_on_the_first_screen() -> None:
    first_screen = README.splitlines()[:FIRST_SCREEN_LINES]
    assert {"```python", "```cpp", "<!-- end of figures -->"} <= set(first_screen)
    shown = blocks(README, "python") + blocks(README, "cpp")
    assert all(len(block.splitlines()) <= SNIPPET_LINES for block in shown)


def test_links_lead_to_files_that_exist() -> None:
    assert broken_links(PROJECT / "README.md") == []


def test_figures_are_those_of_the_result_files() -> None:
    run(sys.executable, PROJECT / "tools" / "update_readme.py", "--check")
