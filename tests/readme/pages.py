"""What is shown on a page, and whether it works. DIFFEO_BUILD is the build to use, by default build/."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("DIFFEO_BUILD", PROJECT / "build"))
sys.path[:0] = [str(PROJECT / folder) for folder in ("tools", "tools/docs", "bench/compare")]

PROJECT_LINES = """cmake_minimum_required(VERSION 3.22)
project(snippet LANGUAGES CXX)
add_executable(app main.cpp)
"""
LINK = re.compile(r"\]\(([^()\s]+)\)")
FENCED = re.compile(r"^```.*?^```$", flags=re.MULTILINE | re.DOTALL)


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)


def run(*command: str | Path, directory: Path | None = None, **settings: str) -> None:
    done = subprocess.run(
        [str(part) for part in command],
        env={**os.environ, **settings},
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


def build_and_run(snippet: str, cmake_lines: str, prefix: Path, directory: Path) -> None:
    (directory / "main.cpp").write_text(snippet, encoding="utf-8")
    (directory / "CMakeLists.txt").write_text(PROJECT_LINES + cmake_lines, encoding="utf-8")
    build = directory / "build"
    run("cmake", "-S", directory, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build)
    run(build / "app")


def broken_links(path: Path) -> list[str]:
    """Links of a page that lead to no file, or to a heading that the page there does not have."""
    targets = {target for target in links(path) if "://" not in target}
    return [target for target in sorted(targets) if not _exists(path, target)]


def links(path: Path) -> list[str]:
    found: list[str] = LINK.findall(FENCED.sub("", path.read_text(encoding="utf-8")))
    return found


def _exists(path: Path, target: str) -> bool:
    name, _, anchor = target.partition("#")
    file = path.parent / name if name else path
    return file.exists() and (not anchor or anchor in headings(file))


def headings(path: Path) -> set[str]:
    """The anchors of a page as GitHub makes them."""
    page = FENCED.sub("", path.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ (.+)$", page, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
