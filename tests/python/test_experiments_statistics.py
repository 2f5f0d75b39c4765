"""Statistics of comparisons: values of SciPy and of published tables, and what must hold for any scores."""

import itertools
import math

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
experiments = pytest.importorskip("diffeo.experiments", exc_type=ImportError)

ROUNDING = 1e-12  # relative: sums of a few dozen doubles, and SciPy's special functions
QUANTILE = 1e-6  # SciPy's studentized range is integrated numerically
PUBLISHED_DIGITS = 1e-3  # published tables have three decimals, some cut off and not rounded


def table(rows):
    """Methods a, b, c, ... on data sets 1, 2, 3, ..."""
    columns = [chr(ord("a") + place) for place in range(len(rows[0]))]
    return pd.DataFrame(
        rows, index=[str(1 + place) for place in range(len(rows))], columns=columns, dtype=float
    )


#: With ties between two, and once between all four.
WITH_TIES = table(
    [
        [0.70, 0.72, 0.75, 0.80],
        [0.60, 0.60, 0.66, 0.71],
        [0.90, 0.85, 0.92, 0.92],
        [0.55, 0.58, 0.57, 0.64],
        [0.81, 0.81, 0.81, 0.81],
        [0.45, 0.62, 0.60, 0.70],
    ]
)


def equals(datasets, methods):
    return table(np.full((datasets, methods), 0.5))


# --- ranks -------------------------------------------------------------------------------------------------


def test_ranks_give_one_to_the_best_score_and_share_ties():
    ranks = experiments.method_ranks(table([[0.5, 0.9, 0.7], [0.2, 0.2, 0.1]]))
    assert ranks.to_numpy().tolist() == [[3, 1, 2], [1.5, 1.5, 3]]


def test_ranks_add_up_to_the_same_on_every_data_set():
    assert (experiments.method_ranks(WITH_TIES).sum(axis=1) == 10).all()


def test_mean_ranks_average_over_data_sets():
    expected = [21 / 6, 17 / 6, 14 / 6, 8 / 6]
    np.testing.assert_allclose(experiments.mean_ranks(WITH_TIES), expected, rtol=ROUNDING)
    # scipy.stats.gmean(ranks, axis=0) with the ranks of scipy.stats.rankdata(-row)
    expected = [3.4478752740675325, 2.7365804185549725, 2.2649344008227015, 1.2464414358392173]
    np.testing.assert_allclose(experiments.geometric_mean_ranks(WITH_TIES), expected, rtol=ROUNDING)


def test_scores_with_a_gap_are_refused_and_the_gap_is_named():
    scores = table([[1, 2], [3, math.nan]])
    with pytest.raises(ValueError, match="got nan of b on 2"):
        experiments.mean_ranks(scores)


# --- Friedman and Nemenyi ----------------------------------------------------------------------------------


def test_friedman_has_the_values_of_scipy_without_ties():
    result = experiments.friedman(
        table(
            [
                [9.5, 8, 7, 6.5],
                [9, 8.5, 6, 7],
                [9.2, 9.3, 7, 6],
                [8, 7, 6, 5],
                [9, 8, 5, 4.5],
                [7, 7.2, 6.1, 5.9],
                [8.8, 8.1, 7.7, 7.9],
            ]
        )
    )
    assert result.statistic == pytest.approx(17.57142857142857, rel=ROUNDING)
    assert result.p_value == pytest.approx(0.0005390663454435295, rel=ROUNDING)
    assert result.iman_davenport == pytest.approx(30.75, rel=ROUNDING)
    assert result.iman_davenport_p_value == pytest.approx(2.682550007990255e-07, rel=ROUNDING)


def test_friedman_has_the_values_of_scipy_with_ties():
    result = experiments.friedman(WITH_TIES)
    assert result.statistic == pytest.approx(11.25, rel=ROUNDING)
    assert result.p_value == pytest.approx(0.010448064558680668, rel=ROUNDING)
    assert result.iman_davenport == pytest.approx(25 / 3, rel=ROUNDING)
    assert result.iman_davenport_p_value == pytest.approx(0.0016927296262125046, rel=ROUNDING)


@pytest.mark.parametrize("scores", [equals(1, 3), equals(5, 3), table([[1, 2, 3], [2, 3, 1], [3, 1, 2]])])
def test_friedman_finds_nothing_where_ranks_balance(scores):
    result = experiments.friedman(scores)
    assert (result.p_value, result.iman_davenport_p_value) == (1, 1)
    assert math.copysign(1, result.statistic) == 1  # never -0


def test_friedman_is_certain_where_all_data_sets_agree():
    result = experiments.friedman(table([[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 5, 7], [2, 3, 4]]))
    assert result.statistic == 10
    assert result.p_value == pytest.approx(math.exp(-5), rel=ROUNDING)
    assert (result.iman_davenport, result.iman_davenport_p_value) == (math.inf, 0)


def test_friedman_of_one_data_set_cannot_decide():
    result = experiments.friedman(table([[1, 2, 3]]))
    assert (result.statistic, result.iman_davenport, result.iman_davenport_p_value) == (2, 0, 1)


def test_friedman_of_two_methods_is_the_sign_test():
    """Three wins of four: rank sums 5 and 7, chi-squared (7 - 5)^2 / 4 = 1, and F = 3 * 1 / (4 - 1)."""
    result = experiments.friedman(table([[1, 0], [1, 0], [1, 0], [0, 1]]))
    assert (result.statistic, result.iman_davenport) == (1, 1)
    assert result.p_value == pytest.approx(math.erfc(1 / math.sqrt(2)), rel=ROUNDING)


@pytest.mark.parametrize(
    ("methods", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (10, 3.164)]
)
def test_nemenyi_has_the_published_quantiles(methods, q):
    """At the level 0.05, by Demsar (2006), table 5."""
    difference = experiments.nemenyi_critical_difference(methods, 30)
    assert difference / math.sqrt(methods * (methods + 1) / 180) == pytest.approx(q, abs=PUBLISHED_DIGITS)


def test_nemenyi_at_another_level_has_scipys_quantile():
    difference = experiments.nemenyi_critical_difference(6, 7, 0.1)  # 42 / (6 * 7) = 1
    assert difference == pytest.approx(3.660720941720752 / math.sqrt(2), rel=QUANTILE)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((1, 5), "methods: expected at least two to compare, got 1"),
        ((2, 0), "datasets: expected at least one, got 0"),
        ((2, 5, 1.0), "level: expected a number between 0 and 1, got 1"),
    ],
)
def test_nemenyi_refuses_what_cannot_be_compared(arguments, words):
    with pytest.raises(ValueError, match=words):
        experiments.nemenyi_critical_difference(*arguments)


# --- Wilcoxon ----------------------------------------------------------------------------------------------


def against_zero(differences):
    return experiments.wilcoxon(differences, np.zeros(len(differences)))


def alternating(count, period):
    """1 .. count, where every `period`-th is negative."""
    return [-i if i % period == 0 else i for i in range(1, count + 1)]


def brute_force_p_value(differences):
    """All choices of signs, one after the other."""
    magnitudes = np.abs(differences)
    ranks = np.array(
        [(magnitudes < each).sum() + ((magnitudes == each).sum() + 1) / 2 for each in magnitudes]
    )
    statistic = min(ranks[differences > 0].sum(), ranks[differences < 0].sum())
    sums = [ranks[list(chosen)].sum() for chosen in itertools.product([False, True], repeat=len(ranks))]
    return min(1.0, 2 * np.mean(np.array(sums) <= statistic))


def test_wilcoxon_is_exact_for_small_samples():
    twelve = against_zero([-1.5, 2, 3.5, -4, 5, 6.5, 7, 8, -9, 10, 11, 12])
    assert (twelve.statistic, twelve.p_value, twelve.pairs, twelve.exact) == (14, 0.05224609375, 12, True)
    fifty = against_zero(alternating(50, 4))
    assert (fifty.statistic, fifty.exact) == (312, True)
    assert fifty.p_value == pytest.approx(0.0013303578723942167, rel=ROUNDING)
    assert against_zero(alternating(50, 3)).p_value == pytest.approx(0.02616696817119646, rel=ROUNDING)


@pytest.mark.parametrize("digits", [None, 0], ids=["without ties", "with ties"])
def test_wilcoxon_counts_every_choice_of_signs(rng, digits):
    for size in range(1, 11):
        differences = rng.normal(size=size)
        if digits is not None:
            differences = np.round(3 * differences, digits) + 0.25
        assert against_zero(differences).p_value == brute_force_p_value(differences)


def test_wilcoxon_is_exact_with_ties():
    """The first example is that of textbooks, with one pair of equals."""
    first = [125, 115, 130, 140, 140, 115, 140, 125, 140, 135]
    second = [110, 122, 125, 120, 140, 124, 123, 137, 135, 145]
    result = experiments.wilcoxon(first, second)
    assert (result.statistic, result.p_value, result.pairs, result.exact) == (18, 0.6328125, 9, True)
    assert against_zero([-1, 1, 2, -2, 3, 3, 4, 4, -5, 6, 6, 7]).p_value == 0.05029296875


def test_wilcoxon_of_more_than_fifty_pairs_is_scipys_approximation():
    result = against_zero(alternating(51, 4))
    assert (result.statistic, result.exact) == (312, False)
    assert result.p_value == pytest.approx(0.0010015645649264209, rel=ROUNDING)
    tied = against_zero([(-1 if i % 4 == 0 else 1) * (1 + i // 3) for i in range(1, 61)])
    assert tied.statistic == 479
    assert tied.p_value == pytest.approx(0.0013250596022392248, rel=ROUNDING)


def test_wilcoxon_sees_ties_through_rounding():
    first = [(i + (1 if i % 2 == 0 else 2)) / 20 for i in range(12)]
    second = [(i + (2 if i % 2 == 0 else 1)) / 20 for i in range(12)]
    assert experiments.wilcoxon(first, second).p_value == 1
    assert experiments.wilcoxon([0.1 + 0.2, 0.5], [0.3, 0.4]).pairs == 1


def test_wilcoxon_drops_equal_scores_and_finds_nothing_in_none():
    assert against_zero([0, 1, 2, 0, -3, 4, 5, 0]) == against_zero([1, 2, -3, 4, 5])
    for scores in ([], [0.5], [0.5, 0.7, 0.9]):
        assert experiments.wilcoxon(scores, scores) == experiments.WilcoxonResult()


def test_wilcoxon_is_the_same_the_other_way_round():
    first, second = [0.9, 0.8, 0.75, 0.6, 0.95, 0.7, 0.85], [0.81, 0.82, 0.6, 0.55, 0.65, 0.74, 0.65]
    assert experiments.wilcoxon(first, second) == experiments.wilcoxon(second, first)
    assert experiments.wilcoxon(first, second).p_value == 0.078125


def test_wilcoxon_of_five_data_sets_cannot_decide():
    assert experiments.wilcoxon([0.6, 0.7, 0.8, 0.9, 0.9], [0.5, 0.6, 0.7, 0.7, 0.5]).p_value == 0.0625


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ([1], "second: expected 2 values as in first, got 1"),
        ([1, math.nan], "second: expected finite values, got nan at 1"),
    ],
)
def test_wilcoxon_refuses_different_lengths_and_what_is_no_score(second, words):
    with pytest.raises(ValueError, match=words):
        experiments.wilcoxon([1, 2], second)


# --- several tests -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [
        ([0.01, 0.02, 0.2, 0.25], [0.04, 0.06, 0.4, 0.4]),
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ([0.25, 0.01, 0.2, 0.02], [0.4, 0.04, 0.4, 0.06]),
        ([0.9, 0.5, 0.4], [1, 1, 1]),
        ([0.04], [0.04]),
        ([], []),
    ],
)
def test_holm_multiplies_the_smallest_by_all_the_next_by_one_less(p_values, adjusted):
    np.testing.assert_allclose(experiments.holm(p_values), adjusted, rtol=ROUNDING)


@pytest.mark.parametrize("value", [1.5, -0.1, math.nan])
def test_holm_refuses_what_is_no_probability(value):
    with pytest.raises(ValueError, match=r"p_values: expected numbers in 0 \.\. 1"):
        experiments.holm([0.5, value])


def ladder(levels, noise):
    """Methods whose scores differ by level and scatter by noise, on 30 data sets."""
    return table(np.array(levels) + noise * np.random.default_rng(11).normal(size=(30, len(levels))))


def places_of(found):
    return [[list(found.ranks.index).index(name) for name in clique] for clique in found.cliques]


def test_critical_difference_puts_the_best_first():
    found = experiments.critical_difference(WITH_TIES)
    assert list(found.ranks.index) == ["d", "c", "b", "a"]
    np.testing.assert_allclose(found.ranks, [8 / 6, 14 / 6, 17 / 6, 21 / 6], rtol=ROUNDING)
    assert found.friedman == experiments.friedman(WITH_TIES)
    assert found.nemenyi_difference == experiments.nemenyi_critical_difference(4, 6)


def test_critical_difference_keeps_the_order_of_equal_ranks():
    found = experiments.critical_difference(table([[1, 1, 2], [1, 1, 2]]))
    assert list(found.ranks.index) == ["c", "a", "b"]


@pytest.mark.parametrize("correction", ["wilcoxon-holm", "nemenyi"])
def test_cliques_join_what_is_alike_and_nothing_else(correction):
    assert experiments.critical_difference(ladder([1, 3, 5], 0.01), correction).cliques == []
    found = experiments.critical_difference(equals(8, 3), correction)
    assert places_of(found) == [[0, 1, 2]]
    assert places_of(experiments.critical_difference(table([[3, 1, 2]]), correction)) == [[0, 1, 2]]


def test_cliques_join_the_two_that_are_alike():
    found = experiments.critical_difference(ladder([1, 5, 1, 9], 0.3))
    assert list(found.ranks.index[:2]) == ["d", "b"]
    assert places_of(found) == [[2, 3]]


@pytest.mark.parametrize(
    ("datasets", "cliques"),
    [(10, [[0, 1], [1, 2], [2, 3], [3, 4]]), (5, [[0, 1, 2], [1, 2, 3], [2, 3, 4]])],
    ids=["neighbors", "second neighbors"],
)
def test_cliques_overlap_and_none_lies_within_another(datasets, cliques):
    """Mean ranks 1, 2, 3, 4, 5: the critical difference is 1.929 on ten data sets, 2.728 on five."""
    found = experiments.critical_difference(table([[5, 4, 3, 2, 1]] * datasets), "nemenyi")
    assert found.nemenyi_difference == pytest.approx({10: 1.929, 5: 2.728}[datasets], abs=PUBLISHED_DIGITS)
    assert places_of(found) == cliques
    assert found.p_values is None


def test_p_values_of_all_pairs_are_adjusted_together():
    scores = ladder([1, 1.2, 1.5], 0.3)
    found = experiments.critical_difference(scores)
    assert list(found.p_values.index) == ["c", "b", "a"]
    pairs = [("c", "b"), ("c", "a"), ("b", "a")]
    adjusted = experiments.holm([experiments.wilcoxon(scores[i], scores[j]).p_value for i, j in pairs])
    for (i, j), p_value in zip(pairs, adjusted, strict=True):
        assert found.p_values.at[i, j] == found.p_values.at[j, i] == p_value
    assert (np.diag(found.p_values) == 1).all()


def test_critical_difference_depends_on_the_level():
    scores = table([[1, 0], [2, 0], [3, 0], [4, 0], [5, 0]])  # p = 2 / 2^5 = 0.0625
    assert places_of(experiments.critical_difference(scores, level=0.05)) == [[0, 1]]
    assert experiments.critical_difference(scores, level=0.0625).cliques == []


def test_critical_difference_refuses_a_single_method_and_levels_that_are_none():
    with pytest.raises(ValueError, match="methods: expected at least two to compare, got 1"):
        experiments.critical_difference(table([[1]]))
    with pytest.raises(ValueError, match="level: expected a number between 0 and 1, got 0"):
        experiments.critical_difference(table([[1, 2]]), "nemenyi", 0.0)


# --- pairs, sharpshooters, published values ------------------------------------------------------------


def test_a_comparison_counts_wins_ties_and_losses():
    found = experiments.compare_methods(WITH_TIES, "b", "a")
    assert (found.wins, found.ties, found.losses) == (3, 2, 1)
    assert (found.better, found.no_worse) == (0.5, pytest.approx(5 / 6))
    assert found.mean_difference == pytest.approx(0.17 / 6, rel=ROUNDING)  # sums 4.01 and 4.18
    assert found.relative_change == pytest.approx(0.17 / 4.01, rel=ROUNDING)
    assert found.test == experiments.wilcoxon(WITH_TIES["b"], WITH_TIES["a"])


def test_the_other_way_round_swaps_wins_and_losses():
    for i, j in itertools.product("abcd", repeat=2):
        found, other = (
            experiments.compare_methods(WITH_TIES, i, j),
            experiments.compare_methods(WITH_TIES, j, i),
        )
        assert (found.wins, found.ties) == (other.losses, other.ties)
        assert found.mean_difference == -other.mean_difference
        assert found.test == other.test


def test_a_relative_change_keeps_its_sign_and_is_none_from_zero():
    assert experiments.compare_methods(table([[-1.0, -2.0]]), "a", "b").relative_change == 0.5
    assert experiments.compare_methods(table([[0.5, 0.0]]), "a", "b").relative_change == 0


def shots_of(*columns):
    names = list("abcde")[: len(columns[0])]
    return experiments.sharpshooter(*(pd.Series(column, index=names, dtype=float) for column in columns))


def test_the_sharpshooter_counts_four_regions():
    shots = shots_of(
        [0.5, 0.5, 0.5, 0.5, 0.8],
        [0.6, 0.6, 0.6, 0.6, 0.4],
        [0.6, 0.6, 0.4, 0.4, 0.9],
        [0.7, 0.5, 0.7, 0.5, 0.8],
    )
    expected = ["true positive", "false positive", "false negative", "true negative", "true positive"]
    assert shots["region"].tolist() == expected
    assert shots.loc["e", ["expected", "actual"]].tolist() == [pytest.approx(1.125), pytest.approx(2)]


def test_the_sharpshooter_takes_exactly_one_for_no_gain_and_leaves_out_what_has_no_ratio():
    assert shots_of([0.5], [0.5], [0.5], [0.5])["region"].tolist() == ["true negative"]
    assert list(shots_of([0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0.6], [0.5, 0.5, 0.6]).index) == ["c"]
    assert shots_of([], [], [], []).empty


def test_the_sharpshooter_refuses_what_is_no_accuracy():
    with pytest.raises(ValueError, match="accuracies: expected finite numbers"):
        shots_of([1], [-1], [1], [1])


@pytest.mark.parametrize("cases", [1, 3, 28, 139, 4500])
def test_an_accuracy_is_reachable_if_some_number_of_right_answers_has_it(cases):
    for right in range(0, cases + 1, 1 + cases // 200):
        exact = right / cases
        assert experiments.is_reachable_accuracy(exact, cases, 15)
        assert experiments.is_reachable_accuracy(round(exact, 4), cases, 4)


@pytest.mark.parametrize(
    ("accuracy", "cases", "digits", "is_reachable"),
    [
        (0.795031, 100, 5, False),  # published for ECG200
        (0.855122, 88, 5, False),  # for FaceFour
        (0.82, 139, 5, False),  # for Earthquakes
        (0.82, 139, 2, True),  # 114 / 139 = 0.8201...
        (0.96429, 28, 5, True),
        (0.96429, 28, 6, False),  # 27 / 28 = 0.9642857...
        (1.1, 10, 4, False),
        (-0.1, 10, 4, False),
    ],
)
def test_whether_an_accuracy_is_reachable_depends_on_its_digits(accuracy, cases, digits, is_reachable):
    assert experiments.is_reachable_accuracy(accuracy, cases, digits) is is_reachable


# --- t-SNE -------------------------------------------------------------------------------------------------


def test_tsne_keeps_clusters_apart_and_is_repeatable(rng):
    clusters = np.repeat(np.eye(3, 8) * 20, 20, axis=0) + rng.normal(size=(60, 8))
    points = experiments.tsne(clusters)
    distances = np.linalg.norm(points[:, None] - points[None], axis=-1)
    same = np.repeat(np.arange(3), 20)[:, None] == np.repeat(np.arange(3), 20)[None]
    assert distances[same].max() < distances[~same].min()
    np.testing.assert_array_equal(points, experiments.tsne(clusters))
