"""Models without a network: of JointAligner and `diffeo align --model`, used by `diffeo transform` too."""

import json
import pickle
import subprocess

import numpy as np
import pytest
from cli_program import PROGRAM

import diffeo

SAME = 1e-12  # of values of size 1, computed by another order of operations


@pytest.fixture(scope="module")
def bumps():
    return diffeo.generate_bumps(16, seed=6, classes=2, length=40)


def run(*arguments, cwd):
    done = subprocess.run(
        [PROGRAM, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, check=False, timeout=100
    )
    return done


PARAMETERS = [
    {},
    {"criterion": "slopes", "cells": 4, "smoothing": 0.02},
    {"zero_boundary": False, "prior_weight": 0.01, "length_scale": 0.2, "own_time": 0.25, "length": 30},
]


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
@pytest.mark.parametrize("labeled", [True, False])
def test_a_loaded_aligner_is_the_one_that_was_saved(parameters, labeled, bumps, tmp_path):
    aligner = diffeo.JointAligner(**parameters, max_iterations=20)
    aligner.fit(bumps.X[:12], bumps.y[:12] if labeled else None).save(tmp_path / "model")
    again = diffeo.JointAligner.load(tmp_path / "model")
    assert repr(again) == repr(aligner)
    for name in ("centroids_", "velocities_", "reliable_", "classes_"):
        np.testing.assert_array_equal(getattr(again, name), getattr(aligner, name))
    assert again.history_ == aligner.history_
    assert again.converged_ == aligner.converged_
    np.testing.assert_array_equal(again.transform(bumps.X), aligner.transform(bumps.X))
    np.testing.assert_array_equal(again.warps(bumps.X), aligner.warps(bumps.X))
    assert pickle.loads(pickle.dumps(again)).plot()[1].get_title()


def test_templates_are_kept(bumps, tmp_path):
    templates = bumps.X[[int(np.flatnonzero(bumps.y == label)[0]) for label in ("1", "2")]]
    for template, y in ((templates, bumps.y), (templates[0], None)):
        aligner = diffeo.JointAligner(template=template, cells=4).fit(bumps.X, y)
        aligner.save(tmp_path / "model")
        again = diffeo.JointAligner.load(tmp_path / "model")
        np.testing.assert_array_equal(again.template, template)
        np.testing.assert_array_equal(again.transform(bumps.X), aligner.transform(bumps.X))


def test_what_is_no_model_is_refused(bumps, tmp_path):
    with pytest.raises(ValueError, match="JointAligner: expected fit before this"):
        diffeo.JointAligner().save(tmp_path / "model")
    with pytest.raises(OSError, match="nowhere"):
        diffeo.JointAligner.load(tmp_path / "nowhere")
    (tmp_path / "text").write_text("no tensors")
    with pytest.raises(ValueError, match="text"):
        diffeo.JointAligner.load(tmp_path / "text")
    safetensors = pytest.importorskip("safetensors.numpy", reason="safetensors is not installed")
    safetensors.save_file({"a": np.zeros(3)}, tmp_path / "other")
    with pytest.raises(
        ValueError, match='other: expected a model of diffeo align, got a file of the format ""'
    ):
        diffeo.JointAligner.load(tmp_path / "other")
    diffeo.JointAligner(cells=4).fit(bumps.X).save(tmp_path / "model")
    whole = (tmp_path / "model").read_bytes()
    (tmp_path / "model").write_bytes(whole[:-8])
    with pytest.raises(ValueError, match="model"):
        diffeo.JointAligner.load(tmp_path / "model")
    (tmp_path / "model").write_bytes(whole.replace(b'"format_version\\":1', b'"format_version\\":9'))
    with pytest.raises(ValueError, match="expected format version 1, got 9: a newer diffeo wrote it"):
        diffeo.JointAligner.load(tmp_path / "model")


def test_the_program_aligns_new_series_without_a_network(bumps, tmp_path):
    diffeo.save(tmp_path / "train.ts", bumps.X[:12], bumps.y[:12])
    diffeo.save(tmp_path / "new.ts", bumps.X[12:], bumps.y[12:])
    done = run("align", "train.ts", "-o", "aligned.ts", "--model", "gestures.model", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["model"] == "gestures.model"
    done = run("transform", "gestures.model", "new.ts", "-o", "out.ts", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    aligner = diffeo.JointAligner.load(tmp_path / "gestures.model")
    aligned, labels = diffeo.load(tmp_path / "out.ts")
    np.testing.assert_array_equal(aligned, aligner.transform(bumps.X[12:]))
    assert labels.tolist() == bumps.y[12:].tolist()
    done = run("transform", "gestures.model", "new.ts", "--inverse", "out.ts", "-o", "back.ts", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    back = aligner.inverse_transform(aligned, bumps.X[12:])
    np.testing.assert_allclose(diffeo.load(tmp_path / "back.ts")[0], back, rtol=0, atol=SAME)
    described = run("info", "gestures.model", "--json", cwd=tmp_path)
    found = json.loads(described.stdout)
    assert (found["kind"], found["cases"], found["classes"]) == ("joint model", 12, ["1", "2"])
    assert "without a network" in run("info", "gestures.model", cwd=tmp_path).stdout


def test_a_model_takes_the_place_of_no_other_file(bumps, tmp_path):
    diffeo.save(tmp_path / "train.ts", bumps.X, bumps.y)
    for model, message in (
        ("train.ts", "--model: expected another file than train.ts, which would be lost"),
        ("out.ts", "--model: expected another file than out.ts, which would be lost"),
        ("notes", "--model: expected a new file or a model of align, got notes, which would be lost"),
    ):
        (tmp_path / "notes").write_text("mine")
        done = run("align", "train.ts", "-o", "out.ts", "--model", model, cwd=tmp_path)
        assert (done.returncode, done.stderr.strip()) == (1, f"diffeo: {message}")
    diffeo.save(tmp_path / "two.ts", np.concatenate([bumps.X, bumps.X], axis=1), bumps.y)
    assert run("align", "train.ts", "-o", "out.ts", "--model", "model", cwd=tmp_path).returncode == 0
    done = run("transform", "model", "two.ts", "-o", "new.ts", cwd=tmp_path)
    assert (done.returncode, done.stderr.strip()) == (
        1,
        "diffeo: two.ts: expected 1 channel as model has, got 2",
    )
