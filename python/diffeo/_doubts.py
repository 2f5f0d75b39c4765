"""Shapes that are likely to be read wrong: an error, or a warning that says how they are read."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ._frames import FEW_STEPS

_MANY_CASES = 8  # few series of few steps are an example, and rarely meant otherwise
_PACKAGE = str(Path(__file__).parent)


def settle_doubts(name: str, series: NDArray[Any] | list[NDArray[Any]]) -> None:
    """Of series (cases, channels, time) or (cases, time), or a list of (channels, time) or (time,).

    ValueError for many channels of one time step each; UserWarning for as many channels as time steps, or
    more, and for many cases of few time steps.
    """
    is_list = isinstance(series, list)
    cases, channels = len(series), series[0].shape[0] if series[0].ndim == 2 else 1
    steps = max(each.shape[-1] for each in series) if is_list else series[0].shape[-1]
    shape = f"{cases} series of shape {series[0].shape}" if is_list else f"shape {(cases, *series[0].shape)}"
    other = f'if time comes before channels, use diffeo.from_frame({name}, layout="channels-last")'
    if steps == 1 and channels >= FEW_STEPS:
        raise ValueError(
            f"{name}: expected channels before time, got {shape}, {channels} channels of 1 time step; {other}"
        )
    reading = f"{name}: {shape} is read as {cases} cases of {channels} channels and {steps} time steps"
    if 1 < channels >= steps:
        _warn(f"{reading}; {other}")
    elif steps < FEW_STEPS and cases >= _MANY_CASES:
        _warn(
            f"{reading}; if the {steps} columns are something else, name them in a frame and use "
            f"diffeo.from_frame"
        )


def _warn(text: str) -> None:
    """At the line outside of this package that gave the series."""
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]
    warnings.warn(text, UserWarning, stacklevel=level)
