"""Writes python/diffeo/_temporal_options.py: the constructor of diffeo.TemporalAligner.

    .venv/bin/python tools/generate_signatures.py           after a change of the table of hyper-parameters
    .venv/bin/python tools/generate_signatures.py --check   exit 1 where the file is another one

The table (include/diffeo/training_options.hpp) is the one of the build: build diffeo_python first.
"""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from typing import Any

from diffeo import _core

TARGET = Path(__file__).resolve().parents[1] / "python" / "diffeo" / "_temporal_options.py"
COLUMNS = 110
TYPES = {"integer": "int", "number": "float", "truth": "bool", "text": "str", "integers": "tuple[int, ...]"}
UNLIMITED = 1e9  # what the table says where there is no limit worth naming

#: How a fit runs, as opposed to what it computes: name, type, default, help.
RUN = [
    (
        "random_state",
        "int | np.random.RandomState | np.random.Generator | None",
        None,
        "Seed of everything random; None draws one, which `random_state_` records",
    ),
    (
        "n_jobs",
        "int | None",
        None,
        "Threads; None is 1, -1 all the cores the process may use, -2 all but one",
    ),
    (
        "verbose",
        "int | None",
        None,
        "None shows a progress bar in a terminal or a notebook if fit takes more than 2 s; 0 shows nothing; "
        "1 shows a bar of tqdm, or prints about ten lines to stderr if tqdm is not installed; 2 prints a "
        "line for every epoch",
    ),
    (
        "callback",
        "Callback | None",
        None,
        "Called with a FitProgress after every epoch; what it raises ends the training",
    ),
    (
        "checkpoint",
        "str | os.PathLike[str] | None",
        None,
        "Directory in which training keeps where it is; needs a random_state",
    ),
    ("resume", "bool", False, "Whether to go on from the checkpoint, where there is one"),
]

HEADER = '''\
"""The parameters of `diffeo.TemporalAligner`.

Made by tools/generate_signatures.py from the table of hyper-parameters (include/diffeo/training_options.hpp):
change the table, not this file.
"""

from __future__ import annotations

import os

import numpy as np

from ._aligner import WarpingAligner
from ._fit_progress import Callback


class TemporalOptions(WarpingAligner):
    """Every parameter, kept under its name; `fit` looks at them."""
'''


def literal(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def limits(row: _core.Hyperparameter) -> str:
    """What the table allows, to be put after the help; nothing where the help says it all."""
    if row.choices:
        return f" ({', '.join(row.choices)})"
    if row.type in ("truth", "text"):
        return ""
    if row.highest >= UNLIMITED:
        return f" (at least {row.lowest:g})"
    return f" ({row.lowest:g} to {row.highest:g})"


def parameter(name: str, kind: str, default: Any) -> str:
    line = f"        {name}: {kind} = {literal(default)},"
    return line if len(line) <= COLUMNS else f"{line}  # noqa: E501"


def entry(name: str, text: str, width: int) -> str:
    return textwrap.fill(
        text,
        width=COLUMNS,
        initial_indent=f"{'':12}{name:{width}}  ",
        subsequent_indent=" " * (12 + width + 2),
        break_on_hyphens=False,
    )


def docstring(rows: list[_core.Hyperparameter]) -> str:
    width = max(len(name) for name in [row.name for row in rows] + [name for name, *_ in RUN])
    lines = ['        """What the table of hyper-parameters says of each.']
    group = None
    for row in rows:
        if row.group != group:
            group = row.group
            lines += ["", f"        {group}"]
        lines.append(entry(row.name, row.help + limits(row), width))
    lines += ["", "        how it runs"]
    lines += [entry(name, text, width) for name, _, _, text in RUN]
    return "\n".join([*lines, '        """'])


def generated() -> str:
    rows = _core.hyperparameters()
    defaults = _core.TrainingOptions("default").values()
    parameters = [(row.name, TYPES[row.type], defaults[row.name]) for row in rows]
    parameters += [(name, kind, default) for name, kind, default, _ in RUN]
    return "\n".join(
        [
            HEADER,
            "    def __init__(",
            "        self,",
            "        *,",
            *[parameter(name, kind, default) for name, kind, default in parameters],
            "    ) -> None:",
            docstring(rows),
            *[f"        self.{name} = {name}" for name, *_ in parameters],
            "",
        ]
    )


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print(f"generate_signatures.py: expected nothing or --check, got {arguments}", file=sys.stderr)
        return 2
    text = generated()
    if not arguments:
        TARGET.write_text(text)
    elif not TARGET.exists() or TARGET.read_text() != text:
        print(f"{TARGET.name} is not made of the table of this build: run tools/generate_signatures.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
