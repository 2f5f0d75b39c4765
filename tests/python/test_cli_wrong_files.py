"""Files that are wrong in ten ways, given to every verb that reads series: one line, exit 1, no output."""

import pytest
from cli_program import SMALL, has_networks, one_line, require_program, run

GOOD = "a\t1\t2\t3\t4\t5\t4\t3\t2\t1\nb\t2\t3\t4\t5\t4\t3\t2\t1\t2\n" * 3

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
