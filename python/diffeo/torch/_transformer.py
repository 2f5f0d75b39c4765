"""The temporal transformer as a module that any network of torch can hold.

The network and its warps are computed in C++ (diffeo/torch/temporal_transformer.hpp). The module here
registers the tensors that C++ computes with, the same objects, under the names that they have there: what
an optimizer or `load_state_dict` writes into them is what the next call computes with.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple, ParamSpec, SupportsIndex, TypeAlias, TypeVar

import torch
from torch import Tensor, nn

from .. import _torch
from .._arrays import real_number, true_or_false, whole_number
from .._space import Basis
from ._operators import Method

Network: TypeAlias = Literal["conv", "recurrent", "inception", "residual"]
Composition: TypeAlias = Literal["compose", "resample"]
_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class Transformed(NamedTuple):
    """What a `TemporalTransformer` made of a batch.

    >>> aligner = diffeo.torch.TemporalTransformer(1, 50, cells=8)
    >>> aligner.warp(torch.randn(4, 1, 70)).aligned.shape
    torch.Size([4, 1, 50])
    """

    aligned: Tensor  #: (cases, channels, length)
    positions: Tensor  #: (cases, length): where in [0, 1] each series was read
    thetas: tuple[Tensor, ...]  #: one per layer: (cases, dimension), what its network said
    velocities: tuple[Tensor, ...]  #: one per layer: (cases, cells + 1)


class _Part(nn.Module):
    """One module of the network in C++: its tensors, under its name."""

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> _Part:
        """`.to()` and its like change parameters in place, but put new buffers in the place of the old."""
        own = dict(self._buffers)
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        for name, buffer in own.items():
            converted = self._buffers[name]
            if buffer is not None and converted is not None and converted is not buffer:
                buffer.data = converted
                self._buffers[name] = buffer
        return self


class TemporalTransformer(_Part):
    """Brings series into common time: a network looks at each, decides on a warp, and applies it.

    channels, length   of the series; `length`, at least 8, is what the network sees and what comes out.
                       Series of other lengths are accepted, and NaN for missing values and padding
    cells              of the piecewise affine velocities
    layers             warps one after the other, the network of each seeing what those before it made
    zero_boundary      keep the ends of the series in place
    basis              in which the network speaks: "svd", "qr", "rref" or "sparse", as `diffeo.WarpSpace`
    shared_layers      one network for all layers
    composition        "compose" the warps of the layers exactly and read the series once, or "resample" it
                       after each
    velocity_scale     the size of velocities that the network can reach
    horizon            how long the flow of every layer lasts
    method             of the flow: "exact", or "numeric" or "scaling-squaring", of `method_steps` steps or
                       squarings, to compare with
    network            "conv", "recurrent", "inception" or "residual"
    widths, kernels    of its blocks: channels, and (of "conv" and "residual") odd lengths of the convolutions
    hidden, positions  units before the outputs; of "conv" and "residual", the most steps that are seen there
    dropout            before the last two layers of the network
    device, dtype      of the tensors; by default torch's

    A call takes (cases, channels, time) and gives (cases, channels, length), so the module can stand in front
    of any other. Its last layer starts near zero, and with it every warp near the identity.

    The tensors of the module are those that C++ computes with. They may be changed in place, moved and
    converted, but not replaced by others (`load_state_dict(assign=True)`, `torch.func.functional_call`):
    the next call would refuse, with a RuntimeError. Compiled by torch, a network runs this module as it is,
    between two graphs. Of an optimizer, save the `state_dict`, not the object. Under autocast the module
    keeps its own precision.

    >>> _ = torch.manual_seed(1)
    >>> aligner = diffeo.torch.TemporalTransformer(2, 100, cells=16, layers=2)
    >>> network = torch.nn.Sequential(aligner, torch.nn.Flatten(), torch.nn.Linear(200, 3))
    >>> network(torch.randn(5, 2, 100)).shape
    torch.Size([5, 3])
    """

    vertex_basis: Tensor  #: W, (cells + 1, dimension): velocities = velocity_scale * W theta

    def __init__(
        self,
        channels: SupportsIndex,
        length: SupportsIndex,
        *,
        cells: SupportsIndex = 32,
        layers: SupportsIndex = 1,
        zero_boundary: bool = True,
        basis: Basis = "svd",
        shared_layers: bool = False,
        composition: Composition = "compose",
        velocity_scale: float = 4.0,
        horizon: float = 1.0,
        method: Method = "exact",
        method_steps: SupportsIndex = 8,
        network: Network = "conv",
        widths: Sequence[SupportsIndex] = (32, 64, 64),
        kernels: Sequence[SupportsIndex] = (7, 5, 3),
        hidden: SupportsIndex = 32,
        positions: SupportsIndex = 64,
        dropout: float = 0.0,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self._options: dict[str, Any] = {
            "channels": whole_number("channels", channels, 1),
            "length": whole_number("length", length, 1),
            "cells": whole_number("cells", cells, 1),
            "layers": whole_number("layers", layers, 1),
            "zero_boundary": true_or_false("zero_boundary", zero_boundary),
            "basis": str(basis),
            "shared_layers": true_or_false("shared_layers", shared_layers),
            "composition": str(composition),
            "velocity_scale": real_number("velocity_scale", velocity_scale),
            "horizon": real_number("horizon", horizon),
            "method": str(method),
            "method_steps": whole_number("method_steps", method_steps, 0),
            "network": str(network),
            "widths": _whole_numbers("widths", widths),
            "kernels": _whole_numbers("kernels", kernels),
            "hidden": whole_number("hidden", hidden, 1),
            "positions": whole_number("positions", positions, 1),
            "dropout": real_number("dropout", dropout),
        }
        self._core = _torch.TemporalTransformer(**self._options)
        for name in self._core.module_names()[1:]:
            parent, _, last = name.rpartition(".")
            self.get_submodule(parent).add_module(last, _Part())
        for name, tensor in _tensors(self._core).items():
            self._register(name, tensor)
        self.to(device=device, dtype=torch.get_default_dtype() if dtype is None else dtype)

    @property
    def channels(self) -> int:
        """Of the series it was made for."""
        return int(self._options["channels"])

    @property
    def length(self) -> int:
        """Of aligned series."""
        return int(self._options["length"])

    def forward(self, series: Tensor, time: float = 1.0) -> Tensor:
        """The series in common time: what `warp` calls aligned.

        series   (cases, channels, time), any number of time steps; NaN means missing
        time     stretches every warp, as `warp` has it

        Returns (cases, channels, length). Modules are called rather than their forward. ValueError for series
        of another number of channels; TypeError for those of another precision than the module's.

        >>> aligner = diffeo.torch.TemporalTransformer(1, 50, cells=8)
        >>> aligner.forward(torch.randn(4, 1, 70)).shape
        torch.Size([4, 1, 50])
        """
        return _untraced(self._transform)(series, time)[0]

    def warp(self, series: Tensor, time: float = 1.0) -> Transformed:
        """The series in common time, and the warps that brought them there.

        series   (cases, channels, time), any number of time steps; NaN means missing
        time     stretches every warp: 1 is what the network says, 0 none, values between shrink it

        Returns `Transformed`. ValueError for series of another number of channels; TypeError for those of
        another precision than the module's.

        >>> aligner = diffeo.torch.TemporalTransformer(1, 50, cells=8)
        >>> made = aligner.warp(torch.randn(4, 1, 70))
        >>> made.aligned.shape, made.positions.shape, made.velocities[0].shape
        (torch.Size([4, 1, 50]), torch.Size([4, 50]), torch.Size([4, 9]))
        """
        aligned, thetas, velocities = _untraced(self._transform)(series, time)
        positions = self.positions(velocities, time=time)
        return Transformed(aligned, positions, tuple(thetas), tuple(velocities))

    def warp_by(self, series: Tensor, velocities: Sequence[Tensor], time: float = 1.0) -> Tensor:
        """What a call gives when the networks decide on the velocities given.

        series       (cases, channels, time), any number of time steps; NaN means missing
        velocities   one (cases, cells + 1) per layer
        time         that of `warp`

        Returns (cases, channels, length). ValueError for shapes that do not go together.

        >>> aligner = diffeo.torch.TemporalTransformer(1, 50, cells=8).eval()
        >>> series = torch.randn(4, 1, 50)
        >>> torch.equal(aligner.warp_by(series, aligner.warp(series).velocities), aligner(series))
        True
        """
        return _untraced(self._core.apply)(series, list(velocities), real_number("time", time))

    def inverse(
        self,
        aligned: Tensor,
        velocities: Sequence[Tensor],
        length: SupportsIndex | None = None,
        time: float = 1.0,
        *,
        lengths: Tensor | None = None,
    ) -> Tensor:
        """Series in common time brought back by the exact inverse of their warps.

        aligned      (cases, channels, any number of steps)
        velocities   of `warp`, one tensor per layer
        length       of the result, by default that of `aligned`
        time         that of `warp`
        lengths      (cases,) whole numbers, where series differ: how many steps each has; NaN follows

        Returns (cases, channels, length). ValueError for shapes that do not go together.

        >>> aligner = diffeo.torch.TemporalTransformer(1, 50, cells=8)
        >>> made = aligner.warp(torch.randn(4, 1, 50))
        >>> aligner.inverse(made.aligned, made.velocities, length=70).shape
        torch.Size([4, 1, 70])
        """
        steps = aligned.shape[-1] if length is None else whole_number("length", length, 1)
        return _untraced(self._core.inverse)(
            aligned, list(velocities), steps, real_number("time", time), lengths
        )

    def positions(
        self, velocities: Sequence[Tensor], points: Tensor | None = None, time: float = 1.0
    ) -> Tensor:
        """Where in its own time each series is read: 0 is its first step, 1 its last before the padding.

        velocities   of `warp`, one tensor per layer
        points       (n,) for all cases, or (cases, n): moments of common time in [0, 1], by default those of
                     the steps of aligned series
        time         that of `warp`

        Returns (cases, n). ValueError for shapes that do not go together.

        >>> aligner = diffeo.torch.TemporalTransformer(1, 50, cells=8)
        >>> aligner.positions([torch.zeros(1, 9)], torch.tensor([0.0, 0.5, 1.0]))
        tensor([[0.0000, 0.5000, 1.0000]])
        """
        return _untraced(self._core.positions)(list(velocities), points, real_number("time", time))

    def inverse_positions(
        self, velocities: Sequence[Tensor], points: Tensor | None = None, time: float = 1.0
    ) -> Tensor:
        """Where in common time moments of the series go: the inverse of `positions`.

        velocities   of `warp`, one tensor per layer
        points       (n,) for all cases, or (cases, n): moments of the series in [0, 1], by default those of
                     the steps of aligned series
        time         that of `warp`

        Returns (cases, n). ValueError for shapes that do not go together.

        >>> aligner = diffeo.torch.TemporalTransformer(1, 50, cells=8)
        >>> fields = [0.1 * torch.rand(1, 9)]
        >>> aligner.inverse_positions(fields, aligner.positions(fields, torch.tensor([0.2, 0.5])))
        tensor([[0.2000, 0.5000]])
        """
        return _untraced(self._core.inverse_positions)(list(velocities), points, real_number("time", time))

    def __repr__(self) -> str:
        shown = [
            f"{self.channels}, {self.length}",
            *(f"{name}={value!r}" for name, value in list(self._options.items())[2:]),
        ]
        return f"{type(self).__name__}({', '.join(shown)})"

    # --- one set of tensors, in C++ and here ---------------------------------------------------------------

    def _transform(self, series: Tensor, time: float) -> tuple[Tensor, list[Tensor], list[Tensor]]:
        self._bring_up_to_date()
        return self._core.forward(series, real_number("time", time))

    def _register(self, name: str, tensor: Tensor) -> None:
        path, _, last = name.rpartition(".")
        part = self.get_submodule(path)
        if isinstance(tensor, nn.Parameter):
            part.register_parameter(last, tensor)
        else:
            part.register_buffer(last, tensor)

    def _bring_up_to_date(self) -> None:
        """C++ learns which parts are training, and makes sure that it has the tensors that are registered."""
        self._core.set_training([self.get_submodule(name).training for name in self._core.module_names()])
        self._core.check_tensors({**dict(self.named_parameters()), **dict(self.named_buffers())})

    def __copy__(self) -> TemporalTransformer:
        """Shares everything, as shallow copies of modules do."""
        copied = type(self).__new__(type(self))
        copied.__dict__.update(self.__dict__)
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> TemporalTransformer:
        """Tensors first, so that whatever else is copied along, and knows them, finds the new ones."""
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        core = _another_core(self._options)
        new = _tensors(core)
        for name, tensor in _tensors(self._core).items():
            _become(new[name], tensor.detach().clone(), tensor.requires_grad)
            memo[id(tensor)] = new[name]
        copied.__dict__.update(copy.deepcopy(self.__getstate__(), memo), _core=core)
        return copied

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_core"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # type: ignore[no-untyped-call]
        core = _another_core(self._options)
        loaded = {**dict(self.named_parameters()), **dict(self.named_buffers())}
        for name, tensor in _tensors(core).items():
            _become(tensor, loaded[name].detach(), loaded[name].requires_grad)
            self._register(name, tensor)
        self._core = core


def _untraced(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """torch.compile cannot look into C++: it is told to let it run between two graphs."""
    if not torch.compiler.is_compiling():
        return function
    untraced: Callable[_Arguments, _Result] = torch.compiler.disable(function)  # type: ignore[no-untyped-call]
    return untraced


def _whole_numbers(name: str, values: Iterable[SupportsIndex]) -> list[int]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ValueError(f"{name}: expected a sequence of whole numbers, got {values!r}")
    return [whole_number(name, value, 1) for value in values]


def _another_core(options: dict[str, Any]) -> _torch.TemporalTransformer:
    """Its weights will be overwritten: drawing them leaves no trace in the random numbers to come."""
    with torch.random.fork_rng(devices=[]):
        return _torch.TemporalTransformer(**options)


def _tensors(core: _torch.TemporalTransformer) -> dict[str, Tensor]:
    """Parameters and buffers by name; parameters are of the class that torch.nn expects.

    A new nn.Parameter of the same values would have gradients of its own, which C++ never sees.
    """
    parameters = dict(core.named_parameters())
    for tensor in parameters.values():
        tensor.__class__ = nn.Parameter
    return {**parameters, **dict(core.named_buffers())}


def _become(tensor: Tensor, values: Tensor, requires_grad: bool) -> None:
    tensor.data = values
    tensor.requires_grad_(requires_grad)
