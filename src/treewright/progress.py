"""A progress bar for long work: on a terminal, from half a second on, one line that cleans up after itself."""

from __future__ import annotations

import math
import sys
import time
from types import TracebackType


class Bar:
    """Shows how many rows have reached a leaf. Call it with (done, total); it decides when to draw."""

    def __init__(self, title: str, unit: str = "rows") -> None:
        self.title = title
        self.unit = unit
        self.start = time.monotonic()
        self.last = 0.0
        self.drawn = False
        self.tenth = 0

    def __call__(self, done: int, total: int) -> None:
        """Draw if it is time to."""
        if total > 0:
            self.draw(min(1.0, done / total), f"of {total:,} {self.unit}")

    def draw(self, share: float, words: str) -> None:
        """Draw a share and what it is of, if it is time to."""
        now = time.monotonic()
        if now - self.start < 0.5 or now - self.last < 0.1:
            return
        self.last = now
        filled = int(20 * share)
        bar = "█" * filled + "░" * (20 - filled)
        if not sys.stderr.isatty():
            self._log(share, words, now)
            return
        sys.stderr.write(f"\r{self.title}  {bar} {share:4.0%} {words}  {now - self.start:.1f} s")
        sys.stderr.flush()
        self.drawn = True

    def _log(self, share: float, words: str, now: float) -> None:
        # Into a file: one line per tenth, no control characters.
        tenth = int(10 * share)
        if tenth > self.tenth:
            self.tenth = tenth
            sys.stderr.write(f"{self.title}  {share:.0%} {words}  {now - self.start:.1f} s\n")

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.drawn:
            sys.stderr.write("\n")
            sys.stderr.flush()


class Lasting(Bar):
    """Also says how long it will take, once that can be told."""

    def draw(self, share: float, words: str) -> None:
        """Draw a share and what it is of, if it is time to."""
        spent = time.monotonic() - self.start
        told = share >= _TELLS and spent >= _LONG
        super().draw(share, f"{words}, about {_lasting(spent / share - spent)} left" if told else words)


_TELLS = 0.02  # of which share on what is left can be told
_LONG = 3.0  # seconds after which somebody wants to know


def _lasting(seconds: float) -> str:
    """A time in words, roughly."""
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(1.0, seconds):.0f} s"


class Closing(Bar):
    """Shows how a search closes in: the best there is and what is proven that nothing beats. Call it with both."""

    said = ""
    logged = 0.0

    def __call__(self, best: float, bound: float) -> None:
        """Draw if it is time to."""
        if math.isfinite(best):
            self.draw(min(1.0, bound / best) if best > 0 else 1.0, f"proven: best {best:.6g}, none below {bound:.6g}")

    def _log(self, share: float, words: str, now: float) -> None:
        # Into a file: what is new, once a second.
        if words == self.said or (self.said and now - self.logged < 1):
            return
        self.said, self.logged = words, now
        sys.stderr.write(f"{self.title}  {share:.0%} {words}  {now - self.start:.1f} s\n")
