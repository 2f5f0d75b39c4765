"""The estimators beside aeon's own: in its pipelines, on its data shapes, on files that both read."""

import numpy as np
import pytest

import diffeo

pytest.importorskip("aeon", reason="aeon is not installed")
from aeon.classification.compose import ClassifierPipeline
from aeon.classification.distance_based import KNeighborsTimeSeriesClassifier
from aeon.datasets import load_classification, load_from_ts_file, load_from_tsv_file
from aeon.pipeline import make_pipeline
from aeon.transformations.collection import Normalizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline as sklearn_pipeline

ROUNDING = 1e-9  # between two ways to normalise values of size 1
NAME = "ItalyPowerDemand"  # short series, in the archive

pytestmark = pytest.mark.filterwarnings("ignore::numba.core.errors.NumbaTypeSafetyWarning")


@pytest.fixture(scope="module")
def bumps():
    return diffeo.generate_bumps(24, seed=5, classes=3, length=40)


def ragged(X):
    return [series[:, : series.shape[1] - case % 5] for case, series in enumerate(X)]


# --- pipelines ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("aligner", ["euclidean", "dba", diffeo.JointAligner(cells=4, max_iterations=10)])
def test_the_classifier_ends_a_pipeline_of_aeon(aligner, bumps):
    pipeline = make_pipeline(Normalizer(), diffeo.NearestCentroid(aligner))
    assert isinstance(pipeline, ClassifierPipeline)
    pipeline.fit(bumps.X, bumps.y)
    direct = diffeo.NearestCentroid(aligner).fit(Normalizer().fit_transform(bumps.X), bumps.y)
    normalised = Normalizer().fit_transform(bumps.X)
    np.testing.assert_array_equal(pipeline.predict(bumps.X), direct.predict(normalised))
    np.testing.assert_allclose(
        pipeline.predict_proba(bumps.X), direct.predict_proba(normalised), rtol=0, atol=ROUNDING
    )
    assert pipeline.score(bumps.X, bumps.y) > 0.8


def test_the_classifier_with_a_network_ends_a_pipeline_of_aeon(bumps):
    pytest.importorskip("diffeo.torch", exc_type=ImportError, reason="torch is not installed")
    aligner = diffeo.TemporalAligner(
        cells=4, widths=(4,), kernels=(3,), epochs=3, least_steps=0, random_state=1
    )
    pipeline = make_pipeline(Normalizer(), diffeo.NearestCentroid(aligner)).fit(bumps.X, bumps.y)
    assert pipeline.score(bumps.X, bumps.y) > 0.6


def test_an_aligner_stands_before_a_classifier_of_aeon(bumps):
    aligner, neighbours = diffeo.JointAligner(cells=4), KNeighborsTimeSeriesClassifier(distance="euclidean")
    for make in (make_pipeline, sklearn_pipeline):
        assert make(aligner, neighbours).fit(bumps.X, bumps.y).score(bumps.X, bumps.y) > 0.9


def test_a_pipeline_of_aeon_is_searched_and_validated(bumps):
    pipeline = sklearn_pipeline(Normalizer(), diffeo.NearestCentroid(diffeo.JointAligner(max_iterations=5)))
    search = GridSearchCV(
        pipeline, {"nearestcentroid__aligner__cells": [2, 4]}, cv=2, error_score="raise"
    ).fit(bumps.X, bumps.y)
    assert search.best_score_ > 0.5
    assert cross_val_score(pipeline, bumps.X, bumps.y, cv=2, error_score="raise").min() > 0.5


def with_gap(X):
    gapped = X.copy()
    gapped[3, 0, 5:9] = np.nan
    return gapped


@pytest.mark.parametrize(
    ("made_of", "problem"),
    [
        (ragged, "unequal length"),
        (lambda X: np.concatenate([X, X], axis=1), "multivariate"),
        (with_gap, "missing values"),
    ],
)
def test_what_pipelines_of_aeon_refuse_goes_through_those_of_scikit_learn(made_of, problem, bumps):
    """aeon's own refuse it wherever a member is not aeon's."""
    X = made_of(bumps.X)
    members = diffeo.JointAligner(cells=4, max_iterations=10), diffeo.NearestCentroid()
    assert sklearn_pipeline(*members).fit(X, bumps.y).score(X, bumps.y) > 0.8
    with pytest.raises(ValueError, match=problem):
        make_pipeline(*members).fit(X, bumps.y)


def test_series_of_different_lengths_go_from_aeon_to_us_in_a_pipeline_of_scikit_learn(bumps):
    X = ragged(bumps.X)
    pipeline = sklearn_pipeline(Normalizer(), diffeo.NearestCentroid(diffeo.JointAligner(cells=4)))
    assert pipeline.fit(X, bumps.y).score(X, bumps.y) > 0.8


# --- shapes and files --------------------------------------------------------------------------------------


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("lengths", ["equal", "different"])
def test_what_aeon_reads_of_our_files_is_what_we_wrote(channels, lengths, tmp_path):
    made = diffeo.generate_bumps(9, seed=3, classes=3, channels=channels, length=30)
    X = made.X if lengths == "equal" else ragged(made.X)
    diffeo.save(tmp_path / "bumps.ts", X, made.y)
    read, labels = load_from_ts_file(str(tmp_path / "bumps.ts"))
    assert labels.tolist() == made.y.tolist()
    assert isinstance(read, list) == (lengths == "different")
    for ours, theirs in zip(X, read, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    aligner = diffeo.JointAligner(cells=4)
    np.testing.assert_array_equal(aligner.fit_transform(read, labels), aligner.fit_transform(X, made.y))
    assert diffeo.NearestCentroid().fit(read, labels).predict(read).dtype == labels.dtype


def test_shapes_of_load_classification_are_taken_as_they_come(tmp_path):
    made = diffeo.generate_bumps(12, seed=3, classes=2, length=30)
    (tmp_path / "Bumps").mkdir()
    for split, cases in (("TRAIN", slice(0, 6)), ("TEST", slice(6, None))):
        diffeo.save(tmp_path / "Bumps" / f"Bumps_{split}.ts", made.X[cases], made.y[cases])
    X, y = load_classification("Bumps", split="train", extract_path=str(tmp_path))
    Z, labels = load_classification("Bumps", split="test", extract_path=str(tmp_path))
    assert X.shape == (6, 1, 30)
    pipeline = make_pipeline(Normalizer(), diffeo.NearestCentroid(diffeo.JointAligner(cells=8)))
    assert pipeline.fit(X, y).score(Z, labels) > 0.8


def test_on_the_archive_the_accuracy_is_that_of_files_we_read_ourselves(shared_directory):
    folder = shared_directory / "ucr" / NAME
    if not folder.is_dir():
        pytest.skip(f"{NAME} is not among the shared data")
    scores = []
    for read in (lambda path: load_from_tsv_file(str(path)), diffeo.load):
        X, y = read(folder / f"{NAME}_TRAIN.tsv")
        Z, labels = read(folder / f"{NAME}_TEST.tsv")
        pipeline = make_pipeline(Normalizer(), diffeo.NearestCentroid())
        scores.append(pipeline.fit(X, y).score(Z, labels))
    assert scores[0] == scores[1] > 0.9
