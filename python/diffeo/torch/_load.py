"""Loads the extension module that holds the operators, or says what is missing."""

from __future__ import annotations


def load_operators() -> None:
    """ImportError, in one sentence, where torch is missing, of another version, or was not built for."""
    try:
        from .._torch_version import BUILT_FOR
    except ImportError:
        raise ImportError(
            "diffeo.torch: this build of diffeo has no torch part; build it with -DDIFFEO_BUILD_TORCH=ON"
        ) from None
    try:
        import torch
    except ImportError:
        raise ImportError(
            f"diffeo.torch: expected torch {BUILT_FOR}, found none; pip install torch=={BUILT_FOR}"
        ) from None
    found = torch.__version__.partition("+")[0]
    if found != BUILT_FOR:
        raise ImportError(
            f"diffeo.torch: expected torch {BUILT_FOR}, which diffeo was built against, found {found}; "
            f"pip install torch=={BUILT_FOR}"
        )
    from .. import _torch  # noqa: F401  registers the operators
