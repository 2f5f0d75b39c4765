"""The operators on tensors: equal to the core, differentiable, and at home in torch's own machinery."""

import subprocess
import sys

import numpy as np
import pytest

import diffeo

torch = pytest.importorskip("torch", reason="torch is not installed")
try:
    import diffeo.torch
except ImportError as error:
    pytest.skip(str(error), allow_module_level=True)

CELLS, BATCH, POINTS = 8, 3, 20
DOUBLE = torch.float64
APPROXIMATIONS = [
    {"method": "numeric"},
    {"method": "numeric", "steps": 7},
    {"method": "scaling-squaring"},
    {"method": "scaling-squaring", "squarings": 3},
]


def fields(dtype=DOUBLE, size=0.4):
    generator = torch.Generator().manual_seed(1)
    return (size * torch.randn(BATCH, CELLS + 1, generator=generator, dtype=DOUBLE)).to(dtype)


def grid(dtype=DOUBLE):
    return torch.linspace(0, 1, POINTS, dtype=DOUBLE).to(dtype)


def waves(dtype=DOUBLE):
    generator = torch.Generator().manual_seed(2)
    return torch.randn(BATCH, 2, 15, generator=generator, dtype=DOUBLE).to(dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_values_are_those_of_the_core_to_the_last_bit(dtype):
    velocities, points = fields(dtype), grid(dtype)
    expected = diffeo.flow(velocities.numpy(), points.numpy(), time=0.7)
    np.testing.assert_array_equal(diffeo.torch.flow(velocities, points, 0.7).numpy(), expected)
    expected = diffeo.sample(waves(dtype).numpy(), points.numpy())
    np.testing.assert_array_equal(diffeo.torch.sample(waves(dtype), points).numpy(), expected)
    expected = diffeo.warp(waves(dtype).numpy(), velocities.numpy(), length=11)
    np.testing.assert_array_equal(diffeo.torch.warp(waves(dtype), velocities, length=11).numpy(), expected)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("options", APPROXIMATIONS)
def test_approximations_are_those_of_the_core_to_the_last_bit(dtype, options):
    velocities, points = fields(dtype), grid(dtype)
    expected = diffeo.flow(velocities.numpy(), points.numpy(), time=0.7, domain=(-0.5, 2.0), **options)
    flowed = diffeo.torch.flow(velocities, points, 0.7, domain=(-0.5, 2.0), **options)
    np.testing.assert_array_equal(flowed.numpy(), expected)
    assert not torch.equal(flowed, diffeo.torch.flow(velocities, points, 0.7, domain=(-0.5, 2.0)))


@pytest.mark.parametrize("options", [APPROXIMATIONS[1], APPROXIMATIONS[3]])
@pytest.mark.parametrize("shared", [True, False])
def test_gradients_of_approximations_are_those_of_finite_differences(options, shared):
    velocities = fields().requires_grad_()
    generator = torch.Generator().manual_seed(3)
    points = torch.rand(POINTS if shared else (BATCH, POINTS), generator=generator, dtype=DOUBLE)
    time = torch.tensor(0.8 if shared else [1.0, -0.5, 0.3], dtype=DOUBLE, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda v, p, t: diffeo.torch.flow(v, p, t, **options), (velocities, points.requires_grad_(), time)
    )


@pytest.mark.parametrize("shared_points", [True, False])
@pytest.mark.parametrize("shared_time", [True, False])
def test_gradients_of_flow_are_those_of_finite_differences(shared_points, shared_time):
    velocities = fields().requires_grad_()
    points = torch.rand(POINTS if shared_points else (BATCH, POINTS), dtype=DOUBLE, requires_grad=True)
    time = torch.tensor(0.8 if shared_time else [1.0, -0.5, 0.3], dtype=DOUBLE, requires_grad=True)
    assert torch.autograd.gradcheck(diffeo.torch.flow, (velocities, points, time))


def test_log_slopes_are_those_of_the_core():
    velocities, points = fields(), grid()
    expected = diffeo.flow_log_slope(velocities.numpy(), points.numpy(), time=0.7, domain=(-0.5, 2.0))
    log_slopes = diffeo.torch.flow_log_slope(velocities, points, 0.7, domain=(-0.5, 2.0))
    np.testing.assert_array_equal(log_slopes.numpy(), expected)
    assert diffeo.torch.flow_log_slope(velocities[0], points).shape == (POINTS,)


@pytest.mark.parametrize("shared_points", [True, False])
@pytest.mark.parametrize("shared_time", [True, False])
def test_gradients_of_log_slopes_are_those_of_finite_differences(shared_points, shared_time):
    velocities = fields().requires_grad_()
    # Away from vertices, where differences see both sides of a kink.
    generator = torch.Generator().manual_seed(7)
    shape = (POINTS,) if shared_points else (BATCH, POINTS)
    points = torch.rand(shape, generator=generator, dtype=DOUBLE).requires_grad_()
    time = torch.tensor(0.8 if shared_time else [1.0, -0.5, 0.3], dtype=DOUBLE, requires_grad=True)
    assert torch.autograd.gradcheck(diffeo.torch.flow_log_slope, (velocities, points, time))


def test_gradients_of_warp_are_those_of_finite_differences():
    series = waves().requires_grad_()
    velocities = fields(size=0.1).requires_grad_()
    time = torch.tensor([1.0, -0.5, 0.3], dtype=DOUBLE, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda s, v, t: diffeo.torch.warp(s, v, length=12, time=t), (series, velocities, time)
    )


@pytest.mark.parametrize("shared_positions", [True, False])
def test_gradients_of_sample_are_those_of_finite_differences(shared_positions):
    series = waves().requires_grad_()
    # Between nodes: at one, differences see both sides.
    generator = torch.Generator().manual_seed(5)
    shape = (POINTS,) if shared_positions else (BATCH, POINTS)
    segments = series.shape[2] - 1
    inside = 0.1 + 0.8 * torch.rand(shape, dtype=DOUBLE, generator=generator)
    positions = (torch.randint(segments, shape, generator=generator) + inside) / segments
    positions.requires_grad_()
    assert torch.autograd.gradcheck(diffeo.torch.sample, (series, positions))


def test_missing_values_pass_no_gradient():
    series = waves()
    series[0, 0, 3] = torch.nan
    positions = grid().requires_grad_()
    samples = diffeo.torch.sample(series, positions)
    samples.nansum().backward()
    assert samples.isnan().any()
    assert positions.grad.isfinite().all()


@pytest.mark.parametrize(
    ("operator", "arguments"),
    [
        (torch.ops.diffeo.flow.default, lambda: (fields(), grid(), torch.tensor(1.0))),
        (
            torch.ops.diffeo.flow.default,
            lambda: (fields().requires_grad_(), grid().requires_grad_(), torch.ones(BATCH, dtype=DOUBLE)),
        ),
        (
            torch.ops.diffeo.flow.default,
            lambda: (
                fields().requires_grad_(),
                grid(),
                torch.ones(BATCH, dtype=DOUBLE),
                0.0,
                2.0,
                "numeric",
                5,
            ),
        ),
        (
            torch.ops.diffeo.flow.default,
            lambda: (fields().requires_grad_(), grid(), torch.tensor(0.5), 0.0, 1.0, "scaling-squaring", 4),
        ),
        (torch.ops.diffeo.flow_log_slope.default, lambda: (fields(), grid(), torch.tensor(1.0))),
        (
            torch.ops.diffeo.flow_log_slope.default,
            lambda: (
                fields().requires_grad_(),
                grid().requires_grad_(),
                torch.ones(BATCH, dtype=DOUBLE, requires_grad=True),
                0.0,
                2.0,
            ),
        ),
        (
            torch.ops.diffeo.sample.default,
            lambda: (waves().requires_grad_(), torch.rand(BATCH, POINTS, dtype=DOUBLE, requires_grad=True)),
        ),
        (
            torch.ops.diffeo.warp.default,
            lambda: (waves().requires_grad_(), fields().requires_grad_(), torch.tensor(1.0), 12),
        ),
    ],
)
def test_operators_keep_every_rule_of_torch(operator, arguments):
    results = torch.library.opcheck(operator, arguments())
    assert set(results.values()) == {"SUCCESS"}


def test_strided_tensors_are_understood():
    velocities = fields().T.contiguous().T
    points = torch.linspace(0, 1, 2 * POINTS, dtype=DOUBLE)[::2]
    torch.testing.assert_close(
        diffeo.torch.flow(velocities, points), diffeo.torch.flow(velocities.contiguous(), points.contiguous())
    )


def test_one_field_gives_one_row():
    assert diffeo.torch.flow(fields()[0], grid()).shape == (POINTS,)
    assert diffeo.torch.warp(waves()[0, 0], fields()[0]).shape == (15,)
    assert diffeo.torch.warp(waves()[:, 0], fields(), length=7).shape == (BATCH, 7)


def test_compiled_functions_give_the_same_values_and_gradients():
    def loss(velocities):
        return diffeo.torch.flow(velocities, grid()).square().sum()

    plain, compiled = fields().requires_grad_(), fields().requires_grad_()
    loss(plain).backward()
    torch.compile(loss, backend="aot_eager")(compiled).backward()
    torch.testing.assert_close(plain.grad, compiled.grad)


def test_a_time_that_is_a_number_is_not_copied_to_its_device():
    called = []

    class Recording(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            called.append(function)
            return function(*args, **(kwargs or {}))

    with Recording():
        diffeo.torch.flow(fields().to("meta"), grid().to("meta"), 0.5)
    assert called.count(torch.ops.aten.full.default) == 1
    assert torch.ops.aten.lift_fresh.default not in called


def test_vmap_is_the_loop():
    batches = torch.stack([fields(), 0.5 * fields()])
    looped = torch.stack([diffeo.torch.flow(one, grid()) for one in batches])
    torch.testing.assert_close(torch.vmap(lambda one: diffeo.torch.flow(one, grid()))(batches), looped)
    looped = torch.stack([diffeo.torch.flow_log_slope(one, grid()) for one in batches])
    log_slopes = torch.vmap(lambda one: diffeo.torch.flow_log_slope(one, grid()))(batches)
    torch.testing.assert_close(log_slopes, looped)
    approximate = {"method": "scaling-squaring", "squarings": 3}
    looped = torch.stack([diffeo.torch.flow(one, grid(), **approximate) for one in batches])
    flowed = torch.vmap(lambda one: diffeo.torch.flow(one, grid(), **approximate))(batches)
    torch.testing.assert_close(flowed, looped)
    series = torch.stack([waves(), waves()])
    looped = torch.stack([diffeo.torch.warp(s, v) for s, v in zip(series, batches, strict=True)])
    torch.testing.assert_close(torch.vmap(diffeo.torch.warp)(series, batches), looped)
    places = torch.rand(2, BATCH, POINTS, dtype=DOUBLE)
    looped = torch.stack([diffeo.torch.sample(s, p) for s, p in zip(series, places, strict=True)])
    torch.testing.assert_close(torch.vmap(diffeo.torch.sample)(series, places), looped)


def test_a_gradient_of_a_gradient_is_refused():
    velocities = fields().requires_grad_()
    (gradient,) = torch.autograd.grad(
        diffeo.torch.flow(velocities, grid()).square().sum(), velocities, create_graph=True
    )
    with pytest.raises(RuntimeError, match="diffeo::flow_backward"):
        gradient.sum().backward()


def test_the_number_of_threads_changes_no_bit():
    velocities = torch.randn(64, CELLS + 1, dtype=DOUBLE)
    points = torch.linspace(0, 1, 5000, dtype=DOUBLE)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        one = diffeo.torch.flow(velocities, points)
        torch.set_num_threads(2)
        assert torch.equal(one, diffeo.torch.flow(velocities, points))
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: torch.ops.diffeo.flow(torch.zeros(3), grid(), torch.tensor(1.0)),
            "velocities: expected shape",
        ),
        (lambda: diffeo.torch.flow(fields(), torch.zeros(2, 5, dtype=DOUBLE)), "points: expected shape"),
        (lambda: diffeo.torch.flow(fields(), grid(), torch.ones(2)), "time: expected a number or shape"),
        (lambda: diffeo.torch.flow(fields() * torch.inf, grid()), "velocities: expected finite values"),
        (
            lambda: diffeo.torch.flow_log_slope(fields() * torch.inf, grid()),
            "velocities: expected finite values",
        ),
        (
            lambda: diffeo.torch.flow_log_slope(fields(), torch.zeros(2, 5, dtype=DOUBLE)),
            "points: expected shape",
        ),
        (
            lambda: diffeo.torch.flow(fields(), grid(), method="euler"),
            "method: expected one of 'exact', 'num",
        ),
        (lambda: diffeo.torch.flow(fields(), grid(), steps=3), "steps: expected none with method 'exact'"),
        (
            lambda: diffeo.torch.flow(fields(), grid(), method="numeric", squarings=3),
            r"squarings: expected none with method 'numeric' \(it takes steps\), got 3",
        ),
        (
            lambda: diffeo.torch.flow(fields(), grid(), method="numeric", steps=0),
            "steps: expected a whole number of at least 1, got 0",
        ),
        (
            lambda: diffeo.torch.flow(fields(), grid(), method="scaling-squaring", squarings=31),
            "squarings: expected 0 to 30, got 31",
        ),
        (
            lambda: torch.ops.diffeo.flow(fields(), grid(), torch.tensor(1.0), method="euler"),
            "method: expected exact, numeric or scaling-squaring, got euler",
        ),
        (lambda: diffeo.torch.warp(waves(), fields()[:2]), "velocities: expected shape"),
        (lambda: diffeo.torch.warp(waves(), fields(), length=0), "length: expected at least 1, got 0"),
    ],
)
def test_wrong_shapes_and_values_are_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_mixed_precision_is_refused():
    with pytest.raises(TypeError, match="points: expected float64 as the velocities have, got float32"):
        diffeo.torch.flow(fields(), grid(torch.float32))


def test_a_torch_that_is_too_old_is_refused_with_the_version_that_is_needed():
    program = (
        "import sys, types; fake = types.ModuleType('torch'); fake.__version__ = '2.3.1+cpu'; "
        "sys.modules['torch'] = fake; import diffeo.torch"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "ImportError: diffeo.torch: expected torch 2.4 or newer, found 2.3.1+cpu" in done.stderr


def test_the_rest_of_the_package_never_loads_torch():
    program = "import sys, diffeo; assert 'torch' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_shapes_and_devices_on_a_gpu_are_known_without_one():
    with torch._subclasses.FakeTensorMode(), torch.no_grad():
        velocities, points = torch.empty(BATCH, 9, device="cuda"), torch.empty(BATCH, POINTS, device="cuda")
        series, time = torch.empty(BATCH, 2, 15, device="cuda"), torch.tensor(1.0, dtype=DOUBLE)
        positions = torch.ops.diffeo.flow(velocities, points, time)
        log_slopes = torch.ops.diffeo.flow_log_slope(velocities, points, time)
        warped = torch.ops.diffeo.warp(series, velocities, time, 7)
        samples = torch.ops.diffeo.sample(series, points)
        gradients = [
            *torch.ops.diffeo.flow_backward(
                positions, velocities, points, time, 0.0, 1.0, "exact", 0, [True] * 3
            ),
            *torch.ops.diffeo.flow_log_slope_backward(
                log_slopes, velocities, points, time, 0.0, 1.0, [True] * 3
            ),
            *torch.ops.diffeo.warp_backward(warped, series, velocities, time, [True] * 3),
            *torch.ops.diffeo.sample_backward(samples, series, points, [True] * 2),
        ]
    flow_arguments = [velocities, points, time]
    arguments = [*flow_arguments, *flow_arguments, series, velocities, time, series, points]
    assert [gradient.shape for gradient in gradients] == [argument.shape for argument in arguments]
    assert (positions.shape, log_slopes.shape, warped.shape, samples.shape) == (
        (BATCH, POINTS),
        (BATCH, POINTS),
        (BATCH, 2, 7),
        (BATCH, 2, POINTS),
    )
    assert {tensor.device.type for tensor in [positions, log_slopes, warped, samples, *gradients]} == {"cuda"}


@pytest.mark.skipif(torch.version.cuda is not None, reason="this torch may go with a build that has kernels")
@pytest.mark.parametrize(
    ("operator", "arguments"),
    [
        (torch.ops.diffeo.flow.default, lambda: (fields(), grid(), torch.tensor(1.0))),
        (torch.ops.diffeo.flow_log_slope.default, lambda: (fields(), grid(), torch.tensor(1.0))),
        (torch.ops.diffeo.warp.default, lambda: (waves(), fields(), torch.tensor(1.0), 12)),
        (torch.ops.diffeo.sample.default, lambda: (waves(), grid())),
    ],
)
def test_tensors_of_a_gpu_are_refused_where_there_are_no_kernels_for_them(operator, arguments):
    on_cuda = torch._C.DispatchKeySet(torch._C.DispatchKey.CUDA)
    with pytest.raises(NotImplementedError, match=r"no kernels for CUDA.*DIFFEO_BUILD_CUDA=ON"):
        operator.redispatch(on_cuda, *arguments())
