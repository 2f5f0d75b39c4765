"""Results in a notebook: their words, and below these their pictures where matplotlib is installed."""

from __future__ import annotations

import base64
import html
import io
from abc import ABC, abstractmethod
from typing import Any

from numpy.typing import NDArray

_SIZE = (9.6, 3.2)  # inches
_DOTS_PER_INCH = 80


class Shown(ABC):
    """What has `plot` with two panels, and is shown by it."""

    @abstractmethod
    def plot(self, *, channel: int = 0, axes: Any = None) -> NDArray[Any]: ...

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>{self._picture()}"

    def _picture(self) -> str:
        try:
            from matplotlib.figure import Figure
        except ImportError:
            return ""
        figure = Figure(figsize=_SIZE, layout="constrained")  # none of pyplot's, which would be shown again
        self.plot(axes=figure.subplots(1, 2))
        file = io.BytesIO()
        figure.savefig(file, format="png", dpi=_DOTS_PER_INCH)
        encoded = base64.b64encode(file.getvalue()).decode()
        return f'<img alt="aligned series and warps" src="data:image/png;base64,{encoded}">'
