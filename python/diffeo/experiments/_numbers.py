"""Numbers as the page about experiments writes them."""

from __future__ import annotations

import math

from markupsafe import Markup


def _decimal(value: float, digits: int) -> str:
    """Halves are rounded away from zero."""
    parts = math.floor(abs(value) * 10**digits + 0.5)
    whole, rest = divmod(parts, 10**digits)
    sign = "\u2212" if value < 0 and parts else ""
    return f"{sign}{whole}.{rest:0{digits}}"


def accuracy(value: float) -> str:
    """0.823"""
    return _decimal(value, 3)


def rank(value: float) -> str:
    """1.38"""
    return _decimal(value, 2)


def probability(value: float) -> str:
    """0.031, < 0.0001"""
    return "< 0.0001" if value < 1e-4 else f"{value:.2g}"


def percent(part: float) -> str:
    """93.3 %, on one line"""
    return f"{100 * part:.{3 if part < 0.9995 else 4}g}\u00a0%"


def short(value: float, digits: int = 4) -> str:
    """155, 0.5613, 1.2e-05"""
    return "∞" if math.isinf(value) else f"{value:.{digits}g}"


def counted(count: int, word: str) -> str:
    """1 data set, 1,234 data sets"""
    return f"{count:,} {word}{'' if count == 1 or word == 'series' else 's'}"


def data(value: float, shown: str) -> Markup:
    """A number in short that keeps all its digits for machines."""
    digits = repr(float(value)).removesuffix(".0")
    return Markup('<data value="{}">{}</data>').format(digits, shown)
