"""The command line of experiments: `python -m diffeo.experiments report|study`, which `diffeo` runs, too.

Exit codes: 0 done, 1 failed, 2 wrong usage. Results go to stdout, an error is one line on stderr.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

from . import _study_command
from ._numbers import counted
from .folder import read_experiment
from .page import page_of


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"diffeo: {self.prog.rpartition(' ')[2]}: {message}\n")


def main(arguments: list[str]) -> int:
    """Do what the arguments say; answer the exit code."""
    parser = _Parser(prog="diffeo", allow_abbrev=False)
    verbs = parser.add_subparsers(required=True, metavar="report|study", parser_class=_Parser)
    _add_report(
        verbs.add_parser("report", help="make the page about a folder of results", allow_abbrev=False)
    )
    _study_command.add_options(
        verbs.add_parser("study", help="measure what other ways to flow lose and cost", allow_abbrev=False)
    )
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        kind = "unknown option" if unknown[0].startswith("-") else "unexpected argument"
        print(f"diffeo: {arguments[0]}: {kind} {unknown[0]}", file=sys.stderr)
        return 2
    try:
        options.work(options)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except KeyboardInterrupt:
        return 130
    except _study_command.WrongUsage as problem:
        print(f"diffeo: study: {problem}", file=sys.stderr)
        return 2
    except OSError as problem:
        if problem.filename is None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python would complain once more at its end
            print("diffeo: standard output: cannot be written", file=sys.stderr)
        else:
            print(f"diffeo: {problem.filename}: {problem.strerror or problem}", file=sys.stderr)
        return 1
    except (KeyError, TypeError) as problem:  # of documents beside the results
        print(f"diffeo: expected documents of the experiments, got one without {problem}", file=sys.stderr)
        return 1
    except (ValueError, RuntimeError) as problem:
        print(f"diffeo: {str(problem).splitlines()[0]}", file=sys.stderr)
        return 1
    return 0


def write_text(path: str, text: str, *, option: str, kind: str, beginning: str) -> None:
    """Write a file as a whole, or to stdout for "-"."""
    require_own_kind(path, option=option, kind=kind, beginning=beginning)
    if path == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
    elif Path(path).exists() and not Path(path).is_file():  # a device or a pipe
        Path(path).write_text(text, encoding="utf-8")
    else:
        _replace(Path(path), text)


def require_own_kind(path: str, *, option: str, kind: str, beginning: str) -> None:
    """Refuse to replace a file of another kind: it would be lost."""
    if path == "-" or not Path(path).is_file():
        return
    with Path(path).open("rb") as stream:
        start = stream.read(len(beginning.encode()))
    if start and start != beginning.encode():
        raise ValueError(f"{option}: expected a new file or {kind}, got {path}, which would be lost")


def _replace(file: Path, text: str) -> None:
    """Written beside, then renamed."""
    try:
        handle, beside = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            mask = os.umask(0)
            os.umask(mask)
            Path(beside).chmod(file.stat().st_mode & 0o777 if file.exists() else 0o666 & ~mask)
            Path(beside).replace(file)
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise
    except OSError as problem:
        raise OSError(problem.errno, f"cannot be written: {problem.strerror}", str(file)) from None


def _add_report(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("folder", metavar="RESULTS", help="the folder that diffeo evaluate wrote")
    verb.add_argument("-o", "--output", metavar="FILE", required=True, help="the page, or - for stdout")
    verb.add_argument("--table", metavar="FILE", help="a .csv of data sets and published accuracies")
    verb.add_argument(
        "--title", metavar="TEXT", help="of the page; names the number of data sets if not given"
    )
    verb.add_argument("--json", action="store_true", help="say what was made as JSON")
    verb.add_argument("--quiet", action="store_true", help="say nothing if the page goes to stdout")
    verb.set_defaults(work=_report)


def _report(options: argparse.Namespace) -> None:
    experiment = read_experiment(options.folder, options.table)
    page = page_of(experiment, options.title)
    write_text(options.output, page, option="--output", kind="a page", beginning="<!DOCTYPE html>")
    scores, size = experiment.summary.scores, len(page.encode())
    is_stream = options.output == "-"
    if options.json:
        said = json.dumps(
            {
                "file": options.output,
                "kind": "results",
                "bytes": size,
                "datasets": len(scores),
                "methods": list(scores.columns),
                "pictures": len(experiment.pictures),
            },
            ensure_ascii=False,
        )
    else:
        name = "standard output" if is_stream else options.output
        methods = counted(scores.shape[1], "method")
        said = f"{name}: {counted(len(scores), 'data set')}, {methods}, {size // 1000} kB"
    if options.json or not (is_stream and options.quiet):
        print(said, file=sys.stderr if is_stream else sys.stdout)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
