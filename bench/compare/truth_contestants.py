"""The contestants of truth.py behind the same two calls: a set of series, or a pair, becomes warps.

A warp φ maps common time to the time of a series: aligned_i(x) = series_i(φ_i(x)), both on [0, 1]. It is
given as positions at equally spaced points. `CannotAlign` says what a contestant cannot do.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from importlib import metadata
from typing import Any

import numpy as np

import machine
from workload import Array

POINTS = 201  # of warps whose contestant can say them anywhere


class CannotAlign(Exception):
    """What the contestant is not made for, in a few words."""


def grid_of(series: Array) -> Array:
    return np.linspace(0.0, 1.0, series.shape[-1])


def single_channel(X: Sequence[Array]) -> Array:
    """(cases, time), for those that take equally long series of one channel, without gaps."""
    require_whole(X)
    if len({series.shape[-1] for series in X}) > 1:
        raise CannotAlign("different lengths")
    if X[0].shape[0] > 1:
        raise CannotAlign("several channels")
    return np.stack([series[0] for series in X])


def require_whole(X: Sequence[Array]) -> None:
    if any(np.isnan(series).any() for series in X):
        raise CannotAlign("gaps")


class Nothing:
    """No alignment: what all others are measured against."""

    name = "none"
    version = ""

    def align_set(self, X: Sequence[Array]) -> Array:
        return np.tile(np.linspace(0.0, 1.0, POINTS), (len(X), 1))

    def align_pair(self, source: Array, target: Array) -> Array:
        return grid_of(target)


class Diffeo:
    """`diffeo.align` and `diffeo.align_pair` with their defaults."""

    name = "diffeo"

    def __init__(self, diffeo: Any) -> None:
        self.diffeo = diffeo
        self.version = f"{diffeo.__version__}, {machine.commit()}"  # as the sources are when the run starts

    def align_set(self, X: Sequence[Array]) -> Array:
        result = self.diffeo.align(X, threads=1)
        return self.diffeo.flow(result.velocities, np.linspace(0.0, 1.0, POINTS))

    def align_pair(self, source: Array, target: Array) -> Array:
        return self.diffeo.align_pair(source, target, threads=1).warp


class Fdasrsf:
    """Elastic alignment to the Karcher mean by dynamic programming."""

    name = "fdasrsf"

    def __init__(self) -> None:
        self.version = metadata.version("fdasrsf")
        self.library = importlib.import_module("fdasrsf")

    def align_set(self, X: Sequence[Array]) -> Array:
        series = single_channel(X)
        problem = self.library.fdawarp(series.T.copy(), grid_of(series))
        problem.srsf_align(parallel=False, verbose=False)
        return problem.gam.T

    def align_pair(self, source: Array, target: Array) -> Array:
        return self.library.pairwise_align_functions(target, source, grid_of(target))[1]


class ScikitFda:
    """Fisher–Rao elastic registration."""

    name = "scikit-fda"

    def __init__(self) -> None:
        self.version = metadata.version("scikit-fda")
        self.library = importlib.import_module("skfda")
        module = importlib.import_module("skfda.preprocessing.registration")
        self.registration = module.FisherRaoElasticRegistration

    def align_set(self, X: Sequence[Array]) -> Array:
        series = single_channel(X)
        registration = self.registration()
        registration.fit_transform(self.library.FDataGrid(series, grid_of(series)))
        return registration.warping_.data_matrix[:, :, 0]

    def align_pair(self, source: Array, target: Array) -> Array:
        template = self.library.FDataGrid(target[None], grid_of(target))
        registration = self.registration(template=template)
        registration.fit_transform(self.library.FDataGrid(source[None], grid_of(source)))
        return registration.warping_.data_matrix[0, :, 0]


class Dtw:
    """Dynamic time warping to the medoid: the series with the least sum of distances to all."""

    name = "DTW"

    def __init__(self) -> None:
        self.version = metadata.version("tslearn")
        self.metrics = importlib.import_module("tslearn.metrics")

    def align_set(self, X: Sequence[Array]) -> Array:
        require_whole(X)
        series = [each.T for each in X]
        distances = [[self.metrics.dtw(a, b) for b in series] for a in series]
        return self.along(series[int(np.sum(distances, axis=1).argmin())], series)

    def align_pair(self, source: Array, target: Array) -> Array:
        return self.along(target[:, None], [source[:, None]])[0]

    def along(self, template: Array, series: Sequence[Array]) -> Array:
        return np.stack([self.warp(template, each) for each in series])

    def warp(self, template: Array, series: Array) -> Array:
        """At every step of the template the mean of the steps that the path pairs with it."""
        path = np.array(self.metrics.dtw_path(template, series)[0])
        total = np.bincount(path[:, 0], weights=path[:, 1])
        return total / np.bincount(path[:, 0]) / (len(series) - 1)


class Dba(Dtw):
    """DTW to tslearn's barycenter (DBA)."""

    name = "DBA"

    def __init__(self) -> None:
        super().__init__()
        self.barycenters = importlib.import_module("tslearn.barycenters")

    def align_set(self, X: Sequence[Array]) -> Array:
        require_whole(X)
        series = [each.T for each in X]
        longest = max(len(each) for each in series)
        mean = self.barycenters.dtw_barycenter_averaging(series, barycenter_size=longest)
        return self.along(mean, series)

    def align_pair(self, source: Array, target: Array) -> Array:
        raise CannotAlign("pairs; see DTW")


NAMES = ("none", "diffeo", "fdasrsf", "scikit-fda", "DTW", "DBA")
SLOW = ("fdasrsf", "scikit-fda")  # they take seconds per set


def contestants(diffeo: Any, names: Sequence[str]) -> list[Any]:
    """Those named, warmed up: what they compile is compiled before anything is timed."""
    makers = {
        "none": Nothing,
        "diffeo": lambda: Diffeo(diffeo),
        "fdasrsf": Fdasrsf,
        "scikit-fda": ScikitFda,
        "DTW": Dtw,
        "DBA": Dba,
    }
    made = [makers[name]() for name in NAMES if name in names]
    wave = np.sin(np.linspace(0, 9, 50))
    for each in made:
        each.align_set([wave[None], wave[None] ** 2, wave[None] ** 3])
        if each.name != "DBA":
            each.align_pair(wave, wave**2)
    return made
