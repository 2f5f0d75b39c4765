"""The pages about the experiments are what their commands make of the result lines beside them."""

from __future__ import annotations

import importlib
import shutil
import subprocess

import pytest
from pages import PROJECT


@pytest.fixture(scope="module")
def made_again(tmp_path_factory):
    """A folder of pages made of results/ as it is kept."""
    results = tmp_path_factory.mktemp("kept") / "results"
    pages = tmp_path_factory.mktemp("pages")
    shutil.copytree(PROJECT / "results", results)
    subprocess.run([PROJECT / "tools" / "experiments_pages.sh", results, pages], check=True, timeout=60)
    return pages


@pytest.mark.parametrize("name", ["ncc.md", "experiments.html"])
def test_the_lines_that_are_kept_make_the_page_that_is_kept(name, made_again):
    kept = (PROJECT / "docs" / "results" / name).read_text("utf-8")
    assert (made_again / name).read_text("utf-8") == kept  # to the last digit


def test_the_page_about_true_time_is_made_of_its_results(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(PROJECT / "bench" / "compare"))
    kept = PROJECT / "docs" / "results"
    importlib.import_module("truth_page").write(kept / "truth.json", tmp_path / "truth.md")
    assert (tmp_path / "truth.md").read_text("utf-8") == (kept / "truth.md").read_text("utf-8")
