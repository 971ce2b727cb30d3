"""Errors and warnings of the package, and how their texts are made. Loads nothing but the standard library."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any
from unicodedata import category


class TreewrightWarning(UserWarning):
    """A result that may surprise: what, where and what to do."""


class UnseenLevelWarning(TreewrightWarning):
    """Rows to predict hold levels that never occurred in training."""


class DataFormatError(ValueError):
    """A data file that cannot be read as it stands.

    Attributes
    ----------
    what, remedy : str
        What is wrong, and what to do about it.
    path : str
        The file.
    line, column : int or None
        Where, from 1; the column is the number of the cell in its line.
    """

    def __init__(self, what: str, path: str, line: int | None = None, column: int | None = None, remedy: str = "") -> None:
        self.path, self.line, self.column = path, line, column
        self.what, self.remedy = visible(what), visible(remedy)  # both may quote the file
        super().__init__(f"{self.where}: {self.what}" + (f"; {self.remedy}" if remedy else ""))

    @property
    def where(self) -> str:
        """The place as file:line:column."""
        return visible(":".join([self.path, *(str(n) for n in (self.line, self.column) if n is not None)]))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what, self.path, self.line, self.column, self.remedy)


class ModelFormatError(ValueError):
    """A model file, or a pickled model, that cannot be used as it stands.

    Attributes
    ----------
    what, remedy : str
        What is wrong, and what to do about it.
    path : str
        The file.
    """

    def __init__(self, what: str, path: str, remedy: str = "") -> None:
        self.what, self.path, self.remedy = what, path, remedy
        super().__init__(f"{visible(path)} is not a valid model: {visible(what)}" + (f"; {remedy}" if remedy else ""))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what, self.path, self.remedy)


def outside() -> int:
    """Return the stack level of the first caller that is not in this package, for warnings."""
    import sys

    inside = ("treewright", "functools")  # which stands between our cached properties and their callers
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in inside:
        level, frame = level + 1, frame.f_back
    return level


_told: set[tuple[str, int, tuple[str, ...]]] = set()


def warn_once(text: str, category: type[Warning], about: tuple[str, ...]) -> None:
    """Warn the caller outside the package; once about one thing at one place, where warnings are shown once a place.

    Python compares texts, and what is said of the rows of every fold differs in its numbers.
    """
    import sys
    import warnings

    level = outside()
    frame = sys._getframe(level - 1)
    place = (frame.f_code.co_filename, frame.f_lineno, (category.__name__, *about))
    if _shown_once_a_place(category, frame.f_globals.get("__name__", ""), frame.f_lineno):
        if place in _told:
            return
        _told.add(place)
    warnings.warn(text, category, stacklevel=level)


def _shown_once_a_place(category: type[Warning], module: str, line: int) -> bool:
    """Whether Python's filters show a warning once a place, as they do unless told otherwise."""
    import warnings

    for action, message, kind, where, lineno in warnings.filters:
        if message is None and issubclass(category, kind) and (where is None or where.match(module)) and lineno in (0, line):
            return action in ("default", "module", "once")
    return True


def shown(value: Any, limit: int = 80) -> str:
    """A value as it may appear in a message: quoted, control characters as escapes, cut to ``limit`` characters."""
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def counted(n: int, one: str, many: str | None = None) -> str:
    """A number of things: 1 row, 2 rows."""
    return f"{n} {one if n == 1 else many or one + 's'}"


# Letters that are written from right to left, with single blanks and marks inside such words, alone or kept to themselves.
_LEFTWARDS = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_LEFTWARD = re.compile(f"\u2068?([{_LEFTWARDS}]+(?:[ '\u2019-]?[{_LEFTWARDS}]+)*)\u2069?")
_LETTER = re.compile(f"[{_LEFTWARDS}]")
_ISOLATED = re.compile(f"\u2068[{_LEFTWARDS} '\u2019-]+\u2069")


def visible(text: str) -> str:
    """Write control characters, separators of lines and marks of direction as escapes: a name cannot steer the terminal."""
    if text.isprintable():
        return text
    kept = {at for found in _ISOLATED.finditer(text) for at in (found.start(), found.end() - 1)}
    return "".join(
        ch if ch.isprintable() or category(ch) == "Zs" or at in kept else ch.encode("unicode_escape").decode()
        for at, ch in enumerate(text)
    )


def isolated(text: str) -> str:
    """Keep words that are written from right to left to themselves, so that they do not reorder the numbers beside them."""
    return text if text.isascii() or not _LETTER.search(text) else _LEFTWARD.sub("\u2068\\1\u2069", text)


def unknown(what: str, value: Any, known: Iterable[str]) -> ValueError:
    """Build the error for a name that is not one of the known ones, with the nearest of them."""
    names = list(known)
    near = get_close_matches(str(value), names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else "known: " + ", ".join(repr(n) for n in names)
    return ValueError(f"{what} {shown(value)} is unknown; {hint}")


def misspelt(absent: Iterable[str], given: Iterable[str]) -> str:
    """Say which of the names that were given may stand for those that are absent; nothing where none is like one."""
    others = list(given)
    pairs = [(near[0], name) for name in absent if (near := get_close_matches(name, others, n=1))][:3]
    said = ", ".join(f"{shown(found)} for {shown(name)}" for found, name in pairs)
    return f"is {said} a slip?" if pairs else ""


def drawn_depth(max_depth: Any) -> Any:
    """Return how deep a tree is to be drawn, None for all of it; refuse what is no depth."""
    if max_depth is not None and (isinstance(max_depth, bool) or not hasattr(max_depth, "__index__") or max_depth < 0):
        raise out_of_range("max_depth", max_depth, "a whole number from 0 up, or None")
    return max_depth


def as_float(value: Any) -> float:
    """A number as a float: infinite where it lies beyond all floats, as whole numbers can."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def real(name: str, value: Any, low: float, high: float = math.inf, *, above: bool = False, finite: bool = True) -> float:
    """Return a parameter that must be a number in [low, high], or in (low, high] if it must lie ``above``; never NaN."""
    number = as_float(value) if isinstance(value, numbers.Real) and not isinstance(value, bool) else math.nan
    if not low <= number <= high or (finite and math.isinf(number)) or (above and number == low):
        if above:
            allowed = f"a number above {low:g}" + ("" if high == math.inf else f", up to {high:g}")
        else:
            allowed = f"a number from {low:g} " + ("up" if high == math.inf else f"to {high:g}")
        raise out_of_range(name, value, allowed + (", and finite" if high == math.inf and math.isinf(number) else ""))
    return number


def out_of_range(name: str, value: Any, allowed: str) -> ValueError:
    """Build the error for a parameter whose value does not lie where it must."""
    return ValueError(f"{name}={shown(value)} is not allowed: it must be {allowed}")
