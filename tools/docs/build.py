"""Builds the site, for `make docs`.

    python tools/docs/build.py FOLDER --programs build/bin

Pictures first, then pages, then Sphinx with warnings as errors into FOLDER/html, and a look at every link.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from check_site import problems_of
from pictures import make_pictures
from stage import stage_site

HERE = Path(__file__).resolve().parent


def build(folder: Path, programs: Path) -> int:
    pictures, source, site = folder / "pictures", folder / "source", folder / "html"
    make_pictures(pictures, programs)
    navigation_changed = stage_site(source, pictures)
    sphinx = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet"]
    if navigation_changed:
        sphinx.append("--write-all")
    places = ["--conf-dir", HERE, "--doctree-dir", folder / "doctrees", source, site]
    if subprocess.run([*sphinx, *places], check=False).returncode != 0:
        return 1
    problems = problems_of(site)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--programs", type=Path, required=True, help="where the program diffeo is")
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    outcome = build(folder, options.programs.resolve())
    if outcome == 0:
        print(f"open {options.folder / 'html' / 'index.html'} in a browser")
    return outcome


if __name__ == "__main__":
    sys.exit(main())
