"""Runs what a page shows: its code blocks, one after the other, in an empty folder.

    python tools/run_page.py docs/tutorial.md --python venv/bin/python
    python tools/run_page.py docs/tutorial.md --path build/bin --keep pictures

A `python` block goes on where the one before it ended, an `sh` block is a shell of its own in the same
folder, and a `text` block is what the block before it prints: the words the same, whole numbers equal, other
numbers within RELATIVE of what is shown, and "..." is anything. Blocks of other languages are passed over.
Warnings of Python are errors. Exit 0 where everything ran and printed what the page says, else 1 and the
place.

Needs nothing but Python, so that a page can be tried with whatever has been installed somewhere.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
import types
from dataclasses import asdict, dataclass
from pathlib import Path

# Training differs in the last bits between processors, and what comes of it in the second or third digit.
RELATIVE = 0.1
RUN = ("python", "sh")
OUTPUT = "text"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    line: int  # of its first line in the page


def blocks_of(page: str) -> list[Block]:
    """All the blocks between fences, in their order."""
    return [
        Block(found[1], found[2], page.count("\n", 0, found.start(2)) + 1) for found in FENCE.finditer(page)
    ]


def is_as_shown(shown: str, printed: str) -> bool:
    """Whether what was printed is what the page shows, up to the digits that may differ."""
    pieces = [piece.split() for piece in shown.split("...")]
    words = printed.split()
    start = 0
    for number, piece in enumerate(pieces):
        last = number == len(pieces) - 1
        places = range(start, len(words) - len(piece) + 1)
        if number == 0:
            places = places[:1]
        if last and number > 0:
            places = places[-1:]
        place = next((at for at in places if _are_alike(piece, words[at : at + len(piece)])), None)
        if place is None:
            return False
        start = place + len(piece)
    return len(pieces) > 1 or start == len(words)


def _are_alike(shown: list[str], printed: list[str]) -> bool:
    return len(shown) == len(printed) and all(map(_is_alike, shown, printed))


def _is_alike(shown: str, printed: str) -> bool:
    if NUMBER.sub("#", shown) != NUMBER.sub("#", printed):
        return False
    return all(map(_is_near, NUMBER.findall(shown), NUMBER.findall(printed)))


def _is_near(shown: str, printed: str) -> bool:
    if "." not in shown and "e" not in shown:
        return shown == printed
    expected, got = (float(text.replace(",", "")) for text in (shown, printed))
    decimals = len(shown.partition("e")[0].partition(".")[2])
    last_digit = 0.0 if "e" in shown else 10.0**-decimals
    return abs(expected - got) <= RELATIVE * abs(expected) + last_digit


def run_blocks(page: str, blocks: list[Block]) -> str | None:
    """Runs them in this process and folder; what went wrong, or None."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module  # so that what blocks define can be pickled
    printed = ""
    for block in blocks:
        place = f"{page}:{block.line}"
        if block.language == OUTPUT:
            if not is_as_shown(block.text, printed):
                return f"{place}: expected the output\n{block.text}got\n{printed}"
        elif block.language in RUN:
            run = _run_python if block.language == "python" else _run_shell
            printed, problem = run(block, page, module)
            if problem is not None:
                return f"{place}: the block failed\n{printed}{problem}"
    return None


def _run_python(block: Block, page: str, module: types.ModuleType) -> tuple[str, str | None]:
    output = io.StringIO()
    try:
        code = compile("\n" * (block.line - 1) + block.text, page, "exec")
        with contextlib.redirect_stdout(output):
            exec(code, module.__dict__)
    except BaseException:
        return output.getvalue(), traceback.format_exc()
    return output.getvalue(), None


def _run_shell(block: Block, page: str, module: types.ModuleType) -> tuple[str, str | None]:
    command = ["bash", "-euo", "pipefail", "-c", block.text]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout, None if done.returncode == 0 else f"{done.stderr}exit code {done.returncode}\n"


def run_page(page: Path, python: str, folder: Path, path: list[str] | None = None) -> str | None:
    """Runs a page with another Python in `folder`, with `path` first in PATH; what went wrong, or None."""
    blocks = [asdict(block) for block in blocks_of(page.read_text(encoding="utf-8"))]
    settings = {"MPLBACKEND": "agg", "PATH": os.pathsep.join([*(path or []), os.environ["PATH"]])}
    done = subprocess.run(
        [python, "-W", "error", str(Path(__file__).resolve()), "--inside", str(page)],
        input=json.dumps(blocks),
        env={**os.environ, **settings},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return None if done.returncode == 0 else f"{done.stdout}{done.stderr}"


def _inside(page: str) -> int:
    sys.path[0] = ""  # this file's folder is no part of what is tried
    blocks = [Block(**block) for block in json.load(sys.stdin)]
    problem = run_blocks(page, blocks)
    if problem is not None:
        print(problem, file=sys.stderr)
    return 0 if problem is None else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("page", type=Path)
    parser.add_argument("--python", default=sys.executable, help="the interpreter to run it with")
    parser.add_argument("--path", action="append", help="a folder of programs, before those of PATH")
    parser.add_argument("--keep", type=Path, help="an empty folder to run in; a temporary one if not given")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        return _inside(str(options.page))
    python = Path(options.python).absolute()  # not resolved: a virtual environment is known by its link
    path = [str(Path(folder).resolve()) for folder in options.path or [python.parent]]
    with contextlib.ExitStack() as stack:
        folder = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            parser.error(f"--keep: expected an empty folder, got {folder}")
        problem = run_page(options.page.resolve(), str(python), folder, path)
    if problem is not None:
        print(problem, file=sys.stderr)
        return 1
    print(f"{options.page}: ran from top to bottom")
    return 0


if __name__ == "__main__":
    sys.exit(main())
