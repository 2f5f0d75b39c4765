"""How the package is used, for a strict type checker and for the interpreter."""

from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

import diffeo

space = diffeo.WarpSpace(8, zero_boundary=True, basis="qr", domain=(0.0, 1.0))
prior: diffeo.Prior = space.prior(variance=1e-2, length_scale=0.2)
theta: NDArray[np.float64] = prior.sample(3, seed=7)
fields: NDArray[np.floating[Any]] = space.velocities(theta)
points: NDArray[np.float64] = np.linspace(0.0, 1.0, 20)

positions: NDArray[np.floating[Any]] = diffeo.flow(fields, points, time=[1.0, -1.0, 0.5], threads=2)
approximate = diffeo.flow(fields, points, method="numeric", steps=50)
gradients: diffeo.FlowGradients = diffeo.flow_vjp(fields, points, positions, wanted=("velocities",))
assert gradients.velocities is not None
by_theta: NDArray[np.floating[Any]] = space.theta_gradient(gradients.velocities)
derivatives: diffeo.FlowDerivatives = diffeo.flow_derivatives(fields, points)
tangents: NDArray[np.floating[Any]] = diffeo.flow_jvp(
    fields, points, velocity_tangents=fields, time_tangent=1.0
)
jacobian: NDArray[np.floating[Any]] = diffeo.flow_jacobian(fields, points)
log_slopes: NDArray[np.floating[Any]] = diffeo.flow_log_slope(fields, points, time=-1.0)
slope_gradients: diffeo.FlowGradients = diffeo.flow_log_slope_vjp(fields, points, log_slopes)

series: NDArray[np.float32] = np.zeros((3, 2, 50), dtype=np.float32)
samples: NDArray[np.floating[Any]] = diffeo.sample(series, positions)
sample_gradients: diffeo.SampleGradients = diffeo.sample_vjp(series, positions, samples)
warped: NDArray[np.floating[Any]] = diffeo.warp(series, fields, length=70, time=-1.0)
warp_gradients: diffeo.WarpGradients = diffeo.warp_vjp(series, fields, warped)

penalty: NDArray[np.floating[Any]] | float = prior.penalty(theta)
threads: int = diffeo.available_threads()
version: str = diffeo.__version__
kernels: str = diffeo.instruction_set()

# --- estimators --------------------------------------------------------------------------------------------

X: NDArray[np.float64]
y: NDArray[np.str_]
X, y = diffeo.generate_cbf(12, seed=1, length=32)


def heard(step: diffeo.AlignStep) -> bool:
    return step.cost >= 0


aligner: diffeo.JointAligner = diffeo.JointAligner(cells=4, n_jobs=-1, progress=heard).fit(X, y)
aligned: NDArray[np.floating[Any]] = aligner.fit_transform(X, y)
own_times: NDArray[np.float64] = aligner.warp_times(X, [0.25, 0.5])
common_times: NDArray[np.float64] = aligner.warp_times(X, own_times, inverse=True)
positions_read: NDArray[np.floating[Any]] = aligner.warps(list(X))
template = aligner.inverse_transform(aligner.centroids_[0], X)
back: NDArray[np.floating[Any]] = template if isinstance(template, np.ndarray) else template[0]
parameters: dict[str, Any] = aligner.set_params(cells=8).get_params()

classifier: diffeo.NearestCentroid = diffeo.NearestCentroid(aligner, distance="euclidean").fit(X, y)
labels: NDArray[Any] = classifier.predict(X)
probabilities: NDArray[np.float64] = classifier.predict_proba(X)
accuracy: float = classifier.score(X, y)
result: diffeo.Alignment = diffeo.align(X, y, cells=4)
distances: NDArray[np.float64] = diffeo.dtw_matrix(X[:3], X[3:6], window=0.1)


def network() -> NDArray[np.floating[Any]]:
    """Needs torch: checked by the type checker, run where torch is."""
    import torch

    import diffeo.torch

    def told(progress: diffeo.FitProgress) -> None:
        assert progress.record.loss >= 0

    trained: diffeo.TemporalAligner = diffeo.TemporalAligner(
        cells=4,
        widths=(4,),
        kernels=(3,),
        epochs=1,
        least_steps=0,
        members=1,
        random_state=np.random.default_rng(1),
        callback=told,
    ).fit(X, y)
    history: list[diffeo.EpochRecord] = trained.history_
    assert len(history) == 1
    module: torch.nn.Module = diffeo.torch.TemporalTransformer(1, 32, cells=4)
    made: torch.Tensor = module(torch.zeros(2, 1, 32))
    moved: torch.Tensor = diffeo.torch.flow(torch.zeros(2, 5), torch.linspace(0, 1, 8))
    assert made.shape[0] == moved.shape[0]
    return trained.transform(X)


def pictures() -> list[str]:
    """Needs matplotlib: checked by the type checker, run where matplotlib is."""
    from matplotlib.axes import Axes

    drawn: NDArray[Any] = aligner.plot(X, y, channel=0)
    before: Axes = drawn[0]
    both: NDArray[Any] = diffeo.plot.before_after(X, aligned, y)
    shown: Axes = diffeo.plot.warps(aligner.warps(X), y, ax=both[0])
    means: Axes = diffeo.plot.centroids(classifier.centroids_, classifier.classes_)
    return [ax.get_title() for ax in (before, shown, means, classifier.plot(), diffeo.plot.series(X, y))]


def cluster() -> NDArray[Any]:
    """Needs distributed: checked by the type checker, run where distributed is."""
    import dask.array
    from dask.distributed import Client

    import diffeo.dask

    with Client(processes=False, n_workers=1, dashboard_address=None) as client:  # type: ignore[no-untyped-call]
        moved: NDArray[np.floating[Any]] = diffeo.dask.transform(aligner, X, n_jobs=1, client=client)
        chunked: dask.array.Array = dask.array.from_array(X)  # type: ignore[no-untyped-call]
        lazy: dask.array.Array = diffeo.dask.transform(aligner, chunked)
        assert moved.shape == lazy.shape
        return diffeo.dask.classify(classifier, list(X))


if find_spec("distributed"):
    assert cluster().shape == (12,)
if find_spec("diffeo._torch") and find_spec("torch"):
    assert network().shape == (12, 1, 32)
if find_spec("matplotlib"):
    assert len(pictures()) == 5
