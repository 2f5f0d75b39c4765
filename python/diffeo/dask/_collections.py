"""Arrays of Dask: results are arrays of Dask too, computed when somebody asks for them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
from dask.delayed import delayed
from numpy.typing import NDArray

from ._models import Model, Sent
from ._parts import Part
from ._stream import itself, result_of

if TYPE_CHECKING:
    from dask.array import Array


def is_collection(X: Any) -> bool:
    module = sys.modules.get("dask.array")  # without it, nobody has such an array
    return module is not None and isinstance(X, module.Array)


def aligned(model: Model, X: Any, length: int) -> Array:
    """(cases, channels, length), or without channels, in chunks of cases."""
    blocks = _whole_series(X, model.at_once)
    precision = np.float32 if X.dtype.kind == "f" and X.dtype.itemsize <= 4 else np.float64
    chunks = (*blocks.chunks[:-1], (length,))
    return _mapped("transform", model.sent, blocks, dtype=np.dtype(precision), chunks=chunks)


def labeled(model: Model, X: Any, dtype: np.dtype[Any]) -> Array:
    """(cases,) in chunks."""
    blocks = _whole_series(X, model.at_once)
    dropped = list(range(1, blocks.ndim))
    return _mapped("classify", model.sent, blocks, dtype=dtype, chunks=blocks.chunks[:1], drop_axis=dropped)


def _mapped(verb: str, sent: Sent, blocks: Any, **result: Any) -> Array:
    run = uuid4().hex
    model = delayed(itself)(sent, dask_key_name=f"diffeo-model-{run}")
    meta = np.empty((0,) * len(result["chunks"]), result["dtype"])
    name = f"diffeo-{verb}-{run}"
    mapped: Array = blocks.map_blocks(_result_of_block, model, name=name, meta=meta, **result)
    return mapped


def _result_of_block(block: NDArray[Any], sent: Sent, block_info: Any = None) -> NDArray[Any]:
    [(first, _), *_] = block_info[0]["array-location"]
    return result_of(sent, Part(first, block))


def _whole_series(X: Any, at_once: int) -> Any:
    """In chunks of whole series, cut where the model does not notice; as it is where it is cut so already."""
    if X.ndim not in (2, 3) or X.size == 0 or X.dtype.kind not in "fiub":
        raise ValueError(
            "X: expected numbers, (cases, channels, time) or (cases, time), at least one of each, got "
            f"{X.dtype} of shape {X.shape}"
        )
    if np.isnan(X.shape).any():
        raise ValueError("X: expected chunks of known sizes, which X.compute_chunk_sizes() finds out")
    cases, *others = X.chunks
    is_whole = all(len(axis) == 1 for axis in others)
    if is_whole and min(cases) > 0 and all(size % at_once == 0 for size in cases[:-1]):
        return X
    size = at_once * -(-max(cases) // at_once)
    return X.rechunk({0: size, **dict.fromkeys(range(1, X.ndim), -1)})
