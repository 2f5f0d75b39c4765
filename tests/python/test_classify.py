"""Nearest-centroid classification, over averages and over anything that aligns."""

import csv
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import cross_val_score

import diffeo
from diffeo import _core

ROUNDING = 1e-12  # of means over some ten values of size 1


@pytest.fixture(scope="module")
def cbf():
    X, y = diffeo.generate_cbf(90, seed=3, length=60)
    return X[:30], y[:30], X[30:], y[30:]


def paper_table(directory):
    with (directory / "paper" / "ncc_table.csv").open() as lines:
        return {row["dataset"]: row for row in csv.DictReader(lines)}


def read_split(directory, name, split):
    table = np.loadtxt(directory / "ucr" / name / f"{name}_{split}.tsv", delimiter="\t")
    return table[:, 1:], table[:, 0].astype(int)


def test_over_the_archive_the_euclidean_kind_has_the_accuracy_that_is_published(shared_directory):
    compared = []
    for name, row in paper_table(shared_directory).items():
        is_present = (shared_directory / "ucr" / name).is_dir()
        if not is_present or row["ours_possible"] != "1" or row["baselines_possible"] != "1":
            continue
        classifier = diffeo.NearestCentroid("euclidean").fit(*read_split(shared_directory, name, "TRAIN"))
        accuracy = classifier.score(*read_split(shared_directory, name, "TEST"))
        assert accuracy == pytest.approx(float(row["euclidean"]), abs=1e-6), name  # the table has six digits
        compared.append(name)
    assert len(compared) == 26


def test_centroids_are_means_of_classes_in_ascending_order(cbf):
    X, y, *_ = cbf
    classifier = diffeo.NearestCentroid().fit(X[::-1], y[::-1])
    assert classifier.classes_.tolist() == ["1", "2", "3"]
    expected = [X[y == label].mean(axis=0) for label in classifier.classes_]
    np.testing.assert_allclose(classifier.centroids_, expected, atol=ROUNDING)


def test_predictions_are_those_of_numpy(cbf):
    X, y, Z, _ = cbf
    classifier = diffeo.NearestCentroid().fit(X, y)
    distances = ((Z[:, np.newaxis] - classifier.centroids_) ** 2).mean(axis=(2, 3))
    np.testing.assert_allclose(classifier.squared_distances(Z), distances, rtol=ROUNDING)
    np.testing.assert_array_equal(classifier.predict(Z), classifier.classes_[distances.argmin(axis=1)])


@pytest.mark.parametrize(
    "labels",
    [[5, -3, 5], ["b", "a", "b"], [2.0, 0.0, 2.0], [True, False, True], np.array(["x", "w", "x"], object)],
)
def test_predictions_have_the_type_of_the_labels_given(labels):
    classifier = diffeo.NearestCentroid().fit([[0.0, 1.0], [5.0, 5.0], [1.0, 1.0]], labels)
    predicted = classifier.predict([[5.0, 4.0], [0.0, 0.0]])
    assert predicted.dtype == np.asarray(labels).dtype
    assert predicted.tolist() == [labels[1], labels[0]]


def test_ties_go_to_the_first_class():
    classifier = diffeo.NearestCentroid().fit([[2.0], [0.0]], ["b", "a"])
    assert classifier.predict([[1.0]]).tolist() == ["a"]


@pytest.mark.parametrize(
    ("aligner", "distance"),
    [
        ("euclidean", "euclidean"),
        ("dba", "euclidean"),
        ("dba", "dtw"),
        ("dba", None),
        ("soft-dtw", "euclidean"),
        ("soft-dtw", "dtw"),
    ],
)
def test_every_kind_learns_more_than_chance(cbf, aligner, distance):
    X, y, Z, labels = cbf
    classifier = diffeo.NearestCentroid(aligner, distance=distance, max_iterations=5, n_jobs=-1).fit(X, y)
    assert classifier.centroids_.shape == (3, 1, 60)
    assert classifier.score(Z, labels) > 0.6
    np.testing.assert_allclose(classifier.predict_proba(Z).sum(axis=1), 1, rtol=ROUNDING)
    best = classifier.predict_proba(Z).argmax(axis=1)
    np.testing.assert_array_equal(classifier.classes_[best], classifier.predict(Z))


class PeakFirst:
    """Turns every series until its largest value comes first."""

    def __init__(self, scale=1.0):
        self.scale = scale

    def get_params(self, deep=True):
        return {"scale": self.scale}

    def set_params(self, scale):
        self.scale = scale
        return self

    def fit(self, X, y=None):
        self.labels_ = y
        return self

    def transform(self, X):
        assert hasattr(self, "labels_")
        return self.scale * np.array([np.roll(series, -series.argmax()) for series in X])


@pytest.mark.parametrize(
    ("aligner", "distance"), [("euclidean", "euclidean"), ("dba", "dtw"), ("soft-dtw", "dtw")]
)
def test_centroids_are_compared_by_the_distance_that_they_are_averages_in(aligner, distance, cbf):
    X, y, Z, _ = cbf
    by_default = diffeo.NearestCentroid(aligner, max_iterations=2).fit(X, y)
    by_name = diffeo.NearestCentroid(aligner, max_iterations=2, distance=distance).fit(X, y)
    np.testing.assert_array_equal(by_default.squared_distances(Z), by_name.squared_distances(Z))


def test_series_of_a_sensor_are_told_apart_by_dtw_barycenters():
    datasets = pytest.importorskip("aeon.datasets", reason="aeon is not installed")
    X, y = datasets.load_basic_motions(split="train")
    Z, labels = datasets.load_basic_motions(split="test")
    classifier = diffeo.NearestCentroid("dba", n_jobs=-1)
    assert classifier.fit(X, y).score(Z, labels) == 1.0
    by_samples = diffeo.NearestCentroid("dba", distance="euclidean", n_jobs=-1)
    assert by_samples.fit(X, y).score(Z, labels) < 0.5


def test_any_aligner_with_fit_and_transform_is_used_and_left_as_it_was():
    X = np.array([[0.0, 0, 5, 1], [5, 3, 0, 0], [0, 5, 0, 3]])
    aligner = PeakFirst()
    classifier = diffeo.NearestCentroid(aligner).fit(X, [1, 1, 2])
    np.testing.assert_array_equal(classifier.centroids_, [[5, 2, 0, 0], [5, 0, 3, 0]])
    assert classifier.predict(np.array([[0.0, 0, 0, 5], [3, 0, 5, 0]])).tolist() == [1, 2]
    assert not hasattr(aligner, "labels_")
    assert classifier.aligner_.labels_.tolist() == [1, 1, 2]


def test_missing_values_and_different_lengths_are_understood():
    X = [np.array([0.0, np.nan]), np.array([0.0, 1.0, 2.0, 3.0, 4.0]), np.array([4.0, 2.0, 0.0])]
    classifier = diffeo.NearestCentroid().fit(X, ["up", "up", "down"])
    assert classifier.centroids_.shape == (2, 5)
    assert classifier.predict([np.array([3.0, 0.0]), np.array([0.0, np.nan, 2.0, np.nan, 5.0])]).tolist() == [
        "down",
        "up",
    ]


def test_precision_is_that_of_the_series(cbf):
    X, y, *_ = cbf
    assert diffeo.NearestCentroid().fit(X.astype(np.float32), y).centroids_.dtype == np.float32


def test_parameters_are_read_and_set_by_name():
    classifier = diffeo.NearestCentroid(PeakFirst(), window=0.1)
    assert classifier.get_params()["aligner__scale"] == 1.0
    assert "aligner__scale" not in classifier.get_params(deep=False)
    classifier.set_params(aligner__scale=2.0, gamma=0.5)
    assert (classifier.aligner.scale, classifier.gamma) == (2.0, 0.5)
    with pytest.raises(ValueError, match="Invalid parameter 'depth' for estimator NearestCentroid"):
        classifier.set_params(depth=3)
    assert repr(diffeo.NearestCentroid("dba", radius=3)) == "NearestCentroid(aligner='dba', radius=3)"


def test_scikit_learn_clones_and_cross_validates_it(cbf):
    X, y, *_ = cbf
    classifier = clone(diffeo.NearestCentroid("dba", max_iterations=2))
    assert classifier.get_params() == diffeo.NearestCentroid("dba", max_iterations=2).get_params()
    assert cross_val_score(classifier, X, y, cv=3).mean() > 0.5


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"aligner": "kmeans"},
            "aligner: expected an aligner or one of euclidean, dba, soft-dtw, got 'kmeans'",
        ),
        ({"distance": "cosine"}, "distance: expected one of euclidean, dtw, got 'cosine'"),
        ({"length": 0}, "length: expected a whole number of at least 1, got 0"),
        (
            {"aligner": "dba", "max_iterations": -1},
            "max_iterations: expected a whole number of at least 0, got -1",
        ),
        ({"aligner": "soft-dtw", "gamma": -1.0}, "gamma: expected"),
        ({"n_jobs": 0}, "n_jobs: expected None, -1 for all cores, or at least 1, got 0"),
    ],
)
def test_parameters_out_of_range_are_refused_by_name(parameters, message):
    with pytest.raises(ValueError, match=message):
        diffeo.NearestCentroid(**parameters).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])


def test_something_that_does_not_align_is_refused():
    with pytest.raises(TypeError, match="aligner: expected an object with fit and transform, got 7"):
        diffeo.NearestCentroid(7).fit([[0.0, 1.0]], [0])
    with pytest.raises(TypeError, match=r"aligner: expected an object .*, got <class '.*JointAligner'>"):
        diffeo.NearestCentroid(diffeo.JointAligner).fit([[0.0, 1.0]], [0])


def test_labels_that_do_not_fit_are_refused(cbf):
    X, y, *_ = cbf
    with pytest.raises(ValueError, match=r"y: expected 30 labels, one per case, got shape \(29,\)"):
        diffeo.NearestCentroid().fit(X, y[:-1])
    with pytest.raises(ValueError, match="y: expected a label for every case, got nan for case 1"):
        diffeo.NearestCentroid().fit(X[:2], [1.0, np.nan])
    with pytest.raises(ValueError, match=r"y: expected 30 labels, one per case, got shape \(2,\)"):
        diffeo.NearestCentroid().fit(X, y).score(X, y[:2])


@pytest.mark.parametrize(
    ("known", "given", "message"),
    [
        ([1, 2], ["1", "2"], "y: expected numbers as labels, as fit was given, got text"),
        (["1", "2"], [1.0, 2.0], "y: expected text as labels, as fit was given, got numbers"),
        (["1", "2"], [b"1", b"2"], "y: expected text as labels, as fit was given, got bytes"),
        ([1, 2], np.array(["1", "2"], object), "y: expected numbers as labels, .* got text"),
        (np.array(["1", "2"], object), [True, False], "y: expected text as labels, .* got numbers"),
    ],
)
def test_labels_of_another_kind_than_those_of_fit_have_no_score(known, given, message):
    X = [[0.0, 1.0], [8.0, 8.0]]
    with pytest.raises(ValueError, match=message):
        diffeo.NearestCentroid().fit(X, known).score(X, given)


def test_labels_of_one_kind_have_a_score_whatever_their_type():
    X = [[0.0, 1.0], [8.0, 8.0]]
    assert diffeo.NearestCentroid().fit(X, [1, 2]).score(X, np.array([1, 2.0], object)) == 1.0
    assert diffeo.NearestCentroid().fit(X, [True, False]).score(X, [1.0, 0.0]) == 1.0
    assert diffeo.NearestCentroid().fit(X, ["a", "b"]).score(X, np.array(["a", "x"], object)) == 0.5


def test_measurements_are_refused_as_labels():
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        diffeo.NearestCentroid().fit([[0.0, 1.0], [8.0, 8.0]], [0.5, 1.25])
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        diffeo.JointAligner().fit([[0.0, 1.0], [8.0, 8.0]], [0.5, 1.25])


def test_a_column_of_labels_is_taken_with_a_warning(cbf):
    X, y, *_ = cbf
    for estimator in (diffeo.NearestCentroid(), diffeo.JointAligner(cells=2, max_iterations=2)):
        with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
            fitted = clone(estimator).fit(X, y[:, np.newaxis])
        np.testing.assert_array_equal(fitted.centroids_, clone(estimator).fit(X, y).centroids_)
    with pytest.raises(ValueError, match=r"y should be a 1d array, got an array of shape \(30, 2\)"):
        diffeo.NearestCentroid().fit(X, np.stack([y, y], axis=1))


def test_missing_labels_of_pandas_are_refused():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    X, y = [[0.0, 1.0], [8.0, 8.0]], pandas.Series([1, pandas.NA], dtype=object)
    for call in (diffeo.NearestCentroid().fit, diffeo.NearestCentroid().fit(X, [1, 2]).score):
        with pytest.raises(ValueError, match="y: expected a label for every case, got <NA> for case 1"):
            call(X, y)


def test_predictions_use_the_threads_that_n_jobs_asks_for_now(cbf, monkeypatch):
    X, y, Z, _ = cbf
    classifier = diffeo.NearestCentroid(distance="dtw", radius=5).fit(X, y)
    calls = [classifier.predict, classifier.predict_proba, classifier.squared_distances]
    expected = [call(Z) for call in calls]
    asked, restored = [], _core.NearestCentroid.restored

    def told(*arguments):
        asked.append(arguments[-1])
        return restored(*arguments)

    kind = SimpleNamespace(restored=told)
    monkeypatch.setattr(sys.modules["diffeo._classify"], "_core", SimpleNamespace(NearestCentroid=kind))
    classifier.set_params(n_jobs=2)
    for call, before in zip(calls, expected, strict=True):
        np.testing.assert_array_equal(call(Z), before)
    assert asked == [2, 2, 2]


def test_series_that_do_not_fit_are_refused(cbf):
    X, y, *_ = cbf
    with pytest.raises(ValueError, match="X: expected 1 channel as in training, got 2"):
        diffeo.NearestCentroid().fit(X, y).predict(np.ones((3, 2, 60)))
    with pytest.raises(ValueError, match="NearestCentroid: expected fit before this"):
        diffeo.NearestCentroid().predict(X)


def test_alignment_without_a_network_tells_warped_bumps_apart_better_than_the_plain_mean():
    scores, heights = [], []
    for seed in (1, 2, 3, 4):
        bumps = diffeo.generate_bumps(36, seed=seed, displacement=0.2, noise=0.3)
        training, fresh = slice(0, 18), slice(18, None)
        both = [
            diffeo.NearestCentroid(aligner).fit(bumps.X[training], bumps.y[training])
            for aligner in ("euclidean", diffeo.JointAligner())
        ]
        scores.append([classifier.score(bumps.X[fresh], bumps.y[fresh]) for classifier in both])
        heights.append([np.ptp(classifier.centroids_, axis=-1).mean() for classifier in both])
    plain, aligned = np.mean(scores, axis=0)
    assert aligned > plain
    # Aligned, the mean of a class is its template in a common time: the peaks are no longer smeared.
    assert all(after > before for before, after in heights)
