"""Operators and transformer in torch's machinery: compilers, exporters, transformations, precisions."""

import copy
import io
import subprocess
import sys

import pytest

import diffeo

torch = pytest.importorskip("torch", reason="torch is not installed")
try:
    import diffeo.torch
except ImportError as error:
    pytest.skip(str(error), allow_module_level=True)

from torch.autograd import forward_ad  # noqa: E402  after the check that there is one

from diffeo._compiled_torch import compiled_torch  # noqa: E402
from diffeo.torch import TemporalTransformer  # noqa: E402

CASES, CHANNELS, LENGTH, CELLS = 6, 2, 40, 8
OPTIONS = {"cells": CELLS, "widths": (6, 6), "kernels": (5, 3), "hidden": 7}
DOUBLE = torch.float64
ROUNDING = 1e-3  # of a network in float32, through the slopes of noise


def small(network="conv", seed=1, **options):
    """A module whose warps are plain to see: a fresh one starts near the identity."""
    torch.manual_seed(seed)
    module = TemporalTransformer(CHANNELS, LENGTH, network=network, **{**OPTIONS, **options})
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if name.endswith("head.outputs.weight"):
                parameter.copy_(0.5 * torch.randn(parameter.shape))
    return module


def batch(seed=2, dtype=torch.float32, steps=LENGTH):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(CASES, CHANNELS, steps, generator=generator, dtype=DOUBLE).to(dtype)


def with_gaps(steps=LENGTH):
    series = batch(5, steps=steps)
    series[0, :, 3:9] = torch.nan
    series[1, :, 30:] = torch.nan
    return series


def assert_near(found, expected, rounding=ROUNDING):
    torch.testing.assert_close(found, expected, rtol=rounding, atol=rounding, equal_nan=True)


def weights_of(module):
    parameters = {name: parameter.detach() for name, parameter in module.named_parameters()}
    return parameters, dict(module.named_buffers())


# --- the operators -----------------------------------------------------------------------------------------


def problem(seed=1):
    generator = torch.Generator().manual_seed(seed)
    velocities = 0.3 * torch.randn(3, CELLS + 1, generator=generator, dtype=DOUBLE)
    points = torch.rand(3, 7, generator=generator, dtype=DOUBLE)
    series = torch.randn(3, 2, 15, generator=generator, dtype=DOUBLE)
    time = torch.tensor(0.7, dtype=DOUBLE)
    return [tensor.requires_grad_() for tensor in (velocities, points, series, time)]


@pytest.mark.parametrize("shared", [True, False])
def test_derivatives_hold_in_both_modes_and_in_batches(shared):
    velocities, points, series, time = problem()
    points = points[0].detach().requires_grad_() if shared else points
    times = time if shared else torch.tensor([0.7, -1.0, 0.2], dtype=DOUBLE, requires_grad=True)
    every = {"check_forward_ad": True, "check_batched_grad": True, "check_batched_forward_grad": True}
    check = torch.autograd.gradcheck
    assert check(diffeo.torch.flow, (velocities, points, times), **every)
    assert check(diffeo.torch.flow_log_slope, (velocities, points, times), **every)
    assert check(diffeo.torch.sample, (series, points), **every)

    def warped(series, velocities, times):
        return diffeo.torch.warp(series, velocities, length=12, time=times)

    assert check(warped, (series, velocities, times), **every)


def test_jacobians_of_both_modes_agree():
    velocities, points, *_ = (tensor.detach() for tensor in problem())
    reverse = torch.func.jacrev(diffeo.torch.flow)(velocities, points)
    torch.testing.assert_close(torch.func.jacfwd(diffeo.torch.flow)(velocities, points), reverse)
    own = torch.from_numpy(diffeo.flow_jacobian(velocities.numpy(), points.numpy()))
    rows = torch.arange(3)
    torch.testing.assert_close(reverse[rows, :, rows], own)


@pytest.mark.parametrize(
    "second",
    [
        torch.func.hessian,
        lambda f: torch.func.jacrev(torch.func.jacfwd(f)),
        lambda f: torch.func.grad(lambda x: torch.func.grad(f)(x).sum()),
    ],
)
def test_second_derivatives_are_refused(second):
    velocities, points, *_ = (tensor.detach() for tensor in problem())
    with pytest.raises(RuntimeError, match="expected a first derivative, got asked for a second one"):
        second(lambda v: diffeo.torch.flow(v, points).sum())(velocities)


def test_tangents_of_approximations_are_refused():
    velocities, points, *_ = (tensor.detach() for tensor in problem())

    def approximate(v):
        return diffeo.torch.flow(v, points, method="numeric", steps=3)

    with pytest.raises(NotImplementedError, match="expected method 'exact' for derivatives in forward mode"):
        torch.func.jvp(approximate, (velocities,), (velocities,))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_computed_in_float32(dtype):
    velocities, points, series, _ = (tensor.detach().to(dtype) for tensor in problem())
    for function, arguments in {
        diffeo.torch.flow: (velocities, points),
        diffeo.torch.flow_log_slope: (velocities, points),
        diffeo.torch.sample: (series, points),
        diffeo.torch.warp: (series, velocities),
    }.items():
        expected = function(*(argument.float() for argument in arguments))
        assert torch.equal(function(*arguments), expected.to(dtype))
        with torch.autocast("cpu", dtype=torch.bfloat16):  # where the result stays in float32
            assert torch.equal(function(arguments[0].float(), arguments[1]), expected)
    with pytest.raises(TypeError, match="points: expected float32 as the velocities have"):
        diffeo.torch.flow(velocities.float(), points)


def test_a_graph_has_the_operators_and_their_batches():
    velocities, points, *_ = (tensor.detach() for tensor in problem())
    together = torch.stack([velocities, 0.5 * velocities])

    def flow(v):
        return diffeo.torch.flow(v, points)

    compiled = torch.compile(torch.vmap(flow), fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(together), torch.stack([flow(one) for one in together]))


def test_operators_of_python_and_cpp_live_in_one_process():
    try:
        compiled_torch("both")
    except ImportError as error:
        pytest.skip(str(error))
    program = (
        "import torch, diffeo.torch; from diffeo._compiled_torch import compiled_torch; "
        "compiled_torch('both'); v, p, t = torch.zeros(2, 5), torch.rand(3), torch.tensor(1.0); "
        "assert torch.equal(torch.ops.diffeo.flow(v, p, t), torch.ops.diffeo_cpp.flow(v, p, t))"
    )
    reverse = program.replace("import torch, diffeo.torch;", "import torch;") + "; import diffeo.torch"
    reverse = reverse.replace("torch.ops.diffeo.flow(v, p, t)", "p.expand(2, 3)")
    for order in (program, reverse):
        done = subprocess.run([sys.executable, "-c", order], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


# --- the transformer ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"layers": 2, "widths": (4,), "kernels": (3,)}])
def test_a_compiled_module_is_one_graph(options):
    torch.compiler.reset()
    module, series = small(**options).eval(), batch()
    compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
    assert_near(compiled(series), module(series))
    assert_near(compiled(with_gaps()), module(with_gaps()))
    other = copy.deepcopy(module)
    compiled(series).square().sum().backward()
    other(series).square().sum().backward()
    for parameter, expected in zip(module.parameters(), other.parameters(), strict=True):
        assert_near(parameter.grad, expected.grad, 10 * ROUNDING)


def test_a_compiled_module_trains():
    torch.compiler.reset()
    module = small(dropout=0.1)
    torch.compile(module, fullgraph=True, backend="aot_eager")(batch()).var(dim=0).sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in module.parameters())
    assert module.get_buffer("layer0.block0.norm.num_batches_tracked") == 1


@pytest.mark.parametrize("network", ["conv", "residual"])
def test_an_exported_module_computes_the_same_for_other_series(network):
    module = small(network).eval()
    file = io.BytesIO()
    torch.export.save(torch.export.export(module, (batch(),)), file)
    file.seek(0)
    exported = torch.export.load(file).module()
    assert_near(exported(batch()), module(batch()))
    assert_near(exported(with_gaps()), module(with_gaps()))


def test_an_exported_module_takes_any_number_of_cases_and_steps():
    module = small(layers=2).eval()
    shape = {
        "series": {0: torch.export.Dim("cases", min=2, max=64), 2: torch.export.Dim("steps", min=9, max=640)}
    }
    exported = torch.export.export(module, (batch(steps=55),), dynamic_shapes=shape).module()
    series = torch.cat([with_gaps(77), batch(steps=77)])
    assert_near(exported(series), module(series))


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")
@pytest.mark.parametrize("options", [{}, {"layers": 2, "composition": "resample"}])
def test_a_traced_module_computes_the_same_for_other_series(options):
    module = small(**options).eval()
    traced = torch.jit.trace(module, (batch(),))
    for series in (with_gaps(), batch(7, steps=70)):
        assert_near(traced(series), module(series))


def test_onnx_is_refused_in_one_sentence(monkeypatch):
    monkeypatch.setattr(torch.onnx, "is_in_onnx_export", lambda: True)
    with pytest.raises(
        RuntimeError, match=r"ONNX has no operator for it; export the network with torch\.export"
    ):
        small()(with_gaps())


def test_gradients_of_torch_func_are_those_of_backward():
    module = small().eval()
    parameters, buffers = weights_of(module)

    def loss(weights):
        return torch.func.functional_call(module, (weights, buffers), (batch(),)).square().sum()

    gradients = torch.func.grad(loss)(parameters)
    module(batch()).square().sum().backward()
    for name, parameter in module.named_parameters():
        assert_near(gradients[name], parameter.grad, 10 * ROUNDING)


def test_jacobians_of_the_module_agree():
    module, series = small(dtype=DOUBLE).eval(), batch(dtype=DOUBLE)[:2]
    parameters, buffers = weights_of(module)
    name = "layer0.head.outputs.bias"

    def aligned(bias):
        return torch.func.functional_call(module, ({**parameters, name: bias}, buffers), (series,))

    expected = torch.autograd.functional.jacobian(aligned, parameters[name])
    torch.testing.assert_close(torch.func.jacrev(aligned)(parameters[name]), expected)
    torch.testing.assert_close(torch.func.jacfwd(aligned)(parameters[name]), expected)


@pytest.mark.parametrize("network", ["conv", "residual"])
def test_tangents_of_the_module_are_those_of_differences(network):
    module, series, direction = small(network, dtype=DOUBLE).eval(), batch(dtype=DOUBLE), batch(9, DOUBLE)
    _, tangent = torch.func.jvp(module, (series,), (direction,))
    step, error = 1e-7, 1e-4  # small, for the kinks of the network; what is left of 16 digits
    differences = (module(series + step * direction) - module(series - step * direction)) / (2 * step)
    assert_near(tangent, differences, error)
    with forward_ad.dual_level():
        dual = module(forward_ad.make_dual(series, direction))
        torch.testing.assert_close(forward_ad.unpack_dual(dual).tangent, tangent)


def test_batches_of_batches_and_of_modules_are_loops():
    modules = [small(seed=seed).eval() for seed in range(3)]
    together = torch.stack([batch(), with_gaps()])
    assert_near(torch.vmap(modules[0])(together), torch.stack([modules[0](one) for one in together]))
    parameters, buffers = torch.func.stack_module_state(modules)
    base, series = copy.deepcopy(modules[0]).to("meta"), batch()

    def call(own_parameters, own_buffers):
        return torch.func.functional_call(base, (own_parameters, own_buffers), (series,))

    found = torch.vmap(call)(parameters, buffers)
    assert_near(found, torch.stack([module(batch()) for module in modules]))


def test_gradients_of_every_case_are_the_loop():
    module = small().eval()
    parameters, buffers = weights_of(module)

    def loss(weights, case):
        called = torch.func.functional_call(module, (weights, buffers), (case.unsqueeze(0),))
        return called.square().sum()

    gradient = torch.func.grad(loss)
    found = torch.vmap(gradient, in_dims=(None, 0))(parameters, batch())
    expected = gradient(parameters, batch()[2])
    for name in found:
        assert_near(found[name][2], expected[name], 10 * ROUNDING)


def test_made_without_memory_it_takes_the_tensors_it_is_given():
    with torch.device("meta"):
        module = TemporalTransformer(CHANNELS, LENGTH, **OPTIONS)
    assert {parameter.device.type for parameter in module.parameters()} == {"meta"}
    assert module(torch.empty(CASES, CHANNELS, 55, device="meta")).shape == (CASES, CHANNELS, LENGTH)
    other = small().eval()
    module.load_state_dict(other.state_dict(), assign=True)
    assert torch.equal(module.eval()(batch()), other(batch()))


@pytest.mark.parametrize(("network", "dtype"), [("conv", torch.float16), ("recurrent", torch.bfloat16)])
def test_a_module_in_half_precision_trains(network, dtype):
    module = small(network).to(dtype)
    aligned = module(batch(dtype=dtype))
    assert aligned.dtype == dtype
    aligned.float().square().mean().backward()
    assert all(parameter.grad.isfinite().all() for parameter in module.parameters())


def test_autocast_around_it_changes_the_precision_of_its_neighbors_only():
    module = small().eval()
    network = torch.nn.Sequential(torch.nn.Conv1d(CHANNELS, CHANNELS, 3, padding=1), module)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        before = network[0](batch())
        assert before.dtype == torch.bfloat16
        aligned = network(batch())
    assert torch.equal(aligned, module(before.float()))
    with pytest.raises(TypeError, match="series: expected float32 as the module has, got bfloat16"):
        module(before)


def test_averaged_weights_are_a_module_too():
    module = small().eval()
    averaged = torch.optim.swa_utils.AveragedModel(
        module, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.5)
    )
    averaged.update_parameters(module)
    assert torch.equal(averaged(batch()), module(batch()))
    with torch.no_grad():
        module.layer0.head.outputs.bias.add_(0.5)
    averaged.update_parameters(module)
    half_way = averaged.module.layer0.head.outputs.bias
    torch.testing.assert_close(half_way, module.layer0.head.outputs.bias - 0.25)
