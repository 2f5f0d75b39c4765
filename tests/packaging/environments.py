"""Environments outside the checkout, and how programs are run in them."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LONG_ENOUGH = 300  # seconds: a process that takes longer hangs


def run(*command, **options):
    """What a command did: returncode, stdout, stderr."""
    settings = {"capture_output": True, "text": True, "timeout": LONG_ENOUGH, "check": False} | options
    return subprocess.run([str(word) for word in command], **settings)


def must_run(*command, **options):
    done = run(*command, **options)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


@dataclass(frozen=True)
class Environment:
    """A virtual environment, and how its programs are started: nothing of the checkout is on their paths."""

    folder: Path

    @property
    def programs(self) -> Path:
        return self.folder / "bin"

    @property
    def site_packages(self) -> Path:
        return self.folder / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"

    def settings(self, **variables):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        path = os.pathsep.join([str(self.programs), os.environ["PATH"]])
        return {"env": kept | {"PATH": path} | variables, "cwd": self.folder}

    def run(self, *command, variables=None, **options):
        return run(*command, **self.settings(**(variables or {})), **options)

    def start(self, *command, **options):
        words = [str(word) for word in command]
        return subprocess.Popen(words, **self.settings(), text=True, **options)

    def python(self, code, **options):
        return self.run(self.programs / "python", "-c", code, **options)
