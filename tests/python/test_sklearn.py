"""The estimators inside scikit-learn: its own checks, copies, searches, pipelines and validation."""

import io
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

import diffeo

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
joblib = pytest.importorskip("joblib", reason="joblib is not installed")
from sklearn import config_context  # noqa: E402
from sklearn.base import BaseEstimator, clone, is_classifier  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate  # noqa: E402
from sklearn.pipeline import Pipeline, make_pipeline  # noqa: E402
from sklearn.preprocessing import FunctionTransformer, StandardScaler  # noqa: E402
from sklearn.utils import get_tags  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

import diffeo.estimator_checks  # noqa: E402

try:
    import diffeo.torch
except ImportError:
    HAS_TORCH = False
else:
    HAS_TORCH = True

NETWORK = {
    "cells": 4,
    "widths": (4,),
    "kernels": (3,),
    "hidden": 4,
    "epochs": 2,
    "least_steps": 0,
    "random_state": 0,
}
needs_torch = pytest.mark.skipif(not HAS_TORCH, reason="torch is not installed")
ALIGNERS = {
    "joint": lambda: diffeo.JointAligner(cells=4, max_iterations=10),
    "temporal": lambda: diffeo.TemporalAligner(**NETWORK),
}
ESTIMATORS = {
    **ALIGNERS,
    "euclidean": diffeo.NearestCentroid,
    "dba": lambda: diffeo.NearestCentroid("dba", max_iterations=2),
    "centroids-joint": lambda: diffeo.NearestCentroid(ALIGNERS["joint"]()),
    "centroids-temporal": lambda: diffeo.NearestCentroid(ALIGNERS["temporal"]()),
}


def with_marks(names):
    return [pytest.param(name, marks=needs_torch) if "temporal" in name else name for name in names]


every_estimator = pytest.mark.parametrize("kind", with_marks(ESTIMATORS))
every_aligner = pytest.mark.parametrize("kind", with_marks(ALIGNERS))
every_classifier = pytest.mark.parametrize(
    "kind", with_marks(name for name in ESTIMATORS if name not in ALIGNERS)
)
every_form = pytest.mark.parametrize("form", ["3-D", "2-D", "list"])


@pytest.fixture(scope="module")
def bumps():
    return diffeo.generate_bumps(18, seed=4, classes=3, length=24)


def in_form(X, form):
    """Three axes, two, or a list of series of different lengths."""
    if form == "list":
        return [series[:, : series.shape[1] - case % 4] for case, series in enumerate(X)]
    return X if form == "3-D" else X[:, 0]


def results_of(estimator, X):
    return estimator.transform(X) if hasattr(estimator, "transform") else estimator.predict_proba(X)


# --- scikit-learn's own checks -----------------------------------------------------------------------------


class Stretched(diffeo.TemporalAligner):
    """A network wants eight time steps; the checks have series of two and three, which are stretched here."""

    def fit(self, X, y=None):
        return super().fit(diffeo.resample(X, 16), y)

    def transform(self, X):
        return super().transform(diffeo.resample(X, 16))


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(diffeo.NearestCentroid, id="NearestCentroid"),
        pytest.param(lambda: diffeo.NearestCentroid("dba", max_iterations=2), id="dba"),
        pytest.param(lambda: diffeo.NearestCentroid(ALIGNERS["joint"]()), id="centroids-joint"),
        pytest.param(lambda: diffeo.JointAligner(cells=4, max_iterations=5), id="JointAligner"),
        pytest.param(lambda: Stretched(**NETWORK), id="TemporalAligner", marks=needs_torch),
    ],
)
def test_scikit_learns_checks_pass_but_those_that_are_named(make):
    excluded = diffeo.estimator_checks.expected_failed_checks(make())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(make(), expected_failed_checks=excluded, on_fail=None, on_skip=None)
    assert [result for result in results if result["status"] == "failed"] == []
    excused = {result["check_name"] for result in results if result["status"] == "xfail"}
    assert excused == excluded.keys()  # an excuse that is needed no longer goes
    skipped = {result["check_name"] for result in results if result["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}  # asks for an environment variable of SciPy
    assert sum(result["status"] == "passed" for result in results) > 30


def test_checks_are_excused_for_estimators_of_diffeo_alone():
    with pytest.raises(TypeError, match="estimator: expected an estimator of diffeo, got LogisticRegression"):
        diffeo.estimator_checks.expected_failed_checks(LogisticRegression())


# --- what they are -----------------------------------------------------------------------------------------


@every_estimator
def test_they_are_estimators_of_scikit_learn(kind):
    estimator = ESTIMATORS[kind]()
    assert isinstance(estimator, BaseEstimator)
    assert is_classifier(estimator) == isinstance(estimator, diffeo.NearestCentroid)
    assert type(estimator) is type(clone(estimator))
    assert type(pickle.loads(pickle.dumps(estimator))) is type(estimator)
    assert "<div" in estimator._repr_html_()


@pytest.mark.parametrize(
    ("estimator", "is_taken"),
    [
        (diffeo.JointAligner(), True),
        (diffeo.NearestCentroid(), True),
        (diffeo.NearestCentroid(distance="dtw"), False),
        (diffeo.NearestCentroid("dba"), False),
        (diffeo.NearestCentroid("dba", distance="euclidean"), False),
        (diffeo.NearestCentroid(diffeo.JointAligner(cells=4)), True),
        (diffeo.NearestCentroid(diffeo.JointAligner(cells=4), distance="dtw"), False),
        (diffeo.NearestCentroid(StandardScaler()), True),
    ],
)
def test_tags_say_whether_missing_values_are_taken(estimator, is_taken, bumps):
    assert get_tags(estimator).input_tags.allow_nan == is_taken
    assert get_tags(estimator).input_tags.three_d_array
    if isinstance(getattr(estimator, "aligner", None), StandardScaler):
        return  # scales tables alone
    X = bumps.X.copy()
    X[3, 0, 5] = np.nan
    if is_taken:
        estimator.fit(X, bumps.y)
    else:
        with pytest.raises(ValueError, match="missing"):
            estimator.fit(X, bumps.y)


@every_aligner
def test_aligned_series_without_channels_come_as_a_frame_where_that_is_asked_for(kind, bumps):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    X = pandas.DataFrame(bumps.X[:, 0], index=[f"case{case}" for case in range(len(bumps.X))])
    aligner = ALIGNERS[kind]().set_output(transform="pandas").fit(X, bumps.y)
    frame = aligner.transform(X)
    assert isinstance(frame, pandas.DataFrame)
    assert frame.columns.tolist() == aligner.get_feature_names_out().tolist()
    assert frame.index.tolist() == X.index.tolist()
    np.testing.assert_array_equal(frame.to_numpy(), aligner.set_output(transform="default").transform(X))


@every_aligner
def test_series_with_channels_are_no_table(kind, bumps):
    aligner = ALIGNERS[kind]().fit(bumps.X, bumps.y)
    with pytest.raises(ValueError, match=r"expected a fit to \(cases, time\), got series with channels"):
        aligner.get_feature_names_out()
    aligner.set_output(transform="pandas")
    with pytest.raises(
        ValueError, match=r"set_output: expected series \(cases, time\) .* got shape \(18, 1,"
    ):
        aligner.transform(bumps.X)
    assert aligner.quality(bumps.X, bumps.y).cases == 18  # no table is made there
    with config_context(transform_output="pandas"):
        assert diffeo.NearestCentroid(ALIGNERS[kind]()).fit(bumps.X, bumps.y).score(bumps.X, bumps.y) > 0.5


def test_metadata_are_requested_by_name(bumps):
    pytest.importorskip("diffeo.torch", exc_type=ImportError, reason="torch is not installed")
    with config_context(enable_metadata_routing=True):
        aligner = ALIGNERS["temporal"]().set_fit_request(process_group=True)
        assert aligner.get_metadata_routing().fit.requests == {"process_group": True}
        assert "Z" not in aligner.get_metadata_routing().inverse_transform.requests
        classifier = diffeo.NearestCentroid().set_score_request(sample_weight=True)
        weights = np.ones(len(bumps.X))
        scores = cross_validate(
            classifier, bumps.X, bumps.y, cv=2, params={"sample_weight": weights}, error_score="raise"
        )
        assert len(scores["test_score"]) == 2


WITHOUT = """
import sys
sys.modules["sklearn"] = None
import diffeo
X, y = diffeo.generate_cbf(12, seed=1, length=16)
assert diffeo.align(X, y, cells=4).aligned.shape == X.shape
assert "JointAligner" in dir(diffeo)
for name in ("JointAligner", "NearestCentroid", "TemporalAligner"):
    try:
        getattr(diffeo, name)
        sys.exit("no error")
    except ImportError as error:
        assert "need scikit-learn 1.6 or newer: pip install diffeo[estimators]" in str(error), error
"""


def test_without_scikit_learn_functions_work_and_estimators_say_what_they_need():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@every_estimator
def test_before_fit_there_is_the_error_that_scikit_learn_has(kind, bumps):
    with pytest.raises(NotFittedError, match="expected fit before this"):
        results_of(ESTIMATORS[kind](), bumps.X)


@every_estimator
def test_parameters_survive_cloning_and_setting(kind, bumps):
    estimator = ESTIMATORS[kind]()
    assert repr(clone(estimator)) == repr(estimator)
    copied = clone(estimator.fit(bumps.X, bumps.y))
    assert not hasattr(copied, "centroids_")
    assert copied.set_params(**estimator.get_params(deep=False)).get_params(
        deep=False
    ) == estimator.get_params(deep=False)


def test_parameters_of_a_new_aligner_are_set_after_it():
    classifier = diffeo.NearestCentroid().set_params(aligner__cells=4, aligner=diffeo.JointAligner())
    assert classifier.aligner.cells == 4


# --- copies ------------------------------------------------------------------------------------------------


def through_joblib(estimator):
    file = io.BytesIO()
    joblib.dump(estimator, file)
    file.seek(0)
    return joblib.load(file)


@every_estimator
@every_form
@pytest.mark.parametrize("copied", [lambda one: pickle.loads(pickle.dumps(one)), through_joblib])
def test_copies_compute_the_same_bits(kind, form, copied, bumps):
    X = in_form(bumps.X, form)
    estimator = ESTIMATORS[kind]().fit(X, bumps.y)
    again = copied(estimator)
    assert type(again) is type(estimator)
    np.testing.assert_array_equal(results_of(again, X), results_of(estimator, X))
    np.testing.assert_array_equal(again.centroids_, estimator.centroids_)
    np.testing.assert_array_equal(again.classes_, estimator.classes_)


def test_copies_keep_what_fit_was_told_not_what_was_set_since(bumps):
    aligner = diffeo.JointAligner(cells=4).fit(bumps.X, bumps.y)
    expected = aligner.transform(bumps.X)
    again = pickle.loads(pickle.dumps(aligner.set_params(cells=9)))
    assert again.cells == 9
    np.testing.assert_array_equal(again.transform(bumps.X), expected)


def test_a_pickled_classifier_holds_its_centroids_and_not_the_training_series():
    X, y = diffeo.generate_cbf(600, seed=3)
    classifier = diffeo.NearestCentroid().fit(X, y)
    pickled = pickle.dumps(classifier)
    assert len(pickled) < 3 * classifier.centroids_.nbytes + 2000
    np.testing.assert_array_equal(pickle.loads(pickled).predict_proba(X), classifier.predict_proba(X))


def test_missing_values_survive_copying():
    X = np.array([[np.nan, 1.0, 2.0, 1.0, 0.0], [np.nan, 0.0, 1.0, 2.0, np.nan]])
    aligner = diffeo.JointAligner(cells=2).fit(X)
    again = pickle.loads(pickle.dumps(aligner))
    np.testing.assert_array_equal(again.transform(X), aligner.transform(X))


# --- searches, pipelines, validation ------------------------------------------------------------------------


@every_classifier
@every_form
def test_cross_validation_gives_a_score_for_every_fold(kind, form, bumps):
    scores = cross_val_score(ESTIMATORS[kind](), in_form(bumps.X, form), bumps.y, cv=3, error_score="raise")
    assert scores.shape == (3,)
    assert ((scores >= 0) & (scores <= 1)).all()


@every_form
def test_a_grid_is_searched(form, bumps):
    X = in_form(bumps.X, form)
    search = GridSearchCV(
        diffeo.NearestCentroid(ALIGNERS["joint"]()),
        {"aligner__cells": [2, 4], "distance": ["euclidean", "dtw"]},
        cv=2,
        error_score="raise",
    ).fit(X, bumps.y)
    assert search.cv_results_["mean_test_score"].shape == (4,)
    assert search.best_estimator_.aligner_.cells == search.best_params_["aligner__cells"]
    assert search.predict(X).shape == (18,)


def test_processes_of_joblib_send_estimators_there_and_back(bumps):
    found = cross_validate(
        diffeo.NearestCentroid(ALIGNERS["joint"]()),
        bumps.X,
        bumps.y,
        cv=2,
        n_jobs=2,
        return_estimator=True,
        error_score="raise",
    )
    expected = cross_val_score(diffeo.NearestCentroid(ALIGNERS["joint"]()), bumps.X, bumps.y, cv=2)
    np.testing.assert_array_equal(found["test_score"], expected)
    assert found["estimator"][0].predict(bumps.X).shape == (18,)


@every_aligner
@every_form
def test_an_aligner_stands_in_a_pipeline_before_other_estimators(kind, form, bumps):
    """Whatever the form, aligned series are an array: behind an aligner, estimators for tables can stand."""
    X = in_form(bumps.X, form)
    table = FunctionTransformer(lambda aligned: aligned.reshape(len(aligned), -1))
    pipeline = make_pipeline(ALIGNERS[kind](), table, StandardScaler(), LogisticRegression())
    assert pipeline.fit(X, bumps.y).score(X, bumps.y) > 0.9
    assert cross_val_score(pipeline, X, bumps.y, cv=2, error_score="raise").shape == (2,)


@every_aligner
def test_a_frozen_aligner_is_compared_by_as_it_was_fitted(kind, bumps):
    frozen = pytest.importorskip("sklearn.frozen", reason="scikit-learn is older than 1.6")
    aligner = ALIGNERS[kind]().fit(bumps.X[::2], bumps.y[::2])
    classifier = diffeo.NearestCentroid(frozen.FrozenEstimator(aligner)).fit(bumps.X, bumps.y)
    assert classifier.aligner_.estimator is aligner
    aligned = aligner.transform(bumps.X)
    means = [aligned[bumps.y == label].mean(axis=0) for label in classifier.classes_]
    np.testing.assert_allclose(classifier.centroids_, means, rtol=0, atol=1e-12)
    compared = getattr(aligner, "comparison", aligner.transform)(bumps.X)
    plain = diffeo.NearestCentroid().fit(compared, bumps.y)
    for copied in (
        classifier,
        pickle.loads(pickle.dumps(classifier)),
        clone(classifier).fit(bumps.X, bumps.y),
    ):
        np.testing.assert_array_equal(copied.squared_distances(bumps.X), plain.squared_distances(compared))


def test_a_pipeline_that_aligns_is_fitted_anew_in_every_step(bumps):
    pipeline = make_pipeline(FunctionTransformer(), ALIGNERS["joint"]()).fit(bumps.X[:9], bumps.y[:9])
    before = pipeline[-1].centroids_.copy()
    classifier = diffeo.NearestCentroid(pipeline).fit(bumps.X, bumps.y)
    assert classifier.aligner_[-1] is not pipeline[-1]
    np.testing.assert_array_equal(pipeline[-1].centroids_, before)
    expected = ALIGNERS["joint"]().fit(bumps.X, bumps.y).centroids_
    np.testing.assert_array_equal(classifier.aligner_[-1].centroids_, expected)


def test_parameters_are_reached_through_a_pipeline(bumps):
    pipeline = Pipeline([("align", ALIGNERS["joint"]()), ("classify", diffeo.NearestCentroid())])
    search = GridSearchCV(pipeline, {"align__cells": [2, 4]}, cv=2, error_score="raise")
    assert search.fit(bumps.X, bumps.y).best_params_["align__cells"] in (2, 4)
    assert pipeline.set_params(classify__aligner="dba").named_steps["classify"].aligner == "dba"


@pytest.mark.parametrize(
    ("n_jobs", "is_allowed"), [(None, True), (1, True), (-1, True), (-2, True), (0, False)]
)
def test_the_number_of_jobs_means_what_it_means_in_scikit_learn(n_jobs, is_allowed, bumps):
    classifier = diffeo.NearestCentroid(n_jobs=n_jobs)
    if is_allowed:
        np.testing.assert_array_equal(
            classifier.fit(bumps.X, bumps.y).centroids_,
            diffeo.NearestCentroid().fit(bumps.X, bumps.y).centroids_,
        )
    else:
        with pytest.raises(ValueError, match="n_jobs: expected None, -1 for all cores, or at least 1, got 0"):
            classifier.fit(bumps.X, bumps.y)


@every_aligner
def test_labels_that_are_equal_are_of_one_class_however_they_look(kind, bumps):
    mixed = np.array([1, 1.0, True] * 5 + [2, 2.0, 2], dtype=object)
    plain = np.array([1] * 15 + [2] * 3)
    centroids = ALIGNERS[kind]().fit(bumps.X, mixed).centroids_
    np.testing.assert_array_equal(centroids, ALIGNERS[kind]().fit(bumps.X, plain).centroids_)


def test_scores_weigh_cases():
    classifier = diffeo.NearestCentroid().fit([[0.0, 1.0], [8.0, 8.0]], [3, 5])
    X, y = [[1.0, 1.0], [7.0, 9.0]], [3, 3]
    assert classifier.score(X, y, sample_weight=[3, 1]) == 0.75
    for wrong in ([1.0], [-1.0, 2.0], [0.0, 0.0], [np.nan, 1.0]):
        with pytest.raises(ValueError, match="sample_weight: expected"):
            classifier.score(X, y, sample_weight=wrong)


def test_pipelines_score_where_metadata_are_routed(bumps):
    pipeline = make_pipeline(ALIGNERS["joint"](), diffeo.NearestCentroid())
    with config_context(enable_metadata_routing=True):
        assert pipeline.fit(bumps.X, bumps.y).score(bumps.X, bumps.y) > 0.5
        assert np.isfinite(cross_val_score(pipeline, bumps.X, bumps.y, cv=2, error_score="raise")).all()
