from __future__ import annotations

from pathlib import Path

import pytest
from pages import BUILD, run  # makes tools/ importable, for all tests here


@pytest.fixture(scope="session")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the build has been installed."""
    directory = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", BUILD, "--prefix", directory)
    return directory
