"""Which of the published accuracies are marked as impossible on the pages about results."""

from __future__ import annotations

import pytest
from pages import PROJECT

from published import is_reachable, is_sound, marked, read_published

METHODS = ("euclidean", "dba", "soft-dtw", "dtan", "resnet-tw", "paper")


@pytest.mark.parametrize(
    ("figure", "cases", "can_be"),
    [
        ("0.925000", 40, True),
        ("0.92", 40, True),  # 37 of 40 are 0.925
        ("0.926", 40, False),
        ("0.964290", 28, True),  # 27 of 28, rounded to five digits, and a zero
        ("0.820000", 139, False),  # 114 of 139 are 0.82014
        ("0.82", 139, True),
        ("1", 7, True),
        ("1.2", 7, False),
    ],
)
def test_a_figure_can_be_where_some_number_of_right_answers_rounds_to_it(figure, cases, can_be):
    assert is_reachable({"test": str(cases), "dba": figure}, "dba") is can_be


def test_marks_stand_behind_impossible_figures_alone():
    row = {"test": "100", "resnet-tw": "0.795031", "dtan": "0.790000"}
    assert marked(row, "resnet-tw") == "0.7950 †"
    assert marked(row, "dtan") == "0.7900"


def test_every_fault_that_the_papers_table_names_is_found_by_counting():
    rows = read_published(PROJECT / "results" / "published.csv")
    faults = {(name, fault) for name, row in rows.items() for fault in row["faults"].split()}
    named = {(name, fault.removesuffix(":split")) for name, fault in faults}
    found = {(name, method) for name in rows for method in METHODS if not is_reachable(rows[name], method)}
    assert named <= found
    assert {method for _, method in found - named} == {"resnet-tw"}
    assert sum(map(is_sound, rows.values())) == len(rows) - len({name for name, _ in named})
