"""How well an aligner aligns, in numbers: those of the program and of functions that measure one thing."""

import json

import numpy as np
import pytest
from cli_program import require_networks, run

import diffeo
from diffeo._root_slopes import root_slopes

ROUNDOFF = 1e-9  # of slopes of warps, from positions 2e-6 apart with 15 digits
SUMS = 1e-12  # of some thousand numbers in another order


@pytest.fixture(scope="module")
def bumps():
    return diffeo.generate_bumps(20, seed=3, classes=2, channels=2, length=40, displacement=0.1)


@pytest.fixture(scope="module")
def aligner(bumps):
    return diffeo.JointAligner(cells=8).fit(bumps.X, bumps.y)


def uneven(bumps):
    """Of different lengths, with gaps."""
    series = [each[:, : 40 - case % 7].copy() for case, each in enumerate(bumps.X)]
    for each in series[::3]:
        each[:, 10:14] = np.nan
    return series


def test_variances_are_those_within_classes_weighted_by_their_sizes(bumps, aligner):
    X, y = bumps.X[3:], bumps.y[3:]
    quality = aligner.quality(X, y)
    aligned = aligner.transform(X)
    sizes = {name: (y == name).sum() / len(y) for name in aligner.classes_}
    for values, found in ((X, quality.variance_before), (aligned, quality.variance)):
        expected = sum(size * diffeo.within_variance(values[y == name]) for name, size in sizes.items())
        assert found == pytest.approx(expected, rel=SUMS)
    assert (quality.cases, quality.classes) == (17, 2)
    assert quality.variance < 0.3 * quality.variance_before


@pytest.mark.parametrize("make", [lambda bumps: bumps.X, uneven], ids=["even", "uneven"])
def test_the_error_is_that_of_the_function(make, bumps):
    X = make(bumps)
    aligner = diffeo.JointAligner(cells=8, max_iterations=10).fit(X)
    quality = aligner.quality(X)
    mean = diffeo.euclidean_mean(aligner.transform(X)).barycenter
    velocities = aligner._warps_of(X)[1]
    expected = diffeo.inverse_consistent_error(X, velocities, mean)
    assert quality.inverse_consistent_error == pytest.approx(expected, rel=SUMS)
    longest = max(len(each[0]) for each in X)
    still = diffeo.euclidean_mean(diffeo.resample(X, longest)).barycenter
    expected = diffeo.inverse_consistent_error(X, np.zeros_like(velocities), still)
    assert quality.error_before == pytest.approx(expected, rel=SUMS)


def test_warps_are_measured_on_the_grid_of_the_aligned_series(bumps, aligner):
    quality, warps = aligner.quality(bumps.X), aligner.warps(bumps.X)
    moves = np.abs(warps - np.linspace(0, 1, 40))
    assert quality.least_slope == pytest.approx(39 * np.diff(warps).min(), rel=SUMS)
    assert quality.mean_displacement == pytest.approx(moves.max(axis=1).mean(), rel=SUMS)
    distance = np.abs(warps.mean(axis=0) - np.linspace(0, 1, 40)).max()
    assert quality.mean_warp_distance == pytest.approx(distance, rel=ROUNDOFF)


def test_warps_that_move_nothing_leave_everything_as_it_was(bumps):
    pytest.importorskip("diffeo.torch", exc_type=ImportError, reason="torch is not installed")
    parameters = {"widths": (4,), "kernels": (3,), "epochs": 1, "least_steps": 0, "loss": "variance"}
    aligner = diffeo.TemporalAligner(**parameters, shrinkage="0", random_state=1).fit(bumps.X, bumps.y)
    quality = aligner.quality(bumps.X, bumps.y)
    assert quality.variance == pytest.approx(quality.variance_before, rel=SUMS)
    assert quality.slope_variance == pytest.approx(quality.slope_variance_before, rel=ROUNDOFF)
    assert quality.inverse_consistent_error == pytest.approx(quality.error_before, rel=SUMS)
    assert quality.least_slope == pytest.approx(1, rel=SUMS)
    assert max(quality.mean_displacement, quality.mean_warp_distance) < SUMS


@pytest.mark.parametrize("make", [lambda bumps: bumps.X, uneven], ids=["even", "uneven"])
def test_a_result_line_of_the_program_has_the_same_numbers(make, bumps, tmp_path):
    pytest.importorskip("diffeo.torch", exc_type=ImportError, reason="torch is not installed")
    require_networks()
    folder = tmp_path / "archive" / "Bumps"
    folder.mkdir(parents=True)
    for part in ("TRAIN", "TEST"):  # slopes are scaled by the training series there, here by those measured
        diffeo.save(folder / f"Bumps_{part}.ts", make(bumps), bumps.y)
    options = {"widths": 4, "kernels": 3, "epochs": 2, "least-steps": 0, "loss": "variance"}
    typed = [word for name, value in options.items() for word in (f"--{name}", value)]
    where = [folder.parent, "--results", tmp_path, "--methods", "diffeo", "--seeds", 5, "--threads", 1]
    done = run("evaluate", *where, *typed, "--quiet")
    assert done.returncode == 0, done.stderr
    line = json.loads((tmp_path / "results.jsonl").read_text())
    parameters = {name.replace("-", "_"): value for name, value in options.items()}
    parameters |= {"widths": (4,), "kernels": (3,), "random_state": 5}
    aligner = diffeo.TemporalAligner(**parameters).fit(make(bumps), bumps.y)
    quality = aligner.quality(make(bumps), bumps.y)
    measures = line["alignment"]
    pairs = [
        (quality.variance_before, line["variance_before"]),
        (quality.variance, line["variance_after"]),
        (quality.slope_variance_before, measures["slope_variance_before"]),
        (quality.slope_variance, measures["slope_variance_after"]),
        (quality.least_slope, measures["least_slope"]),
        (quality.mean_displacement, measures["displacement"]),
        (quality.mean_warp_distance, measures["mean_warp_distance"]),
    ]
    for found, expected in pairs:
        assert found == pytest.approx(expected, rel=ROUNDOFF, abs=SUMS)


def test_root_slopes_of_a_line_are_one():
    line = np.linspace(0.0, 7.0, 50)[np.newaxis]  # any slope is scaled to 1
    inner = slice(5, -5)  # at the ends the kernel sees one side alone, and slopes are smaller
    np.testing.assert_allclose(root_slopes([line], 50)[0, 0, inner], 1.0, rtol=0.02)  # by those of the ends


def test_slopes_forgive_heights_that_differ(bumps):
    heights = np.linspace(0.5, 2.0, 20)[:, np.newaxis, np.newaxis]
    X = heights * bumps.templates[:1].repeat(20, axis=0)
    quality = diffeo.JointAligner(cells=4, max_iterations=3).fit(X).quality(X)
    of_heights = quality.variance_before / np.square(X).sum(axis=(1, 2)).mean()
    slopes = root_slopes(list(X), 40)
    of_slopes = quality.slope_variance_before / np.square(slopes).sum(axis=(1, 2)).mean()
    assert of_slopes < 0.5 * of_heights


@pytest.mark.parametrize("length", [None, 25])
def test_series_of_any_form_are_measured(bumps, length):
    X = uneven(bumps)
    quality = diffeo.JointAligner(cells=4, max_iterations=5, length=length).fit(X).quality(X)
    assert all(np.isfinite(value) for value in vars(quality).values())
    assert quality.variance < quality.variance_before
    flat = [each[0].astype(np.float32) for each in bumps.X]
    assert diffeo.JointAligner(cells=4, max_iterations=5).fit(flat).quality(flat).cases == 20


def test_series_that_are_all_the_same_need_no_share():
    X = np.ones((4, 20))
    quality = diffeo.JointAligner(cells=4).fit(X).quality(X)
    assert quality.variance == quality.variance_before == quality.slope_variance == 0
    assert "variance 0 before, 0 after\n" in repr(quality)


def test_it_is_told_in_five_lines(bumps, aligner):
    header, variance, slopes, error, warps = repr(aligner.quality(bumps.X, bumps.y)).splitlines()
    assert header == "AlignmentQuality: 20 series of 2 classes"
    assert variance.startswith("  variance within classes ")
    assert slopes.startswith("  slope variance ")
    assert error.startswith("  inverse-consistent error ")
    assert "times its pace or faster" in warps
    assert repr(aligner.quality(bumps.X)).startswith("AlignmentQuality: 20 series\n  variance ")


def test_a_wrong_call_is_refused_by_name(bumps, aligner):
    with pytest.raises(ValueError, match="JointAligner: expected fit before this"):
        diffeo.JointAligner().quality(bumps.X)
    with pytest.raises(ValueError, match="y: expected 20 labels, one per case, got 3"):
        aligner.quality(bumps.X, [1, 2, 3])
    with pytest.raises(ValueError, match="X: expected"):
        aligner.quality(np.zeros(5))
