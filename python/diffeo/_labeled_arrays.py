"""Arrays of xarray read by the names of their dimensions, in whatever order these are."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._frames import (
    CHANNEL_NAMES,
    ID_NAMES,
    LABEL_NAMES,
    TIME_NAMES,
    Asked,
    Reading,
    is_several,
    names_in,
    plain_name,
)
from ._times import require_regular, spread_times

_CASES = (
    *ID_NAMES,
    "cases",
    "sample",
    "samples",
    "trials",
    "subjects",
    "ids",
    "epoch",
    "epochs",
    "unit",
    "n_cases",
)
_CHANNELS = (
    *CHANNEL_NAMES,
    "variables",
    "features",
    "sensors",
    "dims",
    "electrode",
    "electrodes",
    "n_channels",
)
_TIMES = (*TIME_NAMES, "n_timepoints")
_ROLES = ("case", "channel", "time")


def read_labeled_array(name: str, value: Any, asked: Asked) -> Reading:
    """Of a DataArray, or of a Dataset, whose variables along time are channels.

    ValueError for dimensions whose names do not tell cases, channels and time apart.
    """
    if hasattr(value, "data_vars"):
        return _of_dataset(name, value, asked)
    dimensions = _dimensions(name, value.dims, asked)
    if all(_is_nameless(dimension) for dimension in value.dims):
        return Reading(value.to_numpy())
    order = [dimensions[role] for role in _ROLES if role in dimensions]
    series = value.transpose(*order).to_numpy()
    if series.dtype.kind not in "fiub":
        raise TypeError(f"{name}: expected numbers, got dtype {series.dtype}")
    if "channel" not in dimensions:
        series = series[..., np.newaxis, :]
    if "case" not in dimensions:
        series = series[np.newaxis]
    times = _times(name, value, dimensions["time"])
    labels = _labels(name, value, dimensions.get("case"), asked)
    flat = series[:, 0] if "channel" not in dimensions else series
    return Reading(flat, labels, times, True, _results(value, dimensions, times))


def _of_dataset(name: str, value: Any, asked: Asked) -> Reading:
    dimensions = _dimensions(name, tuple(value.dims), asked)
    time = dimensions["time"]
    chosen = [each for each, held in value.data_vars.items() if time in held.dims]
    if is_several(asked.channels):
        chosen = names_in(asked.channels)
    if not chosen:
        raise ValueError(f"{name}: expected variables along {time!r}, got none")
    if len(chosen) > 1 and "channel" in dimensions:
        raise ValueError(
            f"{name}: expected one variable along {dimensions['channel']!r}, got "
            f"{', '.join(map(repr, chosen))}"
        )
    labels = _labels(name, value, dimensions.get("case"), asked)
    if len(chosen) == 1:
        only = read_labeled_array(name, value[chosen[0]], Asked(id=asked.id, time=asked.time))
        return Reading(only.series, only.labels if labels is None else labels, only.times, True)
    roles = [role for role in ("case", "time") if role in dimensions]
    parts = [value[each].transpose(*(dimensions[role] for role in roles)).to_numpy() for each in chosen]
    block = np.stack(parts, axis=-2)
    series = block if "case" in dimensions else block[np.newaxis]
    return Reading(series, labels, _times(name, value, time), True)


def _dimensions(name: str, names: tuple[Hashable, ...], asked: Asked) -> dict[str, Hashable]:
    """The dimension of each role. One that is left over has the role that is."""
    if all(_is_nameless(dimension) for dimension in names) and not asked.names():
        return {}
    found: dict[str, Hashable] = {}
    channels = None if is_several(asked.channels) else asked.channels
    for role, wanted in zip(_ROLES, (asked.id, channels, asked.time), strict=True):
        if wanted is None:
            continue
        if wanted not in names:
            raise ValueError(f"{name}: expected a dimension {wanted!r}, got {names}")
        found[role] = wanted
    for role, known in zip(_ROLES, (_CASES, _CHANNELS, _TIMES), strict=True):
        matching = [each for each in names if plain_name(each) in known and each not in found.values()]
        if role not in found and len(matching) == 1:
            found[role] = matching[0]
    left = [each for each in names if each not in found.values()]
    open_roles = [role for role in _ROLES if role not in found]
    if len(left) == 1 and "time" in found and open_roles[:1] == ["case"]:
        found["case"] = left.pop()
    elif len(left) == 1 and len(open_roles) == 1:
        found[open_roles[0]] = left.pop()
    if left or "time" not in found or len(names) > len(_ROLES):
        raise ValueError(
            f"{name}: expected dimensions called case, channel and time, got {names}; rename them, or use "
            "diffeo.from_frame(array, id=..., channels=..., time=...)"
        )
    return found


def _is_nameless(dimension: Hashable) -> bool:
    return isinstance(dimension, str) and dimension.startswith("dim_") and dimension[4:].isdigit()


def _times(name: str, value: Any, time: Hashable) -> NDArray[Any] | None:
    if time not in value.coords:
        return None
    times: NDArray[Any] = value.coords[time].to_numpy()
    if times.dtype.kind not in "fiumM":
        raise TypeError(f"{name}: expected numbers or dates along {time!r}, got dtype {times.dtype}")
    require_regular(name, times, f" along {time!r}")
    return times


def _labels(name: str, value: Any, case: Hashable | None, asked: Asked) -> NDArray[Any] | None:
    """A coordinate, or a variable, along the cases."""
    if asked.label is not None:
        if asked.label not in value.coords and asked.label not in getattr(value, "data_vars", ()):
            raise ValueError(f"{name}: expected a coordinate {asked.label!r}, got {list(value.coords)}")
        labels: NDArray[Any] = value[asked.label].to_numpy()
        return labels
    held = {**value.coords, **getattr(value, "data_vars", {})}
    found = [
        each
        for each in held
        if plain_name(each) in LABEL_NAMES and held[each].dims == (case,) and each != case
    ]
    if len(found) > 1:
        raise ValueError(
            f"{name}: {', '.join(map(repr, found))} may each be the label: say which with label="
        )
    return held[found[0]].to_numpy() if found else None


def _results(
    value: Any, dimensions: dict[str, Hashable], times: NDArray[Any] | None
) -> Callable[[NDArray[Any]], Any]:
    def results(block: NDArray[Any]) -> Any:
        """With the dimensions and coordinates of what came, the times spread over the length."""
        length, time = block.shape[2], dimensions["time"]
        for axis, role in ((1, "channel"), (0, "case")):
            if role not in dimensions:
                block = block.take(0, axis=axis)
        coords = {each: held for each, held in value.coords.items() if time not in held.dims}
        if times is not None:
            coords[time] = spread_times(times, length)
        order = [dimensions[role] for role in _ROLES if role in dimensions]
        made = sys.modules["xarray"].DataArray(block, coords=coords, dims=order, name=value.name)
        return made.transpose(*value.dims)

    return results
