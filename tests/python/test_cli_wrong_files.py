"""Files that are wrong in ten ways, given to every verb that reads series: one line, exit 1, no output."""

import resource

import numpy as np
import pytest
from cli_program import SMALL, has_networks, one_line, require_program, run

GOOD = "a\t1\t2\t3\t4\t5\t4\t3\t2\t1\nb\t2\t3\t4\t5\t4\t3\t2\t1\t2\n" * 3

MOST_MEMORY = 1_500_000_000  # bytes, with libtorch; less than what some files ask for

WRONG = {
    "empty": b"",
    "binary": bytes(range(256)) * 40,
    "cut_short": GOOD.encode()[:-7],
    "ragged": b"a\t1\t2\t3\nb\t1\t2\n",
    "text_among_numbers": GOOD.replace("5", "five", 1).encode(),
    "missing_labels": GOOD.replace("b\t", "\t", 1).encode(),
    "missing_everywhere": b"a\tNaN\tNaN\tNaN\nb\tNaN\tNaN\tNaN\n",
    "not_utf8": b"\xff\xfe\t1\t2\t3\n",
}


@pytest.fixture(scope="module", autouse=True)
def program():
    require_program()


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    (folder / "good.tsv").write_text(GOOD)
    if not has_networks():
        return folder / "none"
    result = run("fit", folder / "good.tsv", "-o", folder / "model", *SMALL)
    assert result.returncode == 0, result.stderr
    return folder / "model"


def commands(model, file):
    alone = [["align", file, "-o", "out.tsv"], ["average", file, "-o", "out.tsv"], ["info", file]]
    if not has_networks():
        return alone
    return [
        *alone,
        ["fit", file, "-o", "out.model", *SMALL],
        ["transform", model, file, "-o", "out.tsv"],
        ["classify", model, file, "-o", "out.tsv"],
        ["classify", model, file],
        ["report", model, "--data", file, "-o", "page.html"],
    ]


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_file_is_refused_in_one_line(kind, model, tmp_path):
    (tmp_path / "wrong.tsv").write_bytes(WRONG[kind])
    for command in commands(model, "wrong.tsv"):
        result = run(*command, cwd=tmp_path)
        assert result.returncode == 1, (command, result.stderr)
        assert result.stdout == ""
        assert one_line(result.stderr).startswith("diffeo: wrong.tsv:"), (command, result.stderr)
        assert [path.name for path in tmp_path.iterdir()] == ["wrong.tsv"], command


def test_the_line_and_the_column_of_a_mistake_are_named(tmp_path):
    (tmp_path / "wrong.tsv").write_bytes(WRONG["text_among_numbers"])
    message = one_line(run("info", "wrong.tsv", cwd=tmp_path).stderr)
    assert message == "diffeo: wrong.tsv:1:6: expected a number, got 'five'"


def test_one_class_is_aligned_averaged_and_learned(model, tmp_path):
    (tmp_path / "one.tsv").write_text(GOOD.replace("b\t", "a\t"))
    for command in commands(model, "one.tsv"):
        result = run(*command, cwd=tmp_path)
        assert result.returncode == 0, (command, result.stderr)


def test_another_number_of_channels_than_the_model_names_file_and_model(model, tmp_path):
    if not has_networks():
        pytest.skip("the program was built without libtorch")
    made = run("generate", "bumps", "--channels", 2, "--cases", 3, "-o", tmp_path / "two.ts")
    assert made.returncode == 0
    for verb, output in (("transform", "out.ts"), ("classify", "out.tsv")):
        result = run(verb, model, "two.ts", "-o", output, cwd=tmp_path)
        assert result.returncode == 1
        expected = f"diffeo: two.ts: expected 1 channel as {model} has, got 2"
        assert one_line(result.stderr) == expected
        assert not (tmp_path / output).exists()


def test_another_length_than_the_model_is_brought_to_it(model, tmp_path):
    if not has_networks():
        pytest.skip("the program was built without libtorch")
    (tmp_path / "long.tsv").write_text("a\t" + "\t".join(map(str, range(40))) + "\n")
    result = run("transform", model, "long.tsv", "-o", "out.tsv", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert len((tmp_path / "out.tsv").read_text().split("\t")) == 10  # a label and the model's length of 9


def test_a_model_that_is_damaged_or_no_model_is_refused(model, tmp_path):
    if not has_networks():
        pytest.skip("the program was built without libtorch")
    (tmp_path / "good.tsv").write_text(GOOD)
    (tmp_path / "cut").write_bytes(model.read_bytes()[:-100])
    changed = bytearray(model.read_bytes())
    changed[-100] ^= 1
    (tmp_path / "changed").write_bytes(changed)
    for name in ("cut", "changed", "good.tsv"):
        for verb in ("transform", "classify"):
            result = run(verb, name, "good.tsv", "-o", "out.tsv", cwd=tmp_path)
            assert result.returncode == 1
            assert one_line(result.stderr).startswith(f"diffeo: {name}: expected "), result.stderr
            assert not (tmp_path / "out.tsv").exists()
    for name in ("cut", "changed"):
        result = run("info", name, cwd=tmp_path)
        assert (result.returncode, result.stdout) == (1, "")
        assert one_line(result.stderr).startswith(f"diffeo: {name}: expected "), result.stderr


def test_warps_that_are_damaged_are_refused(tmp_path):
    (tmp_path / "good.tsv").write_text(GOOD)
    assert run("align", "good.tsv", "-o", "out.tsv", "--warps", "warps", cwd=tmp_path).returncode == 0
    changed = bytearray((tmp_path / "warps").read_bytes())
    changed[-100] ^= 1
    (tmp_path / "changed").write_bytes(changed)
    for command in (["info", "changed"], ["report", "changed", "--data", "good.tsv", "-o", "page.html"]):
        result = run(*command, cwd=tmp_path)
        assert result.returncode == 1
        expected = "diffeo: changed: expected content that fits its digest, got another: the file is damaged"
        assert one_line(result.stderr) == expected
    assert not (tmp_path / "page.html").exists()


@pytest.fixture(scope="module")
def bomb(tmp_path_factory):
    """A file of few bytes with a series of 1.6 GB."""
    path = tmp_path_factory.mktemp("bomb") / "bomb.npz"
    np.savez_compressed(path, X=np.zeros((1, 200_000_000), np.int8))
    assert path.stat().st_size < 250_000
    return path


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def test_a_file_that_expands_to_too_much_is_refused_before_memory_is_taken(model, bomb, tmp_path):
    for command in commands(model, bomb):
        result = run(*command, cwd=tmp_path, preexec_fn=limit_memory)
        assert result.returncode == 1, (command, result.stderr)
        expected = "X.npy: expected to take at most 1073741824 bytes of memory (max_size), got 1600000000"
        assert one_line(result.stderr) == f"diffeo: {bomb}: {expected}"


def test_too_little_memory_is_said_in_one_line_by_every_verb(model, bomb, tmp_path):
    for command in commands(model, bomb):
        result = run(*command, "--max-size=100G", cwd=tmp_path, preexec_fn=limit_memory)
        assert result.returncode == 1, (command, result.stderr)
        assert one_line(result.stderr) == "diffeo: out of memory", command


@pytest.mark.parametrize("size", ["100", "1K"])
def test_the_memory_for_a_file_can_be_limited(size, model, tmp_path):
    (tmp_path / "good.tsv").write_text(GOOD * 100)
    for command in commands(model, "good.tsv"):
        if command[0] == "info" or "model" in command[0]:
            continue
        result = run(*command, "--max-size", size, cwd=tmp_path)
        assert result.returncode == 1, (command, result.stderr)
        assert "bytes of memory (max_size), got " in one_line(result.stderr), command
    assert run("info", "good.tsv", "--max-size", "1G", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("size", ["0", "-1", "many"])
def test_a_size_that_is_none_is_wrong_usage(size, tmp_path):
    (tmp_path / "good.tsv").write_text(GOOD)
    result = run("info", "good.tsv", f"--max-size={size}", cwd=tmp_path)
    assert result.returncode == 2
    assert "--max-size" in one_line(result.stderr)


def test_a_file_without_a_newline_at_its_end_is_read_with_a_warning(model, tmp_path):
    (tmp_path / "cut.tsv").write_text(GOOD[:-1])
    warning = (
        "diffeo: warning: cut.tsv: expected a newline at the end, got none: the file may have been cut short"
    )
    for command in commands(model, "cut.tsv"):
        result = run(*[word for word in command if word != "--quiet"], cwd=tmp_path)
        assert result.returncode == 0, (command, result.stderr)
        assert result.stderr.splitlines().count(warning) == 1, (command, result.stderr)
    assert run("info", "cut.tsv", "--quiet", cwd=tmp_path).stderr == ""


def test_errors_quote_little_of_a_file_and_nothing_that_moves_the_cursor(model, tmp_path):
    (tmp_path / "hostile.tsv").write_bytes(b"a\t1\t\x1b[2J" + b"x" * 6_000_000 + b"\n")
    (tmp_path / "labels.csv").write_text(f"label,t0\n\x1b[2J{'x' * 5000},1\nb,2,3\n")
    for name in ("hostile.tsv", "labels.csv"):
        for command in commands(model, name):
            line = one_line(run(*command, cwd=tmp_path).stderr)
            assert len(line) < 200
            assert line.isprintable()


def test_names_of_classes_do_not_move_the_cursor(tmp_path):
    (tmp_path / "labels.tsv").write_text("a\x1b[2J\t1\t2\t4\nb\t2\t3\t1\n")
    for command in (["info", "labels.tsv"], ["align", "labels.tsv", "-o", "out.ts"]):
        result = run(*command, cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        assert "a\\x1b[2J" in result.stdout
        assert "\x1b" not in result.stdout
