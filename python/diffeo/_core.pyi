"""The compiled core: functions of C-contiguous arrays in one precision, with every axis present.

Shapes are those of the C++ headers. `threads` = 0 means all the cores the process may use.
"""

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, final

import numpy as np
from numpy.typing import NDArray

_Real = TypeVar("_Real", bound=np.floating[Any])
_Double: TypeAlias = NDArray[np.float64]

__version__: str

def available_threads() -> int:
    """The number of cores this process may run on (its affinity mask, where the system has one)."""

def compiler() -> str:
    """The compiler the library was built with, such as "GCC 12.2.0"."""

def random_uniform(count: int, seed: int) -> _Double:
    """The same numbers in [0, 1) on every machine."""

def random_normal(count: int, seed: int) -> _Double:
    """The same numbers of mean 0 and variance 1 on every machine."""

def instruction_set() -> str:
    """The kernels that this machine runs: "baseline", "avx2" or "avx512"."""

def velocity(
    velocities: NDArray[_Real], points: NDArray[_Real], lower: float, upper: float, threads: int
) -> NDArray[_Real]: ...
def flow(
    velocities: NDArray[_Real],
    points: NDArray[_Real],
    times: _Double,
    lower: float,
    upper: float,
    threads: int,
) -> NDArray[_Real]: ...
def flow_vjp(
    velocities: NDArray[_Real],
    points: NDArray[_Real],
    times: _Double,
    cotangents: NDArray[_Real],
    lower: float,
    upper: float,
    want_velocities: bool,
    want_points: bool,
    want_times: bool,
    threads: int,
) -> tuple[NDArray[_Real] | None, NDArray[_Real] | None, _Double | None]: ...
def flow_jvp(
    velocities: NDArray[_Real],
    points: NDArray[_Real],
    times: _Double,
    velocity_tangents: NDArray[_Real] | None,
    point_tangents: NDArray[_Real] | None,
    time_tangents: _Double,
    lower: float,
    upper: float,
    threads: int,
) -> NDArray[_Real]: ...
def flow_jacobian(
    velocities: NDArray[_Real],
    points: NDArray[_Real],
    times: _Double,
    lower: float,
    upper: float,
    threads: int,
) -> NDArray[_Real]: ...
def flow_log_slope(
    velocities: NDArray[_Real],
    points: NDArray[_Real],
    times: _Double,
    lower: float,
    upper: float,
    threads: int,
) -> NDArray[_Real]: ...
def flow_log_slope_vjp(
    velocities: NDArray[_Real],
    points: NDArray[_Real],
    times: _Double,
    cotangents: NDArray[_Real],
    lower: float,
    upper: float,
    want_velocities: bool,
    want_points: bool,
    want_times: bool,
    threads: int,
) -> tuple[NDArray[_Real] | None, NDArray[_Real] | None, _Double | None]: ...
def flow_log_slope_jvp(
    velocities: NDArray[_Real],
    points: NDArray[_Real],
    times: _Double,
    velocity_tangents: NDArray[_Real] | None,
    point_tangents: NDArray[_Real] | None,
    time_tangents: _Double,
    lower: float,
    upper: float,
    threads: int,
) -> NDArray[_Real]: ...
def flow_log_slope_jacobian(
    velocities: NDArray[_Real],
    points: NDArray[_Real],
    times: _Double,
    lower: float,
    upper: float,
    threads: int,
) -> NDArray[_Real]: ...
def flow_derivatives(
    velocities: NDArray[_Real],
    points: NDArray[_Real],
    times: _Double,
    lower: float,
    upper: float,
    threads: int,
) -> tuple[NDArray[_Real], NDArray[_Real], NDArray[_Real], NDArray[_Real]]: ...
def rectified_pooling(features: NDArray[_Real], threads: int) -> NDArray[_Real]: ...
def rectified_pooling_vjp(
    features: NDArray[_Real], cotangents: NDArray[_Real], threads: int
) -> NDArray[_Real]: ...
def flow_numeric(
    velocities: NDArray[_Real],
    points: NDArray[_Real],
    times: _Double,
    lower: float,
    upper: float,
    threads: int,
    steps: int,
) -> NDArray[_Real]: ...
def flow_numeric_vjp(
    velocities: NDArray[_Real],
    points: NDArray[_Real],
    times: _Double,
    cotangents: NDArray[_Real],
    lower: float,
    upper: float,
    want_velocities: bool,
    want_points: bool,
    want_times: bool,
    threads: int,
    steps: int,
) -> tuple[NDArray[_Real] | None, NDArray[_Real] | None, _Double | None]: ...
def flow_alternating(
    velocities: NDArray[_Real],
    points: NDArray[_Real],
    times: _Double,
    lower: float,
    upper: float,
    threads: int,
    steps: int,
    inner_steps: int,
) -> NDArray[_Real]: ...
def flow_alternating_vjp(
    velocities: NDArray[_Real],
    points: NDArray[_Real],
    times: _Double,
    cotangents: NDArray[_Real],
    lower: float,
    upper: float,
    want_velocities: bool,
    want_points: bool,
    want_times: bool,
    threads: int,
    steps: int,
    inner_steps: int,
) -> tuple[NDArray[_Real] | None, NDArray[_Real] | None, _Double | None]: ...
def flow_scaling_squaring(
    velocities: NDArray[_Real],
    points: NDArray[_Real],
    times: _Double,
    lower: float,
    upper: float,
    threads: int,
    squarings: int,
) -> NDArray[_Real]: ...
def flow_scaling_squaring_vjp(
    velocities: NDArray[_Real],
    points: NDArray[_Real],
    times: _Double,
    cotangents: NDArray[_Real],
    lower: float,
    upper: float,
    want_velocities: bool,
    want_points: bool,
    want_times: bool,
    threads: int,
    squarings: int,
) -> tuple[NDArray[_Real] | None, NDArray[_Real] | None, _Double | None]: ...
def sample(
    series: NDArray[_Real], positions: NDArray[_Real], grid: NDArray[_Real] | None, threads: int
) -> NDArray[_Real]: ...
def sample_vjp(
    series: NDArray[_Real],
    positions: NDArray[_Real],
    cotangents: NDArray[_Real],
    grid: NDArray[_Real] | None,
    want_series: bool,
    want_positions: bool,
    want_grid: bool,
    threads: int,
) -> tuple[NDArray[_Real] | None, NDArray[_Real] | None, NDArray[_Real] | None]: ...
def warp(
    series: NDArray[_Real], velocities: NDArray[_Real], times: _Double, length: int, threads: int
) -> NDArray[_Real]: ...
def warp_vjp(
    series: NDArray[_Real],
    velocities: NDArray[_Real],
    times: _Double,
    cotangents: NDArray[_Real],
    want_series: bool,
    want_velocities: bool,
    want_times: bool,
    threads: int,
) -> tuple[NDArray[_Real] | None, NDArray[_Real] | None, _Double | None]: ...

@final
class WarpSpace:
    def __init__(self, cells: int, zero_boundary: bool, basis: str, lower: float, upper: float) -> None: ...
    @property
    def dimension(self) -> int: ...
    def constraints(self) -> _Double: ...
    def affine_basis(self) -> _Double: ...
    def vertex_basis(self) -> _Double: ...
    def velocities(self, theta: NDArray[_Real]) -> NDArray[_Real]: ...
    def theta(self, velocities: NDArray[_Real]) -> NDArray[_Real]: ...
    def theta_gradient(self, velocity_gradients: NDArray[_Real]) -> NDArray[_Real]: ...

@final
class Prior:
    def __init__(self, space: WarpSpace, variance: float, length_scale: float) -> None: ...
    def covariance(self) -> _Double: ...
    def precision(self) -> _Double: ...
    def penalty(self, theta: _Double) -> _Double: ...
    def penalty_gradient(self, theta: _Double) -> _Double: ...
    def sample(self, count: int, seed: int) -> _Double: ...

@final
class Dataset:
    def __init__(self, series: _Double | list[_Double], labels: list[str] | None) -> None: ...
    @property
    def cases(self) -> int: ...
    @property
    def channels(self) -> int: ...
    @property
    def equally_long(self) -> bool: ...
    @property
    def labeled(self) -> bool: ...
    @property
    def class_names(self) -> list[str]: ...
    def array(self) -> _Double: ...
    def series(self) -> list[_Double]: ...
    def labels(self) -> list[str]: ...

def generate_cbf(cases: int, seed: int, length: int) -> Dataset: ...
def generate_synthetic_control(cases: int, seed: int, length: int) -> Dataset: ...
def generate_bumps(
    cases: int,
    seed: int,
    classes: int,
    channels: int,
    length: int,
    bumps: int,
    cells: int,
    length_scale: float,
    displacement: float,
    noise: float,
) -> tuple[Dataset, _Double, Dataset]: ...
def generate_warped(
    kind: str,
    cases: int,
    seed: int,
    family: str | None,
    displacement: float | None,
    height: float | None,
    width: float | None,
    noise: float | None,
    length: int | None,
    length_spread: float,
    missing: float,
    channels: int,
    peaks: int,
) -> tuple[Dataset, _Double, _Double, Dataset, list[float]]: ...
def z_normalize(set: Dataset) -> Dataset: ...
def resample(set: Dataset, length: int) -> Dataset: ...
def fill_missing(set: Dataset) -> Dataset: ...

@final
class NearestCentroid:
    def __init__(
        self,
        method: str,
        distance: str,
        length: int,
        max_iterations: int | None,
        tolerance: float | None,
        gamma: float,
        radius: int | None,
        window: float | None,
        threads: int,
    ) -> None: ...
    def fit(self, series: Dataset, numbers: NDArray[np.int64], classes: int) -> None: ...
    @staticmethod
    def restored(
        centroids: Dataset,
        spread: float | None,
        distance: str,
        radius: int | None,
        window: float | None,
        threads: int,
    ) -> NearestCentroid: ...
    def spread(self) -> float | None: ...
    def centroids(self) -> Dataset: ...
    def predict(self, series: Dataset) -> NDArray[np.int64]: ...
    def squared_distances(self, series: Dataset) -> _Double: ...
    def probabilities(self, series: Dataset) -> _Double: ...

def read_dataset(
    path: str,
    label: str | int | None,
    delimiter: str = ...,
    decimal: str = ...,
    header: bool | None = None,
    columns: list[str] = ...,
    id: str = "",
    time: str = "",
    value: str = "",
    max_size: int = 0,
) -> Dataset: ...
def write_dataset(path: str, dataset: Dataset) -> None: ...

@final
class SeriesOutline:
    @property
    def cases(self) -> int: ...
    @property
    def channels(self) -> int: ...
    @property
    def longest(self) -> int: ...
    def of_results(self, length: int) -> SeriesOutline: ...

@final
class SeriesReader:
    def __init__(self, path: str, label: str | int | None) -> None: ...
    def outline(self) -> SeriesOutline: ...
    def next(self, cases: int) -> Dataset | None: ...

@final
class SeriesWriter:
    def __init__(self, path: str, outline: SeriesOutline) -> None: ...
    def write(self, part: Dataset) -> None: ...
    def finish(self) -> None: ...
    def close(self) -> None: ...

@final
class AlignOptions:
    def __init__(
        self,
        criterion: str,
        cells: int,
        zero_boundary: bool,
        prior_weight: float | None,
        length_scale: float | None,
        smoothing: float | None,
        own_time: float,
        length: int,
        max_iterations: int,
        tolerance: float,
        threads: int,
        progress: Callable[[int, float, float], bool] | None,
    ) -> None: ...

@final
class ClassAlignment:
    @property
    def name(self) -> str: ...
    @property
    def variance_before(self) -> float: ...
    @property
    def variance(self) -> float: ...
    @property
    def cost(self) -> float: ...
    @property
    def converged(self) -> bool: ...
    def history(self) -> list[tuple[int, float, float]]: ...

@final
class Alignment:
    @property
    def aligned(self) -> Dataset: ...
    @property
    def mean(self) -> Dataset: ...
    @property
    def classes(self) -> list[ClassAlignment]: ...
    def velocities(self) -> _Double: ...
    def quality(self) -> dict[str, _Double]: ...

@final
class JointAligner:
    def __init__(self, options: AlignOptions, templates: Dataset | None) -> None: ...
    @staticmethod
    def load(path: str, threads: int) -> JointAligner: ...
    @staticmethod
    def from_bytes(bytes: bytes, threads: int) -> JointAligner: ...
    def save(self, path: str) -> None: ...
    def bytes(self) -> bytes: ...
    def fit(self, training: Dataset) -> None: ...
    def velocities(self, series: Dataset, threads: int) -> _Double: ...
    def warped(self, series: Dataset, velocities: _Double, threads: int) -> Dataset: ...
    @property
    def alignment(self) -> Alignment: ...
    @property
    def options(self) -> dict[str, Any]: ...
    @property
    def templates(self) -> Dataset | None: ...

def align_pair(source: _Double, target: _Double, options: AlignOptions) -> dict[str, Any]: ...
def align(series: Dataset, options: AlignOptions, templates: Dataset | None) -> Alignment: ...
def within_variance(aligned: Dataset) -> float: ...
def inverse_consistent_error(series: Dataset, velocities: _Double, mean: _Double) -> float: ...
def relative_warp_error(velocities: _Double, truth: _Double) -> float: ...
def true_time_spread(warps: _Double, truth: _Double) -> tuple[float, float, float, float]: ...

@final
class Hyperparameter:
    @property
    def name(self) -> str: ...
    @property
    def group(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def lowest(self) -> float: ...
    @property
    def highest(self) -> float: ...
    @property
    def choices(self) -> list[str]: ...
    @property
    def help(self) -> str: ...

@final
class TrainingOptions:
    def __init__(self, preset: str) -> None: ...
    def set(self, name: str, text: str) -> None: ...
    def check(self) -> None: ...
    def values(self) -> dict[str, Any]: ...

def hyperparameters() -> list[Hyperparameter]: ...
def preset_names() -> list[str]: ...

_Barycenter: TypeAlias = tuple[_Double, _Double, int, bool]

def dtw(first: _Double, second: _Double, radius: int | None, window: float | None) -> float: ...
def dtw_path(
    first: _Double, second: _Double, radius: int | None, window: float | None
) -> tuple[NDArray[np.int64], float]: ...
def dtw_matrix(
    rows: Dataset, columns: Dataset | None, radius: int | None, window: float | None, threads: int
) -> _Double: ...
def soft_dtw(first: _Double, second: _Double, gamma: float) -> float: ...
def soft_dtw_gradient(first: _Double, second: _Double, gamma: float) -> tuple[float, _Double]: ...
def euclidean_mean(cases: Dataset, length: int) -> _Barycenter: ...
def dba(
    cases: Dataset,
    max_iterations: int,
    tolerance: float,
    length: int,
    start: str,
    seed: int,
    radius: int | None,
    window: float | None,
    initial: _Double | None,
    threads: int,
) -> _Barycenter: ...
def soft_dtw_barycenter(
    cases: Dataset,
    gamma: float,
    max_iterations: int,
    tolerance: float,
    length: int,
    initial: _Double | None,
    threads: int,
) -> _Barycenter: ...
