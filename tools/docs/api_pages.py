"""The pages of the Python interface: which names stand on which, each with what its docstring says.

Every public name is on one page; a name that is on none, or on two, ends the build.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from docstrings import words_as_rst

PACKAGE = "diffeo"


@dataclass(frozen=True)
class ApiPage:
    name: str  # of the page in the site
    title: str
    about: str
    names: tuple[str, ...] = ()  # in their order; none means all of the module's
    module: str = PACKAGE

    def members(self) -> tuple[str, ...]:
        return self.names or tuple(importlib.import_module(self.module).__all__)

    def text(self) -> str:
        """In reStructuredText, which is what docstrings are translated to."""
        module = importlib.import_module(self.module)
        members = [(name, getattr(module, name)) for name in self.members()]
        about = words_as_rst(self.about[0].upper() + self.about[1:])
        rows = "\n".join(_row(self.module, name, each) for name, each in members)
        entries = "\n".join(_entry(self.module, name, each) for name, each in members)
        return f"{self.title}\n{'=' * len(self.title)}\n\n{about}.\n\n.. list-table::\n\n{rows}\n\n{entries}"


API_PAGES = (
    ApiPage(
        "api/estimators",
        "Estimators",
        "objects with `fit`, estimators of scikit-learn",
        (
            "TemporalAligner",
            "JointAligner",
            "NearestCentroid",
            "AlignmentQuality",
            "EpochRecord",
            "FitProgress",
        ),
    ),
    ApiPage(
        "api/alignment",
        "Alignment and averages",
        "without a network, and how good it is",
        (
            "align",
            "align_pair",
            "average",
            "Alignment",
            "PairAlignment",
            "AlignStep",
            "within_variance",
            "inverse_consistent_error",
            "relative_warp_error",
            "true_time_spread",
            "TrueTimeSpread",
        ),
    ),
    ApiPage(
        "api/data",
        "Series, files and generators",
        "reading, writing, preparing and making series",
        (
            "load",
            "save",
            "from_frame",
            "FrameSeries",
            "z_normalize",
            "resample",
            "fill_missing",
            "augment",
            "generate_cbf",
            "generate_synthetic_control",
            "generate_bumps",
            "Bumps",
            "generate_warped",
            "WarpedSeries",
        ),
    ),
    ApiPage(
        "api/warps",
        "Warps",
        "velocity fields, their flows, and series read along them, with derivatives",
        (
            "WarpSpace",
            "Prior",
            "velocity",
            "flow",
            "flow_derivatives",
            "flow_vjp",
            "flow_jvp",
            "flow_jacobian",
            "flow_log_slope",
            "flow_log_slope_vjp",
            "flow_log_slope_jvp",
            "flow_log_slope_jacobian",
            "warp",
            "warp_vjp",
            "sample",
            "sample_vjp",
            "FlowDerivatives",
            "FlowGradients",
            "WarpGradients",
            "SampleGradients",
        ),
    ),
    ApiPage(
        "api/baselines",
        "Dynamic time warping",
        "the classics, to compare with: distances, paths and averages",
        (
            "dtw",
            "dtw_path",
            "dtw_matrix",
            "soft_dtw",
            "soft_dtw_gradient",
            "dba",
            "soft_dtw_barycenter",
            "euclidean_mean",
            "Barycenter",
            "SoftDtwGradient",
        ),
    ),
    ApiPage(
        "api/torch",
        "diffeo.torch",
        "the same on tensors of torch, differentiable, and a module that learns how to warp",
        module="diffeo.torch",
    ),
    ApiPage(
        "api/aeon",
        "diffeo.aeon",
        "the estimators for aeon's own pipelines, ensembles and searches",
        module="diffeo.aeon",
    ),
    ApiPage(
        "api/sktime",
        "diffeo.sktime",
        "the estimators for sktime",
        module="diffeo.sktime",
    ),
    ApiPage(
        "api/estimator_checks",
        "diffeo.estimator_checks",
        "scikit-learn's checks, and which of them cannot hold",
        module="diffeo.estimator_checks",
    ),
    ApiPage(
        "api/dask",
        "diffeo.dask",
        "many series, and archives of data sets, on a Dask cluster",
        module="diffeo.dask",
    ),
    ApiPage(
        "api/experiments",
        "diffeo.experiments",
        "results of experiments: tables, tests, figures and pages",
        (
            "read_results",
            "summarize",
            "ResultsSummary",
            "MethodSummary",
            "OtherSetting",
            "read_experiment",
            "Experiment",
            "Published",
            "setting_words",
            "make_page",
            "page_of",
            "method_ranks",
            "mean_ranks",
            "geometric_mean_ranks",
            "friedman",
            "FriedmanResult",
            "wilcoxon",
            "WilcoxonResult",
            "holm",
            "nemenyi_critical_difference",
            "critical_difference",
            "CriticalDifference",
            "compare_methods",
            "Comparison",
            "sharpshooter",
            "is_reachable_accuracy",
            "tsne",
        ),
        module="diffeo.experiments",
    ),
    ApiPage(
        "api/figures",
        "diffeo.experiments.figures",
        "figures about experiments on matplotlib; `svg` makes an element of a page of one",
        (
            "critical_difference_diagram",
            "score_scatter",
            "comparison_matrix",
            "sharpshooter_plot",
            "gain_plot",
            "score_strips",
            "before_after_plot",
            "winning_frequency",
            "heat_maps",
            "embedding_plot",
            "curves",
            "error_map",
            "svg",
        ),
        module="diffeo.experiments.figures",
    ),
    ApiPage(
        "api/plot",
        "diffeo.plot",
        "pictures on matplotlib, where it is installed",
        module="diffeo.plot",
    ),
    ApiPage(
        "api/build",
        "This build",
        "which diffeo this is, and what it runs on",
        ("instruction_set", "available_threads"),
    ),
)


def check_that_every_name_has_a_page() -> None:
    listed = Counter(name for page in API_PAGES if page.module == PACKAGE for name in page.names)
    public = {name for name in importlib.import_module(PACKAGE).__all__ if not name.startswith("_")}
    problems = {
        "is on no page": public - listed.keys(),
        "is no public name": listed.keys() - public,
        "is on two pages": {name for name, times in listed.items() if times > 1},
    }
    for problem, names in problems.items():
        if names:
            raise SystemExit(f"tools/docs/api_pages.py: {min(names)} of {PACKAGE} {problem}")


def _row(module: str, name: str, each: Any) -> str:
    role = "class" if inspect.isclass(each) else "func"
    return f"   * - :py:{role}:`{name} <{module}.{name}>`\n     - {words_as_rst(_summary(each))}"


def _summary(each: Any) -> str:
    """The first sentence of its docstring."""
    paragraph = (inspect.getdoc(each) or "").partition("\n\n")[0].replace("\n", " ")
    return re.split(r"(?<=[.])\s", paragraph, maxsplit=1)[0]


def _entry(module: str, name: str, each: Any) -> str:
    if not inspect.isclass(each):
        return f".. autofunction:: {module}.{name}\n"
    options = ["   :members:"]
    if dataclasses.is_dataclass(each) or hasattr(each, "_fields"):
        options.append("   :undoc-members:")
    foreign = next(base for base in each.__mro__ if not base.__module__.startswith(PACKAGE))
    # Of a named tuple only its fields; of an estimator of another library only what is ours.
    if not hasattr(each, "_fields") and each.__bases__ != (foreign,):
        options.append(f"   :inherited-members: {foreign.__name__}")
    return "\n".join([f".. autoclass:: {module}.{name}", *options, ""])
