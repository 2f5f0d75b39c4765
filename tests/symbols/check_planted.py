"""one_definition.py finds all planted violations and nothing else: check_planted.py OBJECT..."""

from __future__ import annotations

import sys
from pathlib import Path

from one_definition import defined_twice, symbols_defined_twice

IN_SOURCES = {
    "class diffeo::planted::Group",
    "class diffeo::planted::Pair",
    "class diffeo::planted::Mode",
    "class diffeo::planted::Shape",
    "function diffeo::planted::twice(int)",
    "variable diffeo::planted::kLimit",
}
IN_OBJECTS = {
    "symbol diffeo::planted::three()",
    "symbol typeinfo for diffeo::planted::Shape",
    "symbol vtable for diffeo::planted::Shape",
}


def check(expected: set[str], violations: list[str]) -> None:
    found = {violation.split(": ")[0] for violation in violations}
    if found != expected:
        sys.exit(f"expected {sorted(expected)}, found {sorted(found)}")


check(IN_SOURCES, defined_twice([Path(__file__).parent / "planted"]))
check(IN_OBJECTS, symbols_defined_twice(Path(name) for name in sys.argv[1:]))
