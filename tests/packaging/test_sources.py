"""The source distribution: complete, and clear about what it needs to be built."""

import os
import sys
import tarfile

import pytest
from environments import ROOT, must_run, run

VERSION = (ROOT / "VERSION").read_text().strip()
BUILT_FROM = [
    "CMakeLists.txt",
    "LICENSE",
    "README.md",
    "VERSION",
    "cmake",
    "include",
    "licenses",
    "pyproject.toml",
    "python",
    "src",
]


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """The source distribution, unpacked."""
    folder = tmp_path_factory.mktemp("sources")
    must_run(sys.executable, "-m", "build", "--no-isolation", "--sdist", "--outdir", folder, ROOT)
    with tarfile.open(folder / f"diffeo-{VERSION}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return folder / f"diffeo-{VERSION}"


def configure(sources, build, *settings, **options):
    return run(
        *("cmake", "-S", sources, "-B", build, "-G", "Ninja", "-DDIFFEO_BUILD_PYTHON=ON"),
        *(f"-DPython_EXECUTABLE={sys.executable}", *settings),
        **options,
    )


def test_all_that_is_built_from_is_in_it_and_nothing_else(sources):
    try:
        listed = must_run("git", "-C", ROOT, "ls-files", "--", *BUILT_FROM)
    except FileNotFoundError:
        pytest.skip("no git to ask what belongs to the project")
    found = {str(path.relative_to(sources)) for path in sources.rglob("*") if path.is_file()}
    assert found == set(listed.splitlines()) | {"PKG-INFO"}


def test_it_can_be_configured_away_from_the_project(sources, tmp_path):
    done = configure(sources, tmp_path, "-DDIFFEO_BUILD_TORCH=ON")
    assert done.returncode == 0, done.stderr
    assert "Networks are built against torch 2.13.0" in done.stdout


def test_all_parts_that_are_missing_are_named_at_once(sources, tmp_path):
    missing = ["Eigen3", "CLI11", "ZLIB", "nlohmann_json", "sodium"]
    done = configure(sources, tmp_path, *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in missing))
    assert done.returncode != 0
    assert all(name in done.stderr for name in missing)
    assert "libeigen3-dev" in done.stderr


def test_another_torch_to_build_against_is_refused(sources, tmp_path):
    version = tmp_path / "torch" / "include" / "torch" / "headeronly" / "version.h"
    for path in (
        tmp_path / "torch" / "__init__.py",
        tmp_path / "torch" / "include" / "ATen" / "ATen.h",
        version,
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    parts = {"MAJOR": 2, "MINOR": 12, "PATCH": 1}
    version.write_text("".join(f"#define TORCH_VERSION_{part} {number}\n" for part, number in parts.items()))
    done = configure(
        sources,
        tmp_path / "build",
        "-DDIFFEO_BUILD_TORCH=ON",
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode != 0
    text = " ".join(done.stderr.split())
    assert "DIFFEO_BUILD_TORCH: expected torch 2.13.0" in text
    assert f"found 2.12.1 in {tmp_path / 'torch'}; pip install torch==2.13.0" in text
    assert "or build with -DDIFFEO_BUILD_TORCH=OFF" in text


@pytest.mark.parametrize(
    ("value", "needed"), [(None, ["torch==2.13.0"]), ("ON", ["torch==2.13.0"]), ("OFF", [])]
)
def test_torch_is_fetched_to_build_against_unless_networks_are_not_wanted(value, needed):
    settings = {name: text for name, text in os.environ.items() if name != "DIFFEO_BUILD_TORCH"}
    code = "from scikit_build_core.build import *; print(get_requires_for_build_wheel({}))"
    if value is not None:
        settings["DIFFEO_BUILD_TORCH"] = value
    assert must_run(sys.executable, "-c", code, env=settings, cwd=ROOT) == f"{needed}\n"
