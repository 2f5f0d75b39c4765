"""Folders of results as frames, and what they say as tables."""

import json
import math
import re

import pytest
from results_folder import folds, options_of, result_of

pd = pytest.importorskip("pandas")
experiments = pytest.importorskip("diffeo.experiments", exc_type=ImportError)

#: Test sets of these sizes: primes, powers of two, products of both, and the largest of the UCR archive.
TEST_SETS = (7, 30, 49, 150, 375, 1024, 2345, 5120, 8236)
NINE_DECIMALS = 1e-9  # to which accuracies are rounded


@pytest.fixture
def read(tmp_path):
    """The frame of a folder with these lines."""

    def read_lines(*lines):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / "results.jsonl").write_text(text)
        return experiments.read_results(tmp_path)

    return read_lines


@pytest.fixture
def summary(read):
    return lambda *lines: experiments.summarize(read(*lines))


# --- reading -----------------------------------------------------------------------------------------------


def test_a_frame_has_a_row_per_result(read):
    frame = read(result_of("A", "dba", 0.5, cpu_seconds=1.5), folds("B", "diffeo", 0.75, 3, processor="fast"))
    assert frame["dataset"].tolist() == ["A", "B"]
    assert frame["cv_folds"].tolist() == [0, 3]
    assert frame["test_accuracy"][0] == 0.5
    assert math.isnan(frame["test_accuracy"][1])
    assert frame["processor"][1] == "fast"
    assert frame["error"].tolist() == ["", ""]


def test_the_first_result_of_a_work_item_counts(read):
    assert read(result_of("A", "dba", 0.5), result_of("A", "dba", 0.75))["test_accuracy"].tolist() == [0.5]


def test_a_line_that_is_cut_off_is_left_out(tmp_path):
    line = json.dumps(result_of("A", "dba", 0.5))
    (tmp_path / "results.jsonl").write_text(f"{line}\n{line[:40]}")
    assert len(experiments.read_results(tmp_path)) == 1
    (tmp_path / "results.jsonl").write_text(line)  # an editor has left out the end of the line
    assert len(experiments.read_results(tmp_path)) == 1


@pytest.mark.parametrize("text", ["{}", "[1]", "nonsense", '{"dataset": "A"}'])
def test_a_line_that_is_no_result_is_named(tmp_path, text):
    (tmp_path / "results.jsonl").write_text(f"{json.dumps(result_of('A', 'dba', 0.5))}\n{text}\n")
    with pytest.raises(ValueError, match=r"results\.jsonl:2: expected a result"):
        experiments.read_results(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"test_accuracy": 1.5}, "test_accuracy: expected a number from 0 to 1, or null, got '1.5'"),
        ({"cv_accuracy": -0.1}, "cv_accuracy: expected a number from 0 to 1, or null, got '-0.1'"),
        ({"train_accuracy": "1"}, "train_accuracy: expected a number from 0 to 1, or null, got '1'"),
        ({"test_accuracy": float("nan")}, "test_accuracy: expected a number from 0 to 1, or null, got 'nan'"),
        ({"seconds": "long"}, "seconds: expected a number, or null, got 'long'"),
        ({"dataset": "../other"}, "dataset: expected the name of a folder in the archive, got '../other'"),
        ({"dataset": ".."}, "dataset: expected the name of a folder in the archive, got '..'"),
        ({"dataset": 7}, "dataset: expected the name of a folder in the archive, got '7'"),
        ({"options": []}, "options: expected an object, got '[]'"),
    ],
)
def test_a_result_with_a_wrong_entry_is_refused(read, change, message):
    with pytest.raises(ValueError, match=re.escape(f"results.jsonl:1: {message}")):
        read(result_of("A", "dba", 0.5) | change)


@pytest.mark.parametrize("text", ["x" * 6_000_000, "[" * 40_000, "\x1b[2J" * 1_000_000])
def test_errors_quote_little_of_a_line(tmp_path, text):
    (tmp_path / "results.jsonl").write_text(text + "\n")
    with pytest.raises(
        ValueError, match=r"results\.jsonl:1: expected a result as one JSON object, got '"
    ) as problem:
        experiments.read_results(tmp_path)
    assert len(str(problem.value)) < len(str(tmp_path)) + 300
    assert str(problem.value).isprintable()


def test_letters_that_html_cannot_hold_are_replaced(read):
    assert read(result_of("A\u0000\ud800", "dba", 0.5))["dataset"].tolist() == ["A\ufffd\ufffd"]


def test_a_folder_has_to_be_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="expected a folder of results"):
        experiments.read_results(tmp_path / "nowhere")


# --- summaries ---------------------------------------------------------------------------------------------


def test_scores_are_means_over_seeds_with_their_spread(summary):
    found = summary(result_of("A", "diffeo", 0.8, 0), result_of("A", "diffeo", 0.9, 1))
    assert found.scores.at["A", "diffeo"] == 0.85
    assert found.spreads.at["A", "diffeo"] == pytest.approx(math.sqrt(0.005))
    assert (found.methods[0].seeds, found.methods[0].seconds) == (2, 4)


@pytest.mark.parametrize("cases", TEST_SETS)
def test_means_that_are_the_same_fraction_tie_and_others_do_not(summary, cases):
    lines, expected = [], {}
    for hits in range(2, cases - 1, 1 + cases // 40):
        for last in (hits, hits + 1, hits + 2):
            name = f"{hits} {last}"
            counts = (hits - 2, hits + 1, last)
            lines += [result_of(name, "diffeo", count / cases, seed) for seed, count in enumerate(counts)]
            lines.append(result_of(name, "euclidean", hits / cases))
            expected[name] = sum(counts) - 3 * hits
    scores = summary(*lines).scores
    for name, sign in expected.items():
        difference = scores.at[name, "diffeo"] - scores.at[name, "euclidean"]
        assert (difference > 0, difference < 0) == (sign > 0, sign < 0), name
    assert scores["euclidean"].iloc[0] == pytest.approx(
        int(scores.index[0].split()[0]) / cases, abs=NINE_DECIMALS
    )


def test_work_is_processor_time_if_known(summary):
    method = summary(
        result_of("A", "diffeo", 0.8, 0), result_of("A", "diffeo", 0.9, 1, cpu_seconds=0.5)
    ).methods[0]
    assert (method.seconds, method.results, method.with_processor_time) == (2.5, 2, 1)


def test_diffeo_is_first_and_data_sets_are_in_order(summary):
    found = summary(
        result_of("B", "own", 0.5),
        result_of("A", "own", 0.6),
        result_of("B", "euclidean", 0.1),
        result_of("A", "euclidean", 0.2),
        result_of("B", "diffeo", 0.3, 0),
        result_of("A", "diffeo", 0.4, 0),
    )
    assert list(found.scores.columns) == ["diffeo", "euclidean", "own"]
    assert list(found.scores.index) == ["A", "B"]
    assert found.scores.to_numpy().tolist() == [[0.4, 0.2, 0.6], [0.3, 0.1, 0.5]]
    assert found.spreads.isna().all(axis=None)


def test_a_data_set_that_some_method_lacks_is_left_out(summary):
    found = summary(
        result_of("A", "euclidean", 0.1), result_of("B", "euclidean", 0.2), result_of("B", "diffeo", 0.3, 0)
    )
    assert list(found.scores.index) == ["B"]
    assert found.left_out == ["A"]


def test_a_method_that_was_hardly_begun_is_left_out(summary):
    found = summary(*(result_of(name, "euclidean", 0.1) for name in "ABC"), result_of("A", "dba", 0.2))
    assert list(found.scores.columns) == ["euclidean"]
    assert len(found.scores) == 3
    assert found.methods_left_out == ["dba"]


def test_the_setting_of_most_data_sets_counts_and_then_the_latest(summary):
    wide = result_of("A", "diffeo", 0.7, 0, options={"cells": "16"}, date="2026-02-01T12:00:00Z")
    lines = [result_of("A", "diffeo", 0.1, 0), wide]
    assert summary(*lines, result_of("B", "diffeo", 0.2, 0)).scores.at["A", "diffeo"] == 0.1
    found = summary(*lines)
    assert found.scores.at["A", "diffeo"] == 0.7
    assert found.methods[0].options == {"cells": "16"}
    assert [(each.options, each.mean_accuracy) for each in found.other_settings] == [({}, 0.1)]


def test_the_setting_of_most_seeds_counts_if_several_have_all_data_sets(summary):
    wide = result_of("A", "diffeo", 0.7, 0, options={"cells": "16"}, date="2026-02-01T12:00:00Z")
    found = summary(result_of("A", "diffeo", 0.1, 0), result_of("A", "diffeo", 0.2, 1), wide)
    assert found.scores.at["A", "diffeo"] == 0.15


def test_cross_validations_are_those_of_the_same_setting(summary):
    test, same = result_of("A", "diffeo", 0.5, 0), folds("A", "diffeo", 0.7, 0)
    other = folds("A", "diffeo", 0.8, 0, options={"cells": "16"})
    assert summary(test, same, other).cross_validated.at["A", "diffeo"] == 0.7
    some_folds = {**same, "cv_held_out": 1}
    assert math.isnan(summary(test, some_folds, other).cross_validated.at["A", "diffeo"])


def test_cross_validations_are_compared_if_there_are_no_tests(summary):
    lines = [folds("A", "euclidean", 0.5), folds("B", "dba", 0.75), folds("A", "dba", 0.25)]
    found = summary(*lines)
    assert found.is_cross_validated
    assert found.scores.to_numpy().tolist() == [[0.5, 0.25]]
    assert found.left_out == ["B"]
    assert found.cross_validated.isna().all(axis=None)  # not told twice
    found = summary(*lines, result_of("B", "euclidean", 0.125))
    assert not found.is_cross_validated
    assert found.scores.to_numpy().tolist() == [[0.125]]


def test_the_first_method_has_accuracies_on_training_sets(summary):
    found = summary(
        result_of("A", "diffeo", 0.5, 0, train_accuracy=1.0),
        result_of("A", "diffeo", 0.5, 1, train_accuracy=0.75),
        result_of("B", "diffeo", 0.5, 0),
        result_of("A", "dba", 0.5, train_accuracy=0.1),
        result_of("B", "dba", 0.5),
    )
    assert found.trained["A"] == 0.875
    assert math.isnan(found.trained["B"])


def test_failures_are_named_and_variances_are_there(summary):
    failed = result_of("B", "diffeo", None, 0, error="loss is not finite")
    found = summary(result_of("A", "diffeo", 0.5, 0, variance_before=3.0, variance_after=1.0), failed)
    assert found.failed == [("B", "diffeo", "loss is not finite")]
    assert found.variances.to_dict("index") == {"A": {"before": 3.0, "after": 1.0}}


def test_results_with_nothing_to_compare_are_refused(summary):
    with pytest.raises(ValueError, match="expected at least one test or cross-validation, got none among 0"):
        summary()
    with pytest.raises(ValueError, match="expected a data set with results of all 2 methods, got none"):
        summary(result_of("A", "diffeo", 0.5, 0), result_of("B", "dba", 0.5))


# --- settings in words -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "options", "words"),
    [
        ("dba", {"distance": "dtw"}, ""),
        ("diffeo", options_of("default"), "the defaults"),
        ("diffeo", options_of("ensemble", cells="64"), "the preset ensemble with cells 64"),
        ("dtan", options_of("dtan", epochs="7", cells="64"), "the preset dtan with cells 64, epochs 7"),
        ("diffeo", options_of("default", network="of tomorrow"), "the defaults with network of tomorrow"),
    ],
)
def test_a_setting_is_told_by_how_it_differs_from_the_nearest_preset(method, options, words):
    assert experiments.setting_words(method, options) == words
