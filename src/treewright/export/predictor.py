"""Answers of a flat program for single rows; needs the standard library only. Exports carry this file's code."""

from __future__ import annotations

import datetime as dt
import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from typing import Any

# -- code that exports carry begins here --


class Predictor:
    """What a model says of a row.

    A row is a mapping from column names to cells, or a sequence of the cells of all columns. None and NaN are missing; dates are
    datetimes (without a zone: UTC), days, or microseconds since 1970; durations are timedeltas, times of the day, or
    microseconds.
    """

    def __init__(self, program: Mapping[str, Any]) -> None:
        self._p = program
        self.classes = [_value(*program["classes"][k]) for k in program["order"]]
        self._declared = [_value(*label) for label in program["classes"]]
        self._levels = [{_value(*label): code for code, *label in levels} for _, _, _, levels in program["columns"]]
        self._soft = {node: ramp for node, *ramp in program["soft"]}
        self._labelled = self._declared
        # -- only scores --
        if program.get("combine") == "scores":
            self._labelled = []  # members say numbers, whatever the target is
        # -- end --

    def leaf(self, row: Any) -> Any:
        """The leaf a row ends in; of several the one with the largest share. Of a forest a list, a leaf of every member."""
        # -- only members --
        if "members" in self._p:
            known: dict[int, Any] = {}
            return [self._leaf(row, root, known) - root for root, _, _ in self._p["members"]]
        # -- end --
        return self._leaf(row, 0, {})

    def _leaf(self, row: Any, root: int, known: dict[int, Any]) -> int:
        ends = sorted(self._ends(row, {}, root, known))
        return max(ends, key=lambda end: (end[1], -end[0]))[0]

    def parts(self, row: Any) -> list[tuple[int, float]]:
        """The leaves a row ends in, with their shares; of a forest those of all members, one after the other."""
        # -- only members --
        if "members" in self._p:
            known: dict[int, Any] = {}
            return [part for root, _, _ in self._p["members"] for part in self._parts(row, root, known)]
        # -- end --
        return self._parts(row, 0, {})

    def _parts(self, row: Any, root: int, known: dict[int, Any]) -> list[tuple[int, float]]:
        turn = self._p["turn"]
        return sorted(self._ends(row, self._soft, root, known), key=lambda end: turn[end[0]] if turn else end[0])

    def predict(self, row: Any) -> Any:
        """The class or the number of a row; a list where the target is several numbers."""
        # -- only members --
        if "members" in self._p:
            said = self._together(row)
            if self._declared:
                # Shares that differ from the largest by rounding only are as large; of equals the first wins.
                least = max(said) - self._p["tolerance"]
                return self._declared[next(k for k, share in enumerate(said) if share >= least)]
            return said if self._p["outputs"] else said[0]
        # -- end --
        ends = self.parts(row)
        if not self._declared:
            numbers = self._mixed(ends, row, bool(self._soft))
            return numbers if self._p["outputs"] else numbers[0]
        return self._declared[self._class(ends, row, bool(self._soft))]

    def predict_proba(self, row: Any) -> list[float]:
        """Share of every class, in the order of ``classes``."""
        if not self._declared:
            raise ValueError("predict_proba needs classes, this model predicts numbers")
        # -- only members --
        if "members" in self._p:
            said = self._together(row)
            return [said[k] for k in self._p["order"]]
        # -- end --
        shares = self._mixed(self.parts(row), row, bool(self._soft))
        return [shares[k] for k in self._p["order"]]

    # -- only members --
    def _together(self, row: Any) -> list[float]:
        """What the members of a forest say: shares of classes, or numbers."""
        # -- end --
        # -- only scores --
        if self._p["combine"] == "scores":
            return self._added(row)
        # -- end --
        # -- only members --
        p = self._p
        known: dict[int, Any] = {}
        told = []
        total = [0.0] * (len(p["answers"][0]) - 1)
        for root, weight, soft in p["members"]:
            ends = self._parts(row, root, known)
            if p["combine"] == "vote":
                total[self._class(ends, row, soft == 1)] += weight
                continue
            values = self._mixed(ends, row, soft == 1)
            told.append((values[0], weight))
            for k, value in enumerate(values):
                total[k] += weight * value
        return [_median(told)] if p["combine"] == "median" else [value / p["weight"] for value in total]

    # -- end --
    # -- only scores --
    def _added(self, row: Any) -> list[float]:
        """What the members of a forest add to its scores, and what is made of these: shares of classes, or numbers."""
        p = self._p
        known: dict[int, Any] = {}
        total = [0.0] * len(p["base"])
        for at, (root, weight, soft) in enumerate(p["members"]):
            total[p["adds_to"][at]] += weight * self._mixed(self._parts(row, root, known), row, soft == 1)[0]
        scores = [base + total[k] for k, base in enumerate(p["base"])]
        if p["link"] == "shares":
            return _shares(scores)
        return [_power(score) for score in scores] if p["link"] == "exp" else scores

    # -- end --
    def _class(self, ends: list[tuple[int, float]], row: Any, soft: bool) -> int:
        """The position of the class that the leaves of a row decide."""
        if len(ends) == 1 and not soft and not self._p["scores"]:
            return int(self._p["answers"][self._p["answer"][ends[0][0]]][0])
        shares = self._mixed(ends, row, soft)
        return shares.index(max(shares))

    def _mixed(self, ends: list[tuple[int, float]], row: Any, soft: bool) -> list[float]:
        answers, answer, terms = self._p["answers"], self._p["answer"], self._p["terms"]
        total = [0.0] * (len(self._labelled) or len(answers[0]) - 1)
        for leaf, share in ends:
            added = terms[answer[leaf]] if terms else ()
            # Of many classes those are listed whose shares are not 0.
            places = self._p["listed"][answer[leaf]] if "listed" in self._p else range(len(total))
            for at, value in enumerate(answers[answer[leaf]][1:]):
                k = places[at]
                for column, coefficient, missing, listed, levels in added[k] if added else ():
                    x = self._cell(row, column)
                    value += coefficient * (missing if x is None else float(x in levels) if listed else x)
                if self._p["bounded"]:
                    value = min(max(value, -1.7976931348623157e308), 1.7976931348623157e308)
                total[k] += share * value
        if self._p["scores"]:
            return _shares(total)
        if not self._labelled or (len(ends) == 1 and not soft):
            return total
        # Shares that differ from the largest by rounding only are as large.
        most, slack = max(total), self._p["tolerance"]
        return [most if share >= most - slack else share for share in total]

    def _in_turn(self, row: Any) -> list[tuple[int, float]]:
        """Every rule takes its share of what those before it left of a row."""
        p, left, ends = self._p, 1.0, []
        for begin, answer in p["rules"]:
            share = 1.0
            for node in range(begin, answer):
                to = self._jump(node, self._cell(row, p["column"][node]))
                if to == -2:
                    share *= p["way_share"][p["way_begin"][node]]
                elif to != node + 1:
                    share = 0.0
                    break
            vote = left * share
            if vote > 0:
                ends.append((answer, vote))
            left = 0.0 if share == 1 else left - vote
            if left <= 0:
                break
        if left > 0:
            ends.append((len(p["column"]) - 1, left))
        return ends

    def _ends(self, row: Any, soft: dict[int, Any], root: int, known: dict[int, Any]) -> list[tuple[int, float]]:
        """The leaves below a root a row ends in, with their shares; ``known``: its cells that were looked at before."""
        if self._p["rules"]:
            return self._in_turn(row)
        p, ends = self._p, []
        open_ = [(root, 1.0)]
        while open_:
            node, share = open_.pop()
            while (column := p["column"][node]) >= 0:
                if column not in known:
                    known[column] = self._cell(row, column)
                x = known[column]
                if node in soft and (x is not None or soft[node][3]):
                    first = p["to_begin"][node]
                    below = _below(soft[node][3][0] if x is None else x, *soft[node][:3])
                    parts = ((p["to"][first], below), (p["to"][first + 1], 1 - below))
                    open_ += [(to, share * part) for to, part in parts if part > 0]
                    break
                to = self._jump(node, x)
                # -- only derived --
                if to == -1 and column >= len(p["columns"]):
                    name = p["derived"][column - len(p["columns"])][0]
                    raise ValueError(f"the number {name!r} is missing, and the model refuses missing cells")
                # -- end --
                if to == -1:
                    raise ValueError(f"column {p['columns'][column][0]!r} is missing, and the model refuses missing cells")
                if to == -2:
                    begin, end = p["way_begin"][node : node + 2]
                    open_ += [(p["way_to"][w], share * p["way_share"][w]) for w in range(begin, end)]
                    break
                node = to
            else:
                ends.append((node, share))
        return ends

    def _jump(self, node: int, x: float | None) -> int:
        p = self._p
        if x is None:
            return int(p["missing"][node])
        begin, end = p["cut_begin"][node : node + 2]
        find = bisect_right if p["less"][node] else bisect_left
        return int(p["to"][p["to_begin"][node] + find(p["cut"], x, begin, end) - begin])

    # -- only derived --
    def _derived(self, row: Any, terms: list[Any], value: float, needs_all: int) -> float | None:
        """A number that is computed from cells; None where it is missing."""
        lost = False
        for column, coefficient, missing, listed, levels, *by in terms:
            x = self._cell(row, column)
            lost = lost or (x is None and needs_all == 1)
            part = coefficient * (missing if x is None else float(x in levels) if listed else x)
            if by:  # of products the other column, and what a missing cell of it counts as
                other = self._cell(row, by[0])
                lost = lost or (other is None and needs_all == 1)
                part *= by[1] if other is None else other
            value += part
        return None if lost or value != value else value

    # -- end --
    # -- only parts --
    def _scored(self, row: Any, terms: list[Any], needs_all: int, parts: list[Any]) -> float | None:
        """A score that is made of several sums; of several scores the number of the largest, the first of equals."""
        scores: list[float] = []
        begin = 0
        for score, count, squashed, weight, constant in parts:
            value = self._derived(row, terms[begin : begin + count], constant, needs_all)
            begin += count
            if value is None:
                return None
            if squashed:
                e = _exp(-abs(value))
                value = weight * ((1.0 if value >= 0 else e) / (1 + e))
            if score == len(scores):
                scores.append(0.0)
            scores[score] += value
        if any(score != score for score in scores):
            return None
        return scores[0] if len(scores) == 1 else float(scores.index(max(scores)))

    # -- end --
    def _cell(self, row: Any, column: int) -> float | None:
        # -- only derived --
        if column >= len(self._p["columns"]):
            _, value, needs_all, terms, *parts = self._p["derived"][column - len(self._p["columns"])]
            # -- end --
            # -- only parts --
            if parts:
                return self._scored(row, terms, needs_all, parts[0])
            # -- end --
            # -- only derived --
            return self._derived(row, terms, value, needs_all)
        # -- end --
        name, kind, strict, _ = self._p["columns"][column]
        if isinstance(row, Mapping):
            if name not in row:
                raise ValueError(f"the row has no column {name!r}")
            cell = row[name]
        else:
            if isinstance(row, (str, bytes)) or not hasattr(row, "__len__"):
                raise ValueError(f"{row!r} is no row: pass a dictionary of cells by column name, or a list of all cells")
            if len(row) != len(self._p["columns"]):
                raise ValueError(f"the row has {len(row)} cells, the model was fitted with {len(self._p['columns'])} columns")
            cell = row[column]
        try:
            if getattr(cell, "ndim", 0):
                raise TypeError("it is no single value")
            if cell is None or cell != cell:
                return None
            if kind in ("nominal", "ordered"):
                code = self._levels[column].get(cell)
                if code is None and strict:
                    raise ValueError(f"column {name!r} holds {cell!r}, a level never seen in training")
                return code
            x = _number(name, kind, cell)
        except (TypeError, OverflowError) as error:
            raise ValueError(f"column {name!r} was {kind} in training and cannot hold {cell!r}: {error}") from error
        if math.isinf(x):
            raise ValueError(f"column {name!r} holds infinity: replace it by a number, or by None where it is missing")
        if kind == "bool" and x not in (0, 1):
            raise ValueError(
                f"column {name!r} was bool in training and holds {cell!r}: only True, False, 1 and 0 are known to it"
            )
        return x


_EPOCH = dt.datetime(1970, 1, 1)
_MICRO = dt.timedelta(microseconds=1)


def _number(name: str, kind: str, cell: Any) -> float:
    if kind == "date" and isinstance(cell, dt.datetime):
        naive = cell if cell.tzinfo is None else cell.astimezone(dt.UTC).replace(tzinfo=None)
        return float((naive - _EPOCH) // _MICRO)
    if kind == "date" and isinstance(cell, dt.date):
        return float((dt.datetime(cell.year, cell.month, cell.day) - _EPOCH) // _MICRO)
    if kind == "duration" and isinstance(cell, dt.timedelta):
        return float(cell // _MICRO)
    if kind == "duration" and isinstance(cell, dt.time):
        return float((((cell.hour * 60) + cell.minute) * 60 + cell.second) * 1_000_000 + cell.microsecond)
    if isinstance(cell, (str, bytes)):
        raise ValueError(f"column {name!r} was {kind} in training and now holds {cell!r}: convert it to the type it had")
    return float(cell)


def _value(tag: str, value: Any) -> Any:
    """A level or class as Python knows it."""
    if tag == "w":
        return int(value)
    if tag == "b":
        return bool(value)
    if tag == "u":
        return dt.timedelta(microseconds=value)
    if tag in ("d", "a"):
        moment = _EPOCH + dt.timedelta(microseconds=value)
        return moment if tag == "d" else moment.date()
    return value


# -- only members --
def _median(told: list[tuple[float, float]]) -> float:
    """The least number that numbers of half of the weight do not exceed; each is told with its weight."""
    reached, sums = 0.0, []
    for number, weight in sorted(told, key=lambda one: one[0]):
        reached += weight
        sums.append((reached, number))
    return next(number for sum_, number in sums if sum_ >= 0.5 * reached)


# -- end --
def _shares(scores: list[float]) -> list[float]:
    """The shares that scores of classes stand for; scores that differ by rounding only are equal."""
    # -1e308 stands for a class that training had no rows of.
    inside = [0.0 if s != s else s if s == -1e308 else min(max(s, -1e300), 1e300) for s in scores]
    most, total = max(inside), 0.0
    powers = [1.0 if score - most >= -(2.0**-27) else _exp(score - most) for score in inside]
    for power in powers:
        total += power
    return [power / total for power in powers]


# -- only scores --
def _power(score: float) -> float:
    """The power of e of a score of any sign, which is cut at 708."""
    inside = min(score, 708.0)
    return 1 / _exp(-inside) if inside > 0 else _exp(inside)


# -- end --
def _exp(x: float) -> float:
    """The power x, not above 0, of e by the model's own operations: libraries round the last digit in ways of their own."""
    if x < -708:
        return 0.0
    k = (x * 1.4426950408889634 + 6755399441055744.0) - 6755399441055744.0
    r = (x - k * 0.6931471805582987) - k * 1.6465949582897082e-12
    z = r * r
    even = 1 + z * (1 / 2 + z * (1 / 24 + z * (1 / 720 + z * (1 / 40320 + z * (1 / 3628800 + z * (1 / 479001600))))))
    odd = 1 + z * (1 / 6 + z * (1 / 120 + z * (1 / 5040 + z * (1 / 362880 + z * (1 / 39916800 + z * (1 / 6227020800))))))
    return math.ldexp(even + odd * r, int(k))


def _below(x: float, at: list[float], share: list[float], slope: list[float]) -> float:
    """The part of a row that goes below a soft threshold."""
    # -- only sigmoids --
    if not share:
        return _sigmoid(x, at[0], slope[0])
    # -- end --
    if x <= at[0]:
        return share[0]
    if x >= at[-1]:
        return share[-1]
    k = bisect_right(at, x) - 1
    if x == at[k]:
        return share[k]
    part = slope[k] * (x - at[k]) + share[k]
    return part if part == part else slope[k] * (x - at[k + 1]) + share[k + 1]


# -- only sigmoids --
def _sigmoid(x: float, at: float, slope: float) -> float:
    """The part of a row that goes below a threshold that is passed along the logistic function."""
    z = slope * (x - at)
    e = _exp(-abs(z))
    return (e if z > 0 else 1.0) / (1 + e)


# -- end --
