"""Frames as people have them: read as they are meant, or refused with the words that settle it."""

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xarray as xr

import diffeo

CASES, STEPS = 4, 10
LABELS = np.array(["up", "down", "up", "down"])
NAMES = ["a", "b", "c", "d"]
X = np.random.default_rng(7).normal(size=(CASES, 2, STEPS)).round(3)
SECONDS = np.arange(STEPS) / 10
DAYS = pd.date_range("2024-03-01", periods=STEPS, freq="D")


def wide(**others):
    """One channel, a row for each case."""
    return pd.DataFrame(X[:, 0]).assign(**others)


def long(times=SECONDS, **others):
    rows = {"id": np.repeat(NAMES, STEPS), "time": np.tile(times, CASES), "value": X[:, 0].ravel()}
    return pd.DataFrame(rows | others)


def two_channels():
    return long().rename(columns={"value": "left"}).assign(right=X[:, 1].ravel())


def very_long():
    """A row for each channel too, as sktime's pd-long."""
    index = np.indices((CASES, 2, STEPS)).reshape(3, -1)
    return pd.DataFrame(
        dict(zip(("case_id", "dim_id", "reading_id"), index, strict=True)) | {"value": X.ravel()}
    )


def multiindex():
    return two_channels().set_index(["id", "time"])


def nested(cell):
    return {"left": [cell(series[0]) for series in X], "right": [cell(series[1]) for series in X]}


def labeled_array(*dims, **coords):
    order = [("trial", "sensor", "seconds").index(dim) for dim in dims]
    return xr.DataArray(X.transpose(order), dims=dims, coords=coords)


def assert_read(frame, series, labels=None, **asked):
    read = diffeo.from_frame(frame, **asked)
    np.testing.assert_array_equal(read.X, series)
    if labels is None:
        assert read.y is None
    else:
        np.testing.assert_array_equal(read.y, labels)
    return read


ONE, BOTH, REPEATED = X[:, :1], X, np.repeat(LABELS, STEPS)

READINGS = {
    "wide": (wide(), ONE, None),
    "wide with labels": (wide(label=LABELS), ONE, LABELS),
    "wide with classes": (wide(Class=[1, 2, 1, 2]), ONE, [1, 2, 1, 2]),
    "wide with a target": (wide(target=pd.Categorical(LABELS)), ONE, LABELS),
    "wide with names of cases": (wide(id=NAMES), ONE, None),
    "wide from a file with its index": (wide(**{"Unnamed: 0": range(CASES)}), ONE, None),
    "wide with dates": (pd.DataFrame(X[:, 0], columns=DAYS), ONE, None),
    "wide with t0, t1": (pd.DataFrame(X[:, 0], columns=[f"t{step}" for step in range(STEPS)]), ONE, None),
    "wide of polars": (
        pl.DataFrame(X[:, 0], schema=[f"t{s}" for s in range(STEPS)], orient="row"),
        ONE,
        None,
    ),
    "wide of Arrow": (pa.table({f"{s}": X[:, 0, s] for s in range(STEPS)} | {"label": LABELS}), ONE, LABELS),
    "long": (long(), ONE, None),
    "long in any order": (long().sort_values(["time", "id"]), ONE, None),
    "long with labels": (long(label=REPEATED), ONE, LABELS),
    "long with dates": (long(DAYS), ONE, None),
    "long of Nixtla": (long().set_axis(["unique_id", "ds", "y"], axis=1), ONE, None),
    "long with y as label": (long(y=REPEATED), ONE, LABELS),
    "long with channels": (two_channels(), BOTH, None),
    "long with channels x and y": (two_channels().set_axis(["id", "t", "x", "y"], axis=1), BOTH, None),
    "long with the index of its file": (long().reset_index(), ONE, None),
    "long with channels below each other": (very_long(), BOTH, None),
    "long of polars": (pl.DataFrame(long(label=REPEATED).to_dict("list")), ONE, LABELS),
    "long of Arrow": (pa.table(long(label=REPEATED).to_dict("list")), ONE, LABELS),
    "long with times in the index": (long().set_index("time"), ONE, None),
    "multiindex": (multiindex(), BOTH, None),
    "multiindex with labels": (multiindex().assign(label=REPEATED), BOTH, LABELS),
    "multiindex (time, case)": (multiindex().swaplevel().sort_index(), BOTH, None),
    "multiindex of one series": (multiindex()["left"], ONE, None),
    "nested series": (pd.DataFrame(nested(pd.Series)), BOTH, None),
    "nested arrays with labels": (pd.DataFrame(nested(np.asarray) | {"label": LABELS}), BOTH, LABELS),
    "nested lists of polars": (pl.DataFrame(nested(list) | {"label": LABELS}), BOTH, LABELS),
    "nested lists of Arrow": (pa.table(nested(list) | {"label": LABELS}), BOTH, LABELS),
    "dimensions in another order": (labeled_array("seconds", "trial", "sensor"), BOTH, None),
    "dimensions with labels": (
        labeled_array("sensor", "seconds", "trial", label=("trial", LABELS)),
        BOTH,
        LABELS,
    ),
    "variables as channels": (
        xr.Dataset({"left": (("time", "case"), X[:, 0].T), "right": (("case", "time"), X[:, 1])}),
        BOTH,
        None,
    ),
    "one case of xarray": (xr.DataArray(X[0].T, dims=("time", "channel")), X[:1], None),
    "frames of time x channels": ([pd.DataFrame(series.T) for series in X], BOTH, None),
    "frames of channels x time": ([pd.DataFrame(series) for series in X], BOTH, None),
    "frames with names of channels": (
        [pd.DataFrame(series.T, columns=["u", "v"]) for series in X],
        BOTH,
        None,
    ),
    "frames with a column of times": (
        [pd.DataFrame({"time": SECONDS, "u": series[0], "v": series[1]}) for series in X],
        BOTH,
        None,
    ),
    "frames of polars": ([pl.DataFrame({"u": series[0], "v": series[1]}) for series in X], BOTH, None),
    "arrays of xarray": ([xr.DataArray(series.T, dims=("time", "channel")) for series in X], BOTH, None),
}


@pytest.mark.parametrize("name", READINGS)
def test_frames_are_read_as_they_are_meant(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_read(*READINGS[name])


ASKED = {
    "label by name": (wide(kind=LABELS), {"label": "kind"}, ONE, LABELS),
    "columns of a long frame": (
        long().set_axis(["who", "when", "what"], axis=1),
        {"id": "who", "time": "when", "value": "what"},
        ONE,
        None,
    ),
    "some channels": (two_channels().assign(noise=0.0), {"channels": ["left", "right"]}, BOTH, None),
    "rows in their order": (long().drop(columns="time"), {"id": "id"}, ONE, None),
    "one case": (pd.DataFrame(X[0].T, columns=["u", "v"]), {"channels": ["u", "v"]}, X[:1], None),
    "one case with its times": (pd.DataFrame(X[0].T, index=DAYS), {"channels": [0, 1]}, X[:1], None),
    "the column with the channel": (
        very_long().rename(columns={"dim_id": "which"}),
        {"channels": "which", "value": "value"},
        BOTH,
        None,
    ),
    "few named time steps": (
        pd.DataFrame(X[:, 0, :3], columns=["before", "during", "after"]),
        {"value": ["before", "during", "after"]},
        ONE[:, :, :3],
        None,
    ),
    "dimensions": (
        xr.DataArray(X, dims=("p", "q", "r")),
        {"id": "p", "channels": "q", "time": "r"},
        BOTH,
        None,
    ),
    "channels last": (X.transpose(0, 2, 1), {"layout": "channels-last"}, BOTH, None),
    "tslearn": (
        np.concatenate([X.transpose(0, 2, 1), np.full((CASES, 3, 2), np.nan)], axis=1),
        {"layout": "tslearn"},
        BOTH,
        None,
    ),
    "a list of (time, channels)": ([series.T for series in X], {"layout": "channels-last"}, BOTH, None),
}


@pytest.mark.parametrize("name", ASKED)
def test_what_is_asked_for_is_read(name):
    frame, asked, series, labels = ASKED[name]
    assert_read(frame, series, labels, **asked)


REFUSALS = {
    "text among values": (
        wide(sex=LABELS),
        TypeError,
        "got text in column 'sex'; if it has labels, use X, y",
    ),
    "a date among values": (
        wide(born=DAYS[:CASES]),
        ValueError,
        "the rows are times, and no column says of which",
    ),
    "a number that is no time step": (
        pd.DataFrame(X[:, 0], columns=["age", *(f"t{step}" for step in range(1, STEPS))]),
        ValueError,
        "expected a time step as 't1' in every column, got 'age'; if it has labels",
    ),
    "rows of times": (
        long().drop(columns="id"),
        ValueError,
        "the rows are times, and no column says of which case",
    ),
    "an index of dates": (
        pd.DataFrame(X[0].T, index=DAYS),
        ValueError,
        "for a case in every column the transpose",
    ),
    "an index of seconds": (pd.DataFrame(X[0].T, index=SECONDS), ValueError, "the rows are times"),
    "one recording": (
        pd.DataFrame(X[0].T, columns=["u", "v"]),
        ValueError,
        r"10 rows of 'u', 'v' may be one case .* diffeo.from_frame\(frame, channels=\[...\]\)",
    ),
    "cases without times": (long().drop(columns="time"), ValueError, r"from_frame\(frame, id='id'\)"),
    "irregular times": (
        long(SECONDS**2),
        ValueError,
        "expected equally spaced times, got steps from 0.01 to 0.17 in case 'a'; resample",
    ),
    "a gap": (long().drop(index=4), ValueError, "got steps from 0.1 to 0.2 in case 'a'; resample"),
    "irregular dates in the columns": (
        pd.DataFrame(X[:, 0, :3], columns=DAYS[[0, 1, 5]]),
        ValueError,
        "expected equally spaced times, .* in the names of the columns; resample",
    ),
    "columns out of order": (
        pd.DataFrame(X[:, 0, :3], columns=["t1", "t10", "t2"]),
        ValueError,
        "expected ascending times, got 2.0 after 10.0 in the names of the columns",
    ),
    "a time twice": (
        pd.concat([long(), long()]),
        ValueError,
        "expected ascending times, got 0.0 twice in case 'a'",
    ),
    "a missing time": (long().replace({"time": {0.3: np.nan}}), ValueError, "got a missing one in case 'a'"),
    "times as text": (
        long(np.array([f"step {step}" for step in range(STEPS)])),
        TypeError,
        "expected numbers or dates as times, got text in column 'time'",
    ),
    "two labels": (wide(label=LABELS, target=LABELS), ValueError, "'label', 'target' may each be the label"),
    "labels that change": (
        long(label=np.tile(LABELS, STEPS)),
        ValueError,
        "expected one label for every case in column 'label', got 'up' and 'down' for one",
    ),
    "one row for each case": (long().iloc[::STEPS], ValueError, "expected several time steps of each case"),
    "a channel that is missing": (very_long().iloc[STEPS:], ValueError, "expected 2 channels in every case"),
    "unknown dimensions": (
        xr.DataArray(X, dims=("p", "q", "r")),
        ValueError,
        "expected dimensions called case, channel and time, got",
    ),
    "irregular coordinates": (
        labeled_array("trial", "sensor", "seconds", seconds=SECONDS**2),
        ValueError,
        "expected equally spaced times, .* along 'seconds'; resample",
    ),
    "square frames": (
        [pd.DataFrame(X[0, :, :2])] * 3,
        ValueError,
        r'\(time, channels\): say .*layout="channels-',
    ),
    "irregular series in a list": (
        [pd.Series(series[0], index=SECONDS**2) for series in X],
        ValueError,
        r"X\[0\]: expected equally spaced times",
    ),
    "a lazy frame": (pl.DataFrame(nested(list)).lazy(), TypeError, r"use its collect\(\)"),
    "tslearn's layout": (
        X[:, :1].transpose(0, 2, 1),
        ValueError,
        r'10 channels of 1 time step; .*from_frame\(X, layout="channels-last"\)',
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_could_be_misread_is_refused(name):
    frame, error, message = REFUSALS[name]
    for read in (diffeo.align, diffeo.z_normalize, diffeo.JointAligner().fit):
        with pytest.raises(error, match=message):
            read(frame)


@pytest.mark.parametrize(
    ("series", "message"),
    [
        (
            np.ones((5, 12, 3)),
            r"shape \(5, 12, 3\) is read as 5 cases of 12 channels and 3 time steps; if time",
        ),
        (
            [np.ones((12, 3))] * 5,
            r"5 series of shape \(12, 3\) is read as 5 cases of 12 channels and 3 time steps",
        ),
        (np.ones((1000, 3)), r"is read as 1000 cases of 1 channels and 3 time steps; if the 3 columns are"),
    ],
)
def test_doubtful_shapes_are_warned_of_where_they_are_given(series, message):
    with pytest.warns(UserWarning, match=message) as caught:
        diffeo.z_normalize(series)
    assert caught[0].filename == __file__


def test_labels_of_a_frame_are_used_where_none_are_given():
    result = diffeo.align(wide(label=LABELS), cells=4)
    assert result.classes.tolist() == ["down", "up"]
    assert diffeo.align(wide(label=LABELS), [1, 1, 1, 1], cells=4).classes.tolist() == [1]
    assert diffeo.JointAligner(cells=4).fit(wide(label=LABELS)).classes_.tolist() == ["down", "up"]


def test_times_come_with_the_series():
    np.testing.assert_array_equal(diffeo.from_frame(long()).times, SECONDS)
    np.testing.assert_array_equal(diffeo.from_frame(long(DAYS)).times, DAYS.to_numpy())
    assert diffeo.from_frame(wide()).times is None
    different = diffeo.from_frame(long().drop(index=range(STEPS - 2, STEPS)))
    assert (
        [len(times) for times in different.times]
        == [len(series[0]) for series in different.X]
        == [8, 10, 10, 10]
    )
    again = pickle.loads(pickle.dumps(diffeo.from_frame(long())))
    np.testing.assert_array_equal(again.times, SECONDS)


def test_months_are_equally_spaced():
    for frequency in ("MS", "ME", "QS", "YS"):
        diffeo.from_frame(pd.DataFrame(X[:, 0], columns=pd.date_range("2024", periods=STEPS, freq=frequency)))


def test_precision_is_kept():
    assert diffeo.from_frame(long().astype({"value": np.float32})).X.dtype == np.float32
    assert diffeo.from_frame(pl.DataFrame(nested(list)).cast(pl.List(pl.Float32))).X.dtype == np.float32


def test_missing_values_are_missing_in_every_library():
    held = {"id": ["a", "a", "b", "b"], "time": [0, 1, 0, 1], "value": [1, None, 3, 4]}
    for frame in (pd.DataFrame(held).convert_dtypes(), pl.DataFrame(held), pa.table(held)):
        np.testing.assert_array_equal(diffeo.from_frame(frame).X[:, 0], [[1, np.nan], [3, 4]])


# --- what comes back ----------------------------------------------------------------------------------------


def test_wide_frames_come_back_with_their_index_and_columns():
    frame = pd.DataFrame(X[:, 0], index=NAMES, columns=DAYS)
    aligned = diffeo.align(frame, cells=4).aligned
    assert aligned.index.equals(frame.index)
    assert aligned.columns.equals(frame.columns)
    np.testing.assert_array_equal(aligned, diffeo.align(X[:, 0], cells=4).aligned)
    shorter = diffeo.JointAligner(cells=4, length=4).fit(frame).transform(frame)
    assert shorter.columns.tolist() == list(pd.date_range(DAYS[0], DAYS[-1], periods=4))


def test_long_frames_come_back_as_they_came():
    frame = two_channels().assign(label=REPEATED)
    back = diffeo.z_normalize(frame)
    assert sorted(back.columns) == sorted(frame.columns)
    pd.testing.assert_frame_equal(back[["id", "time", "label"]], frame[["id", "time", "label"]])
    np.testing.assert_array_equal(diffeo.from_frame(back).X, diffeo.z_normalize(X))


def test_multiindexed_frames_come_back_with_their_index():
    frame = multiindex()
    back = diffeo.align(frame, cells=4).aligned
    assert back.index.equals(frame.index)
    assert back.columns.equals(frame.columns)


def test_polars_and_arrow_come_back():
    for frame in (pl.DataFrame(long().to_dict("list")), pa.table(long().to_dict("list"))):
        back = diffeo.z_normalize(frame)
        assert type(back) is type(frame)
        np.testing.assert_array_equal(diffeo.from_frame(back).X, diffeo.z_normalize(ONE))


def test_labeled_arrays_come_back_with_their_dimensions_and_coordinates():
    array = labeled_array("seconds", "trial", "sensor", trial=NAMES, seconds=SECONDS)
    back = diffeo.align(array, cells=4).aligned
    assert back.dims == array.dims
    xr.testing.assert_equal(back.coords.to_dataset(), array.coords.to_dataset())
    resampled = diffeo.resample(array, 19)
    np.testing.assert_allclose(resampled.seconds, np.linspace(0, SECONDS[-1], 19))


def test_what_cannot_be_asked_for_is_refused():
    for asked, message in (
        ({"id": "nobody"}, "id: expected one of the columns 'id', 'time', 'value', got 'nobody'"),
        (
            {"layout": "fortran"},
            "layout: expected one of channels-first, channels-last, tslearn, got 'fortran'",
        ),
        ({"layout": "tslearn"}, "layout: expected None for a frame"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            diffeo.from_frame(long(), **asked)
    with pytest.raises(TypeError, match="frame: expected a frame with names, got ndarray"):
        diffeo.from_frame(X, time="time")
