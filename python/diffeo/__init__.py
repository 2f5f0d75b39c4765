"""Exact, fast diffeomorphic time warps for aligning time series.

A warp φ is the flow of a continuous, piecewise affine velocity field, evaluated in closed form:

>>> space = diffeo.WarpSpace(cells=8)
>>> velocities = space.velocities(space.prior(variance=0.1).sample(1, seed=7)[0])
>>> series = np.sin(np.linspace(0, 6, 100))
>>> warped = diffeo.warp(series, velocities)
>>> positions = diffeo.flow(velocities, np.linspace(0, 1, 100))
>>> bool((np.diff(positions) > 0).all())
True

Functions need NumPy alone. Estimators need scikit-learn and are loaded when they are first used;
`TemporalAligner` also needs torch from `fit` on.
"""

from typing import TYPE_CHECKING, Any

from . import plot as plot
from ._align import Alignment, PairAlignment, align, align_pair
from ._align_options import AlignStep
from ._alignment_quality import AlignmentQuality
from ._augment import augment
from ._average import average
from ._baselines import (
    Barycenter,
    SoftDtwGradient,
    dba,
    dtw,
    dtw_matrix,
    dtw_path,
    euclidean_mean,
    soft_dtw,
    soft_dtw_barycenter,
    soft_dtw_gradient,
)
from ._core import __version__
from ._files import load, save
from ._fit_progress import EpochRecord, FitProgress
from ._flow import (
    FlowDerivatives,
    FlowGradients,
    flow,
    flow_derivatives,
    flow_jacobian,
    flow_jvp,
    flow_log_slope,
    flow_log_slope_jacobian,
    flow_log_slope_jvp,
    flow_log_slope_vjp,
    flow_vjp,
    velocity,
)
from ._from_frame import FrameSeries, from_frame
from ._generate import (
    Bumps,
    WarpedSeries,
    generate_bumps,
    generate_cbf,
    generate_synthetic_control,
    generate_warped,
)
from ._machine import available_threads, instruction_set
from ._prepare import fill_missing, resample, z_normalize
from ._quality import (
    TrueTimeSpread,
    inverse_consistent_error,
    relative_warp_error,
    true_time_spread,
    within_variance,
)
from ._series import SampleGradients, WarpGradients, sample, sample_vjp, warp, warp_vjp
from ._space import Prior, WarpSpace

if TYPE_CHECKING:
    from ._classify import NearestCentroid
    from ._joint_aligner import JointAligner
    from ._temporal_aligner import TemporalAligner

#: Estimators and where they are; loaded when they are first used, because they need scikit-learn.
_ESTIMATORS = {
    "JointAligner": "_joint_aligner",
    "NearestCentroid": "_classify",
    "TemporalAligner": "_temporal_aligner",
}

__all__ = [
    "AlignStep",
    "Alignment",
    "AlignmentQuality",
    "Barycenter",
    "Bumps",
    "EpochRecord",
    "FitProgress",
    "FlowDerivatives",
    "FlowGradients",
    "FrameSeries",
    "JointAligner",
    "NearestCentroid",
    "PairAlignment",
    "Prior",
    "SampleGradients",
    "SoftDtwGradient",
    "TemporalAligner",
    "TrueTimeSpread",
    "WarpGradients",
    "WarpSpace",
    "WarpedSeries",
    "__version__",
    "align",
    "align_pair",
    "augment",
    "available_threads",
    "average",
    "dba",
    "dtw",
    "dtw_matrix",
    "dtw_path",
    "euclidean_mean",
    "fill_missing",
    "flow",
    "flow_derivatives",
    "flow_jacobian",
    "flow_jvp",
    "flow_log_slope",
    "flow_log_slope_jacobian",
    "flow_log_slope_jvp",
    "flow_log_slope_vjp",
    "flow_vjp",
    "from_frame",
    "generate_bumps",
    "generate_cbf",
    "generate_synthetic_control",
    "generate_warped",
    "instruction_set",
    "inverse_consistent_error",
    "load",
    "relative_warp_error",
    "resample",
    "sample",
    "sample_vjp",
    "save",
    "soft_dtw",
    "soft_dtw_barycenter",
    "soft_dtw_gradient",
    "true_time_spread",
    "velocity",
    "warp",
    "warp_vjp",
    "within_variance",
    "z_normalize",
]


def __getattr__(name: str) -> Any:
    if name not in _ESTIMATORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    globals()[name] = found = getattr(import_module(f".{_ESTIMATORS[name]}", __name__), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
