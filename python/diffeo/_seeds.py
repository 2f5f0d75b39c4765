"""Seeds from what people give as `random_state`."""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np

from ._arrays import whole_number

_SEED_BITS = 32  # of a seed that is drawn: short enough to be typed again
_HIGHEST_SEED = 2**64 - 1


def seed_of(random_state: Any) -> int:
    """The number itself, or one drawn from a generator of NumPy, or from the system where it is None."""
    if random_state is None:
        return secrets.randbits(_SEED_BITS)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**_SEED_BITS, dtype=np.uint64))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**_SEED_BITS))
    try:
        return whole_number("random_state", random_state, 0, _HIGHEST_SEED)
    except ValueError:
        raise ValueError(
            f"random_state: expected None, a whole number from 0 to {_HIGHEST_SEED}, or a RandomState or "
            f"Generator of NumPy, got {random_state!r}"
        ) from None
