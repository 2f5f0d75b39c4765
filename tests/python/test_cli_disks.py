"""Full disks and closed folders: every verb that writes says so in one line, and leaves what was there."""

import contextlib
import os
import re
import resource
import shutil
import subprocess
from pathlib import Path

import pytest
from cli_program import SMALL, has_networks, one_line, require_program, run

STUDY = ["study", "precision", "--fields", 1, "--points", 9, "--steps", 2, "--inner-steps", 2]
STUDY += ["--measure", "errors", "--quiet"]
ALIGN = ["align", "{series}", "--max-iterations", 1, "--quiet"]

#: Every way to write a file: the command, and what lies under the name of its output before; some look at how
#: that begins.
WRITERS = {
    "generate": (["generate", "cbf", "--cases", 3, "-o", "out.tsv"], "old"),
    "generate, a NumPy file": (["generate", "cbf", "--cases", 3, "-o", "out.npz"], "old"),
    "align": ([*ALIGN, "-o", "out.tsv"], "old"),
    "align --warps": ([*ALIGN, "-o", "series.tsv", "--warps", "out.warps"], None),
    "average": (["average", "{series}", "-o", "out.tsv", "--method", "euclidean", "--quiet"], "old"),
    "report": (["report", "{aligned}", "--data", "{series}", "-o", "out.html"], "<!DOCTYPE html>old"),
    "study": ([*STUDY, "-o", "out.json"], '{\n  "study": "old"'),
    "study --figures": ([*STUDY, "--figures", "out"], None),
    "--save-config": (["benchmark", "--repetitions", 1, "--save-config", "out.toml"], "# diffeo old"),
    "fit": (["fit", "{series}", "-o", "out.model", "--force", *SMALL], "old"),
    "transform": (["transform", "{model}", "{series}", "-o", "out.tsv", "--quiet"], "old"),
    "classify": (["classify", "{model}", "{series}", "-o", "out.csv", "--quiet"], "old"),
}
NEED_NETWORKS = {"fit", "transform", "classify"}

#: What goes to standard output.
PRINTERS = {
    "info": ["info", "{series}"],
    "benchmark": ["benchmark", "--repetitions", 1],
    "align": [*ALIGN, "-o", "-"],
    "report": ["report", "{aligned}", "--data", "{series}", "-o", "-", "--quiet"],
    "study": [*STUDY, "-o", "-"],
    "classify": ["classify", "{model}", "{series}", "--quiet"],
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """What commands read, by name."""
    require_program()
    folder = tmp_path_factory.mktemp("inputs")
    files = {name: str(folder / f"{name}.tsv") for name in ("series", "many", "aligned", "model")}
    for name, cases in (("series", 9), ("many", 600)):
        made = run("generate", "cbf", "--cases", cases, "--seed", 1, "-o", files[name])
        assert made.returncode == 0, made.stderr
    shutil.copy(files["series"], files["aligned"])
    if has_networks():
        made = run("fit", files["series"], "-o", files["model"], *SMALL)
        assert made.returncode == 0, made.stderr
    return files


def typed(command, inputs):
    return [str(word).format(**inputs) for word in command]


def require_networks_for(verb):
    if verb in NEED_NETWORKS and not has_networks():
        pytest.skip("the program was built without libtorch")


def mounted(path, *options):
    """A small file system at `path`, where mounting is permitted."""
    command = ["mount", "-t", "tmpfs", "-o", ",".join(["size=64k", *options]), "tmpfs", str(path)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("mounting a file system is not permitted here")


@pytest.fixture(scope="module")
def small_disk(tmp_path_factory):
    """A file system of 64 kB."""
    path = tmp_path_factory.mktemp("disk")
    mounted(path)
    yield path
    subprocess.run(["umount", str(path)], check=True)


@pytest.fixture(scope="module")
def closed_folder(tmp_path_factory):
    """One that nobody can write to."""
    path = tmp_path_factory.mktemp("closed")
    if os.geteuid() != 0:
        path.chmod(0o500)
        yield path
        path.chmod(0o700)
        return
    mounted(path, "ro")  # permissions do not stop root
    yield path
    subprocess.run(["umount", str(path)], check=True)


def empty(disk):
    for path in disk.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def fill(disk):
    """Until nothing more goes onto it."""
    with (disk / "filler").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(4096)):
            pass


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("verb", WRITERS)
def test_a_full_disk_is_said_and_costs_nothing_that_was_there(inputs, small_disk, verb):
    require_networks_for(verb)
    command, old = WRITERS[verb]
    empty(small_disk)
    if old is not None:
        (small_disk / next(word for word in command if str(word).startswith("out."))).write_text(old)
    fill(small_disk)
    before = contents(small_disk)
    result = run(*typed(command, inputs), cwd=small_disk)
    assert result.returncode == 1
    line = one_line(result.stderr)
    assert line.startswith("diffeo: out")
    assert line.endswith(": cannot be written: No space left on device")
    assert contents(small_disk) == before


@pytest.mark.parametrize("verb", ["align", "transform"])
def test_a_disk_that_runs_full_in_the_middle_costs_nothing_that_was_there(inputs, small_disk, verb):
    require_networks_for(verb)
    empty(small_disk)
    (small_disk / "out.tsv").write_text("old")
    command, _ = WRITERS[verb]
    result = run(*typed(command, {**inputs, "series": inputs["many"]}), cwd=small_disk)
    assert result.returncode == 1
    assert one_line(result.stderr) == "diffeo: out.tsv: cannot be written: No space left on device"
    assert contents(small_disk) == {"out.tsv": b"old"}


def test_a_disk_that_runs_full_costs_an_evaluation_no_result(inputs, small_disk, tmp_path):
    empty(small_disk)
    for number in range(10):  # so many that their lines need more than the page that the file begins with
        name = f"Set{number}"
        (tmp_path / "archive" / name).mkdir(parents=True)
        for part in ("TRAIN", "TEST"):
            shutil.copy(inputs["series"], tmp_path / "archive" / name / f"{name}_{part}.tsv")
    results = small_disk / "results.jsonl"
    command = ["evaluate", tmp_path / "archive", "--results", small_disk, "--quiet"]
    assert run(*command, "--methods=euclidean", "--datasets=Set0").returncode == 0
    fill(small_disk)
    stopped = run(*command, "--methods=euclidean,dba")
    assert stopped.returncode == 1
    assert one_line(stopped.stderr).endswith("results.jsonl: cannot be written: No space left on device")
    kept = results.read_text()
    assert 1 < kept.count("\n") < 20
    assert kept.endswith("\n")
    (small_disk / "filler").unlink()
    assert run(*command, "--methods=euclidean,dba").returncode == 0
    assert results.read_text().startswith(kept)
    assert results.read_text().count("\n") == 20


@pytest.mark.parametrize("verb", WRITERS)
def test_a_closed_folder_is_said(inputs, closed_folder, verb):
    require_networks_for(verb)
    result = run(*typed(WRITERS[verb][0], inputs), cwd=closed_folder)
    assert result.returncode == 1
    line = one_line(result.stderr)
    assert line.startswith(("diffeo: out", "diffeo: series.tsv"))
    assert re.search(": cannot be written: (Read-only file system|Permission denied)$", line), line
    assert list(closed_folder.iterdir()) == []


@pytest.mark.parametrize("verb", PRINTERS)
def test_a_full_output_is_a_failure_that_is_said(inputs, verb):
    require_networks_for(verb)
    with Path("/dev/full").open("w") as full:
        result = run(
            *typed(PRINTERS[verb], inputs), stdout=full, stderr=subprocess.PIPE, capture_output=False
        )
    assert result.returncode == 1
    assert one_line(result.stderr).startswith("diffeo: standard output: cannot be written")


@pytest.mark.parametrize("verb", WRITERS)
def test_a_file_that_may_not_grow_is_said_and_leaves_nothing(inputs, tmp_path, verb):
    """As under `ulimit -f`."""
    require_networks_for(verb)
    before = contents(tmp_path)
    result = run(
        *typed(WRITERS[verb][0], inputs),
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY)),
    )
    assert result.returncode == 1
    assert one_line(result.stderr).endswith(": cannot be written: File too large")
    assert contents(tmp_path) == before


def test_what_a_killed_command_left_is_removed_by_the_next(inputs, tmp_path):
    (tmp_path / "out.tsv.partial-0").write_text("half of a file")
    assert run(*typed(WRITERS["generate"][0], inputs), cwd=tmp_path).returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["out.tsv"]
