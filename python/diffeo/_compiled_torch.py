"""Loads `diffeo._torch`, the extension module built against one version of torch, or says what is missing."""

from __future__ import annotations

from types import ModuleType


def compiled_torch(purpose: str) -> ModuleType:
    """`diffeo._torch`; ImportError, in one sentence that begins with the purpose, if it cannot be loaded."""
    try:
        from ._torch_version import BUILT_FOR
    except ImportError:
        raise ImportError(
            f"{purpose}: this build of diffeo has no part compiled for torch; "
            "build it with -DDIFFEO_BUILD_TORCH=ON"
        ) from None
    try:
        import torch
    except ImportError:
        raise ImportError(
            f"{purpose}: expected torch {BUILT_FOR}, found none; pip install torch=={BUILT_FOR}"
        ) from None
    found = torch.__version__.partition("+")[0]
    if found != BUILT_FOR:
        raise ImportError(
            f"{purpose}: expected torch {BUILT_FOR}, which its C++ code was built against, found {found}; "
            f"pip install torch=={BUILT_FOR}"
        )
    from . import _torch

    return _torch
