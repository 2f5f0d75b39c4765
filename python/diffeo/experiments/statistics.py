"""Compare methods over many data sets: ranks, tests of significance, critical differences.

A table of scores is a frame with a row per data set and a column per method. Higher scores are better, and no
score may be missing:

>>> scores = pd.DataFrame({"diffeo": [0.9, 0.8, 0.7], "dba": [0.8, 0.8, 0.6]}, index=["A", "B", "C"])
>>> mean_ranks(scores)["diffeo"].round(3)
np.float64(1.167)
>>> compare_methods(scores, "diffeo", "dba").wins
2

Distributions come from SciPy. Only the exact distribution of Wilcoxon's statistic with ties is computed here:
SciPy approximates it from 14 pairs on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from scipy import stats  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_MOST_EXACT_PAIRS = 50  # doubles count 2^50 outcomes without rounding
_SAME_DIGITS = (
    12  # of the largest score: more than subtraction rounds, less than fractions of cases differ by
)
_ROUNDOFF = 1e-12  # of a quotient of counts, and of a number read from text

Correction = Literal["wilcoxon-holm", "nemenyi"]


# --- ranks -------------------------------------------------------------------------------------------------


def method_ranks(scores: pd.DataFrame) -> pd.DataFrame:
    """Rank of every method on every data set; 1 is the best, ties share the mean of their ranks.

    Parameters
    ----------
    scores : frame
        A row per data set, a column per method; higher is better, without gaps.

    Returns
    -------
    frame
        Shaped as the scores.
    """
    _require_complete(scores)
    return scores.rank(axis=1, ascending=False)


def mean_ranks(scores: pd.DataFrame) -> pd.Series:
    """Arithmetic mean of the ranks over the data sets.

    Parameters
    ----------
    scores : frame
        A row per data set, a column per method; higher is better, without gaps.

    Returns
    -------
    series
        By method.
    """
    return method_ranks(scores).mean()


def geometric_mean_ranks(scores: pd.DataFrame) -> pd.Series:
    """Geometric mean of the ranks over the data sets: first places weigh more.

    Parameters
    ----------
    scores : frame
        A row per data set, a column per method; higher is better, without gaps.

    Returns
    -------
    series
        By method.
    """
    return np.exp(np.log(method_ranks(scores)).mean())


# --- tests -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FriedmanResult:
    """Friedman's test, and its form by Iman and Davenport, which is better with few data sets."""

    statistic: float = 0.0
    p_value: float = 1.0
    iman_davenport: float = 0.0
    iman_davenport_p_value: float = 1.0


def friedman(scores: pd.DataFrame) -> FriedmanResult:
    """Test whether any of the methods differ.

    p-values are 1 if all scores are equal. On one data set, only the first form is computed.

    Parameters
    ----------
    scores : frame
        A row per data set, a column per method; higher is better, without gaps.

    Raises
    ------
    ValueError
        If there are fewer than two methods, or scores have gaps.
    """
    _require_complete(scores)
    datasets, methods = scores.shape
    _require_two(methods)
    if not (scores.nunique(axis=1) > 1).any():
        return FriedmanResult()
    statistic = _friedman_statistic(scores)
    result = FriedmanResult(statistic, float(stats.chi2.sf(statistic, methods - 1)))
    if datasets == 1:
        return result
    left = datasets * (methods - 1) - statistic
    ratio = (datasets - 1) * statistic / left if left > _ROUNDOFF * datasets * methods else math.inf
    tail = stats.f.sf(ratio, methods - 1, (methods - 1) * (datasets - 1))
    return FriedmanResult(result.statistic, result.p_value, ratio, float(tail))


def _friedman_statistic(scores: pd.DataFrame) -> float:
    if scores.shape[1] > 2:
        return abs(float(stats.friedmanchisquare(*scores.to_numpy().T).statistic))  # never -0
    differences = scores.iloc[:, 0] - scores.iloc[:, 1]  # SciPy wants three; of two it is the sign test
    return float((np.sign(differences).sum()) ** 2 / (differences != 0).sum())


def nemenyi_critical_difference(methods: int, datasets: int, level: float = 0.05) -> float:
    """Difference of mean ranks from which two methods differ significantly.

    Parameters
    ----------
    methods : int
        How many there are in the table, at least two.
    datasets : int
        How many there are, at least one.
    level : float
        Of significance.

    Raises
    ------
    ValueError
        If nothing can be compared, or the level is not between 0 and 1.
    """
    _require_two(methods)
    if datasets < 1:
        raise ValueError(f"datasets: expected at least one, got {datasets}")
    _require_level(level)
    quantile = stats.studentized_range.ppf(1 - level, methods, np.inf) / math.sqrt(2)
    return float(quantile * math.sqrt(methods * (methods + 1) / (6 * datasets)))


@dataclass(frozen=True)
class WilcoxonResult:
    """Wilcoxon's signed-rank test of one pair of methods."""

    statistic: float = 0.0  #: the smaller sum of ranks
    p_value: float = 1.0  #: two-sided
    pairs: int = 0  #: data sets on which the scores differ
    exact: bool = True


def wilcoxon(first: ArrayLike, second: ArrayLike) -> WilcoxonResult:
    """Test whether one method is better than another.

    Equal scores are dropped; scores that agree to twelve digits are equal. Up to 50 pairs the p-value is
    exact, ties or not; beyond, SciPy's normal approximation with its correction for ties.

    Parameters
    ----------
    first, second : array of shape (n,)
        Scores of two methods on the same data sets.

    Raises
    ------
    ValueError
        If lengths differ, or scores are not finite.
    """
    one, other = _pair(first, second)
    differences = _rounded_differences(one, other)
    if differences.size == 0:
        return WilcoxonResult()
    ranks = stats.rankdata(np.abs(differences))
    statistic = float(min(ranks[differences > 0].sum(), ranks[differences < 0].sum()))
    exact = differences.size <= _MOST_EXACT_PAIRS
    if exact:
        p_value = _exact_p_value(ranks, statistic)
    else:
        found = stats.wilcoxon(differences, correction=False, method="asymptotic")
        p_value = float(found.pvalue)
    return WilcoxonResult(statistic, p_value, int(differences.size), exact)


def _rounded_differences(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Differences that are not zero; 0.9 - 0.8 is 0.8 - 0.7."""
    if one.size == 0:
        return one
    scale = max(np.abs(one).max(), np.abs(other).max()) or 1.0
    differences = np.asarray(np.round((one - other) / scale, _SAME_DIGITS), dtype=float)
    return differences.compress(differences != 0)


def _exact_p_value(ranks: NDArray[np.float64], statistic: float) -> float:
    """Twice the share of all choices of signs whose ranks sum to at most the statistic.

    Ranks of ties are halves, so sums are counted in halves.
    """
    halves = np.rint(2 * ranks).astype(int)
    choices = np.zeros(round(2 * statistic) + 1)  # by their sum
    choices[0] = 1.0
    for half in halves:
        if half < choices.size:
            choices[half:] += choices[:-half].copy()
    return min(1.0, float(2 * choices.sum() / 2.0**halves.size))


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Adjust p-values for several tests (Holm's step-down method); compare the result with the level.

    Parameters
    ----------
    p_values : array of shape (n,)

    Returns
    -------
    array of shape (n,)
        In the same order.

    Raises
    ------
    ValueError
        If a value is not in 0 .. 1.
    """
    values = np.asarray(p_values, dtype=float)
    if values.size and not (np.all(values >= 0) and np.all(values <= 1)):
        raise ValueError(f"p_values: expected numbers in 0 .. 1, got {values.min()} to {values.max()}")
    order = np.argsort(values, kind="stable")
    steps = values[order] * np.arange(values.size, 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


# --- pairs -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Comparison:
    """One method against another."""

    wins: int
    ties: int
    losses: int
    mean_difference: float
    relative_change: float  #: of the mean scores: 0.1 is a tenth higher
    test: WilcoxonResult

    @property
    def better(self) -> float:
        """Share of data sets on which the first method is better."""
        return self.wins / (self.wins + self.ties + self.losses)

    @property
    def no_worse(self) -> float:
        """Share of data sets on which it is better or equal."""
        return (self.wins + self.ties) / (self.wins + self.ties + self.losses)

    @property
    def lead(self) -> float:
        """From -1 (it loses everywhere) to 1."""
        return (self.wins - self.losses) / (self.wins + self.ties + self.losses)


def compare_methods(scores: pd.DataFrame, first: str, second: str) -> Comparison:
    """Count wins, ties and losses of the first method, and test the difference.

    Parameters
    ----------
    scores : frame
        A row per data set, a column per method; higher is better, without gaps.
    first, second : str
        Columns of the scores.
    """
    _require_complete(scores)
    one, other = scores[first].to_numpy(float), scores[second].to_numpy(float)
    difference = float(one.mean() - other.mean())
    return Comparison(
        wins=int((one > other).sum()),
        ties=int((one == other).sum()),
        losses=int((one < other).sum()),
        mean_difference=difference,
        relative_change=difference / abs(float(other.mean())) if other.mean() else 0.0,
        test=wilcoxon(one, other),
    )


@dataclass(frozen=True)
class CriticalDifference:
    """What a critical-difference diagram shows; methods are in the order of their mean ranks."""

    ranks: pd.Series  #: mean ranks, the best method first
    cliques: list[list[str]]  #: runs of neighbors of which no two differ significantly
    p_values: pd.DataFrame | None  #: adjusted, 1 on the diagonal; None for Nemenyi's test
    friedman: FriedmanResult
    nemenyi_difference: float
    level: float
    correction: Correction


def critical_difference(
    scores: pd.DataFrame, correction: Correction = "wilcoxon-holm", level: float = 0.05
) -> CriticalDifference:
    """Find which methods differ significantly.

    Parameters
    ----------
    scores : frame
        A row per data set, a column per method; higher is better, without gaps.
    correction : {"wilcoxon-holm", "nemenyi"}
        Two methods differ if the p-value of Wilcoxon's test, adjusted for all pairs, is at most `level`; or
        if their mean ranks are at least Nemenyi's critical difference apart.
    level : float
        Of significance.

    Raises
    ------
    ValueError
        If there are fewer than two methods, scores have gaps, or the level is not between 0 and 1.
    """
    _require_level(level)
    tested = friedman(scores)
    ranks = mean_ranks(scores).sort_values(kind="stable")
    difference = nemenyi_critical_difference(scores.shape[1], scores.shape[0], level)
    p_values = _pair_tests(scores[ranks.index]) if correction == "wilcoxon-holm" else None
    if p_values is not None:
        differ = p_values.to_numpy() <= level
    else:
        differ = np.abs(np.subtract.outer(ranks.to_numpy(), ranks.to_numpy())) >= difference
    cliques = [list(ranks.index[start:end]) for start, end in _maximal_runs(differ)]
    return CriticalDifference(ranks, cliques, p_values, tested, difference, level, correction)


def _pair_tests(scores: pd.DataFrame) -> pd.DataFrame:
    """Wilcoxon's tests of all pairs, adjusted together."""
    rows, columns = np.triu_indices(scores.shape[1], 1)
    values = scores.to_numpy(float)
    tests = [wilcoxon(values[:, i], values[:, j]).p_value for i, j in zip(rows, columns, strict=True)]
    matrix = np.ones((scores.shape[1], scores.shape[1]))
    matrix[rows, columns] = matrix[columns, rows] = holm(tests)
    return pd.DataFrame(matrix, index=scores.columns, columns=scores.columns)


def _maximal_runs(differ: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Runs of at least two neighbors of which no two differ, none within another."""
    runs, reached = [], 0
    for start in range(len(differ)):
        end = start + 1
        while end < len(differ) and not differ[start:end, end].any():
            end += 1
        if end > reached and end - start >= 2:
            runs.append((start, end))
        reached = end
    return runs


# --- where a method helps ----------------------------------------------------------------------------------

REGIONS = ("true positive", "true negative", "false positive", "false negative")


def sharpshooter(
    baseline_expected: pd.Series, baseline_actual: pd.Series, expected: pd.Series, actual: pd.Series
) -> pd.DataFrame:
    """Compare the gains that cross-validation promised with those on the test sets (Texas sharpshooter).

    A gain is the ratio of a method's accuracy to a baseline's: expected within the training set, actual on
    the test set. Above 1 is a gain, exactly 1 is none. Data sets on which the baseline is always wrong have
    no ratio and are left out.

    Parameters
    ----------
    baseline_expected, baseline_actual, expected, actual : series by data set
        Accuracies of the baseline and of the method, by cross-validation and on the test sets.

    Returns
    -------
    frame
        By data set, with the columns expected, actual and region (see `REGIONS`).

    Raises
    ------
    ValueError
        If data sets differ, or accuracies are negative or not finite.
    """
    table = pd.DataFrame(
        {
            "base": baseline_expected,
            "base_actual": baseline_actual,
            "method": expected,
            "method_actual": actual,
        }
    )
    if not (np.isfinite(table).all(axis=None) and (table >= 0).all(axis=None)):
        raise ValueError("accuracies: expected finite numbers of at least 0 for the same data sets")
    table = table[(table["base"] > 0) & (table["base_actual"] > 0)]
    shots = pd.DataFrame(
        {"expected": table["method"] / table["base"], "actual": table["method_actual"] / table["base_actual"]}
    )
    came = np.where(shots["actual"] > 1, 1, 0)
    promised = np.where(shots["expected"] > 1, 1, 0)
    names = np.array([["true negative", "false negative"], ["false positive", "true positive"]])
    shots["region"] = names[promised, came]
    return shots


def is_reachable_accuracy(accuracy: float, cases: int, digits: int) -> bool:
    """Whether some number of correct answers on so many cases, rounded to so many digits, is the accuracy.

    Parameters
    ----------
    accuracy : float
        As published.
    cases : int
        Of the test set, at least one.
    digits : int
        Behind the point, to which the accuracy was rounded.
    """
    if cases < 1:
        raise ValueError(f"cases: expected at least one, got {cases}")
    nearest = min(max(math.floor(accuracy * cases + 0.5), 0), cases) / cases
    return abs(accuracy - nearest) <= 0.5 * 10.0**-digits + _ROUNDOFF


# --- checks ------------------------------------------------------------------------------------------------


def _require_complete(scores: pd.DataFrame) -> None:
    if scores.empty:
        raise ValueError(f"scores: expected at least one method and one data set, got shape {scores.shape}")
    missing = ~np.isfinite(scores.to_numpy(float))
    if missing.any():
        row, column = np.argwhere(missing)[0]
        raise ValueError(
            f"scores: expected a finite score of every method on every data set, "
            f"got {scores.iat[row, column]} of {scores.columns[column]} on {scores.index[row]}"
        )


def _require_two(methods: int) -> None:
    if methods < 2:
        raise ValueError(f"methods: expected at least two to compare, got {methods}")


def _require_level(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"level: expected a number between 0 and 1, got {level:g}")


def _pair(first: ArrayLike, second: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    one, other = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if one.shape != other.shape:
        raise ValueError(f"second: expected {one.size} values as in first, got {other.size}")
    for name, values in (("first", one), ("second", other)):
        if not np.isfinite(values).all():
            place = int(np.flatnonzero(~np.isfinite(values))[0])
            raise ValueError(f"{name}: expected finite values, got {values[place]:g} at {place}")
    return one, other


def correlations(values: Sequence[float] | Any, gains: Sequence[float] | Any) -> tuple[Any, Any] | None:
    """Spearman's and Pearson's correlation of positive values, the latter with their logarithms.

    None for fewer than three pairs or constant values.
    """
    size, gain = np.asarray(values, dtype=float), np.asarray(gains, dtype=float)
    if size.size < 3 or np.ptp(size) == 0 or np.ptp(gain) == 0:
        return None
    shown = np.log10(size) if (size > 0).all() else size
    return stats.spearmanr(size, gain), stats.pearsonr(shown, gain)
