"""What the program says, word for word.

The texts are in tests/cli/golden. After a change that is meant, make them anew with

    DIFFEO_UPDATE_GOLDEN=1 .venv/bin/python -m pytest tests/python/test_cli_golden.py

and look at what `git diff` shows.
"""

import os

import pytest
from cli_program import ROOT, SMALL, has_networks, require_program, run

GOLDEN = ROOT / "tests" / "cli" / "golden"
VERBS = [
    "ablation",
    "align",
    "average",
    "benchmark",
    "classify",
    "completion",
    "evaluate",
    "fit",
    "generate",
    "grid",
    "info",
    "report",
    "transform",
]
NEED_NETWORKS = {"classify", "fit", "transform"}


@pytest.fixture(scope="module", autouse=True)
def program():
    require_program()


def expect_golden(name, text):
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("DIFFEO_UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert path.read_text() == text, f"{path.name}: see the top of {__file__} for how to make it anew"


def test_help_says_which_verbs_there_are():
    if not has_networks():
        pytest.skip("without libtorch the help says so")
    expect_golden("help", run("--help").stdout)


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_every_verb(verb):
    if verb in NEED_NETWORKS and not has_networks():
        pytest.skip("the program was built without libtorch")
    result = run(verb, "--help")
    assert (result.returncode, result.stderr) == (0, "")
    expect_golden(f"help_{verb}", result.stdout)


@pytest.fixture
def files(tmp_path):
    """A folder with what the commands below name."""
    (tmp_path / "good.tsv").write_text("a\t1\t2\t3\t4\nb\t2\t3\t4\t5\na\t1\t3\t2\t4\nb\t2\t1\t4\t3\n")
    (tmp_path / "text.tsv").write_text("a\t1\t2\nb\t2\tx\n")
    (tmp_path / "typo.toml").write_text("# options\ncels = 3\n")
    (tmp_path / "wrong.toml").write_text("cells 3\n")
    (tmp_path / "other.toml").write_text("[alling]\ncells = 3\n")
    (tmp_path / "word.toml").write_text("cells = many\n")
    return tmp_path


MISTAKES = [
    "",
    "aling good.tsv",
    "dance",
    "--verison",
    "align",
    "align good.tsv",
    "align good.tsv -o out.tsv --cels 3",
    "align good.tsv -o out.tsv --cells 0",
    "align good.tsv -o out.tsv --cells three",
    "align good.tsv -o out.tsv --zero-boundary maybe",
    "align good.tsv again.tsv -o out.tsv",
    "align nowhere.tsv -o out.tsv",
    "align text.tsv -o out.tsv",
    "align good.tsv -o out.xls",
    "align good.tsv -o out.npy",
    "align good.tsv -o nowhere/out.tsv",
    "align good.tsv -o out.tsv --config nowhere.toml",
    "align good.tsv -o out.tsv --config typo.toml",
    "align good.tsv -o out.tsv --config wrong.toml",
    "align good.tsv -o out.tsv --config other.toml",
    "align good.tsv -o out.tsv --config word.toml",
    "average good.tsv -o out.tsv --method median",
    "average good.tsv -o out.tsv --method euclidean --gamma 2",
    "completion fish",
    "generate cbf --cases 3 --bumps 2 -o out.tsv",
    "generate cbf --cases -1 -o out.tsv",
    "info good.txt",
    "info nowhere.model",
]
MISTAKES_WITH_NETWORKS = [
    "classify nowhere.model good.tsv",
    "classify good.tsv good.tsv",
    "classify good.tsv good.tsv -o out.npz",
    "fit good.tsv",
    "fit good.tsv -o model --learning-rat 1",
    "fit good.tsv -o model --basis fourier",
    "fit good.tsv -o model --preset papre",
    "fit text.tsv -o model",
    f"fit good.tsv -o model {' '.join(SMALL)} --length 3",
    f"fit good.tsv -o model {' '.join(SMALL)}",
    "transform nowhere.model good.tsv -o out.tsv",
    "transform good.tsv some.model -o out.tsv",
    "classify good.tsv some.model",
]


def said(commands, folder):
    text = ""
    for command in commands:
        result = run(*command.split(), cwd=folder)
        assert result.stdout == "", command
        assert result.stderr.count("\n") == 1, (command, result.stderr)
        text += f"$ diffeo {command}\n{result.stderr}exit {result.returncode}\n\n"
    return text


def test_mistakes_are_one_line_that_helps(files):
    expect_golden("mistakes", said(MISTAKES, files))
    assert sorted(path.suffix for path in files.iterdir()) == [".toml"] * 4 + [".tsv"] * 2


def test_mistakes_with_networks_are_one_line_that_helps(files):
    if not has_networks():
        pytest.skip("the program was built without libtorch")
    expect_golden("mistakes_with_networks", said(MISTAKES_WITH_NETWORKS, files))
