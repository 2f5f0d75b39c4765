"""A progress bar that appears by itself when a fit takes a while and somebody is watching.

A thread draws the bar. So it keeps ticking while the core computes, costs the fit nothing, and cannot make
it fail.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from importlib.util import find_spec
from types import TracebackType
from typing import Any

PATIENCE = 2.0  #: seconds before the bar appears; shorter fits print nothing
_INTERVAL = 0.2  # seconds between two drawings
_BAR = "{percentage:3.0f} %|{bar}| {desc}"
_COLUMNS = 80  # of a terminal that does not tell
_PLAIN_CELLS = 10  # of the bar without tqdm


def is_watched() -> bool:
    """Whether a person sees stderr: a terminal or a notebook, no CI, no worker process, no worker thread."""
    if "CI" in os.environ or threading.current_thread() is not threading.main_thread():
        return False
    from multiprocessing import parent_process

    return parent_process() is None and (_is_terminal() or _is_notebook())


class LiveBar:
    """Shows `text` and, if it is known, the part `done` while its block runs; nothing in the first seconds.

    >>> with LiveBar("aligning", has_end=False) as bar:
    ...     bar.text = "step 1"
    """

    def __init__(self, text: str, *, has_end: bool) -> None:
        self.text = text
        self.done = 0.0  #: from 0 to 1
        self.end: float | None = None  #: when all is done, by time.monotonic()
        self._has_end = has_end
        self._begin = time.monotonic()
        self._longest = 0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="diffeo progress", daemon=True)

    def __enter__(self) -> LiveBar:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._thread.join()

    def _run(self) -> None:
        with suppress(Exception):  # the terminal may be gone: the fit goes on
            if not self._is_over.wait(PATIENCE):
                self._draw_until_over(_new_bar(self._has_end, self.done, self._line()))

    def _draw_until_over(self, bar: Any) -> None:
        try:
            is_over = False
            while not is_over:
                bar.n = self.done
                bar.set_description_str(self._line(), refresh=False)
                bar.refresh()
                is_over = self._is_over.wait(_INTERVAL)
        finally:
            bar.n = self.done  # a notebook marks bars that stopped before their end
            bar.close()

    def _line(self) -> str:
        now = time.monotonic()
        left = "" if self.end is None else f"<{_clock(self.end - now)}"
        line = f"{_clock(now - self._begin)}{left}, {self.text}"
        self._longest = max(self._longest, len(line))
        return line.ljust(self._longest)  # the bar beside it keeps its width


class PlainBar:
    """What LiveBar uses of tqdm, for when tqdm is not installed: one line on stderr that is rewritten."""

    def __init__(self, has_end: bool) -> None:
        self.n = 0.0
        self._has_end = has_end
        self._text = ""
        self._written = 0

    def set_description_str(self, text: str, refresh: bool = True) -> None:
        self._text = text

    def refresh(self) -> None:
        full = round(_PLAIN_CELLS * self.n)
        bar = f"{100 * self.n:3.0f} % [{'#' * full}{'-' * (_PLAIN_CELLS - full)}] " if self._has_end else ""
        line = (bar + self._text)[: _columns() - 1]  # the last column may wrap
        self._write(line.ljust(self._written))
        self._written = len(line)

    def close(self) -> None:
        self._write(" " * self._written + "\r")

    @staticmethod
    def _write(text: str) -> None:
        sys.stderr.write("\r" + text)
        sys.stderr.flush()


def _new_bar(has_end: bool, done: float, line: str) -> Any:
    if _is_notebook() and find_spec("ipywidgets") is None:
        return PlainBar(has_end)  # tqdm would print a warning
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped]
    except ImportError:
        return PlainBar(has_end)
    total, form = (1.0, _BAR) if has_end else (None, "{desc}")
    return tqdm(desc=line, initial=done, total=total, bar_format=form, leave=False, dynamic_ncols=True)


def _is_terminal() -> bool:
    stream = sys.stderr
    has_terminal = stream is not None and not stream.closed and stream.isatty()
    return has_terminal and os.environ.get("TERM") != "dumb"


def _is_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and "IPKernelApp" in shell.config


def _columns() -> int:
    with suppress(OSError):
        return os.get_terminal_size(sys.stderr.fileno()).columns or _COLUMNS
    return _COLUMNS


def _clock(seconds: float) -> str:
    """12 s as 00:12, and two hours as 2:00:00."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"
