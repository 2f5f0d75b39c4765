"""Series made by formula, with known truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrays import Float64Array, real_number, whole_number

_LARGEST_SEED = 2**64 - 1


@dataclass(frozen=True)
class Bumps:
    """What `generate_bumps` gives: series whose warps are known.

    Case i is the template of its class in a time of its own: series_i(x) = template(φ_i(x)) + noise, with φ_i
    the flow of `velocities[i]`. So `diffeo.warp(X, velocities, time=-1.0)` is the templates again, up to
    noise and interpolation.

    >>> bumps = diffeo.generate_bumps(6, seed=1, length=50)
    >>> bumps.X.shape, bumps.y.tolist(), bumps.velocities.shape, bumps.templates.shape
    ((6, 1, 50), ['1', '2', '3', '1', '2', '3'], (6, 17), (3, 1, 50))
    """

    X: Float64Array  #: (cases, channels, length)
    y: NDArray[np.str_]  #: (cases,): "1", "2", … in turn
    velocities: Float64Array  #: (cases, cells + 1): the true warps, zero at both ends
    templates: Float64Array  #: (classes, channels, length): without warp and noise, in the labels' order


def generate_cbf(
    cases: SupportsIndex, seed: SupportsIndex, length: SupportsIndex = 128
) -> tuple[Float64Array, NDArray[np.str_]]:
    """Cylinder-bell-funnel series (Saito 1994): shapes of random onset, duration and height, in noise.

    cases    how many; case i has class i modulo 3
    seed     the same seed gives the same series
    length   at least 8; onset and duration grow in proportion to the published 128

    Returns X (cases, 1, length) and y: "1" cylinder, "2" bell, "3" funnel, as in the UCR archive. Nothing is
    normalised: see `z_normalise`.

    ValueError for arguments out of range.

    >>> X, y = diffeo.generate_cbf(30, seed=1)
    >>> X.shape, y[:4].tolist()
    ((30, 1, 128), ['1', '2', '3', '1'])
    """
    count, number = _count_and_seed(cases, seed)
    return _series_and_labels(_core.generate_cbf(count, number, whole_number("length", length, 1)))


def generate_synthetic_control(
    cases: SupportsIndex, seed: SupportsIndex, length: SupportsIndex = 60
) -> tuple[Float64Array, NDArray[np.str_]]:
    """Synthetic control charts (Alcock and Manolopoulos 1999): six kinds of process, in noise.

    cases    how many; case i has class i modulo 6
    seed     the same seed gives the same series
    length   at least 3; published is 60

    Returns X (cases, 1, length) and y: "1" normal, "2" cyclic, "3" increasing, "4" decreasing, "5" upward
    shift, "6" downward shift, as in the UCR archive. Nothing is normalised: see `z_normalise`.

    ValueError for arguments out of range.

    >>> X, y = diffeo.generate_synthetic_control(12, seed=1)
    >>> X.shape
    (12, 1, 60)
    """
    count, number = _count_and_seed(cases, seed)
    return _series_and_labels(
        _core.generate_synthetic_control(count, number, whole_number("length", length, 1))
    )


def generate_bumps(
    cases: SupportsIndex,
    seed: SupportsIndex,
    *,
    classes: SupportsIndex = 3,
    channels: SupportsIndex = 1,
    length: SupportsIndex = 128,
    bumps: SupportsIndex = 5,
    cells: SupportsIndex = 16,
    length_scale: float = 0.1,
    displacement: float = 0.10,
    noise: float = 0.05,
) -> Bumps:
    """Smooth templates, one per class, warped by known random warps, plus noise.

    cases          how many; case i has class i modulo `classes`
    seed           the same seed gives the same series
    channels       of every case; they share its warp
    bumps          Gaussian bumps in a channel of a template, alternating up and down; its amplitude (largest
                   magnitude) is 1
    cells          of the velocity fields, which are drawn from WarpSpace(cells).prior(length_scale=…)
    displacement   the largest |φ(x) - x| in the set, as a fraction of the length, from 0 to 0.3: the set's
                   velocities are multiplied by one factor to reach it
    noise          standard deviation of the white noise

    Returns `Bumps` with X (cases, channels, length), y, velocities (cases, cells + 1) and templates.

    ValueError for arguments out of range.

    >>> bumps = diffeo.generate_bumps(12, seed=1, noise=0.0)
    >>> back = diffeo.warp(bumps.X, bumps.velocities, time=-1.0)
    >>> bool(abs(back - bumps.templates[np.arange(12) % 3]).max() < 0.02)
    True
    """
    dataset, velocities, templates = _core.generate_bumps(
        *_count_and_seed(cases, seed),
        whole_number("classes", classes, 1),
        whole_number("channels", channels, 1),
        whole_number("length", length, 1),
        whole_number("bumps", bumps, 1),
        whole_number("cells", cells, 1),
        real_number("length_scale", length_scale),
        real_number("displacement", displacement),
        real_number("noise", noise),
    )
    X, y = _series_and_labels(dataset)
    return Bumps(X, y, velocities, templates.array())


def _count_and_seed(cases: SupportsIndex, seed: SupportsIndex) -> tuple[int, int]:
    return whole_number("cases", cases, 1), whole_number("seed", seed, 0, _LARGEST_SEED)


def _series_and_labels(dataset: _core.Dataset) -> tuple[Float64Array, NDArray[np.str_]]:
    return dataset.array(), np.array(dataset.labels())
