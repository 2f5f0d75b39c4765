"""The page of the C++ headers: what each installed header says of itself in its first comment.

A header opens with its contract: paragraphs, points that begin with " * ", and formulas, tables and code that
stand further to the right. Those become paragraphs, lists and blocks of the page.
"""

from __future__ import annotations

import functools
import itertools
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# The targets to link, each needing those before it only. A header belongs to the first that uses it.
LAYERS = {
    "core": "warps themselves",
    "data": "sets of series, files, generators",
    "baselines": "dynamic time warping and averages",
    "align": "alignment without a network",
    "options": "hyper-parameters",
    "classify": "nearest centroids",
    "report": "the page about an alignment",
    "torch": "operators and networks on libtorch",
}
INTRODUCTION = """# C++ headers

A program includes what it uses and links the target of the layer, which brings those it needs:

```cmake
find_package(diffeo 0.1 REQUIRED)
target_link_libraries(app PRIVATE diffeo::align)
```

Public functions check their arguments and throw `std::invalid_argument` with what was expected and what came.
Networks need `find_package(diffeo 0.1 REQUIRED COMPONENTS torch)` ([Install](install.md#from-cmake)).

What follows is what each header says of itself; the declarations are in the headers.
"""
INCLUDE = re.compile(r'#include "(diffeo/[^"]+)"')
POINT = re.compile(r" +\* ")
PIECE = re.compile(r"(`[^`]*`)|(diffeo/[\w/]+\.hpp)|docs/([\w/]+)\.md|([\\*_<>\[\]|#$])")


def anchor_of(header: str) -> str:
    """Of a header's heading, as GitHub and MyST make it: letters, digits and hyphens."""
    return re.sub(r"[^\w-]", "", header.lower())


@functools.cache
def public_headers() -> tuple[str, ...]:
    """Those that are installed, which CMake lists, as they are included."""
    listed = (ROOT / "cmake" / "public_headers.cmake").read_text(encoding="utf-8")
    return tuple(f"diffeo/{name}" for name in re.findall(r"^ +(\S+\.hpp)$", listed, flags=re.MULTILINE))


def page(include: Path) -> str:
    headers = {header: comment_of(include / header) for header in public_headers()}
    layers = layers_of(include)
    lost = sorted(headers.keys() - layers.keys())
    if lost:
        raise SystemExit(f"include/{lost[0]}: expected a layer of src/ that includes it, found none")
    parts = [INTRODUCTION]
    for layer, about in LAYERS.items():
        own = sorted(header for header in headers if layers[header] == layer)
        parts.append(f"## diffeo::{layer}: {about}\n\n{_table(own, headers)}")
        parts += [f"### {header}\n\n{as_markdown(headers[header])}" for header in own]
    return "\n".join(parts)


def layers_of(include: Path) -> dict[str, str]:
    """For every header the first layer that includes it, itself or through another header."""
    found: dict[str, str] = {}
    for layer in LAYERS:
        waiting = list((ROOT / "src" / layer).rglob("*.[ch]pp"))
        while waiting:
            text = waiting.pop().read_text(encoding="utf-8")
            new = {name for name in INCLUDE.findall(text) if (include / name).exists()} - found.keys()
            found |= dict.fromkeys(new, layer)
            waiting += [include / name for name in new]
    return found


def comment_of(path: Path) -> list[str]:
    """The lines of the first comment, without what makes them one."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        lines.append(line.removeprefix("//").removeprefix(" ").rstrip())
    if not lines:
        raise SystemExit(f"{path}: expected a comment that says what the header is for, got none")
    return lines


def first_sentence(lines: list[str]) -> str:
    paragraph = " ".join(lines[: lines.index("") if "" in lines else None])
    return re.split(r"(?<=[.])\s", paragraph, maxsplit=1)[0]


def _table(own: list[str], headers: dict[str, list[str]]) -> str:
    rows = [f"| [`{name}`](#{anchor_of(name)}) | {_text(first_sentence(headers[name]))} |" for name in own]
    return "\n".join(["| header | what it is for |", "|---|---|", *rows, ""])


def as_markdown(lines: list[str]) -> str:
    """Paragraphs, lists and blocks as Markdown has them."""
    return "\n\n".join(_part(run) for run in _runs(lines)) + "\n"


def _runs(lines: list[str]) -> Iterator[list[str]]:
    """Lines that belong together: between empty lines, and all of them further to the right or none."""
    for _, run in itertools.groupby(lines, key=lambda line: (not line, line.startswith(" "))):
        together = list(run)
        if together[0]:
            yield together


def _part(lines: list[str]) -> str:
    if POINT.match(lines[0]):
        return "\n".join(_points(lines))
    if lines[0].startswith(" "):
        return "```text\n" + textwrap.dedent("\n".join(lines)) + "\n```"
    return _text(" ".join(lines))


def _points(lines: list[str]) -> list[str]:
    """One line a point; a line that begins none goes on with the one before."""
    points: list[str] = []
    for line in lines:
        if POINT.match(line):
            points.append(line.strip().removeprefix("* "))
        else:
            points[-1] += " " + line.strip()
    return ["- " + _text(point) for point in points]


def _text(words: str) -> str:
    """Signs that Markdown would take for its own are kept as signs; files of the site become links."""
    return PIECE.sub(_marked_up, words)


def _marked_up(piece: re.Match[str]) -> str:
    code, header, page_name, sign = piece.groups()
    if header:
        return f"[`{header}`](#{anchor_of(header)})" if header in public_headers() else f"`{header}`"
    if page_name:
        return f"[{page_name}]({page_name}.md)"
    return code or f"\\{sign}"
