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


OPTION = re.compile(
    r"^  (?:-\w,)?--([\w-]+)(?: \S+?(?:=(.*?))?)?(?: \.\.\.| REQUIRED)?\s{2,}(\S.*)$", re.MULTILINE
)
#: Where things come from and go to, and how much is said: nothing of the library's.
OF_RUNS = {"help", "output", "warps", "format", "ignore-labels", "json", "quiet", "verbose", "config"}
OF_RUNS |= {"model", "save-config", "max-size"}
OF_RUNS |= {"label", "no-label", "delimiter", "decimal", "header", "no-header"}
OF_RUNS |= {"columns", "id", "time", "value"}


def options_in_help(verb):
    """Default and help by long option; None for the default of options without one."""
    found = OPTION.findall(run(verb, "--help").stdout)
    return {name: (default or None, text) for name, default, text in found}


def options_of_the_library(verb):
    return {name: said for name, said in options_in_help(verb).items() if name not in OF_RUNS}


def as_typed(default):
    """A default of Python as the command line says it."""
    if isinstance(default, bool):
        return str(default).lower()
    return ",".join(map(str, default)) if isinstance(default, tuple) else str(default)


def is_same(shown, default):
    is_number = isinstance(default, (int, float)) and not isinstance(default, bool)
    return shown is not None and (float(shown) == default if is_number else shown == as_typed(default))


def described(docstring):
    """What a docstring says of every argument, on one line."""
    texts, name = {}, None
    for line in inspect.cleandoc(docstring).splitlines():
        if match := re.match(r" {0,4}([a-z]\w*) {2,}(\S.*)", line):
            name = match[1]
            texts[name] = match[2]
        elif line.startswith("      ") and name:
            texts[name] += " " + line.strip()
        else:
            name = None
    return texts


def is_said(text, docstring):
    """Whether the docstring says what the help does; the command line puts what is allowed at the end."""
    words = re.sub(r"; (at least \S+|\S+ to \S+)$", "", text)
    return docstring.lower().startswith(words.lower())


@pytest.fixture(scope="module")
def diffeo():
    return pytest.importorskip("diffeo")


def test_help_python_and_the_table_of_hyperparameters_agree(series, diffeo):
    require_networks()
    if not hasattr(diffeo, "TemporalAligner"):
        pytest.skip("the Python package was not built")
    assert run("fit", "series.tsv", "-o", "model", *SMALL, cwd=series).returncode == 0
    table = json.loads(run("info", "model", "--json", cwd=series).stdout)["options"]
    assert len(table) >= 30
    in_help = options_in_help("fit")
    signature = inspect.signature(diffeo.TemporalAligner).parameters
    texts = described(diffeo.TemporalAligner.__init__.__doc__)
    for name in table:
        option = name.replace("_", "-")
        assert option in in_help
        assert name in signature
        shown, text = in_help[option]
        default = signature[name].default
        assert is_same(shown, default), f"{option}: {shown} in help, {default} in Python"
        assert is_said(text, texts[name]), f"{option}: {text} in help, {texts[name]} in Python"
    others = (
        set(signature)
        - set(table)
        - {"random_state", "n_jobs", "verbose", "callback", "checkpoint", "resume"}
    )
    assert not {name for name in others if name.replace("_", "-") in in_help}, "in both, but not in the table"


def expect_same_options(in_help, function, *, docstring=None, automatic=()):
    """Every option in the help is an argument of the function, with its default and the docstring's words.

    0 and None are the same to those that are `automatic`.
    """
    signature = inspect.signature(function).parameters
    texts = described(docstring) if docstring else {}
    for option, (shown, text) in in_help.items():
        name = option.replace("-", "_")
        default = signature[name].default
        is_automatic = name in automatic and (shown, default) == ("0", None)
        is_unset = shown is None and default is None
        assert is_automatic or is_unset or is_same(shown, default), f"{option}: {shown} and {default}"
        assert name in automatic or not texts or is_said(text, texts[name]), f"{option}: {text}"


def test_help_and_python_agree_on_alignment(diffeo):
    in_help = options_of_the_library("align")
    pair = diffeo.align_pair.__doc__  # which `align` refers to
    from_data = ("prior_weight", "length_scale")
    expect_same_options(in_help, diffeo.align, docstring=pair, automatic=("length", "threads", *from_data))
    arguments = set(inspect.signature(diffeo.align).parameters) - {"X", "y", "progress", "template"}
    assert {name.replace("-", "_") for name in in_help} == arguments
    del in_help["threads"]  # n_jobs of estimators
    aligner = diffeo.JointAligner
    expect_same_options(in_help, aligner, docstring=aligner.__doc__, automatic=("length", *from_data))


def test_help_and_python_agree_on_averages(diffeo):
    in_help = options_of_the_library("average")
    method, _ = in_help.pop("method")
    assert is_same(method, inspect.signature(diffeo.average).parameters["method"].default)
    of_warp = options_of_the_library("align")
    shared_default, said = in_help.pop("max-iterations")
    assert shared_default == of_warp.pop("max-iterations")[0]
    assert of_warp.items() <= in_help.items()
    others = {name: said for name, said in in_help.items() if name not in of_warp}
    assert set(others) == {"window", "gamma"}
    expect_same_options(others, diffeo.NearestCentroid)
    most = [inspect.signature(each).parameters["max_iterations"].default
            for each in (diffeo.dba, diffeo.soft_dtw_barycenter)]  # fmt: skip
    assert re.findall(r"\d+", said) == [str(each) for each in most]


def test_help_and_python_agree_on_generated_series(diffeo):
    in_help = options_of_the_library("generate")
    of_bumps = inspect.signature(diffeo.generate_bumps).parameters
    of_warped = inspect.signature(diffeo.generate_warped).parameters
    names = {name.replace("-", "_") for name in in_help}
    assert names == set(of_bumps) | set(of_warped) - {"kind"}
    # Options with one default for every kind show it; the others differ from kind to kind.
    only_of_bumps = set(of_bumps) - set(of_warped)
    shown = {name: said for name, said in in_help.items() if name.replace("-", "_") in only_of_bumps}
    assert len(shown) == len(only_of_bumps)
    for name, (default, _) in shown.items():
        assert is_same(default, of_bumps[name.replace("-", "_")].default), name
    assert all(in_help[name][0] is None for name in in_help.keys() - shown.keys())


def test_a_model_leaves_nothing_to_choose_here_as_in_python(diffeo):
    require_networks()
    assert set(options_of_the_library("classify")) == {"jobs"}
    assert set(options_of_the_library("transform")) == {"jobs", "inverse"}
    for method in (diffeo.TemporalAligner.transform, diffeo.NearestCentroid.predict):
        assert list(inspect.signature(method).parameters) == ["self", "X"]


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


@pytest.mark.parametrize(
    ("command", "output", "options"),
    [
        ("align series.tsv", "out.tsv", "--cells 4"),
        ("average series.tsv", "out.tsv", "--method soft-dtw --gamma 0.5"),
        ("generate bumps", "out.tsv", "--cases 4 --noise 0.25"),
        ("report series.tsv", "out.html", "--data other.tsv --title Both --cases 4 --seed 3"),
    ],
)
def test_every_verb_that_saves_a_configuration_reads_it_again(series, command, output, options):
    (series / "other.tsv").write_text(SERIES)
    words = [*command.split(), "-o", output]
    contents = []
    for more in ([*options.split(), "--save-config", "saved.toml"], ["--config", "saved.toml"]):
        result = run(*words, *more, cwd=series)
        assert result.returncode == 0, result.stderr
        text = (series / output).read_text()
        contents.append(re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "", text))  # when a page was made
    assert contents[0] == contents[1]


def test_a_benchmark_is_repeated_from_its_configuration(series):
    options = ["--repetitions", 2, "--threads", 2, "--save-config", "saved.toml"]
    assert run("benchmark", *options, cwd=series).returncode == 0
    told = json.loads(run("benchmark", "--config", "saved.toml", "--json", cwd=series).stdout)
    assert (told["repetitions"], told["threads"]) == (2, 2)


def test_every_verb_whose_options_decide_what_comes_out_keeps_them():
    script = run("completion", "bash").stdout
    offered = dict(re.findall(r"^    (\w+)\)\n(.*?)^      ;;$", script, re.MULTILINE | re.DOTALL))
    keeping = {verb for verb, text in offered.items() if "--save-config" in text and "--config" in text}
    shared = {"ablation", "evaluate", "grid"}  # a folder of results has every option of every result
    assert set(offered) - keeping - (set() if has_networks() else {"fit", "transform", "classify"}) == {
        "completion",
        "info",
        "study",  # Python reads its options
        *shared,
    }


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
