"""The schema of a table and of its target: kinds, names, levels in declared order, and their values as text."""

from __future__ import annotations

import datetime as dt
import math
import re
import sys
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from treewright.table.times import time_zone
from treewright.table.written import Written

Level = Hashable

_EPOCH = dt.datetime(1970, 1, 1)
_SPAN = re.compile(r"(?:(?P<days>-?\d+) days?, )?(?P<hours>\d+):(?P<minutes>\d\d):(?P<seconds>\d\d(?:\.\d+)?)")
_DIGITS = tuple(f"%.{digits}g" for digits in range(4, 17))  # pictures of large trees have many thresholds


def short_threshold(at: float, below: float, above: float, strict: bool) -> float:
    """Return the number to show for a threshold: itself if it has at most seven digits, else rounded.

    Rounded to four digits, and to as many more as it takes to separate the neighbouring training values as it does and to be
    off by no more than a hundredth of the gap between them (or 0.001 %): few new values lie in between.
    """
    if float("%.7g" % at) == at:  # noqa: UP031
        return at + 0.0
    off = max((above - below) / 100, abs(at) * 1e-5)
    for digits in _DIGITS:
        rounded = float(digits % at)
        if (below < rounded <= above if strict else below <= rounded < above) and abs(rounded - at) <= off:
            return rounded + 0.0
    return at


def number_text(value: float) -> str:
    """Write a number without a needless ``.0`` and never as ``-0``."""
    if math.isfinite(value) and value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return repr(float(value))


@lru_cache(4096)
def weight_text(value: float) -> str:
    """Write a weight with two decimals at most; very large and very small ones with three digits."""
    return number_text(round(value, 2)) if value == 0 or 0.005 <= abs(value) < 1e15 else f"{value:.3g}"


def share_text(share: float) -> str:
    """Write a share in per cent; only all is 100 %, only none 0 %."""
    whole = f"{share:.0%}"
    return whole if share in (0.0, 1.0) or whole not in ("0%", "100%") else f"{min(max(share, 0.001), 0.999):.1%}"


def value_text(value: Any, texts: Mapping[float, str] | None = None) -> str:
    """Write a prediction: a number with six digits at most, or as ``texts`` has it, several in brackets, a class as it is."""
    if isinstance(value, tuple) and all(isinstance(each, float) for each in value):
        return f"({', '.join(value_text(each) for each in value)})"
    if not isinstance(value, float):
        return str(value)
    return (texts or {}).get(value) or f"{value:.6g}"


WIDEST = math.sqrt(sys.float_info.max)  # numbers that lie farther apart have no finite variance
_ALIKE = 1e-12  # numbers that differ by less than this fraction of themselves differ by rounding


def apart(values: Iterable[float]) -> dict[float, str]:
    """Write numbers that look alike with six digits by as many digits as distinguish them; the others are not listed."""
    ascending = [value for value in sorted(set(values)) if math.isfinite(value)]
    distinct = [b for a, b in zip([-math.inf, *ascending], ascending, strict=False) if b - a > _ALIKE * abs(b)]
    texts = {}
    for i, value in enumerate(distinct):
        gaps = [abs(value - distinct[k]) for k in (i - 1, i + 1) if 0 <= k < len(distinct)]
        beside = {value_text(distinct[k]) for k in (i - 1, i + 1) if 0 <= k < len(distinct)}
        if value_text(value) in beside:
            digits = next(d for d in range(7, 18) if abs(float(f"{value:.{d}g}") - value) < min(gaps) / 2 or d == 17)
            texts[value] = f"{value:.{digits}g}"
    return texts


def spread_text(spread: float) -> str:
    """Write a standard deviation with two digits; it says how far off a mean is, not what to compute with."""
    if spread >= WIDEST:
        return f"± over {WIDEST:.2g}"
    return f"± {number_text(float(f'{spread:.2g}'))}"


def moment_text(moment: dt.datetime) -> str:
    """Write a moment without what is zero of it: a day, the minutes, the seconds."""
    if moment.tzinfo is None and moment.time() == dt.time():
        return moment.date().isoformat()
    return moment.isoformat(" ", "minutes" if moment.second == moment.microsecond == 0 else "auto")


_RESERVED = frozenset({"and", "or", "then", "if", "else", "otherwise", "in", "is", "of", "missing", "known"})


def name_text(name: str) -> str:
    """Write a name inside a rule: as it is where it cannot be taken for a word of the sentence, else as a quoted string."""
    words = name.split(" ")
    plain = name.isprintable() and all(words) and name[:1] != "(" and not any(character in name for character in "<>=≠≤≥{}'\",:;")
    return name if plain and not _RESERVED & {word.lower() for word in words} else repr(name)


@dataclass(frozen=True, slots=True)
class ColumnSchema:
    """One column: its name, its kind, and for nominal and ordered columns its levels in declared order.

    Kinds ``number``, ``bool``, ``date``, ``duration`` and ``ordered`` are numeric to the core, ``nominal`` is not.
    Dates and durations are microseconds (dates since 1970, UTC), ordered categories the position of their level.
    Dates that came with a time zone have it as ``zone``, and are written in it. Columns of a file know how they were ``written``.
    """

    name: str
    kind: str
    levels: tuple[Level, ...] = ()
    zone: str | None = None
    written: Written | None = None
    # How levels that are not text are written: 3 and '3' are two levels. Found once, because a column may have many levels.
    _others: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_others", frozenset(str(level) for level in self.levels if not isinstance(level, str)))

    @property
    def nominal(self) -> bool:
        """Whether the column is split by levels."""
        return self.kind == "nominal"

    @property
    def label(self) -> str:
        """The name in a sentence: quoted where it is blank or ends in blanks."""
        return self.name if self.name.strip() == self.name != "" else repr(self.name)

    def cut_text(self, at: float, below: float, above: float, strict: bool) -> str:
        """Write a threshold in the column's own terms, short; it separates its neighbours."""
        if self.kind == "date":
            return self._date_text(at, below, above, strict)
        if self.kind == "ordered":
            # A cut lies between two levels: name the last one below it, or the first one above for x < t.
            return str(self.levels[math.ceil(at)] if strict else self.levels[math.floor(at)])
        if self.kind == "duration":
            return self.exact_text(at, strict)
        return number_text(short_threshold(at, below, above, strict))

    def cell_value(self, number: float) -> Any:
        """Return what the user would write for a number inside: a date or a duration where the column holds those."""
        if self.kind not in ("date", "duration") or not math.isfinite(number):
            return number
        try:
            return self._moment(number) if self.kind == "date" else dt.timedelta(microseconds=number)
        except OverflowError:
            return number

    def cell_text(self, number: float) -> str | None:
        """Write a cell as the core reads it, numbers with six digits at most; None where it is missing."""
        if math.isnan(number) or (self.nominal and number < 0):
            return None
        if self.nominal:
            return self.level_text(int(number))
        if self.kind in ("bool", "ordered"):
            return str(bool(number) if self.kind == "bool" else self.levels[int(number)])
        if self.kind != "number":
            return self.exact_text(number)
        return number_text(number) if number.is_integer() else f"{number:.6g}"

    def _moment(self, micro: float) -> dt.datetime:
        moment = _EPOCH + dt.timedelta(microseconds=micro)
        return moment if self.zone is None else moment.replace(tzinfo=dt.UTC).astimezone(time_zone(self.zone))

    def level_text(self, code: int) -> str:
        """Write a level; quoted unless it is plain words, so that it cannot be taken for a word of the sentence."""
        label = self.levels[code]
        if isinstance(label, dt.datetime):
            return moment_text(label)
        text = str(label)
        if not isinstance(label, str):
            return repr(text) if any(character in text for character in ",<>=≠≤≥!{}'\"") else text
        if text in self._others:
            return repr(label)
        plain = all(word.replace("-", "").replace(".", "").replace("_", "").isalnum() for word in text.split(" "))
        return text if plain and not _RESERVED & set(text.lower().split(" ")) else repr(label)

    def exact_text(self, at: float, strict: bool = False) -> str:
        """Write a threshold in full, so that the text compares as the model does."""
        if self.kind == "number":
            return number_text(at)
        if self.kind in ("date", "duration"):
            # Cells are whole microseconds: between two of them, the one below for x <= t, the one above for x < t.
            try:
                whole = math.ceil(at) if strict else math.floor(at)
                return moment_text(self._moment(whole)) if self.kind == "date" else str(dt.timedelta(microseconds=whole))
            except OverflowError:
                return number_text(at)  # microseconds
        return self.cut_text(at, at, at, strict)

    def value_of(self, text: str) -> float:
        """Read a threshold that :meth:`exact_text` wrote, or that a person would write."""
        if self.kind == "bool" and text.lower() in ("true", "false"):
            return float(text.lower() == "true")
        if self.kind == "date":
            try:
                moment = dt.datetime.fromisoformat(text)
            except ValueError:
                return float(text)
            return self._microseconds(moment)
        if self.kind == "duration" and (found := _SPAN.fullmatch(text)) is not None:
            days, hours, minutes, seconds = found["days"] or "0", found["hours"], found["minutes"], found["seconds"]
            span = dt.timedelta(days=int(days), hours=int(hours), minutes=int(minutes)) / dt.timedelta(microseconds=1)
            return span + float(dt.timedelta(seconds=float(seconds)) / dt.timedelta(microseconds=1))
        return float(text)

    def _microseconds(self, moment: dt.datetime) -> float:
        if self.zone is None and moment.tzinfo is not None:
            raise ValueError(f"{moment} has a time zone, column {self.name!r} has none")
        if self.zone is not None:
            moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=time_zone(self.zone))
            moment = moment.astimezone(dt.UTC).replace(tzinfo=None)
        return (moment - _EPOCH) / dt.timedelta(microseconds=1)

    def _date_text(self, at: float, below: float, above: float, strict: bool) -> str:
        def inside(t: float) -> bool:
            return below < t <= above if strict else below <= t < above

        try:
            moment = self._moment(at)
        except OverflowError:
            return number_text(at)
        day, minute = (
            moment.replace(hour=0, minute=0, second=0, microsecond=0),
            moment.replace(second=0, microsecond=0),
        )
        for rounded, step in ((day, dt.timedelta(days=1)), (minute, dt.timedelta(minutes=1))):
            # x < t may need the next one: the day on which a column of days goes on.
            for near in (rounded, rounded + step):
                if inside(self._microseconds(near)):
                    return moment_text(near)
        return self.exact_text(at, strict)


@dataclass(frozen=True, slots=True)
class TableSchema:
    """The columns that rows must have to be read by a model, and what happens where they differ.

    Attributes
    ----------
    columns : tuple of ColumnSchema
        The columns in table order.
    named : bool
        Whether training came as a frame: then frames must have the same columns in the same order.
    known : tuple of tuple of int
        Per column the codes of the levels seen in training; others are unseen, declared or not.
    unseen : {"missing", "error"}
        What happens to unseen levels.
    missing : str
        The model's policy for missing cells; "refuse" refuses them here too.
    spreads : tuple of tuple of float
        Of models that add columns up: the deviation of every numeric column in training, and of nominal ones the share of every
        level. None of other models.
    """

    columns: tuple[ColumnSchema, ...]
    named: bool = False
    known: tuple[tuple[int, ...], ...] = ()
    unseen: str = "missing"
    missing: str = "learned"
    spreads: tuple[tuple[float, ...], ...] = ()

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]


@dataclass(frozen=True, slots=True)
class TargetSchema:
    """The target: its classes in declared order, or None for numbers, and the errors a tree was grown by."""

    name: str
    classes: tuple[Any, ...] | None
    measure: str = "variance"  # or absolute, worst, deviance: see ``spread``
    factors: tuple[float, ...] = ()  # what a row of each class counts under priors or class weights; none: one each
    losses: tuple[float, ...] = ()  # what each answer costs, by true class and answer; none: one for every wrong one
    outputs: tuple[str, ...] = ()  # names of the numbers of a row, where the target is several
    row_weight: float = 1.0  # what one training row weighed on average, where weights were not whole numbers
    written: Written | None = None  # in the file it came from

    def spread(self, impurity: float, value: float) -> float:
        """The deviation of a node's numbers from its prediction, in their own unit: standard, mean or largest."""
        if self.measure in ("absolute", "worst"):
            return max(0.0, impurity)
        # A count of mean m and dispersion d has the variance d m; twice the halved deviance estimates d.
        return math.sqrt(max(0.0, impurity if self.measure == "variance" else 2 * impurity * value))

    def says_text(self, says: Any, exact: bool = False, texts: Mapping[float, str] | None = None) -> str:
        """Write an answer inside a rule; ``exact``: a number with all its digits, else as ``texts`` has it."""
        if self.classes is None:
            if not exact or isinstance(says, tuple):
                return value_text(says, texts)
            text: str = number_text(says) if isinstance(says, float) else says.full_text()
            return text
        return ColumnSchema(self.name, "nominal", (says,)).level_text(0)

    @property
    def error_name(self) -> str:
        """What an error of a tree of this target is called."""
        if self.classes is not None:
            return "mean loss" if self.losses else "error"
        errors = {"variance": "mean squared error", "deviance": "half the mean Poisson deviance"}
        return errors.get(self.measure, "mean absolute error")

    @property
    def nominal(self) -> bool:
        """Whether the target is a class."""
        return self.classes is not None
