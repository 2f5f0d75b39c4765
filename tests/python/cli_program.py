"""The program as a person runs it, for the tests of the command line."""

import functools
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("DIFFEO_PROGRAM", ROOT / "build" / "bin" / "diffeo"))
LONG_ENOUGH = 120  # seconds: a process that takes longer hangs

# A network that trains in no time.
SMALL = [
    "--epochs",
    "2",
    "--least-steps",
    "0",
    "--widths",
    "8,8",
    "--kernels",
    "5,3",
    "--threads",
    "1",
    "--quiet",
    "--seed",
    "3",
]


def run(*arguments, **options):
    """What `diffeo ARGUMENTS` did: returncode, stdout, stderr."""
    settings = {"capture_output": True, "text": True, "timeout": LONG_ENOUGH, "check": False} | options
    return subprocess.run([str(PROGRAM), *map(str, arguments)], **settings)


def start(*arguments, **options):
    settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
    return subprocess.Popen([str(PROGRAM), *map(str, arguments)], **settings)


def require_program():
    if not PROGRAM.is_file():
        pytest.skip(f"no program at {PROGRAM}")


@functools.cache
def has_networks():
    return "without torch" not in run("--version").stdout


def require_networks():
    require_program()
    if not has_networks():
        pytest.skip("the program was built without libtorch")


def one_line(text):
    """The only line of what went to stderr."""
    lines = text.splitlines()
    assert len(lines) == 1, text
    return lines[0]
