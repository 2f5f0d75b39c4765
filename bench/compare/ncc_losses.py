"""Sets on which centroids without learned warps are better: a section of docs/results/ncc.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from report import table

Accuracies = Mapping[str, float]  # by data set

ALLOWED = 0.03  # below doing nothing, without a reason

TEXT = """
## Where doing nothing is better

Sets on which the defaults are more than {allowed} below the better of Euclidean means and DBA centroids
compared by DTW, which have no network. `inside`: the mean accuracy of a cross-validation inside the training
set, {folds} folds, which is what could be known before any test series was seen.

"""
NONE = "\nOn no set are the defaults more than {allowed} below the better of Euclidean means and DBA.\n"


@dataclass(frozen=True)
class Figures:
    """On test series, or inside training sets."""

    defaults: Accuracies
    unwarped: Mapping[str, Accuracies]  # of the methods without a network, by title

    def best_unwarped(self, name: str) -> float:
        return max((found[name] for found in self.unwarped.values() if name in found), default=0.0)

    def lost(self, name: str) -> float:
        return self.best_unwarped(name) - self.defaults[name]

    def cells(self, name: str) -> list[str]:
        columns = [self.defaults, *self.unwarped.values()]
        return [f"{found[name]:.4f}" if name in found else "" for found in columns]


def section(test: Figures, inside: Figures, test_cases: Mapping[str, int], folds: int) -> str:
    names = [name for name in sorted(test.defaults) if test.lost(name) > ALLOWED]
    if not names:
        return NONE.format(allowed=ALLOWED)
    titles = ["the defaults", *test.unwarped]
    headings = ["set", "test series", *titles, *(f"{title}, inside" for title in titles)]
    rows = [[name, str(test_cases[name]), *test.cells(name), *inside.cells(name)] for name in names]
    reasons = [f"- {name}: {reason(name, test, inside, test_cases[name])}" for name in names]
    text = TEXT.format(allowed=ALLOWED, folds=folds)
    return text + "\n".join(table(headings, rows)) + "\n" + "\n".join(reasons) + "\n"


def reason(name: str, test: Figures, inside: Figures, cases: int) -> str:
    lost = f"{test.lost(name) * cases:.3g} test series of {cases}."
    if name not in inside.defaults:
        return f"{lost} No cross-validation was run."
    figures = (
        f"Inside the training set the defaults have {inside.defaults[name]:.3f} and the better of the others "
        f"{inside.best_unwarped(name):.3f}"
    )
    if inside.lost(name) <= 0:
        return f"{lost} {figures}: nothing in the training series says that doing nothing is better."
    return f"{lost} {figures}: the training series say so too."
