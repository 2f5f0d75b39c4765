"""Series in the containers of pandas and torch: understood as the arrays they hold, and never changed."""

import copy

import numpy as np
import pytest

import diffeo


@pytest.fixture(scope="module")
def bumps():
    return diffeo.generate_bumps(9, seed=6, classes=3, channels=2, length=20)


@pytest.fixture(scope="module")
def pandas():
    return pytest.importorskip("pandas", reason="pandas is not installed")


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch", reason="torch is not installed")


def multiindex(pandas, items):
    """aeon's pd-multiindex: rows (case, time), a column for each channel."""
    parts = [pandas.DataFrame(series.T) for series in items]
    return pandas.concat(parts, keys=range(len(items)), names=["case", "timepoint"])


def nested(pandas, items):
    """A row for each case, a column for each channel, a series in every cell."""
    channels = range(len(items[0]))
    return pandas.DataFrame(
        {f"channel {c}": [pandas.Series(series[c]) for series in items] for c in channels}
    )


def ragged(X):
    return [series[:, : series.shape[1] - case % 3] for case, series in enumerate(X)]


def aligned_by(X, y):
    return values_of(diffeo.JointAligner(cells=4, max_iterations=5).fit(X, y).transform(X))


def values_of(result):
    """The array of a result, which is a frame where series came in one."""
    if not hasattr(result, "columns"):
        return result
    series = diffeo.from_frame(result).X
    return series if result.index.nlevels > 1 else series[:, 0]


# --- pandas ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", [multiindex, nested])
@pytest.mark.parametrize("lengths", ["equal", "different"])
def test_frames_are_the_series_they_hold(layout, lengths, pandas, bumps):
    items = list(bumps.X) if lengths == "equal" else ragged(bumps.X)
    frame = layout(pandas, items)
    labels = pandas.Series(bumps.y)
    np.testing.assert_array_equal(aligned_by(frame, labels), aligned_by(items, bumps.y))
    np.testing.assert_array_equal(
        diffeo.NearestCentroid().fit(frame, labels).predict(frame),
        diffeo.NearestCentroid().fit(items, bumps.y).predict(items),
    )


def test_frames_of_aeon_are_understood(pandas, bumps):
    conversion = pytest.importorskip("aeon.utils.conversion", reason="aeon is not installed")
    expected = aligned_by(bumps.X, bumps.y)
    for kind in ("numpy3D", "np-list", "df-list", "pd-multiindex"):
        np.testing.assert_array_equal(
            aligned_by(conversion.convert_collection(bumps.X, kind), bumps.y), expected, err_msg=kind
        )
    one = bumps.X[:, :1]
    for kind in ("numpy2D", "pd-wide"):
        np.testing.assert_array_equal(
            aligned_by(conversion.convert_collection(one, kind), bumps.y), aligned_by(one, bumps.y)[:, 0]
        )


def test_wide_frames_have_a_row_for_each_case(pandas, bumps):
    wide = pandas.DataFrame(bumps.X[:, 0])
    np.testing.assert_array_equal(diffeo.z_normalize(wide), diffeo.z_normalize(bumps.X[:, 0]))
    mixed = pandas.DataFrame({"a": [1, 2], "b": [0.5, 1.5], "c": [True, False]})
    np.testing.assert_array_equal(diffeo.resample(mixed, 3), [[1.0, 0.5, 1.0], [2.0, 1.5, 0.0]])


def test_missing_values_of_pandas_are_missing(pandas):
    frame = pandas.DataFrame({"a": pandas.array([1, None], dtype="Int64"), "b": [3.0, 4.0]})
    np.testing.assert_array_equal(diffeo.euclidean_mean(frame).barycenter, [1.0, 3.5])


def test_cases_come_in_the_order_of_the_frame_whatever_their_names(pandas, bumps):
    frame = multiindex(pandas, list(bumps.X))
    renamed = frame.set_axis(
        frame.index.set_levels([f"z{9 - case}" for case in range(9)], level=0), axis="index"
    )
    np.testing.assert_array_equal(values_of(diffeo.z_normalize(renamed)), diffeo.z_normalize(bumps.X))
    some = renamed.loc[["z3", "z8"]]  # names of the others are still among the index's levels
    np.testing.assert_array_equal(values_of(diffeo.z_normalize(some)), diffeo.z_normalize(bumps.X[[6, 1]]))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda pandas, X: multiindex(pandas, list(X)).iloc[::-1],
            ValueError,
            r"X: expected ascending time steps in every case, got \(8, 18\) after a later one",
        ),
        (
            lambda pandas, X: pandas.concat([multiindex(pandas, list(X))] * 2, keys=[0, 1]),
            ValueError,
            r"X: expected an index of \(case, time\), got 3 levels",
        ),
        (
            lambda pandas, X: pandas.DataFrame({"a": ["x", "y"]}),
            TypeError,
            "X: expected",
        ),
        (
            lambda pandas, X: pandas.DataFrame({"a": [X[0, 0]], "b": [X[0, 0, :5]]}),
            ValueError,
            r"X\[0\]: expected channels of one length, got shapes \[\(20,\), \(5,\)\]",
        ),
    ],
)
def test_frames_that_cannot_be_are_refused(make, error, message, pandas, bumps):
    with pytest.raises(error, match=message):
        diffeo.z_normalize(make(pandas, bumps.X))


# --- torch -------------------------------------------------------------------------------------------------


def test_tensors_are_arrays(torch, bumps):
    tensor = torch.tensor(bumps.X, requires_grad=True)
    numbers = torch.tensor(bumps.y.astype(int))
    classifier = diffeo.NearestCentroid(diffeo.JointAligner(cells=4)).fit(tensor, numbers)
    assert classifier.classes_.tolist() == [1, 2, 3]
    assert classifier.score(tensor, numbers) == classifier.score(bumps.X, bumps.y.astype(int))
    np.testing.assert_array_equal(aligned_by(tensor, numbers), aligned_by(bumps.X, bumps.y))
    several = [torch.tensor(series) for series in ragged(bumps.X)]
    np.testing.assert_array_equal(aligned_by(several, numbers), aligned_by(ragged(bumps.X), bumps.y))


def test_times_and_templates_may_be_tensors(torch, bumps):
    aligner = diffeo.JointAligner(cells=4).fit(bumps.X)
    times = torch.tensor([0.25, 0.5], dtype=torch.float64)
    np.testing.assert_array_equal(
        aligner.warp_times(bumps.X, times), aligner.warp_times(bumps.X, [0.25, 0.5])
    )
    template = torch.tensor(aligner.centroids_)
    np.testing.assert_array_equal(
        aligner.inverse_transform(template, bumps.X), aligner.inverse_transform(aligner.centroids_, bumps.X)
    )


def test_tensors_that_numpy_has_no_type_for_are_refused(torch):
    with pytest.raises(TypeError, match=r"X: expected a dense tensor of .* got dtype torch\.bfloat16"):
        diffeo.z_normalize(torch.zeros(2, 5, dtype=torch.bfloat16))


# --- all of them -------------------------------------------------------------------------------------------


def single_precision(pandas, torch, X):
    single = X.astype(np.float32)
    return {
        "array": single,
        "list": ragged(single),
        "tensor": torch.tensor(single),
        "multiindex": multiindex(pandas, list(single)),
        "nested": nested(pandas, list(single)),
        "wide": pandas.DataFrame(single[:, 0]),
        "df-list": [pandas.DataFrame(series) for series in single],
    }


KINDS = ["array", "list", "tensor", "multiindex", "nested", "wide", "df-list"]


@pytest.mark.parametrize("kind", KINDS)
def test_single_precision_stays_single_in_every_container(kind, pandas, torch, bumps):
    X = single_precision(pandas, torch, bumps.X)[kind]
    aligner = diffeo.JointAligner(cells=4, max_iterations=5).fit(X, bumps.y)
    results = [
        values_of(aligner.transform(X)),
        aligner.warps(X),
        aligner.centroids_,
        aligner.velocities_,
        diffeo.NearestCentroid().fit(X, bumps.y).centroids_,
    ]
    back = aligner.inverse_transform(aligner.centroids_[0], X)
    results += back if isinstance(back, list) else [back]
    assert {result.dtype for result in results} == {np.dtype(np.float32)}


@pytest.mark.parametrize("kind", KINDS)
def test_no_container_is_changed(kind, pandas, torch, bumps):
    X = single_precision(pandas, torch, bumps.X)[kind]
    y = pandas.Series(bumps.y)
    before = copy.deepcopy((X, y))
    classifier = diffeo.NearestCentroid(diffeo.JointAligner(cells=4, max_iterations=5)).fit(X, y)
    classifier.predict_proba(X)
    aligner = classifier.aligner_
    for result in (values_of(aligner.transform(X)), aligner.warps(X), classifier.centroids_):
        result.fill(7)  # what is given out is the caller's own
    aligner.warp_times(X, [0.5], inverse=True)
    aligner.inverse_transform(aligner.centroids_[0], X)
    for now, then in zip(_arrays(X), _arrays(before[0]), strict=True):
        np.testing.assert_array_equal(now, then)
    assert y.equals(before[1])


def _arrays(X):
    if isinstance(X, list):
        return [np.asarray(item) for item in X]
    if hasattr(X, "iloc"):
        return [np.asarray(cell) for cell in X.to_numpy().ravel()]
    return [np.asarray(X)]


def test_arrays_may_be_read_only_and_strided(bumps):
    X = np.asfortranarray(bumps.X)
    X.flags.writeable = False
    np.testing.assert_array_equal(aligned_by(X, bumps.y), aligned_by(bumps.X, bumps.y))
    np.testing.assert_array_equal(
        aligned_by(np.repeat(bumps.X, 2, axis=2)[:, :, ::2], bumps.y), aligned_by(bumps.X, bumps.y)
    )


def test_arrays_of_objects_are_numbers_where_they_can_be(bumps):
    flat = bumps.X[:, 0]
    np.testing.assert_array_equal(diffeo.z_normalize(flat.astype(object)), diffeo.z_normalize(flat))
    with pytest.raises(TypeError, match="X: expected numbers, got an array of objects"):
        diffeo.z_normalize(np.array([[1.0, "x"], [2.0, 3.0]], dtype=object))


def test_sparse_arrays_are_refused():
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
    with pytest.raises(TypeError, match="X: expected a dense array, got a sparse one"):
        diffeo.z_normalize(sparse.eye_array(4))


@pytest.mark.parametrize(
    "labels",
    [
        [1, 2.0, 1],
        np.array([-1.0, 3.0, -1.0], np.float32),
        [b"a", b"b", b"a"],
        [True, False, True],
        ["b", "a", "b"],
    ],
)
def test_classes_are_those_of_numpy_whatever_the_type_of_the_labels(labels):
    X = np.array([[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]])
    expected = np.unique(np.asarray(labels))
    for found in (
        diffeo.JointAligner(cells=2).fit(X, labels).classes_,
        diffeo.align(X, labels, cells=2).classes,
        diffeo.NearestCentroid().fit(X, labels).classes_,
    ):
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype


@pytest.mark.parametrize("make", [diffeo.JointAligner, diffeo.NearestCentroid])
@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([[1], [2]], r"y: expected shape \(cases,\), a label for every case, got \(2, 1\)"),
        ([1, None], "y: expected a label for every case, got None for case 1"),
        ("ab", "y: expected a sequence of"),
        (7, "y: expected a sequence of"),
        ([1, [2, 3]], "y: expected a label for every case, got sequences"),
    ],
)
def test_labels_that_cannot_be_are_refused(make, labels, message):
    with pytest.raises(ValueError, match=message):
        make().fit(np.eye(2, 6), labels)
