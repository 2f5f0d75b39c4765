"""Says which torch is missing."""

from __future__ import annotations

import re

OLDEST = (2, 4)


def require_torch() -> None:
    """ImportError, in one sentence, if torch is missing or older than the oldest that has what is needed."""
    wanted = ".".join(map(str, OLDEST))
    try:
        import torch
    except ImportError:
        raise ImportError(
            f"diffeo.torch: expected torch {wanted} or newer, found none; pip install torch"
        ) from None
    found = re.match(r"(\d+)\.(\d+)", torch.__version__)
    if found and (int(found[1]), int(found[2])) < OLDEST:
        raise ImportError(
            f"diffeo.torch: expected torch {wanted} or newer, found {torch.__version__}; "
            f"pip install --upgrade torch"
        )
