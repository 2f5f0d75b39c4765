"""What was there before a command stays: inputs, pipes, folders nobody asked for; mistakes are one line."""

import os
import stat
import subprocess
import threading
from pathlib import Path

import pytest
from cli_program import SMALL, has_networks, one_line, require_program, run


@pytest.fixture(scope="module", autouse=True)
def program():
    require_program()


@pytest.fixture
def folder(tmp_path):
    result = run("generate", "cbf", "--cases", 9, "--seed", 1, "-o", "series.tsv", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    return tmp_path


def needs_networks():
    if not has_networks():
        pytest.skip("the program was built without libtorch")


def refused(folder, *command, code=1):
    """The line that a command says; no file is made or changed by it."""
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    result = run(*command, cwd=folder)
    assert result.returncode == code, (command, result.stderr)
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before
    return one_line(result.stderr)


def test_an_output_that_is_a_pipe_is_written_into_and_stays_one(folder):
    pipe = folder / "pipe.tsv"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    result = run("generate", "cbf", "--cases", 9, "--seed", 1, "-o", "pipe.tsv", cwd=folder)
    assert result.returncode == 0, result.stderr
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    reader.join(timeout=10)
    assert read == [(folder / "series.tsv").read_text()]


def test_warps_and_series_of_an_alignment_are_not_the_same_file(folder):
    for name in ("series.tsv", "out.tsv", "./series.tsv"):
        line = refused(folder, "align", "series.tsv", "-o", "out.tsv", "--warps", name)
        assert "--warps: expected another file than" in line


def test_what_holds_something_else_is_not_replaced(folder):
    (folder / "notes.txt").write_text("mine")
    kept = "got notes.txt, which would be lost"
    align = ["align", "series.tsv", "-o", "out.tsv"]
    assert kept in refused(folder, *align, "--warps", "notes.txt")
    assert kept in refused(folder, *align, "--save-config", "notes.txt")
    assert run(*align, "--warps", "warps", "--save-config", "own.toml", cwd=folder).returncode == 0
    assert kept in refused(folder, "report", "warps", "--data", "series.tsv", "-o", "notes.txt")
    assert run("report", "warps", "--data", "series.tsv", "-o", "page.html", cwd=folder).returncode == 0
    # what they wrote themselves they replace
    assert run(*align, "--warps", "warps", "--save-config", "own.toml", cwd=folder).returncode == 0
    assert run("report", "warps", "--data", "series.tsv", "-o", "page.html", cwd=folder).returncode == 0


def test_a_model_is_not_replaced_by_warps_or_pages(folder):
    needs_networks()
    assert run("fit", "series.tsv", "-o", "model", *SMALL, cwd=folder).returncode == 0
    lost = "got model, which would be lost"
    assert lost in refused(folder, "align", "series.tsv", "-o", "out.tsv", "--warps", "model")
    assert run("align", "series.tsv", "-o", "out.tsv", cwd=folder).returncode == 0
    assert lost in refused(folder, "report", "out.tsv", "--data", "series.tsv", "-o", "model")


def test_an_alignment_whose_warps_cannot_be_written_leaves_no_series(folder):
    line = refused(folder, "align", "series.tsv", "-o", "out.tsv", "--warps", "nowhere/warps")
    assert line.startswith("diffeo: nowhere/warps: cannot be written")


def test_a_verb_that_fails_saves_no_configuration(folder):
    (folder / "wrong.tsv").write_text("a\tb\n")
    refused(folder, "align", "wrong.tsv", "-o", "out.tsv", "--save-config", "own.toml")
    refused(folder, "average", "wrong.tsv", "-o", "out.tsv", "--save-config", "own.toml")


def test_a_page_goes_through_pipes(folder):
    assert run("align", "series.tsv", "-o", "out.tsv", "--warps", "warps", cwd=folder).returncode == 0
    series = (folder / "series.tsv").read_text()
    result = run("report", "warps", "--data", "-", "-o", "-", "--quiet", cwd=folder, input=series)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("<!DOCTYPE html>")
    assert result.stderr == ""


def test_help_that_cannot_be_written_is_a_failure(folder):
    with Path("/dev/full").open("w") as full:
        result = run("--help", cwd=folder, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert result.returncode == 1
    assert "standard output: cannot be written" in result.stderr


def test_a_series_without_values_is_named_with_its_file_and_class(folder):
    values = [line.split("\t")[1:] for line in (folder / "series.tsv").read_text().splitlines()]
    values[4] = ["?"] * len(values[4])
    head = "@problemName gap\n@univariate true\n@classLabel false\n@data\n"
    (folder / "gap.ts").write_text(head + "".join(",".join(row) + "\n" for row in values))
    assert "gap.ts: case 4: " in refused(folder, "average", "gap.ts", "-o", "out.tsv")
    if has_networks():
        assert run("fit", "series.tsv", "-o", "model", *SMALL, cwd=folder).returncode == 0
        for command in (["transform", "model", "gap.ts", "-o", "out.tsv"], ["classify", "model", "gap.ts"]):
            line = refused(folder, *command)
            assert line == "diffeo: gap.ts: case 4: expected at least one value, got none"


def test_a_fit_makes_no_folder_for_its_model(folder):
    needs_networks()
    line = refused(folder, "fit", "series.tsv", "-o", "nowhere/model", *SMALL)
    assert line == "diffeo: nowhere/model: cannot be written: No such file or directory"
    assert not (folder / "nowhere").exists()


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["align", "series.tsv", "-o", "out.tsv", "--cells", "-3"], "--cells: expected"),
        (
            ["generate", "cbf", "--cases", "3", "-o", "out.tsv", "--seed", "-1"],
            "--seed: expected a whole number from 0 to",
        ),
        (["align", "series.tsv", "-o", "out.tsv", "--cells", "x"], "--cells: expected a whole number, 0 to"),
        (["align", "series.tsv", "-o", "out.tsv", "--cells", "99999999"], "--cells: expected"),
        (
            ["average", "series.tsv", "-o", "out.tsv", "--method", "soft-dtw", "--gamma", "0"],
            "--gamma: expected a positive number, got 0",
        ),
        (
            ["average", "series.tsv", "-o", "out.tsv", "--method", "dba", "--window", "3"],
            "--window: expected a number from 0 to 1, got 3",
        ),
    ],
)
def test_a_value_out_of_range_is_wrong_usage(folder, command, expected):
    assert expected in refused(folder, *command, code=2)


def test_kernels_of_even_length_are_wrong_usage(folder):
    needs_networks()
    line = refused(folder, "fit", "series.tsv", "-o", "model", "--kernels", "4,4,4", code=2)
    assert line.endswith("kernels: expected odd lengths, got 4")


def test_a_series_without_values_is_named_and_leaves_no_checkpoint(folder):
    needs_networks()
    rows = (folder / "series.tsv").read_text().splitlines()
    label, *values = rows[3].split("\t")
    rows[3] = "\t".join([label, *(["NaN"] * (len(values) - 1)), "NaN"])
    (folder / "gap.ts").write_text(
        "@problemname gap\n@timestamps false\n@univariate true\n@classlabel true 1 2 3\n@data\n"
        + "\n".join(
            ",".join(each.split("\t")[1:]).replace("NaN", "?") + ":" + each.split("\t")[0] for each in rows
        )
        + "\n"
    )
    line = refused(folder, "fit", "gap.ts", "-o", "model", *SMALL)
    assert line == "diffeo: gap.ts: case 3: expected at least one value, got none"
    assert not (folder / "model.checkpoint").exists()


def test_an_output_is_not_the_file_on_standard_input(folder):
    model = []
    if has_networks():
        assert run("fit", "series.tsv", "-o", "model", *SMALL, cwd=folder).returncode == 0
        model = [
            ["transform", "model", "-", "-o", "series.tsv"],
            ["classify", "model", "-", "-o", "series.tsv"],
            ["fit", "-", "-o", "series.tsv", "--force", *SMALL],
        ]
    os.link(folder / "series.tsv", folder / "other_name.tsv")
    alone = [
        ["align", "-", "-o", "series.tsv"],
        ["align", "-", "-o", "other_name.tsv"],
        ["align", "-", "-o", "out.tsv", "--warps", "series.tsv"],
        ["average", "-", "-o", "series.tsv"],
    ]
    for command in [*alone, *model]:
        with (folder / "series.tsv").open("rb") as stdin:
            result = run(*command, cwd=folder, stdin=stdin)
        assert result.returncode == 1, command
        expected = ": expected another file than the one on standard input, which would be lost"
        assert one_line(result.stderr).endswith(expected), command
        assert (folder / "series.tsv").read_text().count("\n") == 9


def test_standard_output_is_not_the_file_that_is_read(folder):
    with (folder / "series.tsv").open("ab") as stdout:
        result = run("align", "series.tsv", "-o", "-", cwd=folder, stdout=stdout, capture_output=False)
    assert result.returncode == 1
    assert (folder / "series.tsv").read_text().count("\n") == 9
