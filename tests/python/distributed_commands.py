"""What test_distributed.py starts in two processes: commands that a group has to refuse.

    distributed_commands.py FOLDER COMMANDS

COMMANDS is a JSON file: name -> the words of a command for each of the processes. Process N writes the exit
codes and what went to stderr to FOLDER/N.json.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

import torch.distributed as distributed

from diffeo_command import _with_torch


def outcome(words: list[str], group: str) -> tuple[int, str]:
    """The exit code and stderr of a command that runs in this process."""
    with tempfile.TemporaryFile() as errors:
        before = os.dup(2)
        os.dup2(errors.fileno(), 2)
        try:
            code = _with_torch.run([os.fsencode(word) for word in ["diffeo", *words]], group, 2, False)
        finally:
            os.dup2(before, 2)
            os.close(before)
        errors.seek(0)
        return code, errors.read().decode()


def main(folder: Path, commands: Path) -> None:
    distributed.init_process_group("gloo")
    rank, name = distributed.get_rank(), distributed.group.WORLD.group_name
    wanted = json.loads(commands.read_text())
    found = {key: outcome(words[rank], name) for key, words in wanted.items()}
    (folder / f"{rank}.json").write_text(json.dumps(found))
    distributed.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
