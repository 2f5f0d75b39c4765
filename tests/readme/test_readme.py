"""What README.md shows must work: Python runs, C++ builds with the CMake lines, links lead somewhere.

DIFFEO_BUILD is the build to use, by default build/ of this project.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("DIFFEO_BUILD", PROJECT / "build"))
README = (PROJECT / "README.md").read_text(encoding="utf-8")
FIRST_SCREEN_LINES = 40
SNIPPET_LINES = 8

PROJECT_LINES = """cmake_minimum_required(VERSION 3.22)
project(snippet LANGUAGES CXX)
add_executable(app main.cpp)
"""


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


def run(*command: str | Path, **settings: str) -> None:
    done = subprocess.run(
        [str(part) for part in command],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the build has been installed."""
    directory = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", BUILD, "--prefix", directory)
    return directory


@pytest.mark.parametrize("snippet", blocks("python"))
def test_python_runs(snippet: str) -> None:
    run(sys.executable, "-W", "error", "-c", snippet, PYTHONPATH=str(BUILD / "python"))


@pytest.mark.parametrize("snippet", blocks("cpp"))
def test_cpp_builds_with_the_cmake_lines_and_runs(snippet: str, prefix: Path, tmp_path: Path) -> None:
    (cmake_lines,) = blocks("cmake")
    (tmp_path / "main.cpp").write_text(snippet, encoding="utf-8")
    (tmp_path / "CMakeLists.txt").write_text(PROJECT_LINES + cmake_lines, encoding="utf-8")
    build = tmp_path / "build"
    run("cmake", "-S", tmp_path, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build)
    run(build / "app")


def test_both_languages_are_shown_on_the_first_screen() -> None:
    first_screen = README.splitlines()[:FIRST_SCREEN_LINES]
    assert {"```python", "```cpp", "<!-- end of figures -->"} <= set(first_screen)
    assert all(len(block.splitlines()) <= SNIPPET_LINES for block in blocks("python") + blocks("cpp"))


def test_links_lead_to_files_that_exist() -> None:
    targets = {target for target in re.findall(r"\]\(([^)#]+)\)", README) if "://" not in target}
    assert targets
    if not (PROJECT / "docs" / "results" / "speed.json").exists():
        targets -= {"docs/results/speed.md"}  # made from the measurements, of which there are none yet
    assert [target for target in sorted(targets) if not (PROJECT / target).exists()] == []


def test_figures_are_those_of_the_result_files() -> None:
    run(sys.executable, PROJECT / "tools" / "update_readme.py", "--check")
