"""Fails if a class, function or variable of one program has two definitions.

    one_definition.py --sources FOLDER... --objects FILE...

If two files define an inline function or a class of the same name, the linker silently keeps one of them. It
does the same with ordinary functions from two archives. Code then runs with the wrong definition.

  --sources   no two files define the same class, enum, inline function, template or inline variable
  --objects   object files and archives of one program. No two define the same symbol, unless the linker may
              merge it; virtual tables and type information have the same size in all of them
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from declarations import definitions_in

SOURCES = {".hpp", ".cpp", ".cu", ".cuh"}
TABLES = ("_ZTV", "_ZTI", "_ZTS")
ORDINARY = set("TDBRSG")
MERGED = set("WVu")


def defined_twice(folders: Iterable[Path]) -> list[str]:
    places: dict[str, dict[Path, int]] = defaultdict(dict)
    files = sorted(path for folder in folders for path in folder.rglob("*") if path.suffix in SOURCES)
    for path in files:
        for found in definitions_in(path.read_text(encoding="utf-8")):
            places[f"{found.kind} {found.name}"].setdefault(path, found.line)
    if not places:
        raise SystemExit("one_definition.py: expected sources with definitions, found none")
    return [
        f"{what}: {' and '.join(f'{path}:{line}' for path, line in files_of.items())}"
        for what, files_of in places.items()
        if len(files_of) > 1
    ]


def symbols_defined_twice(objects: Iterable[Path]) -> list[str]:
    ordinary: dict[str, list[str]] = defaultdict(list)
    tables: dict[str, dict[int, str]] = defaultdict(dict)
    for file, name, kind, size in symbols_of(objects):
        if kind in ORDINARY:
            ordinary[name].append(file)
        elif kind in MERGED and name.startswith(TABLES):
            tables[name].setdefault(size, file)
    doubled = [f"symbol {name}: {' and '.join(files)}" for name, files in ordinary.items() if len(files) > 1]
    changing = [f"symbol {name}: {_sizes(sizes)}" for name, sizes in tables.items() if len(sizes) > 1]
    return demangled(doubled + changing)


def _sizes(sizes: dict[int, str]) -> str:
    return " and ".join(f"{size} bytes in {file}" for size, file in sizes.items())


def symbols_of(objects: Iterable[Path]) -> Iterable[tuple[str, str, str, int]]:
    """File, name, kind and size of every symbol that is defined."""
    done = subprocess.run(
        ["nm", "--defined-only", "--print-file-name", "--format=posix", *map(str, objects)],
        capture_output=True,
        text=True,
        check=True,
    )
    for line in done.stdout.splitlines():
        file, _, symbol = line.partition(": ")
        name, kind, _, *size = symbol.split()
        yield file, name, kind, int(size[0], 16) if size else 0


def demangled(lines: list[str]) -> list[str]:
    done = subprocess.run(["c++filt"], input="\n".join(lines), capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sources", nargs="*", type=Path, default=[])
    parser.add_argument("--objects", nargs="*", type=Path, default=[])
    given = parser.parse_args()
    violations = defined_twice(given.sources) if given.sources else []
    violations += symbols_defined_twice(given.objects) if given.objects else []
    for violation in violations:
        print(f"two definitions of {violation}", file=sys.stderr)
    if violations:
        print(f"expected one definition of everything, found {len(violations)} with more", file=sys.stderr)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
