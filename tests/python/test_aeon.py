"""The estimators beside aeon's own: in its pipelines, on its data shapes, on files that both read."""

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

import diffeo

pytest.importorskip("aeon", reason="aeon is not installed")
from aeon.classification import BaseClassifier
from aeon.classification.compose import ClassifierEnsemble, ClassifierPipeline
from aeon.classification.distance_based import KNeighborsTimeSeriesClassifier
from aeon.datasets import load_classification, load_from_ts_file, load_from_tsv_file
from aeon.pipeline import make_pipeline
from aeon.testing.estimator_checking import check_estimator
from aeon.transformations.collection import BaseCollectionTransformer, Normalizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline as sklearn_pipeline

from diffeo.aeon import Aligner, Classifier

ROUNDING = 1e-9  # between two ways to normalize values of size 1
NAME = "ItalyPowerDemand"  # short series, in the archive

pytestmark = pytest.mark.filterwarnings("ignore::numba.core.errors.NumbaTypeSafetyWarning")


@pytest.fixture(scope="module")
def bumps():
    return diffeo.generate_bumps(24, seed=5, classes=3, length=40)


def ragged(X):
    return [series[:, : series.shape[1] - case % 5] for case, series in enumerate(X)]


# --- aeon's own checks -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "estimator",
    [
        Aligner,
        Classifier,
        Classifier(diffeo.NearestCentroid(diffeo.JointAligner(cells=4, max_iterations=5))),
    ],
    ids=str,
)
def test_aeons_checks_pass(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(estimator)
    assert {check: result for check, result in results.items() if result != "PASSED"} == {}
    assert len(results) > 20


def test_adapters_are_estimators_of_aeon():
    assert issubclass(Aligner, BaseCollectionTransformer)
    assert issubclass(Classifier, BaseClassifier)


# --- pipelines ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("aligner", ["euclidean", "dba", diffeo.JointAligner(cells=4, max_iterations=10)])
@pytest.mark.parametrize("adapter", [Classifier, lambda classifier: classifier], ids=["adapter", "as it is"])
def test_the_classifier_ends_a_pipeline_of_aeon(adapter, aligner, bumps):
    pipeline = make_pipeline(Normalizer(), adapter(diffeo.NearestCentroid(aligner)))
    assert isinstance(pipeline, ClassifierPipeline)
    pipeline.fit(bumps.X, bumps.y)
    direct = diffeo.NearestCentroid(aligner).fit(Normalizer().fit_transform(bumps.X), bumps.y)
    normalized = Normalizer().fit_transform(bumps.X)
    np.testing.assert_array_equal(pipeline.predict(bumps.X), direct.predict(normalized))
    np.testing.assert_allclose(
        pipeline.predict_proba(bumps.X), direct.predict_proba(normalized), rtol=0, atol=ROUNDING
    )
    assert pipeline.score(bumps.X, bumps.y) > 0.8


def test_the_classifier_with_a_network_ends_a_pipeline_of_aeon(bumps):
    pytest.importorskip("diffeo.torch", exc_type=ImportError, reason="torch is not installed")
    aligner = diffeo.TemporalAligner(
        cells=4, widths=(4,), kernels=(3,), epochs=3, least_steps=0, random_state=1
    )
    pipeline = make_pipeline(Normalizer(), Classifier(diffeo.NearestCentroid(aligner))).fit(bumps.X, bumps.y)
    assert pipeline.score(bumps.X, bumps.y) > 0.6


def test_an_aligner_stands_before_a_classifier_of_aeon(bumps):
    aligner, neighbors = diffeo.JointAligner(cells=4), KNeighborsTimeSeriesClassifier(distance="euclidean")
    for make in (make_pipeline, sklearn_pipeline):
        assert make(Aligner(aligner), neighbors).fit(bumps.X, bumps.y).score(bumps.X, bumps.y) > 0.9


def test_a_pipeline_of_aeon_is_searched_and_validated(bumps):
    classifier = Classifier(diffeo.NearestCentroid(diffeo.JointAligner(max_iterations=5)))
    pipeline = sklearn_pipeline(Normalizer(), classifier)
    search = GridSearchCV(
        pipeline, {"classifier__classifier__aligner__cells": [2, 4]}, cv=2, error_score="raise"
    ).fit(bumps.X, bumps.y)
    assert search.best_score_ > 0.5
    assert cross_val_score(pipeline, bumps.X, bumps.y, cv=2, error_score="raise").min() > 0.5


def with_gap(X):
    gapped = X.copy()
    gapped[3, 0, 5:9] = np.nan
    return gapped


KINDS = {
    "different lengths": ragged,
    "two channels": lambda X: np.concatenate([X, X], axis=1),
    "a gap": with_gap,
    "all of them": lambda X: ragged(with_gap(np.concatenate([X, X], axis=1))),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("make", [make_pipeline, sklearn_pipeline])
def test_pipelines_of_aeon_and_scikit_learn_let_all_series_pass(make, kind, bumps):
    X = KINDS[kind](bumps.X)
    pipeline = make(Aligner(diffeo.JointAligner(cells=4, max_iterations=10)), Classifier())
    assert pipeline.fit(X, bumps.y).score(X, bumps.y) > 0.8
    by_hand = diffeo.JointAligner(cells=4, max_iterations=10).fit(X, bumps.y)
    direct = diffeo.NearestCentroid().fit(by_hand.transform(X), bumps.y)
    np.testing.assert_array_equal(pipeline.predict(X), direct.predict(by_hand.transform(X)))


@pytest.mark.parametrize("kind", ["different lengths", "two channels"])
def test_the_classifier_follows_what_aeon_makes_of_all_series(kind, bumps):
    X = KINDS[kind](bumps.X)
    pipeline = make_pipeline(Normalizer(), Classifier(diffeo.NearestCentroid(diffeo.JointAligner(cells=4))))
    assert pipeline.fit(X, bumps.y).score(X, bumps.y) > 0.8


@pytest.mark.parametrize("weights", [None, [1, 2], 4.0])
def test_an_ensemble_of_aeon_lets_all_series_pass(weights, bumps):
    X = KINDS["all of them"](bumps.X)
    members = [("stiff", diffeo.JointAligner(cells=2)), ("supple", diffeo.JointAligner(cells=8))]
    ensemble = ClassifierEnsemble(
        [(name, Classifier(diffeo.NearestCentroid(aligner))) for name, aligner in members], weights=weights
    )
    assert ensemble.fit(X, bumps.y).score(X, bumps.y) > 0.8


def test_a_classifier_that_refuses_gaps_is_given_none(bumps):
    pipeline = make_pipeline(Normalizer(), Classifier(diffeo.NearestCentroid("dba")))
    with pytest.raises(ValueError, match="missing values"):
        pipeline.fit(with_gap(bumps.X), bumps.y)


def test_what_aeon_asks_of_a_fitted_estimator_is_answered(bumps):
    classifier = Classifier(diffeo.NearestCentroid(diffeo.JointAligner(cells=4))).fit(bumps.X, bumps.y)
    assert classifier.is_fitted
    assert classifier.classifier_.aligner_.reliable_.all()
    assert set(classifier.get_fitted_params(deep=False)) >= {"classifier_", "classes_"}
    copied = pickle.loads(pickle.dumps(classifier))
    np.testing.assert_array_equal(copied.predict(bumps.X), classifier.predict(bumps.X))
    assert not classifier.reset().is_fitted
    assert classifier.classifier.aligner.cells == 4


EITHER_ORDER = """
import sys, pickle
import sklearn.base
import diffeo
early = diffeo.NearestCentroid(diffeo.JointAligner(cells=3))
assert "aeon" not in sys.modules
import diffeo.aeon
late = diffeo.NearestCentroid(diffeo.JointAligner(cells=3))
assert type(late) is type(early) is type(sklearn.base.clone(early)) is type(pickle.loads(pickle.dumps(early)))
"""


def test_there_is_one_class_whatever_was_imported_before():
    done = subprocess.run([sys.executable, "-c", EITHER_ORDER], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_without_aeon_the_adapters_say_what_they_need():
    code = "import sys; sys.modules['aeon'] = None; import diffeo.aeon"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert 'ImportError: diffeo.aeon needs aeon: pip install "diffeo[aeon]"' in done.stderr


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
