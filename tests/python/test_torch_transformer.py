"""The temporal transformer as a module of torch: trained, moved, copied, saved and refused as any other."""

import copy
import gc
import inspect
import io
import pickle
import re
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

import diffeo

torch = pytest.importorskip("torch", reason="torch is not installed")
try:
    import diffeo.torch
except ImportError as error:
    pytest.skip(str(error), allow_module_level=True)

from diffeo._compiled_torch import compiled_torch  # noqa: E402  after the check that there is one
from diffeo.torch import TemporalTransformer  # noqa: E402  after the check that there is one

NETWORKS = ["conv", "recurrent", "inception", "residual"]
CASES, CHANNELS, LENGTH, CELLS = 6, 2, 40, 8


def small(network="conv", seed=1, **options):
    """A module whose warps are plain to see: a fresh one starts near the identity."""
    torch.manual_seed(seed)
    settings = {"cells": CELLS, "widths": (6, 6), "kernels": (5, 3), "hidden": 7, **options}
    module = TemporalTransformer(CHANNELS, LENGTH, network=network, **settings)
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if name.endswith("head.outputs.weight"):
                parameter.copy_(0.5 * torch.randn(parameter.shape))
    return module


def batch(seed=2, dtype=torch.float32, steps=LENGTH):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(CASES, CHANNELS, steps, generator=generator, dtype=torch.float64).to(dtype)


def same_output(one, other, series=None):
    series = batch() if series is None else series
    return torch.equal(one.eval()(series), other.eval()(series))


# --- what it computes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("composition", ["compose", "resample"])
def test_shapes_are_those_that_are_documented(network, composition):
    module = small(network, layers=2, composition=composition)
    made = module.warp(batch(steps=55))
    assert made.aligned.shape == (CASES, CHANNELS, LENGTH)
    assert made.positions.shape == (CASES, LENGTH)
    assert [theta.shape for theta in made.thetas] == [(CASES, CELLS - 1)] * 2
    assert [field.shape for field in made.velocities] == [(CASES, CELLS + 1)] * 2
    assert module.vertex_basis.shape == (CELLS + 1, CELLS - 1)
    assert (module.channels, module.length) == (CHANNELS, LENGTH)


def test_the_aligned_series_are_the_series_warped_by_the_velocities():
    module = small(velocity_scale=3.0).eval()
    made = module.warp(batch())
    assert made.positions.diff(dim=1).min() > 0
    assert (made.positions - torch.linspace(0, 1, LENGTH)).abs().max() > 1 / LENGTH  # more than a step
    torch.testing.assert_close(made.aligned, diffeo.torch.warp(batch(), made.velocities[0]))
    torch.testing.assert_close(made.velocities[0], 3.0 * made.thetas[0] @ module.vertex_basis.T)
    assert torch.equal(module(batch()), made.aligned)


def test_time_zero_is_no_warp():
    torch.testing.assert_close(small().eval()(batch(), time=0.0), batch())


def test_velocities_alone_say_what_is_aligned():
    for composition in ("compose", "resample"):
        module = small(layers=2, composition=composition).eval()
        made = module.warp(batch(steps=55), time=0.7)
        assert torch.equal(module.warp_by(batch(steps=55), made.velocities, time=0.7), made.aligned)
        assert torch.equal(module.positions(made.velocities, time=0.7), made.positions)


def test_positions_are_inverted_exactly():
    module = small(layers=2).double().eval()
    velocities = module.warp(batch(dtype=torch.float64)).velocities
    points = torch.rand(CASES, 30, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    back = module.inverse_positions(velocities, module.positions(velocities, points))
    roundoff = 1e-12  # of two flows there and two back, none of which stretches by more than a few
    torch.testing.assert_close(back, points, rtol=0, atol=roundoff)
    assert module.inverse_positions(velocities).shape == (CASES, LENGTH)


def test_inverse_brings_series_back():
    module = small(layers=2).double().eval()
    made = module.warp(batch(dtype=torch.float64), time=0.5)
    line = made.positions.unsqueeze(1)  # a straight line, read along the warp
    identity = torch.linspace(0, 1, LENGTH, dtype=torch.float64).expand(CASES, -1)
    interpolation_error = 0.02  # of curves with kinks, read on a grid of 40 steps
    back = module.inverse(line, made.velocities, time=0.5)
    torch.testing.assert_close(back[:, 0], identity, rtol=0, atol=interpolation_error)
    lengths = torch.arange(20, 20 + CASES)
    ragged = module.inverse(line, made.velocities, length=70, time=0.5, lengths=lengths)
    assert ragged.shape == (CASES, 1, 70)
    assert torch.equal((~ragged[:, 0].isnan()).sum(dim=1), lengths)


@pytest.mark.parametrize(
    ("method", "steps", "allowed"),
    [
        ("numeric", 200, 1e-5),  # Runge-Kutta, which loses its order at the kinks of the velocities
        ("scaling-squaring", 8, 0.5 / LENGTH),  # interpolates eight times on the steps: half of one
    ],
)
def test_approximations_of_the_flow_come_near_the_exact_one(method, steps, allowed):
    series = batch(dtype=torch.float64)
    exact = small(dtype=torch.float64).eval().warp(series)
    other = small(dtype=torch.float64, method=method, method_steps=steps).eval().warp(series)
    assert 0 < (other.positions - exact.positions).abs().max() < allowed


def test_a_longer_horizon_is_a_longer_time():
    near, far = small().eval(), small(horizon=2.0).eval()
    torch.testing.assert_close(far(batch(), time=0.5), near(batch()))


@pytest.mark.parametrize("network", NETWORKS)
def test_gradients_are_those_of_finite_differences(network):
    module = small(network, layers=2).double()
    series = batch(dtype=torch.float64)
    module(series)  # the statistics of fresh batch normalization keep zeros zero, where ReLU has its kink
    module.eval()
    generator = torch.Generator().manual_seed(4)
    step = 1e-8  # small: ReLU, pooling and linear interpolation have kinks, which a longer one would meet
    roundoff = 1e-3  # 1e3, of the loss, times 1e-16, times a few hundred sums, over the step

    def loss():
        return module(series).square().sum()

    def loss_at(directions, distance):
        with torch.no_grad():
            torch._foreach_add_(list(module.parameters()), directions, alpha=distance)
            value = loss()
            torch._foreach_sub_(list(module.parameters()), directions, alpha=distance)
        return value

    loss().backward()
    for _ in range(5):
        directions = [
            torch.randn(p.shape, dtype=torch.float64, generator=generator) for p in module.parameters()
        ]
        slope = (loss_at(directions, step) - loss_at(directions, -step)) / (2 * step)
        found = sum((p.grad * d).sum() for p, d in zip(module.parameters(), directions, strict=True))
        torch.testing.assert_close(found, slope, rtol=1e-5, atol=roundoff)


def test_the_series_receives_gradients():
    series = batch().requires_grad_()
    small()(series).square().sum().backward()
    assert series.grad.abs().max() > 0


def test_missing_values_stay_missing():
    module = small().eval()
    series = batch()
    series[0, 1, 10] = torch.nan
    series[2, :, 30:] = torch.nan  # a series as long as the others, whose end is missing
    aligned = module(series)
    assert aligned[0, 1].isnan().any()
    assert not aligned[:, 0].isnan()[[0, 1, 3, 4, 5]].any()
    positions = module.warp(series).positions[2]
    last_present = 29 / (LENGTH - 1)
    assert torch.equal(aligned[2, 0].isnan(), positions > last_present)


@pytest.mark.parametrize("composition", ["compose", "resample"])
@pytest.mark.parametrize("after", [torch.nan, 7.0])
def test_what_follows_the_length_of_a_series_changes_nothing(composition, after):
    module = small(layers=2, composition=composition).eval()
    longer = torch.cat([batch(steps=55), torch.full((CASES, CHANNELS, 15), after)], dim=2)
    lengths = torch.full((CASES,), 55)
    rounding = 1e-3  # of positions in float32, through the slopes of noise
    expected = module.warp(batch(steps=55))
    found = module.warp(longer, lengths=lengths)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=rounding, atol=rounding)
    assert torch.equal(module.warp_by(longer, found.velocities, lengths=lengths), found.aligned)


def test_each_series_may_have_a_length_of_its_own():
    module = small().eval()
    series, lengths = batch(steps=55), torch.tensor([55, 40, 30, 20, 9, 1])
    aligned = module(series, lengths=lengths)
    rounding = 1e-3  # of positions in float32, through the slopes of noise
    for case, length in enumerate(lengths):
        alone = module(series[case : case + 1, :, :length])
        torch.testing.assert_close(aligned[case : case + 1], alone, rtol=rounding, atol=rounding)


# --- a module as any other ---------------------------------------------------------------------------------


def fresh_compiled(module):
    """The module of C++ with the same options, as torch's generator initializes it."""
    try:
        return compiled_torch("the module of C++").TemporalTransformer(**module._options)
    except ImportError as error:
        pytest.skip(str(error))


def compiled(module):
    """The module of C++ with the same options and the same weights."""
    core = fresh_compiled(module)
    weights = module.state_dict()
    with torch.no_grad():
        for name, tensor in tensors_of(core).items():
            tensor.copy_(weights.pop(name))
    assert not weights
    return core


def tensors_of(core):
    return {**dict(core.named_parameters()), **dict(core.named_buffers())}


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"layers": 2, "shared_layers": True},
        {"layers": 2, "composition": "resample", "zero_boundary": False, "widths": (6, 4), "positions": 3},
        {"method": "numeric", "method_steps": 4, "horizon": 0.5, "widths": (5, 6)},
    ],
)
def test_it_computes_what_the_module_in_cpp_does(network, options):
    module = small(network, **options)
    core = compiled(module)
    series = batch(steps=55)
    series[0, 1, 10:20] = torch.nan
    rounding = 2e-3  # of networks in float32, through the slopes of noise
    for training in (True, False):
        module.train(training)
        core.train(training)
        aligned, thetas, velocities = core.forward(series, 0.7)
        made = module.warp(series, 0.7)
        torch.testing.assert_close(made.aligned, aligned, rtol=rounding, atol=rounding, equal_nan=True)
        torch.testing.assert_close(made.thetas, tuple(thetas), rtol=rounding, atol=rounding)
        torch.testing.assert_close(made.velocities, tuple(velocities), rtol=rounding, atol=rounding)
    for name, tensor in tensors_of(core).items():  # running averages, too
        torch.testing.assert_close(module.state_dict()[name], tensor, rtol=1e-5, atol=1e-5)
    lengths = torch.arange(20, 20 + CASES)
    torch.testing.assert_close(
        module.inverse(made.aligned, made.velocities, 30, lengths=lengths),
        core.inverse(made.aligned, list(made.velocities), 30, 1.0, lengths),
        rtol=rounding,
        atol=rounding,
        equal_nan=True,
    )


@pytest.mark.parametrize("network", NETWORKS)
def test_gradients_are_those_of_the_module_in_cpp(network):
    module = small(network)
    core = compiled(module)
    module(batch()).square().sum().backward()
    core.forward(batch(), 1.0)[0].square().sum().backward()
    gradients = {name: parameter.grad for name, parameter in core.named_parameters()}
    for name, parameter in module.named_parameters():
        rounding = 1e-3 * gradients[name].abs().max().item()  # of a network in float32
        torch.testing.assert_close(parameter.grad, gradients[name], rtol=1e-2, atol=rounding + 1e-3)


def test_lengths_are_what_padding_is_in_cpp():
    module = small().eval()
    core = compiled(module)
    core.train(False)
    series, lengths = batch(steps=55), torch.tensor([55, 50, 40, 30, 20, 9])
    padded = series.masked_fill((torch.arange(55) >= lengths.unsqueeze(1)).unsqueeze(1), torch.nan)
    rounding = 1e-3  # of positions in float32, through the slopes of noise
    aligned, *_ = core.forward(padded, 1.0)
    torch.testing.assert_close(module(series, lengths=lengths), aligned, rtol=rounding, atol=rounding)


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("shared_layers", [True, False])
def test_weights_of_the_module_in_cpp_can_be_loaded(network, shared_layers):
    module = small(network, layers=2, shared_layers=shared_layers)
    core = fresh_compiled(module)
    module.load_state_dict(tensors_of(core))
    assert ("layer1.head.hidden.weight" in module.state_dict()) != shared_layers
    assert all(type(parameter) is torch.nn.Parameter for parameter in module.parameters())
    core.train(False)
    torch.testing.assert_close(module.eval()(batch()), core.forward(batch(), 1.0)[0], rtol=1e-4, atol=1e-4)


def test_initial_weights_are_those_of_the_module_in_cpp():
    for network in NETWORKS:
        torch.manual_seed(3)
        module = TemporalTransformer(CHANNELS, LENGTH, network=network, widths=(6, 6), kernels=(5, 3))
        torch.manual_seed(3)
        core = fresh_compiled(module)
        for name, parameter in core.named_parameters():
            assert torch.equal(module.get_parameter(name), parameter), (network, name)


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.AdamW])
def test_an_optimizer_changes_what_is_computed_with(network, optimizer):
    module = small(network)
    before = module.eval()(batch())
    module.train()
    optimizer = optimizer(module.parameters(), lr=1e-2)
    loss = module(batch()).var(dim=0).sum()
    loss.backward()
    assert all(p.grad is not None for p in module.parameters())
    optimizer.step()
    assert not torch.equal(before, module.eval()(batch()))
    optimizer.zero_grad()
    assert all(p.grad is None for p in module.parameters())
    module(batch()).sum().backward()
    module.zero_grad(set_to_none=False)
    assert all(p.grad.abs().max() == 0 for p in module.parameters())


def test_training_lowers_the_variance_between_warped_copies_of_one_series():
    torch.manual_seed(5)
    bumps = diffeo.generate_bumps(20, seed=5, classes=1)
    series = torch.tensor(bumps.X, dtype=torch.float32)
    module = TemporalTransformer(1, series.shape[2], cells=16, widths=(16, 16), kernels=(7, 5))
    optimizer = torch.optim.Adam(module.parameters(), lr=3e-3)
    losses = []
    for _ in range(60):
        optimizer.zero_grad()
        loss = module(series).var(dim=0).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.3 * losses[0]


def test_frozen_parameters_receive_no_gradient():
    module = small().requires_grad_(False)
    assert not module(batch()).requires_grad
    module.layer0.head.requires_grad_(True)
    module(batch()).sum().backward()
    assert {name for name, p in module.named_parameters() if p.grad is not None} == {
        f"layer0.head.{layer}.{kind}" for layer in ("hidden", "outputs") for kind in ("weight", "bias")
    }


def test_training_and_evaluation_reach_dropout_and_batch_normalization():
    module = small(dropout=0.5)
    network = torch.nn.Sequential(module, torch.nn.Flatten())
    network.train()
    mean = module.get_buffer("layer0.block0.norm.running_mean").clone()
    assert not torch.equal(network(batch()), network(batch()))
    assert not torch.equal(mean, module.get_buffer("layer0.block0.norm.running_mean"))
    assert module.get_buffer("layer0.block0.norm.num_batches_tracked") == 2
    network.eval()
    mean = module.get_buffer("layer0.block0.norm.running_mean").clone()
    assert torch.equal(network(batch()), network(batch()))
    assert torch.equal(mean, module.get_buffer("layer0.block0.norm.running_mean"))


def test_a_part_can_be_put_into_evaluation_alone():
    module = small(dropout=0.5).train()
    module.layer0.block0.eval()
    mean = module.get_buffer("layer0.block0.norm.running_mean").clone()
    assert not torch.equal(module(batch()), module(batch()))  # dropout
    assert torch.equal(mean, module.get_buffer("layer0.block0.norm.running_mean"))


@pytest.mark.parametrize("network", NETWORKS)
def test_precision_changes_and_back(network):
    module = small(network).eval()
    before = module(batch())
    parameters = [id(parameter) for parameter in module.parameters()]
    module.double()
    exact = module(batch(dtype=torch.float64))
    assert exact.dtype == torch.float64
    assert module.vertex_basis.dtype == torch.float64
    roundoff = 1e-3  # of a network in float32, through the slopes of noise
    torch.testing.assert_close(exact.float(), before, rtol=roundoff, atol=roundoff)
    module.train()(batch(dtype=torch.float64)).sum().backward()
    assert all(p.grad.dtype == torch.float64 for p in module.parameters())
    module.to(torch.float32).eval()
    assert [id(parameter) for parameter in module.parameters()] == parameters  # an optimizer knows them
    assert module(batch()).dtype == torch.float32


def test_statistics_still_move_after_a_change_of_precision():
    module = small().double().train()
    before = module.get_buffer("layer0.block0.norm.running_mean").clone()
    module(batch(dtype=torch.float64))
    assert not torch.equal(before, module.get_buffer("layer0.block0.norm.running_mean"))


def test_made_in_the_precision_that_is_asked_for_or_is_torchs_default():
    assert small(dtype=torch.float64)(batch(dtype=torch.float64)).dtype == torch.float64
    try:
        torch.set_default_dtype(torch.float64)
        assert small()(batch(dtype=torch.float64)).dtype == torch.float64
        assert same_output(small(), copy.deepcopy(small()), batch(dtype=torch.float64))
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("composition", ["compose", "resample"])
def test_values_of_another_device_are_not_looked_at(composition):
    """To look would mean to wait for it. On the device "meta" there is nothing to look at."""
    module = TemporalTransformer(1, 50, cells=8, layers=2, composition=composition)
    for steps in (50, 70):
        series, velocities = torch.empty(4, 1, steps, device="meta"), torch.empty(4, 9, device="meta")
        assert module.warp_by(series, [velocities] * 2).shape == (4, 1, 50)
        with pytest.raises(
            RuntimeError, match="is not on the expected device"
        ):  # by its weights, and not before
            module(series)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_device_that_is_not_there_is_torchs_own_error():
    module = small()
    with pytest.raises((RuntimeError, AssertionError), match=r"CUDA|NVIDIA"):
        module.to("cuda")
    assert module(batch()).isfinite().all()


def test_the_same_seed_makes_the_same_module():
    assert same_output(small(seed=3), small(seed=3))
    assert not same_output(small(seed=3), small(seed=4))


# --- copies and files --------------------------------------------------------------------------------------


def through_pickle(module):
    return pickle.loads(pickle.dumps(module))


def through_a_file(module):
    file = io.BytesIO()
    torch.save(module, file)
    file.seek(0)
    return torch.load(file, weights_only=False)


def through_its_state(module):
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    other = small("inception" if "layer0.shortcut.weight" in module.state_dict() else "conv", seed=9)
    assert not same_output(other, module)
    other.load_state_dict(torch.load(file, weights_only=True))
    return other


@pytest.mark.parametrize("network", ["conv", "inception"])
@pytest.mark.parametrize("copied", [copy.deepcopy, through_pickle, through_a_file, through_its_state])
def test_a_copy_computes_the_same_and_trains_on_its_own(network, copied):
    module = small(network)
    module.train()(batch())  # statistics that are not those of a fresh one
    other = copied(module)
    assert same_output(module, other)
    before = module(batch())
    optimizer = torch.optim.SGD(other.train().parameters(), lr=0.1)
    other(batch()).square().sum().backward()
    assert all(p.grad is None for p in module.parameters())
    optimizer.step()
    assert torch.equal(module(batch()), before)
    assert not same_output(module, other)


@pytest.mark.parametrize("copied", [copy.deepcopy, through_pickle, through_a_file])
def test_a_copy_keeps_precision_flags_and_what_was_hung_onto_it(copied):
    module = small().double().eval()
    module.layer0.head.requires_grad_(False)
    module.note = "kept"
    other = copied(module)
    assert other.note == "kept"
    assert not other.training
    assert other.vertex_basis.dtype == torch.float64
    assert [p.requires_grad for p in other.parameters()] == [p.requires_grad for p in module.parameters()]
    assert repr(other) == repr(module)
    assert same_output(module, other, batch(dtype=torch.float64))


def test_copying_draws_no_random_numbers():
    module = small()
    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    copy.deepcopy(module)
    through_pickle(module)
    assert torch.equal(torch.rand(3), expected)


def test_an_optimizer_copied_along_trains_the_copy():
    module = torch.nn.Sequential(small())
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    other, its_optimizer = copy.deepcopy((module, optimizer))
    other.train()(batch()).square().sum().backward()
    its_optimizer.step()
    assert not same_output(module, other)


def test_a_shallow_copy_shares_everything():
    module = small()
    other = copy.copy(module)
    with torch.no_grad():
        other.layer0.head.outputs.bias.add_(0.5)
    assert same_output(module, other)


def test_loading_copies_in_place():
    module, other = small(seed=3), small(seed=4)
    tensors = [id(t) for t in module.parameters()]
    module.load_state_dict(other.state_dict())
    assert [id(t) for t in module.parameters()] == tensors
    assert same_output(module, other)


def test_a_module_is_freed():
    module = small()
    module(batch()).sum().backward()
    module_is_there = weakref.ref(module)
    del module
    gc.collect()
    assert module_is_there() is None


# --- torch's machinery -------------------------------------------------------------------------------------


def test_threads_may_call_it_at_the_same_time():
    module = small(layers=2).eval()
    expected = [module(batch(seed)) for seed in range(8)]
    with ThreadPoolExecutor(4) as pool:
        for found, wanted in zip(pool.map(lambda seed: module(batch(seed)), range(8)), expected, strict=True):
            assert torch.equal(found, wanted)


def test_other_python_threads_run_while_it_computes():
    """One long call; a thread that needs the interpreter makes progress before it returns."""
    module = TemporalTransformer(1, 1000, widths=(64, 64), kernels=(7, 5)).eval()
    series = torch.randn(64, 1, 1000)
    done = []

    def compute():
        module(series)
        done.append(True)

    counted = 0
    with ThreadPoolExecutor(1) as pool:
        pool.submit(compute)
        while not done:
            counted += 1
    assert counted > 1000


@pytest.mark.filterwarnings("error:Dynamo does not know")
def test_compiled_networks_give_the_same_values_and_gradients():
    network = torch.nn.Sequential(small(), torch.nn.Conv1d(CHANNELS, 3, 3), torch.nn.ReLU()).eval()
    series = batch()
    expected = network(series)
    expected.sum().backward()
    gradients = [p.grad.clone() for p in network.parameters()]
    network.zero_grad()
    compiled = torch.compile(network, backend="aot_eager")(series)
    torch.testing.assert_close(compiled, expected)
    compiled.sum().backward()
    for parameter, gradient in zip(network.parameters(), gradients, strict=True):
        torch.testing.assert_close(parameter.grad, gradient)


@pytest.mark.filterwarnings("error:Dynamo does not know")
def test_compiled_functions_reach_every_method():
    module = small().eval()

    def there_and_back(series):
        made = module.warp(2 * series)
        again = module.warp_by(series, made.velocities)
        moments = module.inverse_positions(made.velocities, module.positions(made.velocities))
        return module.inverse(made.aligned + again, made.velocities), moments

    expected = there_and_back(batch())
    torch.testing.assert_close(torch.compile(there_and_back, backend="aot_eager")(batch()), expected)


def test_autocast_leaves_its_precision_alone():
    module = small().eval()
    expected = module(batch())
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(module(batch()), expected)


def test_hooks_are_called():
    module = small()
    seen = []
    module.register_forward_hook(lambda owner, arguments, result: seen.append(result.shape))
    module(batch())
    assert seen == [(CASES, CHANNELS, LENGTH)]


def test_its_representation_shows_the_options():
    text = repr(torch.nn.Sequential(small("inception", layers=2)))
    assert f"TemporalTransformer({CHANNELS}, {LENGTH}, cells={CELLS}, layers=2, " in text
    assert "network='inception'" in text
    assert "widths=[6, 6]" in text


# --- errors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"network": "transformer"},
            "network: expected conv, recurrent, inception or residual, got transformer",
        ),
        ({"network": None}, "network: expected conv, recurrent, inception or residual, got None"),
        ({"basis": "fourier"}, 'basis: expected svd, qr, rref or sparse, got "fourier"'),
        ({"composition": "add"}, 'composition: expected compose or resample, got "add"'),
        ({"cells": 0}, "cells: expected a whole number of at least 1, got 0"),
        ({"cells": 1}, "cells: expected at least 2, got 1"),
        ({"cells": 2.5}, "cells: expected a whole number of at least 1, got 2.5"),
        ({"layers": 0}, "layers: expected a whole number of at least 1, got 0"),
        ({"widths": ()}, "widths: expected at least one block, got none"),
        ({"widths": (4, 0)}, "widths: expected a whole number of at least 1, got 0"),
        ({"widths": 64}, "widths: expected a sequence of whole numbers, got 64"),
        ({"kernels": (4, 3)}, "kernels: expected odd lengths, got 4"),
        ({"kernels": (3,)}, "kernels: expected one per block, 2, got 1"),
        ({"hidden": 0}, "hidden: expected a whole number of at least 1, got 0"),
        ({"positions": 0}, "positions: expected a whole number of at least 1, got 0"),
        ({"dropout": 1.0}, "dropout: expected 0 up to below 1, got 1"),
        ({"horizon": 0.0}, "horizon: expected a positive number, got 0"),
        ({"method": "euler"}, "method: expected exact, numeric or scaling-squaring, got"),
        ({"method": "numeric", "method_steps": 0}, "method_steps: expected at least 1, got 0"),
        ({"velocity_scale": -1.0}, "velocity_scale: expected a positive number, got -1"),
        ({"zero_boundary": "no"}, "zero_boundary: expected True or False, got 'no'"),
        ({"shared_layers": "no"}, "shared_layers: expected True or False, got 'no'"),
    ],
)
def test_wrong_options_are_refused_by_name(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        small(**{"network": "conv", **options})


def test_wrong_sizes_are_refused_by_name():
    with pytest.raises(ValueError, match="channels: expected a whole number of at least 1, got 0"):
        TemporalTransformer(0, LENGTH)
    with pytest.raises(ValueError, match="length: expected at least 8, got 7"):
        TemporalTransformer(1, 7)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda m: m(batch()[:, :1]),
            ValueError,
            r"series: expected shape \(cases, 2, time\), got \[6, 1, 40\]",
        ),
        (lambda m: m(batch()[0]), ValueError, r"series: expected shape \(cases, channels, time\)"),
        (lambda m: m(batch().double()), TypeError, "series: expected float32 as the module has, got float64"),
        (
            lambda m: m(batch().to(torch.int64)),
            TypeError,
            "series: expected float32 as the module has, got int64",
        ),
        (lambda m: m(batch(), time=float("nan")), ValueError, "time: expected a finite value"),
        (lambda m: m.inverse(batch(), []), ValueError, "velocities: expected 1 layers, got 0"),
        (
            lambda m: m.inverse(batch(), [torch.zeros(CASES, 9).double()]),
            TypeError,
            "velocities: expected float32 as the module has",
        ),
        (lambda m: m.inverse(batch(), [torch.zeros(CASES, 9)], length=0), ValueError, "length: expected"),
    ],
)
def test_wrong_series_are_refused_by_name(call, kind, message):
    with pytest.raises(kind, match=message):
        call(small())


def test_lengths_of_another_shape_are_refused_by_name():
    with pytest.raises(ValueError, match=re.escape("lengths: expected shape (6,), got [2]")):
        small()(batch(), lengths=torch.tensor([40, 40]))


def test_tensors_may_be_replaced():
    module, other = small(seed=3).eval(), small(seed=4).eval()
    expected = other(batch())
    replaced = torch.func.functional_call(module, other.state_dict(), batch())
    assert torch.equal(replaced, expected)
    module.load_state_dict(other.state_dict(), assign=True)
    assert torch.equal(module(batch()), expected)


# --- documents ---------------------------------------------------------------------------------------------


def test_everything_public_is_documented_and_annotated():
    for name, member in vars(TemporalTransformer).items():
        if name.startswith("_") or not (inspect.isfunction(member) or isinstance(member, property)):
            continue
        assert inspect.getdoc(member), name
        function = member.fget if isinstance(member, property) else member
        signature = inspect.signature(function)
        assert signature.return_annotation is not inspect.Signature.empty, name
        assert all(p.annotation is not p.empty for n, p in signature.parameters.items() if n != "self"), name
