"""The aligner with a network: trained, applied, copied, saved and refused."""

import inspect
import io
import pickle
import re
import subprocess
import sys
from contextlib import redirect_stderr
from pathlib import Path

import numpy as np
import pytest
from hidden_modules import hiding

import diffeo
from diffeo import _core

torch = pytest.importorskip("torch", reason="torch is not installed")
try:
    import diffeo.torch
except ImportError as error:
    pytest.skip(str(error), allow_module_level=True)

ROOT = Path(__file__).resolve().parents[2]
#: Small enough for a fraction of a second, large enough for warps that are plain to see.
SMALL = {
    "cells": 8,
    "widths": (8, 8),
    "kernels": (5, 3),
    "hidden": 8,
    "epochs": 8,
    "least_steps": 0,
    "batch_size": 8,
    "learning_rate": 1e-2,
    "loss": "variance + 30 cross-entropy",
    "shrinkage": "1",
}
INVERSE = 1e-9  # of exact flows there and back, in doubles


def small(**parameters):
    return diffeo.TemporalAligner(**{**SMALL, "random_state": 7, **parameters})


def run_python(*arguments, **more):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=120, **more
    )


@pytest.fixture(scope="module")
def bumps():
    return diffeo.generate_bumps(24, seed=3, classes=2, length=48)


@pytest.fixture(scope="module")
def fitted(bumps):
    return small(layers=2).fit(bumps.X, bumps.y)


# --- parameters --------------------------------------------------------------------------------------------


def test_the_signature_is_that_of_the_table():
    parameters = inspect.signature(diffeo.TemporalAligner).parameters
    defaults = _core.TrainingOptions("default").values()
    assert {name: parameters[name].default for name in defaults} == defaults
    run = ["random_state", "n_jobs", "verbose", "callback", "checkpoint", "resume"]
    assert list(parameters) == [*defaults, *run]
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in parameters.values())


def test_the_committed_signature_is_generated():
    done = run_python(str(ROOT / "tools" / "generate_signatures.py"), "--check")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_table_says_of_every_parameter_what_may_be_given():
    kinds = {"integer": int, "number": float, "truth": bool, "text": str, "integers": tuple}
    values = _core.TrainingOptions("default").values()
    for row in _core.hyperparameters():
        assert type(values[row.name]) is kinds[row.type]
        assert row.group in ("warps", "network", "loss", "optimizer", "robustness")
        assert row.help
        if row.type in ("integer", "number"):
            assert row.lowest <= values[row.name] <= row.highest
        if row.choices:
            assert values[row.name] in row.choices
        assert row.name in diffeo.TemporalAligner.__init__.__doc__


@pytest.mark.parametrize("name", _core.preset_names())
def test_presets_give_their_values_and_can_be_changed(name):
    aligner = diffeo.TemporalAligner.from_preset(name, cells=11, random_state=3)
    expected = _core.TrainingOptions(name).values() | {"cells": 11, "random_state": 3}
    assert expected.items() <= aligner.get_params().items()


def test_presets_differ():
    paper = diffeo.TemporalAligner.from_preset("paper")
    assert paper.learning_rate == 1e-5
    assert diffeo.TemporalAligner().learning_rate != paper.learning_rate


def test_parameters_are_kept_as_given_and_shown_where_they_are_not_the_default():
    aligner = diffeo.TemporalAligner(cells=8, loss="variance")
    assert repr(aligner) == "TemporalAligner(cells=8, loss='variance')"
    assert aligner.set_params(cells=9).get_params()["cells"] == 9
    assert repr(pickle.loads(pickle.dumps(aligner))) == "TemporalAligner(cells=9, loss='variance')"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"cells": 0}, "cells: expected an integer from 1 to 4096, got 0"),
        ({"cells": 8.0}, "cells: expected an integer from 1 to 4096, got 8.0"),
        ({"cells": "8"}, "cells: expected an integer from 1 to 4096, got '8'"),
        ({"cells": None}, "cells: expected an integer from 1 to 4096, got None"),
        ({"layers": True}, "layers: expected an integer from 1 to 64, got true"),
        ({"zero_boundary": 1}, "zero_boundary: expected true or false, got 1"),
        ({"network": "magic"}, "network: expected conv, recurrent, inception or residual, got magic"),
        ({"learning_rate": float("nan")}, "learning_rate: expected a number from .*, got nan"),
        ({"learning_rate": -1}, "learning_rate: expected a number from .*, got -1"),
        ({"widths": (8, 8.5)}, r"widths: expected an integer from 1 to 65536, got 8\.5"),
        ({"widths": (8, 8, 8)}, "kernels: expected one for each of the 3 widths, got 2"),
        ({"loss": "happiness"}, "loss: expected a sum of warps, .* got happiness"),
        ({"shrinkage": 2}, "shrinkage: expected a number from 0 to 1, or validated, got 2"),
        (
            {"random_state": -1},
            "random_state: expected None, a whole number from 0 to 18446744073709551615, or a RandomState or "
            "Generator of NumPy, got -1",
        ),
        ({"random_state": "a"}, "random_state: expected None, a whole number .* of NumPy, got 'a'"),
        ({"verbose": "x"}, "verbose: expected a whole number of at least 0, got 'x'"),
        ({"verbose": -1}, "verbose: expected a whole number of at least 0, got -1"),
        ({"n_jobs": 0}, "n_jobs: expected None, -1 for all cores, or at least 1, got 0"),
        ({"resume": "no"}, "resume: expected True or False, got 'no'"),
        ({"resume": True}, "checkpoint: expected a directory with resume=True, got None"),
        (
            {"checkpoint": "c", "random_state": None},
            "random_state: .* whole number with a checkpoint, .* None",
        ),
        (
            {"checkpoint": "c", "random_state": np.random.default_rng(1)},
            "random_state: expected a whole number with a checkpoint, .* got Generator",
        ),
        (
            {"checkpoint": "c", "random_state": np.random.RandomState(1)},
            "random_state: expected a whole number with a checkpoint, .* got RandomState",
        ),
    ],
)
def test_values_that_cannot_be_are_refused_by_name(bumps, parameters, message):
    with pytest.raises(ValueError, match=message):
        small(**parameters).fit(bumps.X, bumps.y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"callback": 5}, "callback: expected a function or None, got 5"),
        ({"checkpoint": 5, "random_state": 1}, "checkpoint: expected the path of a directory or None, got 5"),
    ],
)
def test_what_cannot_be_called_or_be_a_path_is_refused_before_any_work(bumps, parameters, message):
    with pytest.raises(TypeError, match=message):
        small(**parameters).fit(bumps.X, bumps.y)


def test_a_callback_that_cannot_be_called_leaves_no_checkpoint(bumps, tmp_path):
    aligner = small(callback=5, checkpoint=tmp_path / "checkpoint", random_state=1)
    with pytest.raises(TypeError, match="callback: expected a function or None, got 5"):
        aligner.fit(bumps.X, bumps.y)
    assert list(tmp_path.iterdir()) == []


def test_unknown_parameters_are_refused():
    with pytest.raises(TypeError, match="cels"):
        diffeo.TemporalAligner(cels=8)
    with pytest.raises(ValueError, match="Invalid parameter 'cels' for estimator TemporalAligner"):
        diffeo.TemporalAligner().set_params(cels=8)
    with pytest.raises(ValueError, match=r"preset: expected default, ensemble, paper, .*, got quick"):
        diffeo.TemporalAligner.from_preset("quick")


def test_numbers_of_numpy_are_numbers(bumps):
    parameters = {"cells": np.int64(8), "learning_rate": np.float32(0.5**7), "zero_boundary": np.True_}
    aligner = small(epochs=1, widths=np.array([8, 8]), **parameters).fit(bumps.X, bumps.y)
    assert aligner.velocities(bumps.X).shape[-1] == 9
    assert aligner.history_[0].learning_rate <= 0.5**7


# --- what it computes --------------------------------------------------------------------------------------


def test_shapes_are_those_that_are_documented(bumps, fitted):
    assert fitted.transform(bumps.X).shape == (24, 1, 48)
    assert fitted.warps(bumps.X).shape == (24, 48)
    assert fitted.velocities(bumps.X).shape == (2, 24, 9)
    assert fitted.centroids_.shape == (2, 1, 48)
    assert (fitted.shrinkage_, fitted.random_state_) == (1.0, 7)
    np.testing.assert_array_equal(fitted.classes_, np.unique(bumps.y))


def test_series_are_read_at_the_warps_which_follow_the_velocities(bumps, fitted):
    positions = fitted.warps(bumps.X)
    assert (np.diff(positions) > 0).all()
    assert np.abs(positions - np.linspace(0, 1, 48)).max() > 1 / 48  # more than a step
    np.testing.assert_array_equal(fitted.transform(bumps.X), diffeo.sample(bumps.X, positions))
    first, second = fitted.velocities(bumps.X)
    composed = diffeo.flow(first, diffeo.flow(second, np.linspace(0, 1, 48)))
    np.testing.assert_allclose(positions, composed, rtol=0, atol=INVERSE)


def test_centroids_are_the_means_of_the_aligned_classes(bumps, fitted):
    aligned = fitted.transform(bumps.X)
    for label, centroid in zip(fitted.classes_, fitted.centroids_, strict=True):
        roundoff = 1e-12  # of a mean of a dozen numbers near 1
        np.testing.assert_allclose(centroid, aligned[bumps.y == label].mean(axis=0), rtol=0, atol=roundoff)


def test_classes_come_sorted_whatever_order_labels_come_in(bumps):
    labels = np.where(bumps.y == bumps.y[0], 10, 9)
    aligner = small(epochs=1).fit(bumps.X, labels)
    np.testing.assert_array_equal(aligner.classes_, [9, 10])
    expected = aligner.transform(bumps.X)[labels == 9].mean(axis=0)
    np.testing.assert_allclose(aligner.centroids_[0], expected, rtol=0, atol=1e-12)


def test_it_learns(bumps):
    history = small(epochs=60, loss="variance").fit(bumps.X, bumps.y).history_
    assert [record.epoch for record in history] == list(range(1, 61))
    assert isinstance(history[0], diffeo.EpochRecord)
    assert history[-1].variance < 0.7 * history[0].variance
    assert history[-1].accuracy > 0.5


def test_times_go_there_and_back(bumps, fitted):
    times = np.linspace(0, 1, 31)
    there = fitted.warp_times(bumps.X, times)
    assert there.shape == (24, 31)
    assert np.abs(there - times).max() > 0.01
    back = fitted.warp_times(bumps.X, there, inverse=True)
    np.testing.assert_allclose(back, np.broadcast_to(times, back.shape), rtol=0, atol=INVERSE)


def test_aligned_series_are_brought_back(bumps, fitted):
    slow = np.sin(np.linspace(0, 3, 48)) * np.ones((24, 1, 1))
    back = fitted.inverse_transform(fitted.transform(slow), slow)
    interpolation = 0.02  # of a slow sine, read twice on 48 steps along warps with kinks
    np.testing.assert_allclose(back, slow, rtol=0, atol=interpolation)
    means = fitted.inverse_transform(fitted.centroids_[0], bumps.X)
    assert means.shape == bumps.X.shape
    np.testing.assert_array_equal(
        means[3], fitted.inverse_transform(np.stack([fitted.centroids_[0]] * 24), bumps.X)[3]
    )


def test_without_labels_there_is_one_centroid(bumps):
    aligner = small(epochs=1).fit(bumps.X)
    assert aligner.classes_ is None
    assert aligner.centroids_.shape == (1, 48)


def test_changing_the_centroids_changes_nothing_else(bumps, tmp_path):
    aligner = small(epochs=1).fit(bumps.X)
    kept = aligner.centroids_.copy()
    aligner.centroids_[:] = 0
    aligner.save(tmp_path / "model")
    np.testing.assert_array_equal(diffeo.TemporalAligner.load(tmp_path / "model").centroids_, kept)


def test_labels_that_cannot_be_sorted_are_refused_before_training(bumps):
    aligner = small(callback=stop_at(1))
    with pytest.raises(ValueError, match="y: expected labels that can be sorted, got '<' not supported"):
        aligner.fit(bumps.X, np.array([1, "a"] * 12, dtype=object))


def test_one_channel_is_brought_back_in_every_shape_that_it_may_have(bumps, fitted):
    each = fitted.transform(bumps.X)
    expected = fitted.inverse_transform(each, bumps.X)
    np.testing.assert_array_equal(fitted.inverse_transform(each[:, 0], bumps.X), expected)
    np.testing.assert_array_equal(fitted.inverse_transform(each[:, 0], bumps.X[:, 0]), expected[:, 0])
    np.testing.assert_array_equal(fitted.inverse_transform(each, bumps.X[:, 0]), expected[:, 0])
    for one in (each[3], each[3, 0]):
        np.testing.assert_array_equal(fitted.inverse_transform(one, bumps.X)[3], expected[3])
        np.testing.assert_array_equal(fitted.inverse_transform(one, bumps.X[:, 0])[3], expected[3, 0])


def test_fit_transform_is_fit_then_transform(bumps, fitted):
    np.testing.assert_array_equal(small(layers=2).fit_transform(bumps.X, bumps.y), fitted.transform(bumps.X))


def test_series_without_channels_give_results_without(bumps):
    flat = bumps.X[:, 0]
    aligner = small().fit(flat, bumps.y)
    assert aligner.transform(flat).shape == (24, 48)
    assert aligner.centroids_.shape == (2, 48)
    assert aligner.inverse_transform(aligner.centroids_[1], flat).shape == (24, 48)
    np.testing.assert_array_equal(
        small().fit(bumps.X, bumps.y).transform(bumps.X)[:, 0], aligner.transform(flat)
    )


def test_single_precision_stays_single(bumps):
    single = bumps.X.astype(np.float32)
    aligner = small(epochs=2).fit(single, bumps.y)
    results = [aligner.transform(single), aligner.warps(single), aligner.velocities(single)]
    results += [aligner.centroids_, aligner.inverse_transform(aligner.centroids_[0], single)]
    assert {result.dtype for result in results} == {np.dtype(np.float32)}
    assert aligner.transform(bumps.X).dtype == aligner.velocities(bumps.X).dtype == np.float64


def test_series_may_have_different_lengths_and_gaps(bumps):
    ragged = [series[:, : 48 - item % 7].copy() for item, series in enumerate(bumps.X)]
    ragged[2][0, 10:14] = np.nan
    aligner = small().fit(ragged, bumps.y)
    aligned = aligner.transform(ragged)
    assert aligned.shape == (24, 1, 48)
    assert np.isnan(aligned[2]).any()
    assert not np.isnan(np.delete(aligned, 2, axis=0)).any()
    assert not np.isnan(aligner.centroids_).any()
    back = aligner.inverse_transform(aligned, ragged)
    assert [series.shape for series in back] == [series.shape for series in ragged]
    assert aligner.transform([series[0] for series in ragged]).shape == (24, 48)


def test_several_channels_are_warped_together(rng):
    X = rng.standard_normal((10, 3, 30))
    aligner = small(epochs=2, length=40).fit(X, [0, 1] * 5)
    np.testing.assert_array_equal(aligner.transform(X), diffeo.sample(X, aligner.warps(X)))
    assert aligner.centroids_.shape == (2, 3, 40)
    with pytest.raises(ValueError, match="X: expected 3 channels, got 1"):
        aligner.transform(X[:, :1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda own, X: own.transform(X[0, 0]), "X: expected shape"),
        (lambda own, X: own.inverse_transform(X[:3], X), "Z: expected one series or 24, one for each of X"),
        (lambda own, X: own.warp_times(X, np.zeros((3, 5))), r"times: expected shape \(n,\) or \(24, n\)"),
        (lambda own, X: own.warp_times(X, [np.nan]), "times: expected finite numbers, got nan"),
        (lambda own, X: small().transform(X), "TemporalAligner: expected fit before this"),
        (lambda own, X: small().save("model"), "TemporalAligner: expected fit before this"),
        (lambda own, X: small().fit(X, [1, 2]), "y: expected 24 labels, one per case, got 2"),
        (
            lambda own, X: small().fit(X[:, :, :7]),
            "X: expected series of at least 8 time steps, got 7",
        ),
        (lambda own, X: small().fit(X / 0.0), "X: expected finite or missing values"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_series_that_cannot_be_are_refused(bumps, fitted, call, message):
    with pytest.raises(ValueError, match=message):
        call(fitted, bumps.X)


# --- how it runs -------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_bits(bumps, fitted):
    again = small(layers=2).fit(bumps.X, bumps.y)
    np.testing.assert_array_equal(again.transform(bumps.X), fitted.transform(bumps.X))
    assert again.history_ == fitted.history_
    other = small(layers=2, random_state=8).fit(bumps.X, bumps.y)
    assert not np.array_equal(other.transform(bumps.X), fitted.transform(bumps.X))


def test_a_seed_that_is_not_given_is_drawn_and_recorded(bumps):
    drawn = small(random_state=None, epochs=2).fit(bumps.X, bumps.y)
    again = small(random_state=drawn.random_state_, epochs=2).fit(bumps.X, bumps.y)
    np.testing.assert_array_equal(again.transform(bumps.X), drawn.transform(bumps.X))
    assert small(random_state=None, epochs=1).fit(bumps.X).random_state_ != drawn.random_state_


@pytest.mark.parametrize("generator", [np.random.RandomState, np.random.default_rng])
def test_generators_of_numpy_are_drawn_from(bumps, generator):
    states = [small(random_state=generator(5), epochs=1).fit(bumps.X).random_state_ for _ in range(2)]
    assert states[0] == states[1]
    assert states[0] != small(random_state=generator(6), epochs=1).fit(bumps.X).random_state_


def test_threads_up_to_the_members_change_no_bit_and_torch_keeps_its_own(bumps):
    before = torch.get_num_threads(), torch.get_rng_state()
    one, two = (small(members=2, n_jobs=jobs, epochs=3).fit(bumps.X, bumps.y) for jobs in (None, 2))
    np.testing.assert_array_equal(one.centroids_, two.centroids_)
    assert one.history_ == two.history_
    assert torch.get_num_threads() == before[0]
    assert torch.equal(torch.get_rng_state(), before[1])


def test_a_callback_hears_of_every_epoch(bumps):
    heard = []
    aligner = small(callback=heard.append, members=2).fit(bumps.X, bumps.y)
    assert len(heard) == len(aligner.history_) == 16
    assert sorted(progress.record for progress in heard) == sorted(aligner.history_)
    assert isinstance(heard[0], diffeo.FitProgress)
    assert heard[0].done < heard[-1].done == 1.0
    assert heard[-1].seconds_left == 0.0
    assert (heard[0].members, heard[0].epochs) == (2, 8)


class Enough(Exception):
    pass


def stop_at(epoch):
    def stop(progress):
        if progress.record.epoch == epoch:
            raise Enough(epoch)

    return stop


def test_what_a_callback_raises_ends_the_training_and_changes_nothing(bumps):
    aligner = small(callback=stop_at(3), epochs=1000)
    with pytest.raises(Enough, match="3"):
        aligner.fit(bumps.X, bumps.y)
    assert not hasattr(aligner, "history_")
    kept = small().fit(bumps.X, bumps.y)
    before = kept.transform(bumps.X)
    with pytest.raises(Enough):
        kept.set_params(callback=stop_at(2), random_state=1).fit(bumps.X, bumps.y)
    np.testing.assert_array_equal(kept.transform(bumps.X), before)
    assert kept.random_state_ == 7


def test_training_goes_on_from_its_checkpoint_to_the_same_bits(bumps, tmp_path):
    directory = tmp_path / "new" / "checkpoint"
    with pytest.raises(Enough):
        small(callback=stop_at(4), checkpoint=directory).fit(bumps.X, bumps.y)
    assert [file.suffix for file in directory.iterdir()] == [".safetensors"]
    epochs = []
    resumed = small(checkpoint=directory, resume=True, callback=lambda p: epochs.append(p.record.epoch))
    resumed.fit(bumps.X, bumps.y)
    assert 4 <= epochs[0] < epochs[-1] == 8
    undisturbed = small().fit(bumps.X, bumps.y)
    np.testing.assert_array_equal(resumed.transform(bumps.X), undisturbed.transform(bumps.X))
    assert resumed.history_ == undisturbed.history_
    with pytest.raises(ValueError, match=r"checkpoint .*: expected one with seed 1, got 7"):
        small(checkpoint=directory, resume=True, random_state=1).fit(bumps.X, bumps.y)
    (tmp_path / "model").write_text("no directory")
    with pytest.raises(OSError, match="model"):
        small(checkpoint=tmp_path / "model").fit(bumps.X, bumps.y)


@pytest.mark.parametrize(("verbose", "lines"), [(0, range(0, 1)), (1, range(5, 12)), (2, range(30, 31))])
def test_it_tells_how_far_it_is_in_lines_where_there_is_no_tqdm(bumps, verbose, lines, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    told = io.StringIO()
    with redirect_stderr(told):
        small(verbose=verbose, epochs=30).fit(bumps.X, bumps.y)
    text = told.getvalue().splitlines()
    assert len(text) in lines
    assert all(
        re.match(r"epoch \d+/30: loss .*, accuracy .*, \d+ % done, \d+ s left$", line) for line in text
    )


def test_import_and_construction_need_no_torch():
    program = (
        hiding("torch") + "\n"
        "import pickle, numpy as np, diffeo\n"
        "aligner = diffeo.TemporalAligner(cells=8).set_params(cells=9)\n"
        "assert pickle.loads(pickle.dumps(aligner)).cells == 9\n"
        "messages = set()\n"
        "for call in (lambda: aligner.fit(np.zeros((4, 20))), lambda: aligner.load('model')):\n"
        "    try:\n        call()\n        sys.exit('no error')\n"
        "    except ImportError as error:\n        messages.add(str(error))\n"
        "(message,) = messages\n"
        "print(message)"
    )
    done = run_python("-c", program)
    assert done.returncode == 0, done.stderr
    assert "diffeo.TemporalAligner: expected torch" in done.stdout
    assert "pip install torch==" in done.stdout


# --- copies and files --------------------------------------------------------------------------------------


def test_pickled_aligners_are_whole(bumps, fitted):
    copied = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copied.transform(bumps.X), fitted.transform(bumps.X))
    np.testing.assert_array_equal(copied.centroids_, fitted.centroids_)
    assert copied.history_ == fitted.history_
    assert copied.get_params() == fitted.get_params()
    assert pickle.loads(pickle.dumps(small())).get_params() == small().get_params()


def test_files_hold_everything(bumps, fitted, tmp_path):
    fitted.save(tmp_path / "model.safetensors")
    loaded = diffeo.TemporalAligner.load(str(tmp_path / "model.safetensors"))
    np.testing.assert_array_equal(loaded.transform(bumps.X), fitted.transform(bumps.X))
    np.testing.assert_array_equal(loaded.centroids_, fitted.centroids_)
    assert loaded.classes_.tolist() == [str(label) for label in fitted.classes_]
    assert loaded.history_ == fitted.history_
    assert (loaded.shrinkage_, loaded.random_state_) == (1.0, 7)
    assert loaded.get_params() == fitted.get_params()
    assert repr(loaded) == repr(fitted)
    again = loaded.fit(bumps.X, bumps.y)
    np.testing.assert_array_equal(again.transform(bumps.X), fitted.transform(bumps.X))


def test_files_without_labels_load(bumps, tmp_path):
    aligner = small(epochs=1).fit(bumps.X)
    aligner.save(tmp_path / "model")
    loaded = diffeo.TemporalAligner.load(tmp_path / "model")
    assert loaded.classes_ is None
    np.testing.assert_array_equal(loaded.centroids_, aligner.centroids_)


def test_files_are_read_by_the_safetensors_package(fitted, tmp_path):
    safetensors = pytest.importorskip(
        "safetensors", reason="safetensors is not installed: its reader is not tried"
    )
    fitted.save(tmp_path / "model.safetensors")
    with safetensors.safe_open(str(tmp_path / "model.safetensors"), framework="numpy") as file:
        assert file.metadata()["format"] == "diffeo temporal aligner"
        np.testing.assert_array_equal(
            np.sort(file.get_tensor("centroids"), axis=0), np.sort(fitted.centroids_, axis=0)
        )
        basis = file.get_tensor("members/0/vertex_basis")
        assert basis.shape == (9, 7)


def test_files_that_cannot_be_are_refused(fitted, tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        diffeo.TemporalAligner.load(tmp_path / "nowhere")
    with pytest.raises(OSError, match="nowhere"):
        fitted.save(tmp_path / "nowhere" / "model")
    fitted.save(tmp_path / "model")
    content = (tmp_path / "model").read_bytes()
    (tmp_path / "short").write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match="short"):
        diffeo.TemporalAligner.load(tmp_path / "short")
    (tmp_path / "flipped").write_bytes(content[:-3] + bytes([content[-3] ^ 1]) + content[-2:])
    with pytest.raises(
        ValueError, match="flipped: expected content that fits its digest, got another: the file is damaged"
    ):
        diffeo.TemporalAligner.load(tmp_path / "flipped")


# --- inside others -----------------------------------------------------------------------------------------


def test_nearest_centroids_are_better_after_alignment():
    X, y = diffeo.generate_cbf(230, seed=4)
    aligner = small(epochs=80, learning_rate=3e-3)
    classifier = diffeo.NearestCentroid(aligner).fit(X[:30], y[:30])
    euclidean = diffeo.NearestCentroid().fit(X[:30], y[:30])
    assert classifier.score(X[30:], y[30:]) >= euclidean.score(X[30:], y[30:])
    np.testing.assert_array_equal(
        classifier.classes_[classifier.predict_proba(X[30:]).argmax(axis=1)], classifier.predict(X[30:])
    )
    assert not hasattr(aligner, "history_")
    roundoff = 1e-12  # of means of ten numbers near 1
    np.testing.assert_allclose(classifier.centroids_, classifier.aligner_.centroids_, rtol=0, atol=roundoff)


def test_it_can_be_cloned_and_searched(bumps):
    base = pytest.importorskip("sklearn.base", reason="scikit-learn is not installed")
    selection = pytest.importorskip("sklearn.model_selection", reason="scikit-learn is not installed")
    aligner = small(epochs=2)
    assert base.clone(aligner).get_params() == aligner.get_params()
    assert not hasattr(base.clone(small(epochs=1).fit(bumps.X)), "history_")
    search = selection.GridSearchCV(
        diffeo.NearestCentroid(aligner), {"aligner__cells": [4, 8]}, cv=2, error_score="raise"
    ).fit(bumps.X, bumps.y)
    assert search.best_estimator_.aligner_.velocities(bumps.X).shape[-1] in (5, 9)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_slopes_bring_true_times_closer_than_variance_does_where_heights_vary():
    made = diffeo.generate_warped("two-peaks", 60, 1, height=0.25, noise=0.03)
    times = np.linspace(0, 1, 101)

    def spread(loss):
        aligner = diffeo.TemporalAligner(loss=loss, epochs=1, least_steps=300, random_state=0).fit(made.X)
        return diffeo.true_time_spread(aligner.warp_times(made.X, times), made.warps).share

    by_slopes = spread("slopes")
    assert by_slopes < 0.4  # of what it is without alignment; measured 0.2
    assert by_slopes < 0.5 * spread("variance")  # measured 0.97


def test_a_loss_of_slopes_needs_warps_whose_slopes_are_known(bumps):
    with pytest.raises(ValueError, match="method: expected exact for a loss of slopes, got numeric"):
        small(loss="slopes", method="numeric").fit(bumps.X)
