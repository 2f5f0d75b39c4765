"""The page about a folder of results: what it says of what lies there."""

import json
import math

import numpy as np
import pytest
from results_folder import SETS, folds, make_results_folder, options_of, result_of

pytest.importorskip("pandas")
experiments = pytest.importorskip("diffeo.experiments", exc_type=ImportError)


LARGEST = 5_000_000  # bytes
HEAD = "dataset,type,train,test,length,classes,euclidean,paper,faults\n"
SECTIONS = ("published", "sharpshooter", "gain", "types", "variance", "grid", "ablation", "pictures")
HOSTILE = "</script><script>alert('x')</script><!--\"&\u0007$x_1$"


class Folder:
    """Three data sets, on which euclidean and dba are equal, and the page about them."""

    def __init__(self, folder):
        self.folder = folder
        names = ("Ante", "Brio", "Coda")
        methods = ("euclidean", "dba")
        self.lines = [
            result_of(name, method, 0.625 if name == "Brio" else 0.875, commit="unknown")
            for name in names
            for method in methods
        ]

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def page(self, *more, **options):
        self.write("results.jsonl", "".join(json.dumps(line) + "\n" for line in [*self.lines, *more]))
        return experiments.make_page(self.folder, **options)


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A folder with everything."""
    return make_results_folder(tmp_path_factory.mktemp("page") / "results")


def section(html, name):
    start = html.index(f'<section id="{name}">')
    return html[start : html.index("</section>", start)]


# --- results -----------------------------------------------------------------------------------------------


def test_the_title_counts_data_sets(folder):
    html = folder.page()
    assert "<h1>Nearest centroids on 3 data sets</h1>" in html
    assert "less than a minute of work, on the clock" in html
    assert "<h1>Mine &amp; yours</h1>" in folder.page(title="Mine & yours")


def test_what_is_not_there_is_left_out(folder):
    html = folder.page()
    for name in SECTIONS:
        assert f'<section id="{name}"' not in html
        assert f'href="#{name}"' not in html
    for name in ("summary", "ranks", "losses", "results", "scatter", "pairs", "provenance"):
        assert f'<section id="{name}"' in html
        assert f'href="#{name}"' in html


def test_a_page_of_one_method_or_one_data_set_is_made(tmp_path):
    folder = Folder(tmp_path)
    folder.lines = [result_of("Ante", "diffeo", 0.875, 0)]
    assert '<section id="ranks"' not in folder.page()
    assert '<section id="ranks"' in folder.page(result_of("Ante", "dba", 0.875))


def test_all_pairs_are_tested_if_there_are_several(folder):
    assert 'id="pair-tests"' not in folder.page()  # the summary has the only one
    assert 'id="pair-tests"' in folder.page(
        *(result_of(name, "dtan", 0.5, 0) for name in ("Ante", "Brio", "Coda"))
    )


def test_losses_are_told_the_largest_first_with_what_training_says(folder):
    html = folder.page(
        result_of("Ante", "diffeo", 0.75, 0, train_accuracy=1.0),
        result_of("Brio", "diffeo", 0.5, 0, train_accuracy=0.55),
        result_of("Coda", "diffeo", 0.625, 0),
    )
    losses = section(html, "losses")
    order = [losses.index(f"<b>{name}</b>") for name in ("Coda", "Ante", "Brio")]
    assert order == sorted(order)
    assert '<data value="0.25">0.250</data> lower.</li>' in losses
    assert "lower; 1.000 on its training set.</li>" in losses
    assert "On 1 of these 2 the accuracy on the training set is more than 0.1 above" in losses
    assert "in common: Ante.</p>" in losses


def test_a_gap_that_three_digits_do_not_show_is_one_all_the_same(folder):
    lines = [
        result_of("Dune", method, accuracy, 0) for method, accuracy in (("diffeo", 0.5), ("dba", 0.5001))
    ]
    folder.lines = lines
    assert '">less than 0.001</data> lower' in folder.page()


def test_no_loss_is_said_too(folder):
    html = folder.page(*(result_of(name, "diffeo", 1.0, 0) for name in ("Ante", "Brio", "Coda")))
    assert "On no data set is another method better than diffeo." in html


def test_cross_validations_alone_are_called_so(tmp_path):
    folder = Folder(tmp_path)
    folder.lines = [folds("Ante", "euclidean", 0.5), folds("Ante", "dba", 0.25)]
    html = folder.page()
    assert "Accuracies by cross-validation inside training sets" in html
    assert "<b>Accuracy on every data set, by cross-validation inside its training set.</b>" in html
    assert "test sets" not in html


def test_failures_other_settings_and_missing_seeds_are_named(folder):
    wider = options_of("ensemble", cells="64")
    lines = []
    for name in ("Ante", "Brio", "Coda"):
        lines.append(result_of(name, "diffeo", 0.75, 0, options=wider))
        lines += [result_of(name, "diffeo", 0.75, 1, options=wider)] * (name != "Brio")
        lines.append(result_of(name, "diffeo", 0.5, 0, options=options_of("default")))
    html = folder.page(*lines, result_of("Dune", "diffeo", None, 0, error="<no> series"))
    assert "On this page diffeo is the preset ensemble with cells 64." in html
    found = "mean accuracy 0.5000 on 3 data sets, of 3 tests"
    assert f'<td>diffeo, the defaults</td><td class="help">{found}</td>' in html
    assert '<td>diffeo on Dune</td><td class="help">&lt;no&gt; series</td>' in html
    assert '<td>diffeo on Brio</td><td class="help">fewer seeds there than on other data sets</td>' in html


def test_remarks_stand_in_the_page(folder):
    folder.write("introduction.txt", "One setting for all.\n")
    folder.write("losses.txt", "Brio is too small & noisy.\n")
    html = folder.page()
    assert "One setting for all.</p>" in html
    assert "Brio is too small &amp; noisy.</p>" in html


# --- published values --------------------------------------------------------------------------------------


def test_faults_of_published_values_are_explained(folder):
    table = folder.write(
        "table.csv",
        f"{HEAD}Ante,Image,30,40,150,2,0.900,0.925,\nBrio,Motion,30,40,150,2,0.925,,euclidean\n"
        "Coda,Image,30,40,150,2,0.950,0.975,\nOther,Image,30,40,150,2,0.93,0.97,\n",
    )
    html = folder.page(table=table)
    assert "Beside published values" in html
    assert "<li><sup>a</sup> the table names it as one that cannot be compared</li>" in html
    assert "no classifier can have this accuracy" not in html


def test_another_split_is_the_fault_whatever_else_is_wrong(folder):
    table = folder.write(
        "table.csv",
        f"{HEAD}Ante,Image,30,40,150,2,0.900,0.925,euclidean:split\n"
        "Brio,Motion,30,40,150,2,0.9111,,euclidean:split\nCoda,Image,30,40,150,2,0.950,0.975,\n",
    )
    html = folder.page(table=table)
    assert "<li><sup>a</sup> measured on another split into training and test series than the archive" in html
    assert "no classifier can have this accuracy" not in html


def test_published_values_that_no_classifier_can_have_are_struck_out(folder):
    """Of 40 cases 37 are 0.925: 0.926 is none with three digits, nor 0.94 with two; 0.92 may be 0.925."""
    table = folder.write(
        "table.csv",
        f"{HEAD}Ante,Image,30,40,150,2,0.926,0.975000,\nBrio,Motion,30,40,150,2,0.98,0.92,\n"
        "Coda,Image,30,40,150,2,0.975000,0.94,paper\n",
    )
    html = folder.page(table=table)
    assert '<s><data value="0.926">0.926</data></s><sup>a</sup>' in html
    assert '<s><data value="0.94">0.940</data></s><sup>a</sup>' in html
    for sound in ("0.975", "0.98", "0.92"):
        assert f'<s><data value="{sound}"' not in html


def test_published_values_that_differ_by_their_rounding_tie(folder):
    """Measured are 0.875, 0.625 and 0.875. A number without decimals is taken as it is."""
    folder.write(
        "published.csv",  # the folder's own table, if no other is given
        f"{HEAD}Ante,Image,30,40,150,2,0.88,1,\nBrio,Motion,30,40,150,2,0.62,0.625000,\n"
        "Coda,Image,30,40,150,2,0.87,0.8751,\n",
    )
    counts = section(folder.page(), "published")
    assert ">0 / 3 / 0</td>" in counts
    assert ">0 / 1 / 2</td>" in counts


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "table.csv:1: expected the columns dataset,type,train"),
        (f"{HEAD}Ante,Image,30\n", "table.csv:2: expected 9 values, got 3"),
        (f"{HEAD}Ante,Image,many,40,150,2,0.9,0.9,\n", "table.csv:2: expected a number, got 'many'"),
        (f"{HEAD}Ante,Image,30,40,150,2,0.9,0.9,\n", "expected a row for every data set, got none for Brio"),
    ],
)
def test_a_table_that_is_none_is_named(folder, text, words):
    with pytest.raises(ValueError, match=words):
        folder.page(table=folder.write("table.csv", text))


# --- searches, ablations, pictures -------------------------------------------------------------------------


def test_searches_and_ablations_of_folders_inside_are_shown(folder):
    frequency = [
        {"name": "layers", "values": [{"value": "1", "wins": 0}, {"value": "5", "wins": 1}]},
        {"name": "cells", "values": [{"value": value, "wins": 1} for value in ("16", "32", "64")]},
    ]
    chosen = {
        "dataset": "Ante",
        "setting": {"cells": "16", "layers": "5"},
        "cv_accuracy": 0.71,
        "test_accuracy": 0.82,
    }
    choices = [chosen, {"dataset": "Brio", "setting": {}, "error": "broken"}]
    folder.write(
        "grid/grid.json",
        {
            "folds": 3,
            "rungs": [0.25, 0.5, 1],
            "failures": 2,
            "datasets": choices,
            "winning_frequency": frequency,
        },
    )
    row = {"value": "4", "mean_accuracy": 0.5, "mean_seconds": 1, "datasets": [{}]}
    study = {"name": "cells", "values": [row, {"value": "8", "mean_accuracy": None, "datasets": []}]}
    folder.write("ablation/ablation.json", {"accuracy": "test", "seeds": [0], "studies": [study]})
    html = folder.page()
    assert '<section id="ablation"' in html
    grid = section(html, "grid")
    # There was no --oracle, and there are accuracies nevertheless.
    assert "Ante</th><td>layers 5, cells 16</td>" in grid
    assert '<data value="0.71">0.710</data></td>' in grid
    assert 'Brio</th><td>–</td><td class="number">–</td><td class="number">–</td>' in grid.replace("\n", "")
    for words in (
        "mean of the 1 with every figure</th>",
        "6 settings",
        "3 folds",
        "3 rungs",
        "2 pieces of work failed",
    ):
        assert words in grid
    assert "chosen on test data" not in grid


@pytest.mark.parametrize(
    ("rungs", "settings", "words"),
    [
        ([1], {"settings": 3}, "the best of all settings, chosen on test data"),
        ([0.3, 1], {"settings": 1}, "the best of the 1 that reached the last rung, chosen on test data"),
        ([0.3, 1], {}, "the best of all settings, chosen on test data"),
    ],
)
def test_the_best_on_test_data_says_what_it_is_the_best_of(folder, rungs, settings, words):
    oracle = {"test_accuracy": 0.9, **settings}
    choice = {
        "dataset": "Ante",
        "setting": {"cells": "16"},
        "cv_accuracy": 0.7,
        "test_accuracy": 0.8,
        "oracle": oracle,
    }
    frequency = [{"name": "cells", "values": [{"value": "8", "wins": 0}, {"value": "16", "wins": 1}]}]
    search = {"folds": 3, "rungs": rungs, "failures": 0, "datasets": [choice], "winning_frequency": frequency}
    folder.write("grid.json", search)
    assert words in section(folder.page(), "grid")


@pytest.mark.parametrize(
    ("accuracy", "seeds", "words"),
    [
        ("test", [0, 1, 7], "those on the test sets, means over data sets and the seeds 0, 1, 7."),
        ("cv", [3], "those of cross-validation within the training sets, means over data sets, of seed 3."),
    ],
)
def test_an_ablation_says_which_accuracies_it_is_about(folder, accuracy, seeds, words):
    rows = [
        {"value": str(n), "mean_accuracy": n / 20, "mean_seconds": 1, "datasets": [{}]} for n in (16, 4, 8)
    ]
    study = {"name": "cells", "values": rows}
    folder.write("ablation.json", {"accuracy": accuracy, "seeds": seeds, "studies": [study]})
    ablation = section(folder.page(), "ablation")
    assert words in ablation
    in_order = {"name": "cells", "values": sorted(rows, key=lambda row: int(row["value"]))}
    folder.write("ablation.json", {"accuracy": accuracy, "seeds": seeds, "studies": [in_order]})
    curves = ablation[: ablation.index("<table")]
    assert section(folder.page(), "ablation").startswith(curves)  # in whatever order values were tried


def picture(**more):
    rows = [[math.sin(0.3 * step + case) for step in range(12)] for case in range(6)]
    made = {"dataset": "Ante", "method": "diffeo", "seed": 0, "length": 12, "classes": list("aabbcc")}
    return {**made, "before": rows, "after": rows[::-1], **more}


def test_series_are_embedded_unless_the_file_holds_their_places(folder):
    folder.write("pictures/Ante.json", picture())
    assert "t-SNE of 6 series of 3 classes" in folder.page()
    places = {
        "embedding_before": [[0, 0], [1, 1]],
        "embedding_after": [[0, 1], [1, 0]],
        "embedding_classes": ["a", "b"],
    }
    folder.write("pictures/Ante.json", picture(**places))
    assert "t-SNE of 2 series of 2 classes" in folder.page()


def test_series_with_gaps_are_shown_without_places(folder):
    rows = [[1, None, 3]]
    folder.write("pictures/Ante.json", picture(classes=["a"], length=3, before=rows, after=rows))
    html = folder.page()
    assert "Ante: series before and after alignment" in html
    assert "t-SNE" not in html


def test_pictures_of_other_settings_are_left_out(folder):
    folder.write("pictures/Ante.json", picture(options={"cells": "16"}))
    assert '<section id="pictures"' not in folder.page()


@pytest.mark.parametrize(
    ("name", "text"), [("grid.json", "[1, 2"), ("ablation.json", "[]"), ("pictures/Ante.json", "{}")]
)
def test_a_document_that_is_none_is_named(folder, name, text):
    folder.write(name, text)
    with pytest.raises(ValueError, match=f"{name}: expected"):
        folder.page()


# --- the page as such --------------------------------------------------------------------------------------


def test_a_full_page_shows_everything_and_is_made_twice_the_same(full):
    html = experiments.make_page(full.folder, table=full.table)
    assert html == experiments.make_page(full.folder, table=full.table)
    for name in SECTIONS:
        assert f'<section id="{name}"' in html
    assert "±&nbsp;" in html
    assert len(html.encode()) < LARGEST


def test_ids_are_unique_and_every_reference_has_one(full):
    import re

    html = experiments.make_page(full.folder)
    ids = re.findall(r'\sid="([^"]*)"', html)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', html)) | set(re.findall(r"url\(#([^)]+)\)", html)) <= set(ids)


def test_the_page_holds_the_accuracies_for_machines(full):
    html = experiments.make_page(full.folder)
    opening = '<script id="numbers" type="application/json">'
    start = html.index(opening) + len(opening)
    numbers = json.loads(html[start : html.index("</script>", start)])
    assert numbers["datasets"] == [each.name for each in SETS]
    assert numbers["scores"] == full.scores().tolist()


def test_hostile_text_is_shown_as_it_is(tmp_path):
    folder = Folder(tmp_path)
    folder.lines = [
        {**line, "dataset": line["dataset"] + HOSTILE.replace("/", "|"), "method": line["method"] + HOSTILE}
        for line in folder.lines
    ]
    folder.write("introduction.txt", HOSTILE)
    row = {"value": HOSTILE, "mean_accuracy": 0.5, "mean_seconds": 1, "datasets": [{}]}
    study = {"name": HOSTILE, "values": [{**row, "value": "4"}, {**row, "value": "8"}]}
    studies = [study, {"name": HOSTILE, "values": [row]}]
    folder.write("ablation.json", {"accuracy": "test", "seeds": [0], "studies": studies})
    html = folder.page(title=HOSTILE)
    assert "<script>alert" not in html
    assert "<!--" not in html
    assert html.count("</script>") == 2


def test_the_page_stays_small_and_says_what_it_leaves_out(tmp_path):
    folder = Folder(tmp_path)
    names = [f"set {number}" for number in range(30)]
    folder.lines = [result_of(name, method, 0.5) for name in names for method in ("euclidean", "dba")]
    noise = np.random.default_rng(1).uniform(size=(600, 120)).round(3).tolist()
    places = [[case % 31, case * 7 % 29] for case in range(600)]
    kinds = [str(case % 3) for case in range(600)]
    drawn = {"length": 120, "classes": kinds, "before": noise, "after": noise}
    embedded = {"embedding_before": places, "embedding_after": places, "embedding_classes": kinds}
    for name in names:
        folder.write(f"pictures/{name}.json", picture(dataset=name, **drawn, **embedded))
    html = folder.page()
    shown = html.count("<details class=")
    assert len(html.encode()) < LARGEST
    assert 5 < shown < 30
    assert f"the first {shown} of 30 data sets, more would make the page too large" in html
