"""The part of diffeo that needs one version of torch: training in C++."""

from collections.abc import Callable
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from ._core import Dataset, TrainingOptions

_Double: TypeAlias = NDArray[np.float64]
_Record: TypeAlias = tuple[
    int, int, float, float, float, float, float, float, float, float, float, float, float
]
_Callback: TypeAlias = Callable[[_Record, int, int, float, float], None]

torch_version: str

class TemporalTransformer:
    def __init__(
        self,
        *,
        channels: int,
        length: int,
        cells: int,
        layers: int,
        zero_boundary: bool,
        basis: str,
        shared_layers: bool,
        composition: str,
        velocity_scale: float,
        horizon: float,
        method: str,
        method_steps: int,
        network: str,
        widths: list[int],
        kernels: list[int],
        hidden: int,
        positions: int,
        dropout: float,
    ) -> None: ...
    def named_parameters(self) -> list[tuple[str, Tensor]]: ...
    def named_buffers(self) -> list[tuple[str, Tensor]]: ...
    def train(self, on: bool) -> None: ...
    def forward(self, series: Tensor, time: float) -> tuple[Tensor, list[Tensor], list[Tensor]]: ...
    def inverse(
        self, aligned: Tensor, velocities: list[Tensor], length: int, time: float, lengths: Tensor | None
    ) -> Tensor: ...

@final
class TemporalAligner:
    def __init__(self, options: TrainingOptions, seed: int) -> None: ...
    def fit(
        self,
        training: Dataset,
        threads: int,
        checkpoint: str | None,
        resume: bool,
        callback: _Callback | None,
        group: str = "",
        double_precision: bool = False,
    ) -> None: ...
    def transform(self, series: Dataset, threads: int) -> Dataset: ...
    def comparison(self, series: Dataset, threads: int) -> Dataset: ...
    def inverse_transform(self, aligned: Dataset, series: Dataset, threads: int) -> Dataset: ...
    def warps(self, series: Dataset, threads: int) -> _Double: ...
    def warp_times(self, series: Dataset, times: _Double, inverse: bool, threads: int) -> _Double: ...
    def velocities(self, series: Dataset, threads: int) -> list[_Double]: ...
    @property
    def options(self) -> TrainingOptions: ...
    @property
    def seed(self) -> int: ...
    @property
    def shrinkage(self) -> float: ...
    @property
    def series_at_once(self) -> int: ...
    @property
    def centroids(self) -> Dataset: ...
    @property
    def comparison_centroids(self) -> Dataset: ...
    def history(self) -> list[_Record]: ...
    def save(self, path: str) -> None: ...
    @staticmethod
    def load(path: str) -> TemporalAligner: ...
