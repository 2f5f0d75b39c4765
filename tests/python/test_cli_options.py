"""Options: help, Python and the table agree; configurations; completion; the version."""

import inspect
import json
import re
import shutil
import subprocess

import pytest
from cli_program import SMALL, has_networks, one_line, require_networks, require_program, run

SERIES = "a\t1\t2\t3\t4\t5\t4\t3\t2\t1\nb\t2\t3\t4\t5\t4\t3\t2\t1\t2\n" * 3


@pytest.fixture(scope="module", autouse=True)
def program():
    require_program()


@pytest.fixture
def series(tmp_path):
    (tmp_path / "series.tsv").write_text(SERIES)
    return tmp_path


def options_in_help(verb):
    """Defaults by long option, as the help tells them; None for options without one."""
    found = {}
    for line in run(verb, "--help").stdout.splitlines():
        match = re.match(r"  (?:-\w,)?--([\w-]+)(?: \S+?(?:=(.*?))?)?(?:\s{2,}.*)?$", line)
        if match:
            found[match[1]] = match[2]
    return found


def as_typed(default):
    """A default of Python as the command line says it."""
    if isinstance(default, bool):
        return str(default).lower()
    return ",".join(map(str, default)) if isinstance(default, tuple) else str(default)


def is_same(shown, default):
    is_number = isinstance(default, (int, float)) and not isinstance(default, bool)
    return shown is not None and (float(shown) == default if is_number else shown == as_typed(default))


def test_help_python_and_the_table_of_hyperparameters_agree(series):
    require_networks()
    diffeo = pytest.importorskip("diffeo")
    if not hasattr(diffeo, "TemporalAligner"):
        pytest.skip("the Python package was not built")
    assert run("fit", "series.tsv", "-o", "model", *SMALL, cwd=series).returncode == 0
    table = json.loads(run("info", "model", "--json", cwd=series).stdout)["options"]
    assert len(table) >= 30
    in_help = options_in_help("fit")
    signature = inspect.signature(diffeo.TemporalAligner).parameters
    for name in table:
        option = name.replace("_", "-")
        assert option in in_help
        assert name in signature
        default = signature[name].default
        assert is_same(in_help[option], default), f"{option}: {in_help[option]} in help, {default} in Python"
    others = (
        set(signature)
        - set(table)
        - {"random_state", "n_jobs", "verbose", "callback", "checkpoint", "resume"}
    )
    assert not {name for name in others if name.replace("_", "-") in in_help}, "in both, but not in the table"


def test_a_saved_configuration_gives_the_same_model(series):
    require_networks()
    arguments = [word for word in SMALL if word != "--quiet"]
    first = run(
        *["fit", "series.tsv", "-o", "one", "--preset", "paper", "--quiet", *arguments],
        *["--save-config", "fit.toml"],
        cwd=series,
    )
    assert first.returncode == 0, first.stderr
    second = run("fit", "series.tsv", "-o", "two", "--quiet", "--config", "fit.toml", cwd=series)
    assert second.returncode == 0, second.stderr
    assert (series / "one").read_bytes() == (series / "two").read_bytes()


def test_a_drawn_seed_is_in_the_saved_configuration(series):
    require_networks()
    no_seed = SMALL[: SMALL.index("--seed")]
    first = run("fit", "series.tsv", "-o", "one", *no_seed, "--save-config", "fit.toml", "--json", cwd=series)
    assert first.returncode == 0, first.stderr
    assert f"seed = {json.loads(first.stdout)['seed']}\n" in (series / "fit.toml").read_text()


def test_what_is_typed_wins_over_the_configuration(series):
    (series / "align.toml").write_text(
        "# shared\nquiet = true\n\n[fit]\nlearning-rate = 7\n[align]\ncells = 5 # few\nignore-labels = true\n"
    )
    one = run("align", "series.tsv", "-o", "a.npz", "--warps", "w", "--config", "align.toml", cwd=series)
    assert one.returncode == 0, one.stderr
    assert json.loads(run("info", "w", "--json", cwd=series).stdout)["cells"] == 5
    assert json.loads(run("info", "w", "--json", cwd=series).stdout)["classes"] is None
    two = run(
        *["align", "series.tsv", "-o", "a.npz", "--warps=w", "--config=align.toml", "--cells=7"], cwd=series
    )
    assert two.returncode == 0, two.stderr
    assert json.loads(run("info", "w", "--json", cwd=series).stdout)["cells"] == 7


def test_every_verb_that_saves_a_configuration_reads_it_again(series):
    commands = [
        ["align", "series.tsv", "-o", "out.tsv", "--cells", "4"],
        ["average", "series.tsv", "-o", "out.tsv", "--method", "soft-dtw", "--gamma", "0.5"],
        ["generate", "bumps", "--cases", "4", "-o", "out.tsv", "--noise", "0.25"],
    ]
    for command in commands:
        first = run(*command, "--save-config", "saved.toml", cwd=series)
        assert first.returncode == 0, first.stderr
        before = (series / "out.tsv").read_bytes()
        positional = command[:2]
        again = run(*positional, "-o", "out.tsv", "--config", "saved.toml", cwd=series)
        assert again.returncode == 0, again.stderr
        assert (series / "out.tsv").read_bytes() == before
        (series / "saved.toml").unlink()


def complete(words):
    """What bash offers for the last of the words."""
    script = run("completion", "bash").stdout
    quoted = " ".join(f"'{word}'" for word in words)
    asked = (
        f"compopt() {{ :; }}\n{script}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; "
        '_diffeo; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    result = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True)
    assert result.stderr == ""
    return result.stdout.split()


def test_bash_completes_verbs_options_and_choices():
    assert complete(["diffeo", "tr"]) == ["transform"]
    assert complete(["diffeo", "a"]) == ["ablation", "align", "average"]
    assert complete(["diffeo", "align", "--pri"]) == ["--prior-weight"]
    assert complete(["diffeo", "average", "f.tsv", "--method", "d"]) == ["dba"]
    assert complete(["diffeo", "completion", "z"]) == ["zsh"]
    assert complete(["diffeo", "generate", "c"]) == ["cbf"]
    assert complete(["diffeo", "align", "f"]) == []  # files, by the shell itself
    if has_networks():
        assert complete(["diffeo", "fit", "--learning"]) == ["--learning-rate"]
        assert complete(["diffeo", "fit", "--basis", "s"]) == ["svd", "sparse"]


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_shells_accept_the_completion(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    (tmp_path / "script").write_text(run("completion", shell).stdout)
    checked = subprocess.run(
        [shell, "-n", "script"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")


def test_zsh_loads_the_completion(tmp_path):
    if shutil.which("zsh") is None:
        pytest.skip("no zsh here")
    (tmp_path / "_diffeo").write_text(run("completion", "zsh").stdout)
    command = (
        f"fpath=({tmp_path} $fpath); autoload -Uz compinit && compinit -u -d dump; print ${{_comps[diffeo]}}"
    )
    asked = subprocess.run(
        ["zsh", "-f", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert asked.stdout.strip() == "_diffeo", asked.stderr


def test_the_version_tells_everything_about_the_program():
    parts = r"commit [\w.-]+, \w+ [\d.]+, (baseline|avx2|avx512), (torch [\w.+]+|without torch)"
    assert re.fullmatch(rf"diffeo \d+\.\d+\.\d+ \({parts}\)\n", run("--version").stdout)


def test_the_instruction_set_is_that_in_use():
    assert ", baseline, " in run("--version", env={"DIFFEO_INSTRUCTION_SET": "baseline"}).stdout


def test_a_dry_run_says_what_a_fit_would_take_and_writes_nothing(series):
    require_networks()
    arguments = ["fit", "series.tsv", "-o", "model", "--epochs", "3", "--least-steps", "0", "--dry-run"]
    result = run(*arguments, "--json", cwd=series)
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    assert (told["cases"], told["channels"], told["longest"]) == (6, 1, 9)
    assert told["classes"] == ["a", "b"]
    assert told["parameters"] > 1000
    assert told["seconds_per_epoch"] > 0
    assert told["seconds"] > 0
    assert told["memory_bytes"] > 10e6
    text = run(*arguments, cwd=series).stdout
    assert text.startswith(
        "would fit model: nothing was written\nseries      6 cases of 1 channel and 9 time steps"
    )
    assert [path.name for path in series.iterdir()] == ["series.tsv"]


def test_info_tells_what_series_are_like(series):
    (series / "gap.csv").write_text("label,a,b,c\nx,1,,3\ny,-2,5,\n")
    told = json.loads(run("info", "gap.csv", "--json", cwd=series).stdout)
    assert told["classes"] == {"x": 1, "y": 1}
    assert (told["shortest"], told["longest"], told["missing"], told["values"]) == (2, 3, 1, 5)
    assert (told["least"], told["greatest"], told["format"]) == (-2, 5, "csv")


def test_info_of_a_foreign_file_is_refused(series):
    (series / "foreign").write_bytes(b"\x02\0\0\0\0\0\0\0{}")
    result = run("info", "foreign", cwd=series)
    assert result.returncode == 1
    assert one_line(result.stderr).endswith(
        "foreign: expected series, a model or warps of diffeo, got another safetensors file"
    )
