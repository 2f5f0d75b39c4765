"""Pooling and ReLU in one pass: torch's own, bit for bit."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
try:
    from diffeo.torch._pooling import rectified_pooling
except ImportError as error:
    pytest.skip(str(error), allow_module_level=True)


def features(steps, dtype):
    generator = torch.Generator().manual_seed(1)
    values = torch.randn(3, 5, steps, generator=generator, dtype=torch.float64).to(dtype)
    values[0, 0, 2:4] = 0.7  # equal ones
    return values.requires_grad_()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("steps", [16, 17])
def test_values_and_gradients_are_those_of_torch(dtype, steps):
    ours, theirs = features(steps, dtype), features(steps, dtype)
    pooled, expected = rectified_pooling(ours), torch.nn.functional.max_pool1d(theirs, 2).relu()
    assert torch.equal(pooled, expected)
    weights = torch.arange(1.0, 1.0 + pooled.numel(), dtype=dtype).reshape(pooled.shape)
    (weights * pooled).sum().backward()
    (weights * expected).sum().backward()
    assert torch.equal(ours.grad, theirs.grad)


def test_nan_goes_through():
    values = torch.tensor([[[1.0, torch.nan, torch.nan, 1.0, 2.0, 3.0]]], requires_grad=True)
    pooled = rectified_pooling(values)
    assert pooled.isnan().tolist() == [[[True, True, False]]]
    pooled.sum().backward()
    assert values.grad.sum() == 3


def test_tangents_are_those_of_differences():
    values = torch.randn(2, 3, 17, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    values.requires_grad_()
    assert torch.autograd.gradcheck(rectified_pooling, values, check_forward_ad=True)


@pytest.mark.parametrize("shape", [(0, 2, 16), (4, 2, 16)])
def test_strided_and_empty_batches_are_understood(shape):
    values = torch.randn(shape).transpose(0, 1).contiguous().transpose(0, 1)
    assert torch.equal(rectified_pooling(values), torch.nn.functional.max_pool1d(values, 2).relu())
