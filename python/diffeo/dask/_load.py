"""Says what is missing, before anything else is imported."""

from __future__ import annotations


def require_distributed() -> None:
    """ImportError, in one sentence, where Dask is missing."""
    try:
        import distributed  # noqa: F401
    except ModuleNotFoundError as problem:
        if problem.name not in ("dask", "distributed"):
            raise
        raise ImportError(
            'diffeo.dask: expected the package distributed, found none; pip install "diffeo[dask]"'
        ) from None
