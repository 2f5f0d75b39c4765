"""The networks that predict the warp of a series.

    (cases, channels, length)  ->  theta, (cases, outputs), each between -1 and 1

They compute what those of C++ do (diffeo/torch/localization_net.hpp says what that is), and their parameters
have the same names and shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from ._pooling import rectified_pooling

_SHORTEST_SERIES = 8
_FEWEST_STEPS = 8  # pooling stops before fewer would be left
_MOST_RECURRENT_STEPS = 1024
_INCEPTION_KERNELS = (9, 19, 39)
_FIRST_OUTPUTS = 1e-3  # of the last linear layer: warps far below a sample, but not the saddle point at zero


class NetworkOptions(NamedTuple):
    """What a network is built from; `TemporalTransformer` says what each is."""

    channels: int
    length: int
    outputs: int
    widths: Sequence[int]
    kernels: Sequence[int]
    hidden: int
    positions: int
    dropout: float


def make_network(kind: str, options: NetworkOptions) -> nn.Module:
    if kind not in _NETWORKS:
        raise ValueError(f"network: expected conv, recurrent, inception or residual, got {kind}")
    if options.length < _SHORTEST_SERIES:
        raise ValueError(f"length: expected at least {_SHORTEST_SERIES}, got {options.length}")
    if not options.widths:
        raise ValueError("widths: expected at least one block, got none")
    if not 0.0 <= options.dropout < 1.0:
        raise ValueError(f"dropout: expected 0 up to below 1, got {options.dropout:g}")
    return _NETWORKS[kind](options)


def _check_kernels(options: NetworkOptions) -> None:
    if len(options.kernels) != len(options.widths):
        raise ValueError(
            f"kernels: expected one per block, {len(options.widths)}, got {len(options.kernels)}"
        )
    for kernel in options.kernels:
        if kernel % 2 == 0:
            raise ValueError(f"kernels: expected odd lengths, got {kernel}")


def _convolution(channels: int, width: int, kernel: int) -> nn.Conv1d:
    """Keeps the length; without a bias, which batch normalization has."""
    return nn.Conv1d(channels, width, kernel, padding=kernel // 2, bias=False)


def _pools(steps: int) -> bool:
    return steps // 2 >= _FEWEST_STEPS


def _seen_steps(options: NetworkOptions) -> int:
    """How many steps reach the head, after a block for each width."""
    steps = options.length
    for _ in options.widths:
        steps = steps // 2 if _pools(steps) else steps
    return min(steps, options.positions)


class _Head(nn.Module):
    """From features (cases, width, positions) to theta."""

    def __init__(self, width: int, positions: int, options: NetworkOptions) -> None:
        super().__init__()
        self.dropout = nn.Dropout(options.dropout)
        self.hidden = nn.Linear(width * positions, options.hidden)
        self.outputs = nn.Linear(options.hidden, options.outputs)
        nn.init.normal_(self.outputs.weight, 0.0, _FIRST_OUTPUTS)
        nn.init.zeros_(self.outputs.bias)

    def forward(self, features: Tensor) -> Tensor:
        hidden: Tensor = self.hidden(self.dropout(features.flatten(1)))
        outputs: Tensor = self.outputs(hidden.relu())
        return outputs.tanh()


class _ConvBlock(nn.Module):
    def __init__(self, channels: int, width: int, kernel: int) -> None:
        super().__init__()
        self.convolution = _convolution(channels, width, kernel)
        self.norm = nn.BatchNorm1d(width)

    def forward(self, series: Tensor) -> Tensor:
        normalized: Tensor = self.norm(self.convolution(series))
        return rectified_pooling(normalized) if _pools(series.shape[2]) else normalized.relu()


class _BlockNet(nn.Module):
    """Blocks, one for each width, and a head."""

    def __init__(self, options: NetworkOptions, block: type[nn.Module]) -> None:
        super().__init__()
        _check_kernels(options)
        self._blocks = len(options.widths)
        self._positions = _seen_steps(options)
        channels = options.channels
        for number, (width, kernel) in enumerate(zip(options.widths, options.kernels, strict=True)):
            self.add_module(f"block{number}", block(channels, width, kernel))
            channels = width
        self.head = _Head(channels, self._positions, options)

    def _features(self, series: Tensor) -> Tensor:
        features = series
        for number in range(self._blocks):
            features = getattr(self, f"block{number}")(features)
        return features


class _ConvNet(_BlockNet):
    """Blocks of convolution, batch normalization, max pooling and ReLU."""

    def __init__(self, options: NetworkOptions) -> None:
        super().__init__(options, _ConvBlock)

    def forward(self, series: Tensor) -> Tensor:
        features = self._features(series)
        if features.shape[2] > self._positions:
            features = functional.adaptive_avg_pool1d(features, self._positions)
        theta: Tensor = self.head(features)
        return theta


class _ResidualBlock(nn.Module):
    """Two normalized convolutions beside a shortcut, max pooling and ReLU."""

    def __init__(self, channels: int, width: int, kernel: int) -> None:
        super().__init__()
        self.first = _convolution(channels, width, kernel)
        self.first_norm = nn.BatchNorm1d(width)
        self.second = _convolution(width, width, kernel)
        self.second_norm = nn.BatchNorm1d(width)
        shortcut = [] if channels == width else [_convolution(channels, width, 1), nn.BatchNorm1d(width)]
        self.shortcut = nn.Sequential(*shortcut)

    def forward(self, series: Tensor) -> Tensor:
        rectified: Tensor = self.first_norm(self.first(series)).relu()
        result: Tensor = self.second_norm(self.second(rectified)) + self.shortcut(series)
        return rectified_pooling(result) if _pools(result.shape[2]) else result.relu()


class _ResidualNet(_BlockNet):
    def __init__(self, options: NetworkOptions) -> None:
        super().__init__(options, _ResidualBlock)

    def forward(self, series: Tensor) -> Tensor:
        features = functional.adaptive_avg_pool1d(self._features(series), self._positions)
        theta: Tensor = self.head(features)
        return theta


class _InceptionBlock(nn.Module):
    """Convolutions of three lengths and a pooled shortcut, side by side: four times `width` channels."""

    def __init__(self, channels: int, width: int) -> None:
        super().__init__()
        self.bottleneck = _convolution(channels, width, 1)
        self.pooled = _convolution(channels, width, 1)
        self.norm = nn.BatchNorm1d(4 * width)
        self.branches = nn.ModuleList(_convolution(width, width, kernel) for kernel in _INCEPTION_KERNELS)

    def forward(self, series: Tensor) -> Tensor:
        narrow = self.bottleneck(series)
        parts = [branch(narrow) for branch in self.branches]
        parts.append(self.pooled(functional.max_pool1d(series, 3, stride=1, padding=1)))
        normalized: Tensor = self.norm(torch.cat(parts, 1))
        return normalized.relu()


class _InceptionNet(nn.Module):
    def __init__(self, options: NetworkOptions) -> None:
        super().__init__()
        self._blocks = len(options.widths)
        self.shortcut = _convolution(options.channels, 4 * options.widths[-1], 1)
        channels = options.channels
        for number, width in enumerate(options.widths):
            self.add_module(f"block{number}", _InceptionBlock(channels, width))
            channels = 4 * width
        self.head = _Head(channels, 1, options)

    def forward(self, series: Tensor) -> Tensor:
        features = series
        for number in range(self._blocks):
            features = getattr(self, f"block{number}")(features)
        theta: Tensor = self.head((features + self.shortcut(series)).relu().mean(2, keepdim=True))
        return theta


class _RecurrentNet(nn.Module):
    """GRUs in both directions, one after the other, each of its own width."""

    def __init__(self, options: NetworkOptions) -> None:
        super().__init__()
        self._layers = len(options.widths)
        self._length = options.length
        channels = options.channels
        for number, width in enumerate(options.widths):
            self.add_module(f"gru{number}", nn.GRU(channels, width, batch_first=True, bidirectional=True))
            channels = 2 * width
        self.head = _Head(channels, 1, options)

    def forward(self, series: Tensor) -> Tensor:
        if self._length > _MOST_RECURRENT_STEPS:
            series = functional.adaptive_avg_pool1d(series, _MOST_RECURRENT_STEPS)
        states = series.transpose(1, 2)
        for number in range(self._layers):
            states, _ = getattr(self, f"gru{number}")(states)
        theta: Tensor = self.head(states.mean(1).unsqueeze(2))
        return theta


_NETWORKS: dict[str, Callable[[NetworkOptions], nn.Module]] = {
    "conv": _ConvNet,
    "recurrent": _RecurrentNet,
    "inception": _InceptionNet,
    "residual": _ResidualNet,
}
