"""The page about nearest centroids: how well series are aligned, and on what processors lines were made."""

import importlib
from pathlib import Path

import numpy as np
import pytest

COMPARE = Path(__file__).resolve().parents[2] / "bench" / "compare"
GROUP = "the defaults"


@pytest.fixture
def tools(monkeypatch):
    """The modules ncc_*.py."""
    if not COMPARE.is_dir():
        pytest.skip("the benchmarks are not here")
    monkeypatch.syspath_prepend(str(COMPARE))
    return {
        name: importlib.import_module(f"ncc_{name}")
        for name in ("page", "alignment", "published", "losses", "processors")
    }


def line_of(dataset, seed=0, left=0.5, **changes):
    """With the same share left of everything, but for what changes."""
    before = 4.0
    measures = {
        "slope_variance_before": before,
        "slope_variance_after": left * before,
        "inverse_consistent_error_before": before,
        "inverse_consistent_error_after": left * before,
        "least_slope": 0.25,
        "largest_slope": 3.0,
        "displacement": 0.0625,
        "mean_warp_distance": 0.03125,
        "training_mean_warp_distance": 0.0078125,
    }
    found = {"variance_before": before, "variance_after": left * before, "alignment": measures | changes}
    return {"dataset": dataset, "method": "diffeo", "seed": seed, **found}


def cells(text, first):
    """Of the row of a table that begins so."""
    (row,) = [line for line in text.splitlines() if line.startswith(f"| {first} |")]
    return [cell.strip() for cell in row.strip("|").split("|")]


def test_seeds_are_averaged_before_sets(tools):
    lines = [line_of("A", 0, 0.1), line_of("A", 1, 0.7), line_of("B", 0, 0.9)]
    text = tools["alignment"].section({GROUP: lines}, GROUP)
    left = np.sqrt(0.4 * 0.9)  # the means of the seeds, then the geometric mean of the sets
    assert cells(text, GROUP)[1:6] == ["0, 1", "2", *[f"**{left:.3f}** (0)"] * 3]


def test_the_worst_seed_counts_for_slopes_and_mean_warps(tools):
    lines = [
        line_of("A", 0, least_slope=0.1, training_mean_warp_distance=0.5),
        line_of("A", 1, least_slope=0.4, displacement=0.1875),
        line_of("B", 0, least_slope=0.3),
        line_of("C", 0, least_slope=0.2),
    ]
    text = tools["alignment"].section({GROUP: lines}, GROUP)
    assert cells(text, GROUP)[6:] == ["0.100", "0.200", f"{(0.125 + 2 * 0.0625) / 3:.3f}", "0.5000"]


def test_sets_that_are_further_apart_are_named(tools):
    lines = [line_of("A", slope_variance_after=4.4), line_of("B"), line_of("C", slope_variance_after=8.0)]
    text = tools["alignment"].section({GROUP: lines}, GROUP)
    told = "variance on none; slope variance on A, C; inverse-consistent error on none."
    assert f"- Above 1, the defaults: {told}" in text
    assert cells(text, GROUP)[4].endswith("(2)")


def test_a_method_that_leaves_less_is_named(tools):
    groups = {
        GROUP: [line_of("A"), line_of("B")],
        "`dtan`": [line_of("A", slope_variance_after=1.0, variance_after=0.1)],
        "`resnet-tw`": [line_of("A", slope_variance_after=4.0)],
    }
    text = tools["alignment"].section(groups, GROUP)
    assert [line for line in text.splitlines() if line.startswith("- Lower")] == [
        "- Lower than the defaults: the slope variance of `dtan`, 0.250 against 0.500."
    ]


def test_only_the_group_asked_for_has_a_row_for_every_set(tools):
    groups = {GROUP: [line_of("A")], "`dtan`": [line_of("Beef")]}
    text = tools["alignment"].section(groups, GROUP)
    assert cells(text, "A") == ["A", *["0.500"] * 3, "0.250", "3.00", "0.062", "0.0312", "0.0078"]
    assert "| Beef |" not in text
    assert cells(text, "`dtan`")[2] == "1"


def test_lines_from_before_alignment_was_measured_are_left_out(tools):
    old = {"dataset": "A", "method": "dtan", "seed": 0, "variance_before": 1.0, "variance_after": 0.5}
    assert tools["alignment"].section({GROUP: [old], "`dtan`": []}, GROUP) == ""
    text = tools["alignment"].section({GROUP: [old, line_of("B")]}, GROUP)
    assert cells(text, GROUP)[2] == "1"


def test_a_set_in_which_nothing_differed_has_no_ratio(tools):
    flat = line_of("A", slope_variance_before=0.0, slope_variance_after=0.0)
    text = tools["alignment"].section({GROUP: [flat, line_of("B")]}, GROUP)
    assert cells(text, GROUP)[4] == "**0.500** (0)"
    not_finite = line_of("A", slope_variance_after=None)
    text = tools["alignment"].section({GROUP: [not_finite, line_of("B")]}, GROUP)
    assert cells(text, GROUP)[4] == "**0.500** (0)"


def test_processors_are_counted_by_method(tools):
    old, ours = ("`dba`", {"method": "dba"}), (GROUP, {"method": "diffeo", "processor": "Zen"})
    other = (GROUP, {"method": "diffeo", "processor": "Lake"})
    text = tools["processors"].section([old, ours, ours, other], [], [])
    assert cells(text, GROUP) == [GROUP, "Lake (1), Zen (2)"]
    assert cells(text, "`dba`") == ["`dba`", "not recorded (1)"]
    assert tools["processors"].section([old], [], []) == ""


def test_it_says_how_far_another_processor_moves_accuracies(tools):
    def line(dataset, accuracy, processor, seed=0):
        return {"dataset": dataset, "seed": seed, "test_accuracy": accuracy, "processor": processor}

    here = [line("A", 0.5, "Zen"), line("B", 0.75, "Zen"), line("B", 1.0, "Zen", 1), line("C", 1.0, "Lake")]
    there = [line("A", 0.5, "Lake"), line("B", 1.0, "Lake"), line("C", 0.5, "Lake")]
    text = " ".join(tools["processors"].moved(here, there).split())
    assert "on Zen and on Lake" in text
    assert "of 2 accuracies 1 are equal" in text
    assert "mean is 0.6250 here and 0.7500 there, and the largest difference is 0.2500 (B)" in text
    assert tools["processors"].moved(here, []) == ""


def test_published_columns_are_compared_on_the_sets_that_have_a_figure(tools):
    ours = {"A": 0.75, "B": 0.5, "C": 1.0}
    compared = tools["published"].compared("x", ours, {"A": 0.5, "C": 1.0, "D": 0.0})
    assert (compared.sets, compared.wins, compared.ties, compared.losses) == (2, 1, 1, 0)
    assert (compared.ours, compared.theirs) == (0.875, 0.75)


def test_columns_that_agree_everywhere_are_not_told_apart(tools):
    assert tools["published"].compared("x", {"A": 0.5}, {"A": 0.5}).p_value == 1.0


def test_corrected_p_values_are_holms(tools):
    # By hand: 3 x 0.01, 2 x 0.02, 1 x 0.03 but no less.
    assert tools["published"].holm([0.02, 0.01, 0.03]) == pytest.approx([0.04, 0.03, 0.04])
    assert tools["published"].holm([0.6, 0.7]) == [1.0, 1.0]


def test_a_column_that_is_not_beaten_is_named(tools):
    published = tools["published"]
    ours = {f"set {i}": 0.9 - 0.01 * i for i in range(12)}
    behind = {name: value - 0.1 - 0.001 * i for i, (name, value) in enumerate(ours.items())}
    anchors = {"ncc_soft-DBA": behind, "ncc_soft-MBA": {name: value + 0.05 for name, value in ours.items()}}
    text = published.section(ours, {}, anchors)
    assert "Not ahead with corrected p below 0.05: soft-MSM barycenter." in text
    assert cells(text, "soft-DBA barycenter")[4] == "12, 0, 0"
    assert "Ahead of all of them" in published.section(ours, {}, {"ncc_soft-DBA": behind})


def test_a_loss_to_doing_nothing_comes_with_what_training_data_say(tools):
    losses = tools["losses"]
    test = losses.Figures({"A": 0.5, "B": 0.9, "C": 0.5}, {"Euclidean": {"A": 0.75, "B": 0.92, "C": 0.6}})
    inside = losses.Figures({"A": 0.8, "C": 0.5}, {"Euclidean": {"A": 0.7, "C": 0.7}})
    text = losses.section(test, inside, {"A": 20, "B": 10, "C": 40}, 3)
    assert "| B |" not in text  # 0.02 below is allowed
    assert "- A: 5 test series of 20. " in text
    assert "nothing in the training series says" in text
    assert "- C: 4 test series of 40. " in text
    assert "the training series say so too" in text
    assert cells(text, "A") == ["A", "20", "0.5000", "0.7500", "0.8000", "0.7000"]
