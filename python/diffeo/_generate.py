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
    normalized: see `z_normalize`.

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
    shift, "6" downward shift, as in the UCR archive. Nothing is normalized: see `z_normalize`.

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


@dataclass(frozen=True)
class WarpedSeries:
    """What `generate_warped` gives: series_i(x) = shape_i(W_i(x)) + noise, with W_i known.

    >>> made = diffeo.generate_warped("beats", 6, seed=1)
    >>> made.X.shape, made.warps.shape, made.marks.shape, made.template.shape
    ((6, 1, 256), (6, 201), (6, 5), (1, 256))
    """

    X: Float64Array | list[Float64Array]  #: (cases, channels, length); a list if lengths differ
    warps: Float64Array  #: (cases, 201): W_i at equally spaced x, increasing from 0 to 1
    marks: Float64Array  #: (cases, marks): where in series i the template's marks lie, W_i⁻¹(mark)
    template: Float64Array  #: (channels, length): without warp, noise and variation
    template_marks: Float64Array  #: (marks,)


def generate_warped(
    kind: str,
    cases: SupportsIndex,
    seed: SupportsIndex,
    *,
    family: str | None = None,
    displacement: float | None = None,
    height: float | None = None,
    width: float | None = None,
    noise: float | None = None,
    length: SupportsIndex | None = None,
    length_spread: float = 0.0,
    missing: float = 0.0,
    channels: SupportsIndex = 1,
    peaks: SupportsIndex = 5,
) -> WarpedSeries:
    """Series that differ in height, width and noise, each in a time of its own that is known.

    kind            "two-peaks", "peaks", "narrow-peaks", "beats" (P, Q, R, S, T waves; R 0.3 to 3 times as
                    tall) or "steps" (level changes with ringing, constant for long)
    cases           how many
    seed            the same seed gives the same series
    family          of the warps: "flow" (random CPA velocity fields), "exponential" (e^{ax}, a equally spaced
                    over the cases), "fourier", "logistic", or "moves" (marks move on their own)
    displacement    the largest |W_i(x) - x| in the set, as a fraction of the length, 0 to 0.5
    height          standard deviation of every height's factor, whose mean is 1
    width           standard deviation of the logarithm of every width's factor
    noise           standard deviation of the white noise; the template's tallest part has height 1
    length_spread   series are up to this share shorter, 0 to 0.9
    missing         share of each series that is NaN, in one stretch, 0 to 0.5
    channels        they share the warp of their case; each has heights of its own
    peaks           of the kind "peaks"

    None means the kind's default: "two-peaks" is the simulated set of the registration literature (21 cases
    are published; 101 samples, "exponential" with a from -1 to 1, height 0.25). The header
    diffeo/generate_warped.hpp lists the others.

    Returns `WarpedSeries` with X (cases, channels, length), warps (cases, 201), marks (cases, marks) and the
    template. `true_time_spread` measures an alignment of them. ValueError for arguments out of range, and for
    a displacement that the warps drawn cannot reach.

    >>> made = diffeo.generate_warped("peaks", 12, seed=1, displacement=0.1)
    >>> bool(abs(made.warps - np.linspace(0, 1, 201)).max() <= 0.1)
    True
    """

    def given(name: str, value: float | None) -> float | None:
        return None if value is None else real_number(name, value)

    dataset, warps, marks, template, template_marks = _core.generate_warped(
        kind,
        *_count_and_seed(cases, seed),
        family,
        given("displacement", displacement),
        given("height", height),
        given("width", width),
        given("noise", noise),
        None if length is None else whole_number("length", length, 1),
        real_number("length_spread", length_spread),
        real_number("missing", missing),
        whole_number("channels", channels, 1),
        whole_number("peaks", peaks, 1),
    )
    X = dataset.array() if dataset.equally_long else dataset.series()
    return WarpedSeries(X, warps, marks, template.array()[0], np.array(template_marks))


def _count_and_seed(cases: SupportsIndex, seed: SupportsIndex) -> tuple[int, int]:
    return whole_number("cases", cases, 1), whole_number("seed", seed, 0, _LARGEST_SEED)


def _series_and_labels(dataset: _core.Dataset) -> tuple[Float64Array, NDArray[np.str_]]:
    return dataset.array(), np.array(dataset.labels())
