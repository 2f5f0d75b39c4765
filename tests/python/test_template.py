"""Alignment to a fixed template instead of the mean."""

import pickle

import numpy as np
import pytest

import diffeo

SAME = 1e-6  # of a series aligned to itself
FORMS = {
    "channels": lambda X: X,
    "flat": lambda X: X[:, 0],
    "list": lambda X: [series[:, : series.shape[1] - case % 3] for case, series in enumerate(X)],
}


@pytest.fixture(scope="module")
def bumps():
    return diffeo.generate_bumps(12, seed=4, classes=2, length=48)


@pytest.mark.parametrize("form", FORMS)
def test_common_time_is_that_of_the_template(form, bumps):
    X = FORMS[form](bumps.X)
    result = diffeo.align(X, template=X[0])
    assert result.aligned.shape == (12, *np.shape(X[0]))
    np.testing.assert_allclose(result.aligned[0], X[0], rtol=0, atol=SAME)
    np.testing.assert_allclose(result.velocities[0], 0.0, rtol=0, atol=SAME)
    np.testing.assert_allclose(result.mean, result.aligned.mean(axis=0), rtol=0, atol=1e-12)


@pytest.mark.parametrize("form", ["channels", "flat"])
def test_every_class_has_its_own(form, bumps):
    X = FORMS[form](bumps.X)
    firsts = [int(np.flatnonzero(bumps.y == label)[0]) for label in ("1", "2")]
    result = diffeo.align(X, bumps.y, template=X[firsts])
    np.testing.assert_allclose(result.aligned[firsts], X[firsts], rtol=0, atol=SAME)
    aligner = diffeo.JointAligner(template=X[firsts]).fit(X, bumps.y)
    np.testing.assert_array_equal(aligner.velocities_, result.velocities)
    np.testing.assert_allclose(aligner.transform(X[firsts]), X[firsts], rtol=0, atol=SAME)
    again = pickle.loads(pickle.dumps(aligner))
    np.testing.assert_array_equal(again.transform(X), aligner.transform(X))


def test_new_series_are_aligned_to_the_template_not_to_the_mean(bumps):
    X = bumps.X[bumps.y == "1"]
    aligner = diffeo.JointAligner(template=X[-1], n_jobs=-1).fit(X[:-1])
    np.testing.assert_allclose(aligner.transform(X[-1:]), X[-1:], rtol=0, atol=SAME)
    to_mean = diffeo.JointAligner().fit(X[:-1])
    assert np.abs(to_mean.transform(X[-1:]) - X[-1:]).max() > 100 * SAME


def test_the_length_is_that_of_the_template_unless_asked_otherwise(bumps):
    template = diffeo.resample(bumps.X[:1], 30)[0]
    assert diffeo.align(bumps.X, template=template).aligned.shape == (12, 1, 30)
    assert diffeo.align(bumps.X, template=template, length=20).aligned.shape == (12, 1, 20)


@pytest.mark.parametrize(
    ("template", "labeled", "message"),
    [
        (
            np.zeros(5),
            False,
            r"template: expected shape \(channels, time\) .* or \(classes, channels, time\), got",
        ),
        (np.zeros((2, 5)), False, "template: expected 1 channels as the series have, got 2"),
        (
            np.zeros((2, 1, 5)),
            False,
            r"template: expected one where there are no labels y, got shape \(2, 1, 5\)",
        ),
        (np.zeros((3, 1, 5)), True, "template: expected one for each of 2 classes, got 3"),
        (np.full((1, 5), np.nan), False, "template: expected at least one value, got 5 missing ones"),
        (np.full((1, 5), np.inf), False, "template: expected finite or missing values, got an infinite one"),
    ],
)
def test_templates_that_do_not_fit_are_refused(template, labeled, message, bumps):
    y = bumps.y if labeled else None
    with pytest.raises(ValueError, match=message):
        diffeo.align(bumps.X, y, template=template)
    with pytest.raises(ValueError, match=message):
        diffeo.JointAligner(template=template).fit(bumps.X, y)
