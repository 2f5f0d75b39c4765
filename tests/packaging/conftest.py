"""A wheel made of what `make build` has built, and environments in which it is installed."""

from __future__ import annotations

import sys
import sysconfig
import venv
from pathlib import Path

import pytest
from environments import ROOT, Environment, must_run

BUILD = ROOT / "build"
SITE_PACKAGES = Path(sysconfig.get_path("purelib"))  # of the environment that runs the tests


def install(wheel, environment):
    """With its dependencies, which have to be there already."""
    pip = (sys.executable, "-m", "pip", "--python", environment.programs / "python")
    must_run(*pip, "install", "--no-index", wheel, **environment.settings())


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """The wheel, as tools/wheel.sh would make it."""
    if not (BUILD / "cmake_install.cmake").is_file():
        pytest.skip(f"no build at {BUILD} to make a wheel of")
    folder = tmp_path_factory.mktemp("wheel")
    must_run(
        *(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", ROOT),
        *("--wheel-dir", folder / "as-built"),
        *("--config-settings", f"cmake.source-dir={ROOT / 'tests/packaging/prebuilt'}"),
        *("--config-settings", f"cmake.define.DIFFEO_BUILD={BUILD}"),
        *("--config-settings", f"build-dir={folder / 'build'}"),
    )
    [as_built] = (folder / "as-built").glob("*.whl")
    must_run(ROOT / "tools" / "repair_wheel.sh", as_built, folder / "repaired")
    [repaired] = (folder / "repaired").glob("*.whl")
    return repaired


@pytest.fixture(scope="session")
def bare(wheel, tmp_path_factory):
    """The wheel beside NumPy alone."""
    environment = Environment(tmp_path_factory.mktemp("bare"))
    venv.create(environment.folder, symlinks=True, with_pip=False)
    for part in SITE_PACKAGES.glob("numpy*"):
        (environment.site_packages / part.name).symlink_to(part)
    install(wheel, environment)
    return environment


@pytest.fixture(scope="session")
def complete(wheel, tmp_path_factory):
    """The wheel beside torch, scikit-learn and whatever else the tests have: nothing is fetched again."""
    environment = Environment(tmp_path_factory.mktemp("complete"))
    venv.create(environment.folder, symlinks=True, with_pip=False)
    (environment.site_packages / "others.pth").write_text(f"{SITE_PACKAGES}\n")
    install(wheel, environment)
    return environment
