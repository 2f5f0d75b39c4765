"""Makes the pictures of the site: those that pages draw themselves, and those that scripts draw for them.

A page that shows `figures/NAME/…`, with NAME its own name, draws these pictures in its code blocks: it is
run, and what it has drawn is taken. Nothing is drawn twice: a stamp remembers what a picture was made of.

    .venv/bin/python tools/docs/pictures.py build/docs/pictures build/bin

keeps what pages draw in docs/figures too, for those who read the pages without the site.
"""

from __future__ import annotations

import functools
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from PIL import Image

import diffeo

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from run_page import run_page  # noqa: E402

SCRIPTS = ("figures.py", "guide_figures.py", "report_screenshots.py")
SUFFIXES = (".png", ".svg")
COLORS = 128


def drawn_by(page: Path) -> set[str]:
    """The pictures that a page shows and is to draw itself."""
    return set(re.findall(rf"\]\([^)\s]*figures/{page.stem}/([^)\s]+)\)", page.read_text(encoding="utf-8")))


def drawing_pages() -> list[Path]:
    return [page for page in sorted((ROOT / "docs").rglob("*.md")) if drawn_by(page)]


def make_pictures(folder: Path, programs: Path) -> None:
    """All of them in `folder`; `programs` is where the program diffeo is."""
    package = _digest(*sorted(Path(diffeo.__file__).parent.rglob("*.[ps][yo]")))
    for page in drawing_pages():
        draw = functools.partial(_draw_page, page, programs)
        _once(folder, page.stem, f"{package} {_digest(page)}", draw)
    examples = sorted((ROOT / "examples").glob("*.py"))
    for name in SCRIPTS:
        script = ROOT / "tools" / name
        draw = functools.partial(_draw_script, script)
        _once(folder, name, f"{package} {_digest(script, *examples)}", draw)


def _once(folder: Path, name: str, made_of: str, draw: Callable[[Path], None]) -> None:
    """Draws into a folder of its own, unless that has been done from the same sources."""
    stamp = folder / f"{name}.stamp"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == made_of:
        return
    print(f"pictures: {name}", flush=True)
    stamp.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        into = Path(temporary)
        draw(into)
        target = folder if name in SCRIPTS else folder / name
        target.mkdir(parents=True, exist_ok=True)
        for picture in into.iterdir():
            if picture.suffix in SUFFIXES:
                shutil.copyfile(picture, target / picture.name)
    stamp.write_text(made_of, encoding="utf-8")


def _draw_page(page: Path, programs: Path, into: Path) -> None:
    problem = run_page(page, sys.executable, into, [str(programs)])
    if problem is not None:
        raise SystemExit(problem)
    missing = sorted(name for name in drawn_by(page) if not (into / name).exists())
    if missing:
        raise SystemExit(f"{page}: expected its code to draw {missing[0]}, which it shows; it did not")


def _draw_script(script: Path, into: Path) -> None:
    subprocess.run([sys.executable, script, into], check=True, stdout=subprocess.DEVNULL)


def keep_pictures(folder: Path) -> None:
    """Copies what pages have drawn to docs/figures, in fewer colors: lines and text need no more."""
    for page in drawing_pages():
        target = ROOT / "docs" / "figures" / page.stem
        target.mkdir(exist_ok=True)
        for name in sorted(drawn_by(page)):
            with Image.open(folder / page.stem / name) as picture:
                few = picture.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)
                few.save(target / name, optimize=True)


def _digest(*paths: Path) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    pictures = Path(sys.argv[1]).resolve()
    make_pictures(pictures, Path(sys.argv[2]).resolve())
    keep_pictures(pictures)
