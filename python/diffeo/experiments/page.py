"""Make the page about a folder of results: one HTML file that loads nothing else.

The words and tables are in `page.html`, a Jinja2 template; `_content.py` computes what they show. The same
folder gives the same bytes. Pictures of alignments are left out if the page would exceed 5 MB, and the page
says so.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import jinja2
from markupsafe import Markup

import diffeo

from . import _numbers
from ._content import Page
from .folder import Experiment, read_experiment

if TYPE_CHECKING:
    from os import PathLike

_HERE = Path(__file__).parent
_ASSETS = ("theme.css", "page.css", "page.js")
_SECTIONS = (
    ("summary", "Summary"),
    ("ranks", "Ranks"),
    ("losses", "Losses"),
    ("results", "Results"),
    ("published", "Published"),
    ("scatter", "Against each"),
    ("pairs", "Pairs"),
    ("sharpshooter", "Sharpshooter"),
    ("gain", "Gain"),
    ("types", "Types"),
    ("variance", "Variance"),
    ("grid", "Hyper-parameters"),
    ("ablation", "Ablation"),
    ("pictures", "Alignments"),
    ("provenance", "Made from"),
)


def make_page(
    folder: str | PathLike[str], *, table: str | PathLike[str] | None = None, title: str | None = None
) -> str:
    """Make the page about a folder of results.

    Parameters
    ----------
    folder : path
        The folder that `diffeo evaluate --results` wrote.
    table : path, optional
        A .csv of data sets and published accuracies; `DIR/published.csv` if there is one.
    title : str, optional
        Of the page. Names the number of data sets if not given.

    Returns
    -------
    str
        HTML that needs nothing else.

    Raises
    ------
    OSError
        If a file cannot be read.
    ValueError
        If a file is not what it should be, with its name.
    """
    return page_of(read_experiment(folder, table), title)


def page_of(experiment: Experiment, title: str | None = None) -> str:
    """The page about an experiment.

    Parameters
    ----------
    experiment : Experiment
        As `read_experiment` returns it.
    title : str, optional
        Of the page. Names the number of data sets if not given.

    Returns
    -------
    str
        HTML that needs nothing else.
    """
    page = Page(experiment)
    title = title or f"Nearest centroids on {_numbers.counted(page.datasets, 'data set')}"
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    for name in ("accuracy", "rank", "probability", "percent"):
        environment.filters[name] = getattr(_numbers, name)
    for name in ("data", "counted", "short"):
        environment.globals[name] = getattr(_numbers, name)
    sections = [(name, words) for name, words in _SECTIONS if getattr(page, f"has_{name}")]
    assets = {name: Markup((_HERE / name).read_text(encoding="utf-8")) for name in _ASSETS}
    template = environment.get_template("page.html")
    return template.render(
        page=page, title=title, sections=sections, assets=assets, version=diffeo.__version__
    )
