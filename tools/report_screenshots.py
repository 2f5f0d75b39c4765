"""Takes the pictures of docs/guide/report.md and the README: a model trained on generated series.

    .venv/bin/python tools/report_screenshots.py [FOLDER]     docs/figures if not given

Needs the program built with libtorch, and Chromium with its driver.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "python"))

from report_pages import Browser, run  # noqa: E402

COLORS = 128  # enough for lines, text and a heat map; a third of the bytes
LARGEST = 150_000  # bytes: what a reader of the README is made to load
CASES = 130
TRAINING_CASES = 30


def make_page(folder: Path) -> Path:
    """Trained on 30 series, shown on 100 new ones."""
    run("generate", "cbf", "--cases", TRAINING_CASES, "--seed", 1, "-o", folder / "train.tsv")
    run("generate", "cbf", "--cases", CASES - TRAINING_CASES, "--seed", 2, "-o", folder / "new.tsv")
    run("fit", folder / "train.tsv", "-o", folder / "cbf.model", "--seed", 0, "--quiet")
    page = folder / "report.html"
    title = "Cylinder, bell, funnel: new series, aligned"
    run("report", folder / "cbf.model", "--data", folder / "new.tsv", "-o", page, "--title", title)
    return page


def shrink(path: Path) -> None:
    """The same picture in fewer colors."""
    with Image.open(path) as picture:
        picture.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE).save(path, optimize=True)
    size = path.stat().st_size
    if size > LARGEST:
        raise SystemExit(f"{path}: expected at most {LARGEST} bytes, got {size}")
    print(f"{path}: {size} bytes")


def main(figures: Path) -> None:
    figures.mkdir(parents=True, exist_ok=True)
    browser = Browser()
    try:
        with tempfile.TemporaryDirectory() as folder:
            page = make_page(Path(folder))
            browser.open(page, width=1180, height=1230)
            browser.screenshot(figures / "report_desktop.png")
            browser.open(page, width=390, height=844, dark=True)
            browser.js("document.getElementById('class-0').scrollIntoView()")
            browser.set_time(0.6)
            browser.screenshot(figures / "report_phone.png")
    finally:
        browser.close()
    for name in ("report_desktop.png", "report_phone.png"):
        shrink(figures / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "figures")
