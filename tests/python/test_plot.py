"""Pictures: what is drawn is what was given, axes come back, and without matplotlib an error says so."""

import subprocess
import sys

import numpy as np
import pytest
from hidden_modules import hiding

import diffeo

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.collections import LineCollection  # noqa: E402
from matplotlib.colors import to_rgb  # noqa: E402


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def bumps():
    return diffeo.generate_bumps(12, seed=2, classes=3, channels=2, length=40)


@pytest.fixture(scope="module")
def aligner(bumps):
    return diffeo.JointAligner(cells=4, max_iterations=5).fit(bumps.X, bumps.y)


def curves(ax):
    """The lines of all collections, one array (time, 2) each."""
    return [segment for found in ax.collections for segment in found.get_segments()]


def drawn_labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_every_series_is_drawn_and_the_mean_of_every_class(bumps):
    ax = diffeo.plot.series(bumps.X, bumps.y, channel=1)
    assert isinstance(ax, Axes)
    assert len(curves(ax)) == 12
    np.testing.assert_array_equal(curves(ax)[0], np.column_stack([np.linspace(0, 1, 40), bumps.X[0, 1]]))
    assert [line.get_label() for line in ax.lines] == ["1", "2", "3"]
    roundoff = 1e-12  # of a mean of four numbers near 1
    np.testing.assert_allclose(
        ax.lines[1].get_ydata(), bumps.X[bumps.y == "2", 1].mean(axis=0), rtol=0, atol=roundoff
    )
    assert drawn_labels(ax) == ["1", "2", "3"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time (0 first step, 1 last)", "value of channel 1 of 2")


def test_series_of_different_lengths_go_from_zero_to_one(bumps):
    ax = diffeo.plot.series([series[:, : 40 - case] for case, series in enumerate(bumps.X)], means=False)
    assert [len(curve) for curve in curves(ax)] == list(range(40, 28, -1))
    assert all((curve[0, 0], curve[-1, 0]) == (0, 1) for curve in curves(ax))
    assert ax.get_legend() is None
    assert len(ax.lines) == 0


def test_before_and_after_have_one_scale(bumps, aligner):
    before, after = diffeo.plot.before_after(bumps.X, aligner.transform(bumps.X), bumps.y)
    assert (before.get_title(), after.get_title()) == ("Before", "After")
    assert before.get_ylim() == after.get_ylim()
    lower, upper = before.get_ylim()
    assert lower < bumps.X[:, 0].min()
    assert upper > bumps.X[:, 0].max()
    assert before.get_legend() is None
    assert drawn_labels(after) == ["1", "2", "3"]


def test_warps_are_drawn_as_what_they_move(bumps, aligner):
    warps = aligner.warps(bumps.X)
    ax = diffeo.plot.warps(warps, bumps.y)
    expected = {tuple(row - np.linspace(0, 1, 40)) for row in warps}
    assert {tuple(curve[:, 1]) for curve in curves(ax)} == expected
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("common time", "own time − common time")


def test_centroids_differ_in_color_and_in_style(bumps, aligner):
    ax = diffeo.plot.centroids(aligner.centroids_, aligner.classes_)
    looks = {(line.get_color(), line.get_linestyle()) for line in ax.lines}
    assert len({color for color, _ in looks}) == len({style for _, style in looks}) == 3
    many = diffeo.plot.centroids(np.random.default_rng(1).normal(size=(28, 20)), range(28))
    assert len({(line.get_color(), line.get_linestyle()) for line in many.lines[:28]}) == 28
    assert drawn_labels(many)[9:] == ["9", "and 18 more"]


def luminance(color):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def test_colors_stand_out_from_white_paper():
    contrasts = [1.05 / (luminance(color) + 0.05) for color in diffeo.plot._COLORS]
    assert min(contrasts) > 2.0  # of yellow it is 1.1; the thick lines have styles besides


def test_one_centroid_needs_no_legend(bumps):
    mean = diffeo.align(bumps.X, cells=4).mean
    ax = diffeo.plot.centroids(mean, channel=1)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), mean[1])
    assert ax.get_legend() is None


def test_an_aligner_shows_what_it_does(bumps, aligner):
    axes = aligner.plot(bumps.X, bumps.y)
    assert [ax.get_title() for ax in axes] == ["Before", "After", "Warps", "Centroids"]
    assert [ax.get_title() for ax in aligner.plot()] == ["Centroids", "Alignment"]
    given = plt.figure().subplots(2, 2)
    assert set(aligner.plot(bumps.X, axes=given)) == set(given.ravel())


def written_below(ax):
    return [line for text in ax.texts for line in text.get_text().splitlines()]


def test_new_figures_say_in_words_what_fit_found_and_how_well_it_aligns(bumps, aligner):
    _, after, warps, _ = aligner.plot(bumps.X, bumps.y)
    told = repr(aligner.quality(bumps.X, bumps.y))
    assert len(written_below(after)) == 3
    assert len(written_below(warps)) == 2
    assert all(line in told for line in [*written_below(after), *written_below(warps)])
    _, fit = aligner.plot()
    assert written_below(fit)[1] == f"{aligner.reliable_.sum()} of 12 warps reliable"


def test_axes_of_others_get_no_words(bumps, aligner):
    given = plt.figure().subplots(2, 2)
    aligner.plot(bumps.X, bumps.y, axes=given)
    assert not any(ax.texts for ax in given.ravel())


def test_a_class_keeps_its_color_where_others_are_missing(bumps, aligner):
    chosen = bumps.y == "3"
    axes = aligner.plot(bumps.X[chosen], bumps.y[chosen])
    before, centroid = axes[0].lines[0].get_color(), axes[3].lines[2].get_color()
    assert before == centroid != axes[3].lines[0].get_color()


def test_a_network_shows_how_its_training_went():
    pytest.importorskip("diffeo.torch", exc_type=ImportError, reason="torch is not installed")
    X, y = diffeo.generate_cbf(12, seed=1, length=32)
    parameters = {"widths": (4,), "kernels": (3,), "epochs": 3, "least_steps": 0, "random_state": 1}
    aligner = diffeo.TemporalAligner(**parameters, members=2, validation=0.3).fit(X, y)
    _, training = aligner.plot()
    assert written_below(training) == [
        "2 networks, 3 epochs each, seed 1",
        "warps used at 100% of their strength",
    ]
    quality = aligner.quality(X, y)
    below = written_below(diffeo.plot.losses(aligner.history_, quality=quality))
    assert len(below) == 5
    assert all(line in repr(quality) for line in below)
    assert [len(line.get_xdata()) for line in training.lines] == [3, 3, 3, 3, 0]
    assert [line.get_linestyle() for line in training.lines] == ["-", "--", "-", "--", "--"]
    assert drawn_labels(training) == ["member 1", "member 2", "held out"]


def test_a_classifier_shows_its_centroids(bumps):
    ax = diffeo.NearestCentroid().fit(bumps.X, bumps.y).plot(channel=1)
    assert len(ax.lines) == 3


def test_pieces_of_the_cost_are_drawn_for_every_resolution(bumps):
    aligner = diffeo.JointAligner(criterion="values", cells=4, max_iterations=5)
    history = aligner.fit(bumps.X, bumps.y).history_
    ax = diffeo.plot.costs(history)
    assert sum(len(line.get_xdata()) for line in ax.lines) == len(history)
    assert len(ax.lines) > 1


def test_missing_values_leave_gaps(bumps):
    X = bumps.X[:, :1].copy()
    X[0, 0, 10:20] = np.nan
    ax = diffeo.plot.series(X)
    drawn = ax.collections[0].get_paths()[0].vertices
    np.testing.assert_array_equal(np.isnan(drawn[:, 1]), np.isnan(X[0, 0]))
    assert np.isfinite(ax.dataLim.extents).all()


def test_pictures_can_be_written(bumps, aligner, tmp_path):
    aligner.plot(bumps.X, bumps.y)[0].figure.savefig(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 10_000
    assert isinstance(plt.gcf().axes[0].collections[0], LineCollection)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda X: diffeo.plot.series(X, channel=2),
            "channel: expected a whole number from 0 to 1, got 2",
        ),
        (
            lambda X: diffeo.plot.series(X, channel=1.0),
            r"channel: expected a whole number from 0 to 1, got 1\.0",
        ),
        (
            lambda X: diffeo.JointAligner(cells=4, max_iterations=2).fit(X).plot(X, channel="a"),
            "channel: expected a whole number from 0 to 1, got 'a'",
        ),
        (lambda X: diffeo.plot.series(X, [1, 2]), "y: expected 12 labels, one per case, got 2"),
        (lambda X: diffeo.plot.warps(X), r"warps: expected shape \(cases, length\), got \(12, 2, 40\)"),
        (lambda X: diffeo.plot.before_after(X, X, axes=[None]), "axes: expected 2, got 1"),
        (lambda X: diffeo.plot.centroids(X, [1]), "classes: expected 12 labels, one per centroid, got 1"),
        (lambda X: diffeo.plot.losses([]), "history: expected at least one epoch, got none"),
        (lambda X: diffeo.plot.costs([]), "history: expected at least one step, got none"),
        (lambda X: diffeo.JointAligner().plot(X), "JointAligner: expected fit before this"),
        (lambda X: diffeo.NearestCentroid().plot(), "NearestCentroid: expected fit before this"),
    ],
)
def test_what_cannot_be_drawn_is_refused_and_leaves_no_figure(call, message, bumps):
    open_before = plt.get_fignums()
    with pytest.raises(ValueError, match=message):
        call(bumps.X)
    assert plt.get_fignums() == open_before


def test_results_of_alignment_are_drawn_and_shown_in_a_notebook(bumps):
    result = diffeo.align(bumps.X, bumps.y, cells=4, max_iterations=2)
    pair = diffeo.align_pair(bumps.X[0], bumps.X[1], cells=4, max_iterations=2)
    open_before = plt.get_fignums()
    for each in (result, pair):
        shown = each._repr_html_()
        assert shown.startswith(f"<pre>{type(each).__name__}: ")
        assert '<img alt="aligned series and warps" src="data:image/png;base64,' in shown
    assert plt.get_fignums() == open_before
    aligned, _ = result.plot(channel=1)
    assert aligned.get_ylabel() == "value of channel 1 of 2"
    assert len(repr(result).splitlines()) == len(repr(pair).splitlines()) == 5
    plt.close("all")


def test_without_matplotlib_an_error_says_what_is_missing():
    program = (
        hiding("matplotlib") + "import numpy as np, diffeo\n"
        "X = np.eye(6)\n"
        "aligner = diffeo.JointAligner(cells=2).fit(X)\n"
        "classifier = diffeo.NearestCentroid().fit(X, [0, 1] * 3)\n"
        "for call in (lambda: diffeo.plot.series(X), lambda: aligner.plot(X), aligner.plot,\n"
        "             classifier.plot, lambda: diffeo.plot.before_after(X, X)):\n"
        "    try:\n        call()\n        sys.exit('no error')\n"
        "    except ImportError as error:\n"
        "        assert 'expected matplotlib, found none' in str(error), error\n"
        "        assert 'pip install matplotlib' in str(error), error\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
