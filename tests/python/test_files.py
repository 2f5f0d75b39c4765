"""Series in files through Python, and files that others write and read."""

import contextlib
import csv
import errno
import io
import os
import re
import stat
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import diffeo
from diffeo._dataset import Form, as_dataset, series_of

FORMS = (".tsv", ".csv", ".ts", ".arff", ".npy", ".npz")
TEXT = (".tsv", ".csv", ".ts", ".arff")


def bits(array):
    """For comparisons to the last bit; one NaN is as good as another."""
    return np.where(np.isnan(array), np.nan, array).view(np.int64)


def assert_same_series(left, right):
    assert len(left) == len(right)
    for one, other in zip(left, right, strict=True):
        assert one.shape == other.shape
        assert np.array_equal(bits(np.ascontiguousarray(one)), bits(np.ascontiguousarray(other)))


@pytest.fixture
def special():
    """(3, 1, 5): zeros of both signs, infinities, subnormals, a missing value, long fractions."""
    return np.array(
        [
            [[0.0, -0.0, np.inf, -np.inf, 5e-324]],
            [[np.nan, 0.1, 1 / 3, 1.7976931348623157e308, 2.2250738585072011e-308]],
            [[1e22, 1e23, -123456789.125, 0.30000000000000004, -5e-324]],
        ]
    )


# --- round trips --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_every_bit_back(form, special, tmp_path):
    y = None if form == ".npy" else ["1", "-1", "1"]
    diffeo.save(tmp_path / f"set{form}", special, y)
    X, labels = diffeo.load(tmp_path / f"set{form}")
    assert X.shape == special.shape
    assert_same_series(X, special)
    assert labels is None if y is None else labels.tolist() == y


FINITE_OR_NOT = hnp.arrays(
    np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.floats(width=64)
)
LABELS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=5)


@pytest.mark.parametrize("form", FORMS)
@given(series=FINITE_OR_NOT)
def test_any_numbers_come_back(form, series, tmp_path_factory):
    if form == ".tsv":
        series = np.column_stack([series, np.ones(len(series))])  # a series there cannot end in NaN
    path = tmp_path_factory.mktemp("set") / f"set{form}"
    diffeo.save(path, series)
    X, y = diffeo.load(path)
    assert y is None
    assert_same_series(X, series[:, np.newaxis])


@pytest.mark.parametrize("form", [".csv", ".npz"])
@given(labels=st.lists(LABELS, min_size=1, max_size=5))
def test_any_labels_come_back(form, labels, tmp_path_factory):
    path = tmp_path_factory.mktemp("set") / f"set{form}"
    diffeo.save(path, np.ones((len(labels), 2)), labels)
    assert diffeo.load(path)[1].tolist() == labels


@pytest.mark.parametrize("form", [".ts", ".npz"])
@given(
    lengths=st.lists(st.integers(1, 6), min_size=1, max_size=5),
    channels=st.integers(1, 3),
    seed=st.integers(0, 1000),
)
def test_any_lengths_and_channels_come_back(form, lengths, channels, seed, tmp_path_factory):
    rng = np.random.default_rng(seed)
    series = [rng.normal(size=(channels, length)) for length in lengths]
    for one in series:
        one[rng.uniform(size=one.shape) < 0.3] = np.nan
    path = tmp_path_factory.mktemp("set") / f"set{form}"
    diffeo.save(path, series, lengths)
    X, y = diffeo.load(path)
    assert isinstance(X, np.ndarray) == (len(set(lengths)) == 1)
    assert y.tolist() == [str(length) for length in lengths]
    assert_same_series(X, series)


@pytest.mark.parametrize("form", FORMS)
def test_single_precision_is_kept_exactly(form, rng, tmp_path):
    series = rng.normal(size=(3, 1, 7)).astype(np.float32)
    diffeo.save(tmp_path / f"set{form}", series)
    assert np.array_equal(diffeo.load(tmp_path / f"set{form}")[0], series.astype(float))


def test_what_is_loaded_is_the_callers_own(tmp_path):
    diffeo.save(tmp_path / "set.npz", np.ones((2, 3)))
    X, _ = diffeo.load(tmp_path / "set.npz")
    X[0, 0, 0] = 7
    assert X[0, 0, 0] == 7
    assert diffeo.load(tmp_path / "set.npz")[0][0, 0, 0] == 1


# --- arguments ----------------------------------------------------------------------------------------------


def test_labels_are_text_whatever_they_were(tmp_path):
    for labels in ([1, 2], np.array([1, 2]), np.array(["1", "2"]), [b"1", b"2"], (np.int8(1), "2")):
        diffeo.save(tmp_path / "set.csv", np.ones((2, 3)), labels)
        assert diffeo.load(tmp_path / "set.csv")[1].tolist() == ["1", "2"]


def test_series_are_taken_in_every_form_people_have():
    flat = np.arange(6.0).reshape(2, 3)
    for X in (flat, flat[:, np.newaxis], flat.tolist(), list(flat), tuple(flat), np.asfortranarray(flat)):
        dataset, form = as_dataset(X)
        assert (form.precision, form.flat) == (np.float64, np.ndim(X) == 2)
        assert np.array_equal(series_of(dataset, Form(form.precision, flat=False)), flat[:, np.newaxis])
    objects = np.empty(2, object)
    objects[:] = [flat[0], flat[1, :2]]
    assert [series.shape for series in series_of(*as_dataset(objects))] == [(3,), (2,)]
    assert series_of(*as_dataset(flat.astype(np.float32))).dtype == np.float32
    assert series_of(*as_dataset(flat.astype(int))).dtype == np.float64


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.ones(3), None, "X: expected shape (cases, channels, time)"),
        (np.ones((2, 0)), None, "got shape (2, 0)"),
        ([], None, "got shape (0,)"),
        ([[1.0], [[1.0]]], None, "X[1]: expected shape (time,) as X[0] has, got (1, 1)"),
        ([np.ones((2, 3)), np.ones((3, 3))], None, "X[1]: expected shape (2, time) as X[0] has, got (3, 3)"),
        ([np.ones((2, 3)), np.ones((2, 0))], None, "X[1]: expected shape (channels, time) or (time,)"),
        (np.ones((2, 3)), ["a"], "y: expected 2 labels, one per case, got 1"),
        (np.ones((2, 3)), "ab", "y: expected a sequence of 2 labels, one per case, got 'ab'"),
        (np.ones((2, 3)), ["a", None], "y: expected a label for every case, got None for case 1"),
        (np.ones((2, 3)), [1.0, np.nan], "y: expected a label for every case, got nan for case 1"),
    ],
)
def test_what_is_no_set_of_series_is_refused(X, y, message, tmp_path):
    with pytest.raises(ValueError, match=re.escape(message)):
        diffeo.save(tmp_path / "set.npz", X, y)
    assert list(tmp_path.iterdir()) == []


def test_the_label_column_of_a_csv_file_can_be_chosen(tmp_path):
    path = tmp_path / "set.csv"
    path.write_text("t0,t1,kind\n1,2.5,a\n2,3.5,b\n")
    for label in ("kind", 2, -1, np.int64(2)):
        X, y = diffeo.load(path, label)
        assert y.tolist() == ["a", "b"]
        assert X.tolist() == [[[1, 2.5]], [[2, 3.5]]]
    path.write_text("1,2\n3,4\n")
    X, y = diffeo.load(path, label=False)
    assert y is None
    assert X.tolist() == [[[1, 2]], [[3, 4]]]
    for label in (True, 1.5, [0]):
        with pytest.raises(ValueError, match="label: expected a column's name or number"):
            diffeo.load(path, label)
    with pytest.raises(ValueError, match=r"label: expected none for \.ts"):
        diffeo.load(tmp_path / "set.ts", label="kind")


# --- errors -------------------------------------------------------------------------------------------------


def test_a_broken_file_is_a_value_error_with_its_place(tmp_path):
    path = tmp_path / "set.tsv"
    path.write_text("a\t1\t2\nb\t1\tx\n")
    with pytest.raises(ValueError, match=re.escape(f"{path}:2:3: expected a number, got 'x'")):
        diffeo.load(path)


@pytest.mark.parametrize("form", FORMS)
def test_a_file_that_cannot_be_opened_is_the_error_of_the_system(form, tmp_path):
    path = tmp_path / f"set{form}"
    with pytest.raises(FileNotFoundError) as caught:
        diffeo.load(path)
    assert caught.value.errno == errno.ENOENT
    assert caught.value.filename == str(path)
    path.mkdir()
    with pytest.raises(IsADirectoryError):
        diffeo.load(path)
    with pytest.raises(IsADirectoryError):
        diffeo.save(path, np.ones((1, 2)))
    with pytest.raises(FileNotFoundError):
        diffeo.save(tmp_path / "none" / f"set{form}", np.ones((1, 2)))


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read and write everything")
def test_a_file_without_the_right_to_it_is_a_permission_error(tmp_path):
    path = tmp_path / "set.tsv"
    path.write_text("a\t1\n")
    path.chmod(0)
    with pytest.raises(PermissionError):
        diffeo.load(path)
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(PermissionError):
        diffeo.save(tmp_path / "other.tsv", np.ones((1, 2)))
    tmp_path.chmod(stat.S_IRWXU)


@pytest.mark.parametrize("form", FORMS)
def test_a_full_disk_is_an_error_and_leaves_the_old_file(form, tmp_path):
    """The limit on the size of files stands for the disk."""
    path = tmp_path / f"set{form}"
    diffeo.save(path, np.ones((1, 2)))
    before = path.read_bytes()
    code = (
        "import resource, signal, sys, numpy as np, diffeo\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "try:\n"
        "    diffeo.save(sys.argv[1], np.random.default_rng(0).normal(size=(100, 1000)))\n"
        "except OSError as error:\n"
        "    sys.exit(error.errno)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code, path], env=environment, check=False, timeout=60)
    assert done.returncode == errno.EFBIG
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def growth_of_reading(path):
    """Mebibytes by which a fresh process grows at most while it reads."""
    code = (
        "import re, sys, diffeo\n"
        "from pathlib import Path\n"
        "def size(name):\n"
        "    return int(re.search(name + r':\\s*(\\d+)', Path('/proc/self/status').read_text())[1]) / 1024\n"
        "Path('/proc/self/clear_refs').write_text('5')\n"
        "before = size('VmRSS')\n"
        "kept = diffeo.load(sys.argv[1])\n"
        "print(size('VmHWM') - before)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code, path], env=environment, check=True, timeout=60, stdout=subprocess.PIPE
    )
    return float(done.stdout)


@pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="the system has no /proc/self/clear_refs"
)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", [(2000, 1000), (2, 1_000_000)])
def test_reading_takes_the_memory_of_the_result(form, shape, rng, tmp_path):
    path = tmp_path / f"set{form}"
    diffeo.save(path, rng.normal(size=shape))
    result = shape[0] * shape[1] * 8 / 2**20
    assert growth_of_reading(path) < 1.1 * result + 2  # buffers, and the label column


# --- NumPy's files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    "kind", ["<f8", ">f8", "<f4", ">f4", "<f2", "i1", "<i2", ">i4", "<i8", "u1", ">u2", "<u4", "<u8", "?"]
)
@pytest.mark.parametrize("shape", [(4, 5), (2, 3, 4)])
def test_arrays_of_every_number_that_numpy_saves_are_read(kind, order, shape, rng, tmp_path):
    array = np.asarray(rng.normal(scale=50, size=shape).clip(0).astype(kind), order=order)
    np.save(tmp_path / "set.npy", array)
    X, y = diffeo.load(tmp_path / "set.npy")
    assert y is None
    assert X.dtype == np.float64
    assert np.array_equal(X, array.reshape(shape[0], -1, shape[-1]).astype(float))


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version_of_the_array_format_is_read(version, tmp_path):
    with (tmp_path / "set.npy").open("wb") as file:
        np.lib.format.write_array(file, np.arange(6.0).reshape(2, 3), version=version)
    assert diffeo.load(tmp_path / "set.npy")[0].tolist() == [[[0, 1, 2]], [[3, 4, 5]]]


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize(
    "y",
    [
        np.array(["a", "bé", "日本"]),
        np.array(["a", "bé", "日本"]).astype(">U2"),
        np.array([b"a", b"bc", b""]),
        np.array([1, -2, 300]),
        np.array([1, 2, 2**63], np.uint64),
        np.array([1.0, 0.1, 1e100]),
        np.array([0.1, 2.5, 1e20], np.float32),
        np.array([True, False, True]),
    ],
    ids=lambda y: y.dtype.str,
)
def test_archives_that_numpy_saves_are_read(save, y, rng, tmp_path):
    X = rng.normal(size=(3, 2, 1000))
    save(tmp_path / "set.npz", X=X, y=y)
    series, labels = diffeo.load(tmp_path / "set.npz")
    assert np.array_equal(series, X)
    assert labels.tolist() == [v.decode() if isinstance(v, bytes) else str(v) for v in y]


def test_archives_are_read_by_numpy(rng, tmp_path):
    series = [rng.normal(size=(2, length)) for length in (3, 5, 4)]
    diffeo.save(tmp_path / "set.npz", series, ["a", "ü", "a"])
    with np.load(tmp_path / "set.npz", allow_pickle=False) as archive:
        assert sorted(archive) == ["X", "lengths", "y"]
        assert archive["lengths"].tolist() == [3, 5, 4]
        assert archive["y"].tolist() == ["a", "ü", "a"]
        for case, one in enumerate(series):
            assert np.array_equal(archive["X"][case, :, : one.shape[1]], one)
            assert np.isnan(archive["X"][case, :, one.shape[1] :]).all()
    assert zipfile.ZipFile(tmp_path / "set.npz").testzip() is None
    diffeo.save(tmp_path / "set.npy", np.ones((2, 3)))
    assert np.load(tmp_path / "set.npy").shape == (2, 1, 3)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"y": np.ones(2)}, "set.npz: expected an array X, got 'y.npy'"),
        (
            {"X": np.ones((2, 3)), "Y": np.ones(2)},
            "set.npz: expected no other arrays than X.npy, y.npy, lengths.npy, classes.npy, got 'Y.npy'",
        ),
        ({"X": np.array([None, 1])}, "set.npz: X.npy: expected numbers or text, got pickled Python objects"),
        ({"X": np.ones((2, 3)), "y": np.array([None, 1])}, "y.npy: expected numbers or text, got pickled"),
        ({"X": np.ones((2, 3)), "y": np.ones(3)}, "y.npy: expected 2 labels, one per case, got 3"),
        ({"X": np.ones((2, 3)), "y": np.ones((2, 1))}, "y.npy: expected one dimension, got shape (2, 1)"),
        ({"X": np.ones((2, 3)), "lengths": np.array([1, 4])}, "expected whole numbers from 1 to 3, got 4"),
        (
            {"X": np.ones((2, 3)), "lengths": np.array([1])},
            "expected 2 lengths, one per case, got",
        ),
        ({"X": np.ones(3)}, "expected shape (cases, time) or (cases, channels, time)"),
        ({"X": np.ones((2, 3)) * 1j}, "got type '<c16'"),
    ],
)
def test_archives_of_something_else_are_refused(arrays, message, tmp_path):
    np.savez(tmp_path / "set.npz", **arrays)
    with pytest.raises(ValueError, match=re.escape(message)):
        diffeo.load(tmp_path / "set.npz")


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_damaged_archives_are_refused(save, rng, tmp_path):
    path = tmp_path / "set.npz"
    save(path, X=np.round(rng.normal(size=(20, 50)), 2), y=np.arange(20))
    whole = path.read_bytes()
    expected = diffeo.load(path)[0]
    refused = 0
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        try:
            assert np.array_equal(diffeo.load(path)[0], expected)  # of no consequence, such as a date
        except ValueError:
            refused += 1
    assert refused > 0.8 * len(whole) / 7
    for size in range(0, len(whole), 97):
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match=r"set\.npz"):
            diffeo.load(path)


class _Pipe(io.BytesIO):
    """Where nobody can go back: sizes and checksums come after the arrays."""

    def seekable(self) -> bool:
        return False

    def tell(self) -> int:
        raise io.UnsupportedOperation


def _archive(save, **arrays) -> bytes:
    stream = io.BytesIO()
    save(stream, **arrays)
    return stream.getvalue()


def _archive_from_a_pipe(compression, **arrays) -> bytes:
    stream = _Pipe()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, array)
    return stream.getvalue()


def _bits_that_say_where_what_is(archive: bytes, rng) -> list[int]:
    """All of headers, directory and end, and some of the arrays."""
    in_arrays = np.zeros(len(archive), bool)
    with zipfile.ZipFile(io.BytesIO(archive)) as members:
        for member in members.infolist():
            name_size, extra_size = struct.unpack_from("<HH", archive, member.header_offset + 26)
            start = member.header_offset + 30 + name_size + extra_size
            in_arrays[start : start + member.compress_size] = True
    places = [*np.flatnonzero(~in_arrays), *rng.choice(np.flatnonzero(in_arrays), 30, replace=False)]
    return [8 * int(place) + bit for place in places for bit in range(8)]


@pytest.mark.parametrize(
    "make",
    [
        lambda **arrays: _archive(np.savez_compressed, **arrays),
        lambda **arrays: _archive_from_a_pipe(zipfile.ZIP_STORED, **arrays),
    ],
    ids=["compressed", "stored, from a pipe"],
)
def test_archives_with_one_bit_flipped_are_the_same_set_or_refused(make, rng, tmp_path):
    X = np.round(rng.normal(size=(2, 2, 3)), 2)
    whole = make(X=X, y=np.array(["a", "b"]), lengths=np.array([3, 2]))
    path = tmp_path / "set.npz"

    def read(content: bytes) -> tuple[list[list[list[float]]], list[str]]:
        path.unlink(missing_ok=True)  # writing over a file may wait for the disk
        path.write_bytes(content)
        series, labels = diffeo.load(path)
        return [each.tolist() for each in series], labels.tolist()

    expected = read(whole)
    assert expected == ([X[0].tolist(), X[1, :, :2].tolist()], ["a", "b"])
    refused = 0
    bits_to_flip = _bits_that_say_where_what_is(whole, rng)
    for bit in bits_to_flip:
        content = bytearray(whole)
        content[bit // 8] ^= 1 << bit % 8
        try:
            assert read(bytes(content)) == expected, f"bit {bit}"  # of no consequence, such as a date
        except ValueError as problem:
            assert str(problem).startswith(str(path))  # noqa: PT017
            refused += 1
    assert refused > 0.7 * len(bits_to_flip)


def test_archives_with_an_array_twice_are_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "set.npz", "w") as archive:
        for value in (1.0, 2.0):
            with pytest.warns(UserWarning, match="Duplicate name") if value > 1 else contextlib.nullcontext():
                archive.writestr("X.npy", _npy(np.full((2, 3), value)))
    with pytest.raises(ValueError, match=r"set\.npz: expected X\.npy once, got it twice"):
        diffeo.load(tmp_path / "set.npz")


def _npy(array) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def test_archives_that_unpack_to_too_much_are_refused_before_memory_is_taken(tmp_path):
    path = tmp_path / "bomb.npz"
    np.savez_compressed(path, X=np.zeros((1, 200_000_000), np.int8))  # 8 bytes for each when it is read
    assert path.stat().st_size < 250_000
    bytes_taken = 1_600_000_000
    message = (
        f"bomb.npz: X.npy: expected to take at most {2**30} bytes of memory (max_size), got {bytes_taken}"
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        diffeo.load(path)
    with pytest.raises(ValueError, match=re.escape("at most 1000 bytes")):
        diffeo.load(path, max_size=1000)


def test_too_little_memory_is_a_memory_error(tmp_path):
    """In a process of its own, whose memory is limited."""
    path = tmp_path / "bomb.npz"
    np.savez_compressed(path, X=np.zeros((1, 200_000_000), np.int8))
    code = f"""
import resource
import diffeo
resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000,) * 2)
try:
    diffeo.load({str(path)!r}, max_size=10**12)
except MemoryError:
    print("MemoryError")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("MemoryError\n", "")


@pytest.mark.parametrize("form", FORMS)
def test_the_memory_that_a_file_may_take_can_be_set(form, tmp_path):
    path = tmp_path / f"set{form}"
    diffeo.save(path, np.ones((50, 2000)))
    assert len(diffeo.load(path, max_size=800_000)[0]) == 50
    with pytest.raises(
        ValueError, match=rf"set{re.escape(form)}: .*at most 799999 bytes of memory \(max_size\)"
    ):
        diffeo.load(path, max_size=799_999)


@pytest.mark.parametrize("size", [0, -1, 1.5, "1G"])
def test_a_size_that_is_none_is_refused(size, tmp_path):
    diffeo.save(tmp_path / "set.tsv", np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"max_size: expected at least 1, as a whole number, or None, got"):
        diffeo.load(tmp_path / "set.tsv", max_size=size)


@pytest.mark.parametrize("form", TEXT)
def test_text_without_a_newline_at_its_end_is_read_with_a_warning(form, tmp_path):
    path = tmp_path / f"set{form}"
    diffeo.save(path, np.arange(6.0).reshape(2, 3))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.warns(UserWarning, match=rf"set{re.escape(form)}: expected a newline at the end") as warnings:
        X, _ = diffeo.load(path)
    assert X.tolist() == [[[0, 1, 2]], [[3, 4, 5]]]
    assert warnings[0].filename == __file__


@pytest.mark.parametrize("label", ["=1+1", "'=1+1", "@a", "+a", "-a", "-1", "+1", "'a", "''", '="a",b'])
def test_labels_are_no_formulas_for_a_spreadsheet_and_keep_their_text(label, tmp_path):
    path = tmp_path / "set.csv"
    diffeo.save(path, np.ones((1, 2)), [label])
    field = next(csv.reader(path.read_text().splitlines()[1:]))[0]
    assert field[0] not in "=+-@" or float(field)
    assert diffeo.load(path)[1].tolist() == [label]


# --- files of others ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def aeon():
    return pytest.importorskip("aeon.datasets", reason="aeon is not installed: its files are not compared")


def aeon_file(aeon, folder, X, y, **options):
    aeon.save_to_ts_file(X, y, path=str(folder), problem_name="set", **options)
    return folder / "set.ts"


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("missing", [False, True])
def test_what_aeon_writes_is_read(channels, missing, aeon, rng, tmp_path):
    X = rng.normal(size=(5, channels, 8))
    if missing:
        X[rng.uniform(size=X.shape) < 0.2] = np.nan
    y = np.array(["one", "two", "one", "two", "two"])
    series, labels = diffeo.load(
        aeon_file(aeon, tmp_path, X, y, label_type="classification", header="A remark of some length. " * 8)
    )
    assert_same_series(series, X)
    assert labels.tolist() == y.tolist()


def test_what_aeon_writes_of_different_lengths_is_read(aeon, rng, tmp_path):
    X = [rng.normal(size=(2, length)) for length in (3, 6, 4)]
    series, labels = diffeo.load(
        aeon_file(aeon, tmp_path, X, np.array([0, 1, 1]), label_type="classification")
    )
    assert_same_series(series, X)
    assert labels.tolist() == ["0", "1", "1"]


def test_what_aeon_writes_for_regression_and_without_labels_is_read(aeon, rng, tmp_path):
    X = rng.normal(size=(3, 2, 4))
    y = np.array([0.25, -1.5, 3.0])
    series, labels = diffeo.load(aeon_file(aeon, tmp_path, X, y, label_type="regression"))
    assert_same_series(series, X)
    assert labels.astype(float).tolist() == y.tolist()
    series, labels = diffeo.load(aeon_file(aeon, tmp_path, X, None))
    assert_same_series(series, X)
    assert labels is None


@pytest.mark.parametrize(
    ("form", "channels"), [(".ts", 1), (".ts", 3), (".arff", 1), (".arff", 3), (".tsv", 1)]
)
def test_aeon_reads_what_is_written(form, channels, aeon, rng, tmp_path):
    X = rng.normal(size=(5, channels, 8))
    X[0, 0, :3] = np.nan
    y = np.array(["one", "two", "one", "two", "two"])
    diffeo.save(tmp_path / f"set{form}", X, y)
    readers = {".ts": "load_from_ts_file", ".arff": "load_from_arff_file", ".tsv": "load_from_tsv_file"}
    series, labels = getattr(aeon, readers[form])(str(tmp_path / f"set{form}"))
    # For .tsv aeon asks pandas, whose parser is off by a few roundings.
    np.testing.assert_allclose(series, X, rtol=0 if form != ".tsv" else 8 * np.finfo(float).eps)
    assert labels.tolist() == y.tolist()


def test_aeon_reads_different_lengths(aeon, rng, tmp_path):
    X = [rng.normal(size=(2, length)) for length in (3, 6, 4)]
    diffeo.save(tmp_path / "set.ts", X, [0, 1, 1])
    series, labels = aeon.load_from_ts_file(str(tmp_path / "set.ts"))
    assert_same_series(series, X)
    assert labels.tolist() == ["0", "1", "1"]


def test_the_files_that_come_with_aeon_are_read_as_aeon_reads_them(aeon):
    seen = 0
    for path in sorted((Path(aeon.__file__).parent / "data").glob("*/*_TRAIN.*")):
        readers = {".ts": aeon.load_from_ts_file, ".arff": aeon.load_from_arff_file}
        if path.suffix not in readers or "TimeStamps" in path.name:
            continue
        expected, labels = readers[path.suffix](str(path))
        X, y = diffeo.load(path)
        assert_same_series(X, [np.asarray(series, float) for series in expected])
        assert [label.lower() for label in y] == [str(label).lower() for label in labels] or np.allclose(
            y.astype(float), labels.astype(float)
        )
        seen += 1
    assert seen > 3


def test_the_archive_is_read_as_numpy_reads_it(shared_directory):
    paths = sorted((shared_directory / "ucr").glob("*/*.tsv"))
    if not paths:
        pytest.skip("no shared data: ucr is not there")
    for number, path in enumerate(paths):
        X, y = diffeo.load(path)
        assert X.ndim == 3
        assert X.shape[:2] == (len(y), 1)
        if number % 6 == 0:
            table = np.loadtxt(path)
            assert np.array_equal(bits(X[:, 0]), bits(np.ascontiguousarray(table[:, 1:])))
            assert np.array_equal(y.astype(float), table[:, 0])
