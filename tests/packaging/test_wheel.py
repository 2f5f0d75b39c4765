"""What is in the wheel, and what it needs of a machine."""

import re
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from environments import ROOT

VERSION = (ROOT / "VERSION").read_text().strip()
MODULES = {"diffeo/_core", "diffeo/_torch", "diffeo_command/_with_torch", "diffeo_command/_without_torch"}
# What every Linux has, of the list of the manylinux standard, and what torch brings.
EVERYWHERE = {"libc", "libm", "libgcc_s", "libstdc++", "libz", "ld-linux-x86-64"}
TORCHS = {"libtorch_cpu", "libtorch_python", "libc10"}


@pytest.fixture(scope="module")
def contents(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


@pytest.fixture(scope="module")
def metadata(contents):
    return Parser().parsestr(contents[f"diffeo-{VERSION}.dist-info/METADATA"].decode())


@pytest.fixture(scope="module")
def modules(contents, wheel, tmp_path_factory):
    """Name without ending -> what the dynamic section of the module says."""
    found = {}
    folder = tmp_path_factory.mktemp("modules")
    with zipfile.ZipFile(wheel) as archive:
        for name in (name for name in contents if name.endswith(".so")):
            with Path(archive.extract(name, folder)).open("rb") as file:
                [section] = [s for s in ELFFile(file).iter_sections() if isinstance(s, DynamicSection)]
                found[name.split(".")[0]] = list(section.iter_tags())
    return found


def test_the_name_says_which_linux_is_new_enough(wheel):
    assert re.fullmatch(
        rf"diffeo-{re.escape(VERSION)}-cp\d+-cp\d+-manylinux_2_\d+_\w+(\.manylinux\w+)*\.whl", wheel.name
    )


def test_the_version_is_that_of_the_project(metadata):
    assert metadata["Version"] == VERSION


def test_all_modules_are_there_and_nothing_else_is_compiled(modules):
    assert set(modules) == MODULES


@pytest.mark.parametrize("package", ["diffeo", "diffeo_command"])
def test_all_python_sources_stubs_and_the_mark_of_types_are_there(contents, package):
    sources = [
        path for path in (ROOT / "python" / package).rglob("*") if path.suffix in (".py", ".pyi", ".typed")
    ]
    expected = {str(path.relative_to(ROOT / "python")): path.read_bytes() for path in sources}
    assert expected.items() <= contents.items()


def test_nothing_but_the_packages_and_the_metadata_is_installed(contents):
    tops = {name.split("/")[0] for name in contents}
    assert tops == {"diffeo", "diffeo_command", f"diffeo-{VERSION}.dist-info"}
    endings = {name.rsplit(".", 1)[-1] for name in contents if ".dist-info/" not in name}
    assert endings == {"css", "html", "js", "py", "pyi", "so", "typed"}
    page = {f"diffeo/experiments/{name}" for name in ("page.html", "page.css", "page.js", "theme.css")}
    assert page <= set(contents)


@pytest.mark.parametrize("name", sorted(MODULES))
def test_no_library_is_needed_that_a_machine_may_lack(modules, name):
    needed = {tag.needed.partition(".so")[0] for tag in modules[name] if tag.entry.d_tag == "DT_NEEDED"}
    has_torch = name in ("diffeo/_torch", "diffeo_command/_with_torch")
    assert needed <= EVERYWHERE | (TORCHS if has_torch else set())
    assert ("libtorch_cpu" in needed) == has_torch


@pytest.mark.parametrize("name", sorted(MODULES))
def test_no_folder_of_the_machine_that_built_it_is_searched(modules, name):
    paths = [tag for tag in modules[name] if tag.entry.d_tag in ("DT_RPATH", "DT_RUNPATH")]
    assert not paths


def test_the_extra_asks_for_the_torch_it_was_built_against(contents, metadata):
    built_for = re.search(r'BUILT_FOR = "(.+)"', contents["diffeo/_torch_version.py"].decode())[1]
    assert f'torch=={built_for}; extra == "torch"' in metadata.get_all("Requires-Dist")
    assert f'build.requires = ["torch=={built_for}"]' in (ROOT / "pyproject.toml").read_text()
    assert f"torch=={built_for}" in (ROOT / "tools" / "requirements.txt").read_text().splitlines()


def test_the_extra_of_experiments_names_what_they_import(metadata):
    needed = [line for line in metadata.get_all("Requires-Dist") if 'extra == "experiments"' in line]
    names = {re.split(r"[^\w-]", line)[0] for line in needed}
    assert names == {"jinja2", "matplotlib", "pandas", "scikit-learn", "scipy"}


def test_numpy_is_all_that_is_needed_without_the_extra(metadata):
    needed = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    assert [re.split(r"\W", line)[0] for line in needed] == ["numpy"]
