"""Scores of classes in SQL: they alone decide the class, shares need an exponential.

Engines round the last digit of theirs in ways of their own, so that the model's own operations are written, one after the other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from treewright.export.dialects import Dialect, joined
from treewright.export.labels import Label

_MOST = 1e300  # sums beyond it are cut by the model, too
_SLACK = -(2.0**-27)  # scores this near the largest are as large, as the core has it
_FAR = -708.0  # the power of what lies further below is 0
_SHIFT = 6755399441055744.0  # adding and subtracting it rounds to a whole number
_EVEN = [1 / math.factorial(n) for n in range(12, -1, -2)]
_ODD = [1 / math.factorial(n) for n in range(13, 0, -2)]
_BLOCK = 32  # powers of two are written as two factors, of this many each


def score_tables(scores: Sequence[str], dialect: Dialect, mark: str, source: str) -> list[str]:
    """The common table expressions that give ``bounded``: rows ``r`` of a source with their scores, as the model takes them."""
    columns = ",\n  ".join(f"CAST({score} AS DOUBLE PRECISION) AS {mark}score{k}" for k, score in enumerate(scores))
    cut = ",\n  ".join(_cut(f"r.{mark}score{k}", dialect) + f" AS {mark}bounded{k}" for k in range(len(scores)))
    keep = dialect.materialized
    return [
        f"{mark}scored AS {keep}(SELECT r.*,\n  {columns}\n  FROM {source})",
        f"{mark}bounded AS {keep}(SELECT r.*,\n  {cut}\n  FROM {mark}scored AS r)",
    ]


def _cut(score: str, dialect: Dialect) -> str:
    most, least = dialect.number(_MOST), dialect.number(-_MOST)
    # Engines that know NaN take it for the largest of all; for the model it is 0.
    large = f"CASE WHEN 1 / {score} <= 1 THEN {most} ELSE {dialect.number(0)} END"
    return f"CASE WHEN {score} < {least} THEN {least} WHEN {score} > {most} THEN {large} ELSE {score} END"


def best_class(classes: Sequence[Label], dialect: Dialect, mark: str) -> str:
    """The first class whose score is the largest, but for rounding; none where a cell was refused."""
    scores = [f"r.{mark}bounded{k}" for k in range(len(classes))]
    none = joined("OR", [f"{score} IS NULL" for score in scores])
    most, slack = dialect.greatest(scores), dialect.number(_SLACK)
    cases = [
        f"WHEN {score} - {most} >= {slack} THEN {dialect.label(label)}" for score, label in zip(scores, classes, strict=True)
    ]
    return "\n  ".join([f"CASE WHEN {none} THEN NULL", *cases]) + " END"


def share_tables(many: int, dialect: Dialect, mark: str, kept: Mapping[str, str]) -> list[str]:
    """The common table expressions that give ``shared``: every row with the shares of its scores; see ``predictor.py``.

    ``kept``: the columns that stand beside them, by name, as ``bounded`` says them.
    """
    every = range(many)
    bounded = [f"r.{mark}bounded{k}" for k in every]
    most, total = dialect.greatest(bounded), " + ".join(f"r.{mark}power{k}" for k in every)
    away = [f"{score} - {most}" for score in bounded]
    alike = f">= {dialect.number(_SLACK)} THEN {dialect.number(1)}"
    return _powers(away, [f"r.{mark}power{k} / ({total})" for k in every], dialect, mark, kept, alike)


def power_tables(many: int, dialect: Dialect, mark: str, kept: Mapping[str, str]) -> list[str]:
    """The same with powers of e of the scores, which are cut at 708, in place of shares."""
    every = range(many)
    most, kept = dialect.number(-_FAR), {**kept, **{f"{mark}bounded{k}": f"r.{mark}bounded{k}" for k in every}}
    cut = [f"CASE WHEN r.{mark}bounded{k} > {most} THEN {most} ELSE r.{mark}bounded{k} END" for k in every]
    power = "CASE WHEN r.{m}bounded{k} > {zero} THEN {one} / r.{m}power{k} ELSE r.{m}power{k} END"
    numbers = {"m": mark, "zero": dialect.number(0), "one": dialect.number(1)}
    return _powers([f"-ABS({score})" for score in cut], [power.format(k=k, **numbers) for k in every], dialect, mark, kept)


def _powers(
    away: Sequence[str], said: Sequence[str], dialect: Dialect, mark: str, kept: Mapping[str, str], alike: str = ""
) -> list[str]:
    """Tables one from the other, up to ``shared``: the powers of e of numbers not above 0, and what is said by them.

    ``alike``: which numbers have another power than theirs.
    """
    number, every = dialect.number, range(len(away))
    beside = [f"r.{column}" for column in kept]
    first = [one if one == f"r.{column}" else f"{one} AS {column}" for column, one in kept.items()]

    def of(k: int, *columns: str) -> list[str]:
        return [f"r.{mark}{column}{k}" for column in columns]

    def series(factors: Sequence[float], z: str) -> str:
        text = number(factors[0])
        for factor in factors[1:]:
            text = f"({number(factor)} + {z} * {text})"
        return text

    near = [f"CASE WHEN {x} < {number(_FAR)} THEN {number(_FAR)} ELSE {x} END" for x in (of(k, "away")[0] for k in every)]
    folds = [f"{x} * {number(1.4426950408889634)} + {number(_SHIFT)} - {number(_SHIFT)}" for x in near]
    columns: list[list[str]] = [[f"{x} AS {mark}away{k}" for k, x in enumerate(away)], [], [], [], []]
    for k in every:
        away_k, near_k, fold, rest, block, square = of(k, "away", "near", "fold", "rest", "block", "square")
        columns[1] += [away_k, f"{near[k]} AS {mark}near{k}", f"{folds[k]} AS {mark}fold{k}"]
        left = f"({near_k} - {fold} * {number(0.6931471805582987)}) - {fold} * {number(1.6465949582897082e-12)}"
        columns[2] += [away_k, fold, f"{left} AS {mark}rest{k}", f"{_blocks(fold)} AS {mark}block{k}"]
        columns[3] += [away_k, fold, rest, block, f"{rest} * {rest} AS {mark}square{k}"]
        power = f"({series(_EVEN, square)} + {series(_ODD, square)} * {rest})"
        power = f"{power} * {_scale(block, _BLOCK, dialect)} * {_scale(f'-({fold} + {_BLOCK} * {block})', 1, dialect)}"
        limits = f"WHEN {away_k} {alike} " * bool(alike) + f"WHEN {away_k} < {number(_FAR)} THEN {number(0)}"
        columns[4].append(f"CASE {limits} ELSE {power} END AS {mark}power{k}")
    columns.append([f"{one} AS {mark}share{k}" for k, one in enumerate(said)])
    tables = []
    for at, (name, source) in enumerate(zip(_STEPS[1:], _STEPS, strict=False)):
        listed = ",\n  ".join([*(beside if at else first), *columns[at]])
        tables.append(f"{mark}{name} AS {dialect.materialized}(SELECT {listed}\n  FROM {mark}{source} AS r)")
    return tables


_STEPS = ["bounded", "away", "folded", "rest", "squared", "powers", "shared"]


def _blocks(fold: str) -> str:
    """How many whole blocks of powers of two a whole number, not above 0, holds."""
    cases = " ".join(f"WHEN {fold} > {-_BLOCK * (n + 1)} THEN {n}" for n in range(1024 // _BLOCK))
    return f"CASE {cases} END"


def _scale(times: str, step: int, dialect: Dialect) -> str:
    """Two to the power of minus so many steps."""
    cases = " ".join(f"WHEN {n} THEN {dialect.number(2.0 ** (-step * n))}" for n in range(_BLOCK))
    return f"CASE CAST({times} AS INTEGER) {cases} END"
