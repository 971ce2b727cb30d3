"""Axes of pictures: where numbers lie, and which of them are written."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """A stretch of a picture that stands for a range of numbers, evenly or by their logarithms."""

    low: float
    high: float
    begin: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """Where a number lies."""
        put: Callable[[float], float] = math.log if self.log else float
        low, high = put(self.low), put(self.high)
        return self.begin + (self.end - self.begin) * (put(value) - low) / (high - low)

    def ticks(self, most: int = 6) -> list[float]:
        """Round numbers inside the range: steps of 1, 2 or 5 times a power of ten, by logarithms 1, 2, 5, 10 and so on."""
        if self.log:
            return _log_ticks(self.low, self.high, most)
        step = _step((self.high - self.low) / most)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [at * step for at in range(first, last + 1)]

    def text(self, value: float) -> str:
        """A tick as it is written: with the decimals that its step needs."""
        if self.log:
            return f"{value:g}"
        step = _step((self.high - self.low) / 6)
        return f"{value:.{max(0, -math.floor(math.log10(step) + 1e-9))}f}" if 1e-4 <= step < 1e6 else f"{value:.3g}"


def _step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(k * power for k in (1, 2, 5, 10) if k * power >= least * (1 - 1e-9))


def _log_ticks(low: float, high: float, most: int) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for kept in ((1, 2, 5), (1,)):
        out = [k * 10.0**p for p in powers for k in kept if low * (1 - 1e-9) <= k * 10.0**p <= high * (1 + 1e-9)]
        if len(out) <= most + 2:
            return out
    return out[:: math.ceil(len(out) / most)]


def widened(low: float, high: float, share: float = 0.05) -> tuple[float, float]:
    """A range a little wider on both sides; one of no width as wide as a tenth of its number."""
    room = (high - low) * share if high > low else 0.1 * max(abs(low), 1e-3)
    return low - room, high + room
