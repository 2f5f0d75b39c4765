"""`diffeo report RESULTS` and `diffeo study` as a person types them: Python does the work."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from cli_program import PROGRAM, one_line, require_program, run
from results_folder import result_of

pytest.importorskip("diffeo.experiments", exc_type=ImportError)

SMALL = ["--fields", "2", "--points", "20", "--measure", "errors", "--quiet"]
MAP = ["--steps", "2", "--inner-steps", "2"]


@pytest.fixture(autouse=True)
def program():
    require_program()


@pytest.fixture
def results(tmp_path):
    lines = [
        result_of(name, method, accuracy)
        for name in ("Ante", "Brio")
        for method, accuracy in (("euclidean", 0.5), ("dba", 0.75))
    ]
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def done(*arguments, **options):
    result = run(*arguments, **options)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def refused(code, *arguments, **options):
    result = run(*arguments, **options)
    assert (result.returncode, result.stdout) == (code, "")
    return one_line(result.stderr)


# --- report ------------------------------------------------------------------------------------------------


def test_a_report_says_what_it_made(results, tmp_path):
    page = tmp_path / "page.html"
    assert done("report", results, "-o", page).startswith(f"{page}: 2 data sets, 2 methods, ")
    document = json.loads(done("report", results, "-o", page, "--json"))
    expected = {"file": str(page), "kind": "results", "bytes": page.stat().st_size, "datasets": 2}
    assert document == {**expected, "methods": ["euclidean", "dba"], "pictures": 0}


def test_a_report_goes_to_standard_output_or_a_file_in_the_same_bytes(results, tmp_path):
    page = tmp_path / "page.html"
    done("report", results, "-o", page, "--title", "Mine")
    assert done("report", results, "-o", "-", "--title", "Mine", "--quiet") == page.read_text()
    said = run("report", results, "-o", "-").stderr
    assert one_line(said).startswith("standard output: 2 data sets")


def test_a_report_is_the_same_as_python_makes(results, tmp_path):
    done("report", results, "-o", tmp_path / "page.html")
    code = "import sys; from diffeo import experiments; print(experiments.make_page(sys.argv[1]), end='')"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code, str(results)]
    made = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, timeout=120)
    assert made.stdout == (tmp_path / "page.html").read_text()


def test_a_report_replaces_pages_but_nothing_else(results, tmp_path):
    page = tmp_path / "page.html"
    done("report", results, "-o", page)
    done("report", results, "-o", page)
    page.write_text("precious")
    assert "--output: expected a new file or a page" in refused(1, "report", results, "-o", page)
    assert page.read_text() == "precious"


@pytest.mark.parametrize(
    "option", [["--cases", "5"], ["--seed", "0"], ["--format", "tsv"], ["--data", "some.tsv"]]
)
def test_a_report_refuses_options_of_series(results, tmp_path, option):
    said = refused(2, "report", results, "-o", tmp_path / "page.html", *option)
    assert said.endswith(f"{option[0]} excludes a folder of results")
    assert not (tmp_path / "page.html").exists()


def test_a_report_names_what_is_wrong_with_what_it_reads(results, tmp_path):
    (tmp_path / "empty").mkdir()
    said = refused(1, "report", tmp_path / "empty", "-o", tmp_path / "page.html")
    assert (
        said == f"diffeo: {tmp_path}/empty: results: expected at least one test or cross-validation, "
        "got none among 0"
    )
    code = "from diffeo.experiments.__main__ import main; import sys; sys.exit(main(sys.argv[1:]))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code, "report", "nowhere", "-o", "page.html"]
    made = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert one_line(made.stderr) == "diffeo: nowhere: expected a folder of results, got none"
    (results / "grid.json").write_text("[1, 2")
    assert "grid.json: expected a JSON document" in refused(
        1, "report", results, "-o", tmp_path / "page.html"
    )
    (results / "results.jsonl").write_text("nonsense\n")
    assert "results.jsonl:1: expected a result" in refused(1, "report", results, "-o", tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


# --- study -------------------------------------------------------------------------------------------------


def test_a_study_of_precision_has_the_map_of_errors():
    text = done("study", "precision", "--steps", "3", "--inner-steps", "2", "--seed", "7", "--json", *SMALL)
    found = json.loads(text)
    assert (found["study"], found["setting"]["source"], found["setting"]["seed"]) == ("precision", "prior", 7)
    assert [len(row) for row in found["errors"]["alternating"]["gradient"]] == [2, 2, 2]
    assert "times" not in found


def test_a_study_of_squaring_takes_the_field_of_ones_as_the_paper_does():
    options = [
        "--points",
        "20",
        "--sizes",
        "0,2",
        "--squarings",
        "2",
        "--repetitions",
        "1",
        "--quiet",
        "--json",
    ]
    found = json.loads(done("study", "squaring", *options))
    assert (found["setting"]["source"], found["setting"]["fields"], found["sizes"]) == ("ones", 1, [0, 2])
    assert found["errors"]["value"][1][0] == 0
    assert [len(row) for row in found["times"]["gradient_ms"]] == [3, 3]


def test_a_study_with_the_same_seed_writes_the_same_file(tmp_path):
    for name in ("a", "b"):
        done("study", "precision", *MAP, *SMALL, "-o", f"{name}.json", "--figures", name, cwd=tmp_path)
    assert (tmp_path / "a.json").read_text() == (tmp_path / "b.json").read_text()
    assert json.loads((tmp_path / "a.json").read_text()) == json.loads(
        done("study", "precision", *MAP, *SMALL, "--json")
    )
    for name in ("value", "gradient", "by_differences", "runge_kutta"):
        svg = (tmp_path / f"a_{name}.svg").read_text()
        assert svg.startswith("<svg")
        assert "steps" in svg
        assert svg == (tmp_path / f"b_{name}.svg").read_text()


def test_a_study_replaces_studies_but_nothing_else(tmp_path):
    file = tmp_path / "study.json"
    command = ["study", "squaring", "--source", "prior", "--squarings", "1", "-o", file, *SMALL]
    done(*command)
    done(*command)
    file.write_text('{"precious": true}')
    assert f"--output: expected a new file or a study, got {file}" in refused(1, *command)
    assert file.read_text() == '{"precious": true}'


def test_a_study_prints_a_table_for_people():
    text = done("study", "precision", *MAP, *SMALL)
    assert "alternating 2 x 2" in text
    assert "Runge-Kutta 256" in text


def test_the_help_of_a_study_lists_its_options():
    text = done("study", "--help")
    for words in ("usage: diffeo study", "precision|squaring|timing", "--inner-steps N", "--figures PREFIX"):
        assert words in text


@pytest.mark.parametrize(
    ("code", "command", "words"),
    [
        (2, [], "the following arguments are required: precision|squaring|timing"),
        (2, ["precison"], "expected precision, squaring or timing, got precison"),
        (2, ["precision", "--fields", "0"], "--fields: expected a whole number, 1 to 1000000, got 0"),
        (2, ["precision", "--squarings", "3"], "--squarings: expected with squaring only, got precision"),
        (2, ["timing", "--points", "3"], "--points: expected with precision or squaring only, got timing"),
        (2, ["squaring", "--squarings", "31"], "--squarings: expected a whole number, 0 to 30, got 31"),
        (2, ["precision", "--source", "noise"], "--source: expected prior, normal or ones, got noise"),
        (2, ["precision", "--steps"], "--steps: expected one argument"),
        (2, ["precision", "--dance"], "study: unknown option --dance"),
        (2, ["precision", "again"], "study: unexpected argument again"),
        (1, ["squaring", "--fields", "3", "--quiet"], "fields: expected 1 of ones, got 3"),
    ],
)
def test_a_study_refuses_what_it_cannot_mean(code, command, words):
    assert words in refused(code, "study", *command)


# --- Python ------------------------------------------------------------------------------------------------


def test_without_python_it_says_what_is_missing(results, tmp_path):
    environment = {**os.environ, "DIFFEO_PYTHON": str(tmp_path / "nowhere")}
    for command in (["report", results, "-o", tmp_path / "page.html"], ["study", "timing"]):
        said = refused(1, *command, env=environment)
        assert said.startswith("diffeo: needs Python with diffeo[experiments], got no ")
        assert said.endswith("DIFFEO_PYTHON names the interpreter")


def test_without_the_package_it_says_what_is_missing(results, tmp_path):
    """-S leaves out site-packages: no pandas."""
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S -E "$@"\n')
    bare.chmod(0o755)
    said = refused(
        1, "report", results, "-o", tmp_path / "page.html", env={**os.environ, "DIFFEO_PYTHON": str(bare)}
    )
    assert said.startswith("diffeo: needs Python with diffeo[experiments], got ")


def test_a_program_elsewhere_takes_the_python_that_is_named(results, tmp_path):
    elsewhere = tmp_path / "bin" / "diffeo"
    elsewhere.parent.mkdir()
    shutil.copy(PROGRAM, elsewhere)
    environment = {**os.environ, "DIFFEO_PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [str(elsewhere), "report", str(results), "-o", str(tmp_path / "page.html")]
    made = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert made.returncode == 0, made.stderr
