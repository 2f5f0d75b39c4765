"""Turn a matplotlib figure into an SVG element for a page: it follows the page's light and dark colors.

Figures are drawn with the light colors of `theme.css`. Here every such color becomes a variable of the page;
the color itself is the fallback of a file that stands alone. The group id of an artist holds what it says
when pointed at (`tip`), that of the figure its name and description (`describe`).
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec
from xml.etree import ElementTree

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.figure import Figure

INK = "#1c2733"
QUIET = "#5c6875"
RULE = "#dfe3e6"
CARD = "#ffffff"
BLANK = "#eceef0"
CLASSES = ("#0072b2", "#d55e00", "#009e73", "#9c2455", "#5c3a12", "#8a7bfa", "#7d8288")
BETTER, WORSE = CLASSES[:2]
_GROUND = "#fefefe"  # of the figure: white in a file, nothing in a page
_VARIABLES = (
    {color: f"var(--class-{number}, {color})" for number, color in enumerate(CLASSES)}
    | {INK: f"var(--ink, {INK})", QUIET: f"var(--quiet, {QUIET})", RULE: f"var(--rule, {RULE})"}
    | {
        CARD: f"var(--card, {CARD})",
        BLANK: f"var(--blank, {BLANK})",
        _GROUND: "var(--figure-ground, #ffffff)",
    }
)
_FONTS = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif"
_STYLE: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": QUIET,
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 12,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.facecolor": "none",
    "figure.constrained_layout.use": True,
    "figure.dpi": 72,
    "font.family": "DejaVu Sans",
    "font.size": 12,
    "grid.color": RULE,
    "hatch.color": QUIET,
    "legend.fontsize": 11,
    "legend.frameon": False,
    "legend.handletextpad": 0.3,
    "lines.markersize": 7,
    "savefig.facecolor": _GROUND,
    "svg.fonttype": "none",
    "svg.hashsalt": "diffeo",
    "text.color": QUIET,
    "text.parse_math": False,
    "xtick.color": QUIET,
    "xtick.labelsize": 11,
    "ytick.color": QUIET,
    "ytick.labelsize": 11,
}
_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_TIP, _ABOUT = "tip:", "about:"

Parameters = ParamSpec("Parameters")


@contextmanager
def style() -> Iterator[None]:
    """The look of all figures, for what is drawn inside."""
    with mpl.rc_context(_STYLE), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of letters that the font for measuring lacks
        yield


def styled(draw: Callable[Parameters, Figure]) -> Callable[Parameters, Figure]:
    """Draw a figure with the common look."""

    @wraps(draw)
    def drawn(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Figure:
        with style():
            return draw(*args, **kwargs)

    return drawn


def describe(figure: Figure, name: str, description: str) -> None:
    """Give a figure a name and a description, for those who cannot see it."""
    figure.set_gid(_ABOUT + json.dumps([name, description]))


def tip(artist: Artist, *texts: str) -> None:
    """Say a text when the artist is pointed at; several texts belong to its points in their order."""
    artist.set_gid(_TIP + json.dumps(texts))


def svg_of(figure: Figure) -> str:
    """The figure as an SVG element.

    It has no style sheet and no script. The same figure gives the same text.
    """
    buffer = io.StringIO()
    with style():
        figure.savefig(
            buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None}
        )
    text = buffer.getvalue()
    root = ElementTree.fromstring(text)
    name, description = _about(root)
    _remove_what_pages_have(root)
    _shorten_ids(root, hashlib.sha256(text.encode()).hexdigest()[:8])
    _share_styles(root)
    _shorten_numbers(root)
    _name(root, name, description)
    ElementTree.register_namespace("", _SVG[1:-1])
    return _with_variables(ElementTree.tostring(root, encoding="unicode"))


def _about(root: ElementTree.Element) -> tuple[str, str]:
    for element in root.iter(f"{_SVG}g"):
        if element.get("id", "").startswith(_ABOUT):
            name, description = json.loads(element.get("id", "")[len(_ABOUT) :])
            return name, description
    return "figure", "a figure"


def _name(root: ElementTree.Element, name: str, description: str) -> None:
    _, _, width, height = root.get("viewBox", "0 0 0 0").split()
    root.attrib.update({"class": "drawing", "role": "img", "aria-label": name})
    root.attrib.update({"width": f"{float(width):g}", "height": f"{float(height):g}", "font-family": _FONTS})
    root.attrib.pop("version", None)
    about = ElementTree.Element(f"{_SVG}desc")
    about.text = description
    root.insert(0, about)


def _remove_what_pages_have(root: ElementTree.Element) -> None:
    """Metadata, and a style sheet that would hold for the whole page."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{_SVG}metadata", f"{_SVG}style"):
                parent.remove(child)
    for parent in list(root.iter()):
        parent.text = parent.text if parent.tag == f"{_SVG}text" else None
        for child in list(parent):
            child.tail = None
            if child.tag == f"{_SVG}defs" and len(child) == 0:
                parent.remove(child)


def _shorten_ids(root: ElementTree.Element, prefix: str) -> None:
    """Tips become titles. Other ids stay if they are referred to, unique to the page."""
    links = {element.attrib[_LINK][1:] for element in root.iter() if _LINK in element.attrib}
    links |= set(re.findall(r"url\(#([^)]*)\)", ElementTree.tostring(root, encoding="unicode")))
    for element in root.iter():
        own = element.attrib.pop("id", "")
        if own.startswith(_TIP):
            _add_titles(element, json.loads(own[len(_TIP) :]))
        elif own in links:
            element.set("id", f"{prefix}-{own}")
        if link := element.attrib.pop(_LINK, ""):
            element.set("href", link if link.startswith("data:") else f"#{prefix}-{link[1:]}")
        if "url(#" in (clip := element.get("clip-path", "")):
            element.set("clip-path", clip.replace("url(#", f"url(#{prefix}-"))


def _add_titles(group: ElementTree.Element, texts: list[str]) -> None:
    points = list(group.iter(f"{_SVG}use"))
    owners = points if len(points) == len(texts) and len(texts) > 1 else [group]
    for owner, text in zip(owners, texts, strict=False):
        title = ElementTree.Element(f"{_SVG}title")
        title.text = text
        owner.insert(0, title)


def _share_styles(root: ElementTree.Element) -> None:
    """Say the style of many points once."""
    for group in root.iter(f"{_SVG}g"):
        points = group.findall(f"{_SVG}use")
        styles = {point.get("style") for point in points}
        if len(points) > 1 and len(styles) == 1 and None not in styles and "style" not in group.attrib:
            group.set("style", points[0].get("style", ""))
            for point in points:
                del point.attrib["style"]


def _shorten_numbers(root: ElementTree.Element) -> None:
    """Coordinates with two decimals."""
    for element in root.iter():
        for name in ("d", "x", "y", "transform"):
            if name in element.attrib:
                short = re.sub(r"(\d+\.\d\d)\d+", r"\1", element.attrib[name])
                element.set(name, re.sub(r" *([MLCQz]) *", r"\1", short).strip())
        if element.get("transform", "").startswith("rotate(-0 "):
            del element.attrib["transform"]


def _with_variables(text: str) -> str:
    """Colors and fonts of the page."""
    for color, variable in _VARIABLES.items():
        text = text.replace(f": {color}", f": {variable}")
    return re.sub(r" font-family: [^;]*;", "", text)
