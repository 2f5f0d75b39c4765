"""Docstrings as reStructuredText, for Sphinx.

The docstrings of diffeo are written to be read in a terminal: paragraphs, `code`, examples, and tables,

    velocities   (batch, cells + 1), or (cells + 1,) for one field
    points       (n,) for the whole batch,
                 or (batch, n)

a name, two spaces or more, and what it is. Tables become definition lists, and the signs that
reStructuredText would take for its own are kept as signs. Docstrings with sections of numpydoc are left to
Sphinx's own extension.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import Any

from sphinx.ext.napoleon import Config, NumpyDocstring
from sphinx.util.inspect import signature as signature_of
from sphinx.util.inspect import stringify_signature

ENTRY = re.compile(r"(?P<name>\S(?:.*?\S)?) {2,}(?P<text>\S.*)")
CODE = re.compile(r"``([^`]+)``|`([^`]+)`")
SPECIAL = re.compile(r"([\\*|_`])")
NAME = re.compile(r"[A-Za-z_][\w.]*")
ALIAS = re.compile(r"TypeAliasForwardRef\('(\w+)'\)")  # how Sphinx writes the name of a type
NUMPYDOC = re.compile(r"^(Parameters|Returns|Raises)\n-+$", re.MULTILINE)
WITHOUT_COMMENT = "Alias for field number"  # what Python says of a field of which nobody said anything


def as_rst(docstring: str) -> str:
    """The docstring, dedented, as reStructuredText."""
    if NUMPYDOC.search(docstring):
        lines = [
            line if line.lstrip().startswith(">>>") else words_as_rst(line) for line in docstring.splitlines()
        ]
        return str(NumpyDocstring(lines, Config(napoleon_use_rtype=False))) + "\n"
    parts = [_part(lines) for lines in _paragraphs(docstring)]
    return "\n\n".join(parts) + "\n"


def _paragraphs(text: str) -> Iterator[list[str]]:
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        lines = paragraph.splitlines()
        if lines and lines[0].strip():
            yield lines


def _part(lines: list[str]) -> str:
    if lines[0].lstrip().startswith(">>>"):
        return textwrap.dedent("\n".join(lines))
    if ENTRY.fullmatch(lines[0]):
        return _table(lines)
    if lines[0].startswith(" "):
        return _indented(textwrap.dedent("\n".join(lines)).splitlines())
    further = next((at for at, line in enumerate(lines) if line.startswith(" ")), len(lines))
    told = "\n".join(words_as_rst(line) for line in lines[:further])
    if further == len(lines):
        return told
    rest = textwrap.dedent("\n".join(lines[further:])).splitlines()
    back = next((at for at, line in enumerate(lines[further:]) if not line.startswith(" ")), None)
    if back is not None:
        rest = textwrap.dedent("\n".join(lines[further : further + back])).splitlines()
        return f"{told}\n\n{_indented(rest)}\n\n{_part(lines[further + back :])}"
    return f"{told}\n\n{_indented(rest)}"


def _indented(lines: list[str]) -> str:
    """A table that stands to the right, under what it is of; or a formula."""
    if ENTRY.fullmatch(lines[0]):
        return _table(lines)
    return "::\n\n" + textwrap.indent("\n".join(lines), "    ")


def _table(lines: list[str]) -> str:
    entries: list[tuple[str, list[str]]] = []
    for at, line in enumerate(lines):
        entry = ENTRY.fullmatch(line)
        if entry is not None and not line.startswith(" "):
            entries.append((entry["name"], [entry["text"]]))
        elif line.startswith(" "):
            entries[-1][1].append(line)
        else:
            return f"{_definitions(entries)}\n\n{_part(lines[at:])}"
    return _definitions(entries)


def _definitions(entries: list[tuple[str, list[str]]]) -> str:
    return ".. rst-class:: arguments\n\n" + "\n".join(_definition(name, text) for name, text in entries)


def _definition(name: str, text: list[str]) -> str:
    """What is said of a name may be a table of its own, of the values that it can have."""
    rest = textwrap.dedent("\n".join(text[1:])).splitlines()
    values = [text[0], *rest]
    if len(values) > 1 and ENTRY.fullmatch(text[0]) and any(ENTRY.fullmatch(line) for line in rest):
        described = _table(values)
    else:
        described = "\n".join(words_as_rst(line.strip()) for line in values)
    names = ", ".join(f"``{each}``" for each in name.split(", "))
    return f"{names}\n{textwrap.indent(described, '    ')}\n"


def words_as_rst(line: str) -> str:
    """A line of words: code in backticks, all other signs as they are."""
    made, end = [], 0
    for code in CODE.finditer(line):
        made.append(SPECIAL.sub(r"\\\1", line[end : code.start()]))
        inner = code[1] or code[2]
        made.append(f":py:obj:`{inner}`" if NAME.fullmatch(inner) else f"``{inner}``")
        end = code.end()
    return "".join(made) + SPECIAL.sub(r"\\\1", line[end:])


def process(app: Any, what: str, name: str, obj: object, options: Any, lines: list[str]) -> None:
    """What Sphinx calls with every docstring, to be changed in place."""
    text = "\n".join(lines)
    lines[:] = [] if text.startswith(WITHOUT_COMMENT) else as_rst(text).splitlines()


def signature(
    app: Any, what: str, name: str, obj: Any, options: Any, arguments: str | None, result: str | None
) -> tuple[str | None, str | None]:
    """What Sphinx calls with every signature: names of types as the source has them."""
    if what == "class" and _takes_anything(obj):
        arguments = _constructor(obj, app.config.autodoc_type_aliases)
    return arguments and ALIAS.sub(r"\1", arguments), result and ALIAS.sub(r"\1", result)


def _takes_anything(owner: Any) -> bool:
    """Whether a base has a __new__, which Sphinx would show instead of __init__."""
    has_new = any("__new__" in vars(base) for base in owner.__mro__[:-1])
    return has_new and inspect.isfunction(owner.__init__)


def _constructor(owner: Any, aliases: dict[str, str]) -> str:
    found = signature_of(owner.__init__, bound_method=True, type_aliases=aliases)
    return stringify_signature(found, show_return_annotation=False, unqualified_typehints=True)


def setup(app: Any) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", process)
    app.connect("autodoc-process-signature", signature)
    return {"parallel_read_safe": True}
