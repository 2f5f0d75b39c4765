"""Bulk work and pipes: bounded memory, the same bits for any number of jobs, nothing lost."""

import json
import os
import signal
import subprocess
import threading
import time

import pytest
from cli_program import PROGRAM, has_networks, one_line, require_networks, require_program, run, start

LENGTH = 300
MANY_VALUES = 10_000_000
MOST_MEMORY = 300e6  # bytes, above what the model needs
DISTINCT_CASES = 256  # written over and over: the memory does not depend on what the values are


@pytest.fixture(scope="module", autouse=True)
def program():
    require_program()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Training series, test series and a model of one layer."""
    path = tmp_path_factory.mktemp("streams")
    for name, cases, seed in (("train.tsv", 30, 1), ("test.tsv", 700, 2)):
        made = run("generate", "cbf", "--cases", cases, "--length", LENGTH, "--seed", seed, "-o", path / name)
        assert made.returncode == 0, made.stderr
    if has_networks():
        arguments = ["--epochs", "2", "--least-steps", "0", "--quiet", "--seed", "3", "--layers", "1"]
        fitted = run("fit", path / "train.tsv", "-o", path / "model", *arguments)
        assert fitted.returncode == 0, fitted.stderr
    return path


def measured(*arguments):
    """The finished process and the most memory it had, in bytes."""
    process = start(*arguments)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.stderr.read()
    return output, usage.ru_maxrss * 1024


@pytest.mark.parametrize(("verb", "values"), [("transform", MANY_VALUES), ("classify", MANY_VALUES // 4)])
def test_many_values_pass_in_bounded_memory(folder, tmp_path, verb, values, capsys):
    require_networks()
    lines = (folder / "test.tsv").read_text().splitlines(keepends=True)[:DISTINCT_CASES]
    short = ["\t".join(field[:6] for field in line.split("\t")).rstrip() + "\n" for line in lines]
    with (tmp_path / "many.tsv").open("w") as file:
        for _ in range(-(-values // (LENGTH * DISTINCT_CASES))):
            file.writelines(short)
    (tmp_path / "few.tsv").write_text("".join(short[:2]))
    outputs = {name: tmp_path / f"out-{name}.tsv" for name in ("few", "many")}
    _, few = measured(verb, folder / "model", tmp_path / "few.tsv", "-o", outputs["few"], "--json")
    text, many = measured(verb, folder / "model", tmp_path / "many.tsv", "-o", outputs["many"], "--json")
    told = json.loads(text)
    with capsys.disabled():
        print(
            f"\n{verb}: {told['values']:,} values, "
            f"{told['values_per_second_per_core']:,.0f} values/s per core, "
            f"{(many - few) / 1e6:.0f} MB more than for {2 * LENGTH} values"
        )
    assert told["values"] >= values
    assert told["values_per_second_per_core"] > 0
    assert many - few < MOST_MEMORY
    with outputs["many"].open() as file:
        assert sum(1 for _ in file) == told["cases"]


@pytest.mark.parametrize("output", ["out.tsv", "out.npz"])
def test_the_number_of_jobs_does_not_change_a_bit(folder, tmp_path, output):
    require_networks()
    results = []
    for jobs in (1, 2, 5):
        made = run(
            *["transform", folder / "model", folder / "test.tsv", "-o", tmp_path / output, "--jobs", jobs]
        )
        assert made.returncode == 0, made.stderr
        assert "values/s per core" in made.stderr
        results.append((tmp_path / output).read_bytes())
    assert results[0] == results[1] == results[2]


def test_pipes_give_the_same_as_files(folder, tmp_path):
    require_networks()
    file = run("transform", folder / "model", folder / "test.tsv", "-o", tmp_path / "out.tsv")
    assert file.returncode == 0
    text = (folder / "test.tsv").read_text()
    piped = run("transform", folder / "model", "-", "-o", "-", "--quiet", input=text)
    assert (piped.returncode, piped.stderr) == (0, "")
    assert piped.stdout == (tmp_path / "out.tsv").read_text()
    as_ts = run("transform", folder / "model", "-", "-o", tmp_path / "out.ts", "--quiet", input=text)
    assert as_ts.returncode == 0, as_ts.stderr
    assert (tmp_path / "out.ts").read_text().count("\n") > 700
    labels = run("classify", folder / "model", "-", input=text)
    assert len(labels.stdout.splitlines()) == 700
    assert "accuracy " in labels.stderr


def test_verbs_are_chained_by_pipes():
    command = (
        f"{PROGRAM} generate bumps --cases 6 --seed 1 -o - --format csv --quiet | "
        f"{PROGRAM} align - -o - --format csv --quiet | {PROGRAM} average - -o - --format csv --quiet | "
        f"{PROGRAM} info - --format csv --json"
    )
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert result.stderr == ""
    assert json.loads(result.stdout)["classes"] == {"1": 1, "2": 1, "3": 1}


def test_labels_come_while_the_input_is_still_open(folder):
    require_networks()
    lines = (folder / "test.tsv").read_text().splitlines(keepends=True)
    process = start("classify", folder / "model", "-", "--jobs", 1, "--quiet", stdin=subprocess.PIPE)
    feeder = threading.Thread(target=lambda: (process.stdin.writelines(lines[:400]), process.stdin.flush()))
    feeder.start()
    assert process.stdout.readline().strip()  # before the end of the input
    feeder.join()
    process.stdin.close()
    assert len(process.stdout.read().splitlines()) == 399
    assert process.wait() == 0


def test_a_reader_that_has_seen_enough_ends_the_program_quietly(folder):
    require_networks()
    transform = f"{PROGRAM} transform {folder}/model {folder}/test.tsv -o - --quiet"
    command = f"{transform} | head -n 1; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert result.stderr == ""
    # Killed by the signal, as any filter is.
    assert result.stdout.splitlines()[-1] == str(128 + signal.SIGPIPE)


def test_where_that_signal_is_ignored_the_program_still_ends_quietly(folder):
    def ignore_broken_pipes():
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)

    reader, writer = os.pipe()
    os.close(reader)
    command = [str(PROGRAM), "generate", "bumps", "--cases", "2000", "-o", "-", "--quiet"]
    process = subprocess.run(
        command,
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        preexec_fn=ignore_broken_pipes,
        restore_signals=False,
    )
    os.close(writer)
    assert (process.returncode, process.stderr) == (1, "")


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_transform_leaves_what_was_there(folder, tmp_path, asked):
    require_networks()
    (tmp_path / "out.tsv").write_text("old")
    process = start(
        *["transform", folder / "model", "-", "-o", tmp_path / "out.tsv", "--quiet", "--jobs", 2],
        stdin=subprocess.PIPE,
    )
    process.stdin.write((folder / "test.tsv").read_text())
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob("out.tsv.partial-*")):
        assert time.monotonic() < deadline, "nothing was written"
        time.sleep(0.01)
    process.send_signal(asked)  # while it waits for more, which never comes
    assert process.wait(timeout=60) == 1
    errors = process.stderr.read()
    process.stdin.close()
    assert one_line(errors).startswith("diffeo: transform: interrupted after ")
    assert [path.name for path in tmp_path.iterdir()] == ["out.tsv"]
    assert (tmp_path / "out.tsv").read_text() == "old"


def test_an_interrupted_align_leaves_what_was_there(tmp_path):
    run("generate", "bumps", "--cases", 60, "--length", 1000, "-o", tmp_path / "series.tsv")
    (tmp_path / "out.tsv").write_text("old")
    process = start(
        *["align", "series.tsv", "-o", "out.tsv", "--tolerance", "1e-15", "--threads", 1, "--verbose"],
        cwd=tmp_path,
    )
    assert process.stderr.readline().startswith("read 60 cases")
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1, "the alignment is too short to be interrupted"
    assert errors.splitlines()[-1].startswith("diffeo: align: interrupted in step ")
    assert (tmp_path / "out.tsv").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.tsv", "series.tsv"]
