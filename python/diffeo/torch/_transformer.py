"""The temporal transformer: an ordinary module of torch, with ordinary parameters.

    theta_l    = network_l(series as warped so far)                 between -1 and 1
    velocities = velocity_scale * W theta_l
    phi        = phi_1 o phi_2 o ... o phi_L                        phi_l the flow of layer l
    aligned    = series o phi

C++ has the same (diffeo/torch/temporal_transformer.hpp), with tensors of the same names; there NaN at the end
is padding, here `lengths` says where series end.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, SupportsIndex, TypeAlias

import torch
from torch import Tensor, nn

from .._arrays import real_number, true_or_false, whole_number
from .._space import Basis, WarpSpace
from ._kernels import precision_name, shape_text
from ._network_input import network_input, own_time
from ._networks import NetworkOptions, make_network
from ._operators import Method, flow, is_autocast_on, sample, warp

Network: TypeAlias = Literal["conv", "recurrent", "inception", "residual"]
Composition: TypeAlias = Literal["compose", "resample"]


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


class TemporalTransformer(nn.Module):
    """Brings series into common time: a network looks at each, decides on a warp, and applies it.

    channels, length   of the series; `length`, at least 8, is what the network sees and what comes out.
                       Series of other lengths are accepted, and NaN for missing values
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

    It is an ordinary module of ordinary layers and parameters: torch compiles, exports, transforms and copies
    it as any other. Under autocast it keeps its own precision; in half precision its warps are computed in
    float32. ONNX has no operator for warps: its exporter is refused.

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
        _check_options(self._options)
        space = WarpSpace(self._options["cells"], zero_boundary, basis)
        self.register_buffer("vertex_basis", torch.tensor(space.vertex_basis, dtype=torch.float32))
        shape = NetworkOptions(
            outputs=space.dimension,
            **{name: self._options[name] for name in NetworkOptions._fields if name != "outputs"},
        )
        for number in range(1 if shared_layers else self._options["layers"]):
            self.add_module(f"layer{number}", make_network(self._options["network"], shape))
        self.to(device=device, dtype=torch.get_default_dtype() if dtype is None else dtype)

    @property
    def channels(self) -> int:
        """Of the series it was made for."""
        return int(self._options["channels"])

    @property
    def length(self) -> int:
        """Of aligned series."""
        return int(self._options["length"])

    def forward(self, series: Tensor, time: float = 1.0, lengths: Tensor | None = None) -> Tensor:
        """The series in common time: what `warp` calls aligned.

        series    (cases, channels, time), any number of time steps; NaN means missing
        time      stretches every warp, as `warp` has it
        lengths   (cases,) whole numbers, if series differ: how many steps belong to each; None means all

        Returns (cases, channels, length). Modules are called rather than their forward. ValueError for series
        of another number of channels; TypeError for those of another precision than the module's.

        >>> aligner = diffeo.torch.TemporalTransformer(1, 50, cells=8)
        >>> aligner.forward(torch.randn(4, 1, 70)).shape
        torch.Size([4, 1, 50])
        """
        return self._transformed(series, time, lengths)[0]

    def warp(self, series: Tensor, time: float = 1.0, lengths: Tensor | None = None) -> Transformed:
        """The series in common time, and the warps that brought them there.

        series    (cases, channels, time), any number of time steps; NaN means missing, also at the end
        time      stretches every warp: 1 is what the network says, 0 none, values between shrink it
        lengths   (cases,) whole numbers, if series differ: how many steps belong to each; None means all.
                  The values after them change nothing

        Returns `Transformed`. ValueError for series of another number of channels; TypeError for those of
        another precision than the module's.

        >>> aligner = diffeo.torch.TemporalTransformer(1, 50, cells=8)
        >>> made = aligner.warp(torch.randn(4, 1, 70))
        >>> made.aligned.shape, made.positions.shape, made.velocities[0].shape
        (torch.Size([4, 1, 50]), torch.Size([4, 50]), torch.Size([4, 9]))
        """
        aligned, thetas, velocities = self._transformed(series, time, lengths)
        return Transformed(aligned, self.positions(velocities, time=time), tuple(thetas), tuple(velocities))

    def warp_by(
        self,
        series: Tensor,
        velocities: Sequence[Tensor],
        time: float = 1.0,
        lengths: Tensor | None = None,
    ) -> Tensor:
        """What a call gives when the networks decide on the velocities given.

        series       (cases, channels, time), any number of time steps; NaN means missing
        velocities   one (cases, cells + 1) per layer
        time         that of `warp`
        lengths      that of `warp`, or None

        Returns (cases, channels, length). ValueError for shapes that do not go together.

        >>> aligner = diffeo.torch.TemporalTransformer(1, 50, cells=8).eval()
        >>> series = torch.randn(4, 1, 50)
        >>> torch.equal(aligner.warp_by(series, aligner.warp(series).velocities), aligner(series))
        True
        """
        own, fields, duration = (
            self._own("series", series),
            self._own_fields(velocities),
            self._duration(time),
        )
        _check_lengths(lengths, own)
        with _without_autocast(own):
            if self._options["composition"] == "compose":
                return self._read(own, fields, duration, lengths)
            warped = self._read(own, fields[:1], duration, lengths)
            for field in fields[1:]:
                warped = self._resampled(warped, field, duration)
            return warped

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
        own, fields, duration = (
            self._own("aligned", aligned),
            self._own_fields(velocities),
            -self._duration(time),
        )
        _check_lengths(lengths, own)
        with _without_autocast(own):
            if lengths is None:
                return sample(own, self._carried(fields, _grid(steps, own), duration))
            last = (lengths.unsqueeze(1) - 1).clamp(min=0)
            step = torch.arange(steps, device=own.device)
            # A series of one step is at its start.
            points = (step / last.clamp(min=1).to(own.dtype)).clamp(max=1.0)
            back = sample(own, self._carried(fields, points, duration))
            return back.masked_fill((step > last).unsqueeze(1), math.nan)

    def positions(
        self, velocities: Sequence[Tensor], points: Tensor | None = None, time: float = 1.0
    ) -> Tensor:
        """Where in its own time each series is read: 0 is its first step, 1 its last.

        velocities   of `warp`, one tensor per layer
        points       (n,) for all cases, or (cases, n): moments of common time in [0, 1], by default those of
                     the steps of aligned series
        time         that of `warp`

        Returns (cases, n). ValueError for shapes that do not go together.

        >>> aligner = diffeo.torch.TemporalTransformer(1, 50, cells=8)
        >>> aligner.positions([torch.zeros(1, 9)], torch.tensor([0.0, 0.5, 1.0]))
        tensor([[0.0000, 0.5000, 1.0000]])
        """
        fields = self._own_fields(velocities)
        places = self._points(points, fields[0])
        with _without_autocast(places):
            return self._carried(fields[::-1], places, self._duration(time))

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
        fields = self._own_fields(velocities)
        places = self._points(points, fields[0])
        with _without_autocast(places):
            return self._carried(fields, places, -self._duration(time))

    def __repr__(self) -> str:
        shown = [
            f"{self.channels}, {self.length}",
            *(f"{name}={value!r}" for name, value in list(self._options.items())[2:]),
        ]
        return f"{type(self).__name__}({', '.join(shown)})"

    # --- parts of a call -----------------------------------------------------------------------------------

    def _transformed(
        self, series: Tensor, time: float, lengths: Tensor | None
    ) -> tuple[Tensor, list[Tensor], list[Tensor]]:
        own = self._own("series", series)
        self._check_series(own)
        _check_lengths(lengths, own)
        with _without_autocast(own):
            return self._aligned(own, self._duration(time), lengths)

    def _aligned(
        self, series: Tensor, duration: float, lengths: Tensor | None
    ) -> tuple[Tensor, list[Tensor], list[Tensor]]:
        """The aligned series, thetas and velocities."""
        composes, layers = self._options["composition"] == "compose", self._options["layers"]
        complete = network_input(series, self.length, lengths)
        seen, aligned = complete, series
        thetas: list[Tensor] = []
        velocities: list[Tensor] = []
        for layer in range(layers):
            network = getattr(self, "layer0" if self._options["shared_layers"] else f"layer{layer}")
            thetas.append(network(seen))
            velocities.append(self._options["velocity_scale"] * thetas[-1].matmul(self.vertex_basis.t()))
            is_last = layer + 1 == layers
            if composes and not is_last:
                seen = self._read(complete, velocities, duration)
            elif not composes:
                aligned = (
                    self._read(series, velocities, duration, lengths)
                    if layer == 0
                    else self._resampled(aligned, velocities[-1], duration)
                )
                seen = aligned if is_last else network_input(aligned, self.length)
        if composes:
            aligned = self._read(series, velocities, duration, lengths)
        return aligned, thetas, velocities

    def _read(
        self, series: Tensor, fields: Sequence[Tensor], duration: float, lengths: Tensor | None = None
    ) -> Tensor:
        """Series in their own time, read along the warps of the layers given."""
        if len(fields) == 1 and lengths is None:
            return self._resampled(series, fields[0], duration)
        positions = self._carried(fields[::-1], _grid(self.length, series), duration)
        return sample(series, own_time(positions, series.shape[2], lengths))

    def _resampled(self, series: Tensor, field: Tensor, duration: float) -> Tensor:
        """Series that fill their tensor, read along one more layer."""
        if self._options["method"] == "exact":
            return warp(series, field, length=self.length, time=duration)
        return sample(series, self._carried([field], _grid(self.length, series), duration))

    def _carried(self, fields: Iterable[Tensor], points: Tensor, duration: float) -> Tensor:
        """Points along one field after the other."""
        method = self._options["method"]
        count = {"numeric": "steps", "scaling-squaring": "squarings"}.get(method)
        steps = {count: self._options["method_steps"]} if count else {}
        for field in fields:
            points = flow(field, points, duration, method=method, **steps)
        return points

    def _points(self, points: Tensor | None, like: Tensor) -> Tensor:
        return _grid(self.length, like) if points is None else self._own("points", points)

    def _duration(self, time: float) -> float:
        is_plain = type(time) in (int, float) and math.isfinite(time)  # what a compiler can look into
        duration: float = self._options["horizon"] * (time if is_plain else real_number("time", time))
        return duration

    def _own(self, name: str, tensor: Tensor) -> Tensor:
        """The tensor in the precision of the module; only under autocast may it come in another."""
        own = self.vertex_basis.dtype
        if tensor.dtype == own:
            return tensor
        if tensor.dtype in (torch.float16, torch.bfloat16) and is_autocast_on(tensor):
            return tensor.to(own)
        raise TypeError(
            f"{name}: expected {precision_name(own)} as the module has, got {precision_name(tensor.dtype)}"
        )

    def _own_fields(self, velocities: Sequence[Tensor]) -> list[Tensor]:
        if len(velocities) != self._options["layers"]:
            raise ValueError(f"velocities: expected {self._options['layers']} layers, got {len(velocities)}")
        return [self._own("velocities", field) for field in velocities]

    def _check_series(self, series: Tensor) -> None:
        if series.dim() != 3 or series.shape[2] < 1:
            raise ValueError(
                "series: expected shape (cases, channels, time), at least one step, "
                f"got {shape_text(series.shape)}"
            )
        if series.shape[1] != self.channels:
            raise ValueError(
                f"series: expected shape (cases, {self.channels}, time), got {shape_text(series.shape)}"
            )


def _grid(length: int, like: Tensor) -> Tensor:
    return torch.linspace(0.0, 1.0, length, dtype=like.dtype, device=like.device)


def _without_autocast(tensor: Tensor) -> contextlib.AbstractContextManager[Any]:
    """Everything in the precision of the module: warps know no lower one."""
    return (
        torch.autocast(tensor.device.type, enabled=False)
        if is_autocast_on(tensor)
        else contextlib.nullcontext()
    )


def _check_lengths(lengths: Tensor | None, series: Tensor) -> None:
    if lengths is not None and lengths.shape != series.shape[:1]:
        raise ValueError(f"lengths: expected shape ({series.shape[0]},), got {shape_text(lengths.shape)}")


def _check_options(options: dict[str, Any]) -> None:
    """What the networks and the space of warps do not check."""
    if options["composition"] not in ("compose", "resample"):
        raise ValueError(f'composition: expected compose or resample, got "{options["composition"]}"')
    if options["method"] not in ("exact", "numeric", "scaling-squaring"):
        raise ValueError(f"method: expected exact, numeric or scaling-squaring, got {options['method']}")
    least = {
        "cells": 2 if options["zero_boundary"] else 1,
        "method_steps": int(options["method"] == "numeric"),
    }
    for name, minimum in least.items():
        if options[name] < minimum:
            raise ValueError(f"{name}: expected at least {minimum}, got {options[name]}")
    for name in ("velocity_scale", "horizon"):
        if not (math.isfinite(options[name]) and options[name] > 0.0):
            raise ValueError(f"{name}: expected a positive number, got {options[name]:g}")


def _whole_numbers(name: str, values: Iterable[SupportsIndex]) -> list[int]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ValueError(f"{name}: expected a sequence of whole numbers, got {values!r}")
    return [whole_number(name, value, 1) for value in values]
