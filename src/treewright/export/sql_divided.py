"""Rows that go several ways, in SQL: a table of jumps and a recursive query down it, then one that adds up fractions in order.

Sums are written as additions one after another, not as SUM, whose order and rounding are the engine's own.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence

from treewright.export.dialects import Dialect
from treewright.export.program import ANSWER, REFUSED, SPREAD, Program, Ramp, Sigmoid
from treewright.export.sql_cells import Cells

# From which values (low, high] a jump is taken, by missing cells or not, where it leads, and which share of the row takes it:
# added + factor * (slope * (x - origin) + base), or of the logistic function of minus that line.
_TAKEN = 2  # as ``gone``: from the answer of a rule, which took its share, to the next rule
_JUMP = ("node", "tested", "gone", "low", "high", "target", "added", "factor", "slope", "origin", "base")
_SMOOTH = "smooth"  # where gates are sigmoid: whether the line is the logarithm of the odds that a row goes above
_FAR = 700  # exponents beyond it change nothing
_EARLIER = "earlier"  # where fractions of a row come to one leaf: those that are walked before that of a jump


def divided_tables(program: Program, dialect: Dialect, mark: str, columns: Cells, computed: Sequence[str] = ()) -> list[str]:
    """The common table expressions that give ``vote``: the answer of every row that has no single leaf.

    ``computed``: the values of an answer that depend on cells, by expressions of the leaf ``s`` and the row ``r``.
    """
    keep = dialect.materialized
    real = "DOUBLE PRECISION"
    derived = range(len(program.inputs), len(program.inputs) + len(program.derived))
    cells = " ".join(f"WHEN {j} THEN {columns.tested(j, 'r')}" for j in (*program.used, *derived))
    cell = f"CAST(CASE e.tested {cells} END AS {real})" if cells else f"CAST(NULL AS {real})"
    vote = "w.remains * w.share" if program.in_turn else "w.share"
    some = [f"{vote} > 0"] if program.soft or program.in_turn else []
    if _refuses(program):
        # A row has no answer as soon as one of its fractions has none.
        some.append(f"w.row_id NOT IN (SELECT x.row_id FROM {mark}walk AS x WHERE x.node = {REFUSED} AND x.share > 0)")
    only = f" WHERE {' AND '.join(some)}" if some else ""
    turn = "s.turn, w.part" if program.rejoins else "s.turn"
    refused = "".join(f" AND COALESCE(r.{column}, 0) >= 0" for column in columns.strict())
    values = [f"v{k}" for k in range(len(program.answers[0].values))]
    zeros = ", ".join(f"CAST(0 AS {real})" for _ in values)
    source = f"JOIN {mark}said AS s ON s.leaf = e.node"
    if computed:
        source += f" JOIN {mark}routed AS r ON r.{mark}row = e.row_id"
    terms = [f"({one})" for one in computed] or [f"s.{v}" for v in values]
    if program.bounded:
        terms = [bounded(one, dialect) for one in terms]
    adds = ", ".join(f"a.{v} + e.share * {one}" for v, one in zip(values, terms, strict=True))
    jumps = ",\n  ".join(f"({', '.join(row)})" for row in _jumps(program, dialect))
    none = ", ".join(["-2", "0", "0", *(["CAST(NULL AS DOUBLE PRECISION)"] * 2), "0", *([f"CAST(0 AS {real})"] * 5)])
    head = ", ".join(_JUMP)
    if program.sigmoids:
        none, head = f"{none}, 0", f"{head}, {_SMOOTH}"
    if program.rejoins:
        none, head = f"{none}, 0", f"{head}, {_EARLIER}"
    return [
        f"{mark}jumps({head}) AS {keep}(VALUES\n  ({none})" + (f",\n  {jumps}" if jumps else "") + ")",
        _walk(program, mark, cell, refused),
        f"""{mark}ends AS {keep}(SELECT w.row_id, w.node, {vote} AS share,
  ROW_NUMBER() OVER (PARTITION BY w.row_id ORDER BY {turn}) AS place,
  ROW_NUMBER() OVER (PARTITION BY w.row_id ORDER BY {vote} DESC, w.node) AS by_share,
  COUNT(*) OVER (PARTITION BY w.row_id) AS many
  FROM {mark}walk AS w JOIN {mark}said AS s ON s.leaf = w.node{only})""",
        f"""{mark}sums(row_id, place, {", ".join(values)}) AS (
  SELECT e.row_id, CAST(0 AS BIGINT), {zeros} FROM {mark}ends AS e WHERE e.place = 1
  UNION ALL
  SELECT a.row_id, e.place, {adds}
  FROM {mark}sums AS a JOIN {mark}ends AS e ON e.row_id = a.row_id AND e.place = a.place + 1
  {source})""",
        f"""{mark}vote AS (SELECT a.row_id, e.node AS leaf, {_winner(program, dialect, values)} AS prediction, {
            ", ".join(_settled(program, dialect, values))
        }
  FROM {mark}ends AS e JOIN {mark}sums AS a ON a.row_id = e.row_id AND a.place = e.many
  JOIN {mark}said AS s ON s.leaf = e.node WHERE e.by_share = 1)""",
    ]


def bounded(value: str, dialect: Dialect) -> str:
    """A number cut to the range of numbers; engines that know NaN take it for the largest of all, and it stays."""
    end, least = dialect.number(sys.float_info.max), dialect.number(-sys.float_info.max)
    large = f"CASE WHEN 1 / {value} <= 1 THEN {end} ELSE {value} END"
    return f"CASE WHEN {value} > {end} THEN {large} WHEN {value} < {least} THEN {least} ELSE {value} END"


def _walk(program: Program, mark: str, cell: str, refused: str) -> str:
    """The query down the jumps, for rows without a single leaf: nodes, and which share of a row comes to them."""
    one = "CAST(1 AS DOUBLE PRECISION)"
    head, begin, on = "row_id, node, share", one, "w.share * e.added"
    found = f"""WHEN {cell} IS NULL THEN e.gone = 1
    ELSE e.gone = 0 AND (e.low IS NULL OR {cell} > e.low) AND (e.high IS NULL OR {cell} <= e.high) END"""
    if program.soft:
        line = f"(e.slope * (COALESCE({cell}, 0) - e.origin) + e.base)"
        on = f"w.share * (e.added + e.factor * {_smooth(line) if program.sigmoids else line})"
    if program.rejoins:
        head, begin, on = f"{head}, part", f"{begin}, CAST(0 AS BIGINT)", f"{on}, w.part + e.{_EARLIER}"
    if program.in_turn:
        # A rule that fails leaves what remains of the row to the next one; one that holds in part takes its share of it first.
        head, begin, rest = "row_id, node, remains, share", f"{one}, {one}", "w.remains - w.remains * w.share"
        taken = f"e.gone = {_TAKEN}"
        held = f"e.target = w.node + 1 AND e.gone < {_TAKEN}"
        on = f"CASE WHEN {taken} THEN {rest} ELSE w.remains END, CASE WHEN {held} THEN {on} ELSE {one} END"
        found = f"WHEN {taken} THEN w.share < 1 AND {rest} > 0 {found}"
    root = "r.root" if program.members else "0"
    return f"""{mark}walk({head}) AS (
  SELECT r.{mark}row, {root}, {begin} FROM {mark}routed AS r WHERE r.{mark}leaf IS NULL{refused}
  UNION ALL
  SELECT w.row_id, e.target, {on}
  FROM {mark}walk AS w JOIN {mark}jumps AS e ON e.node = w.node JOIN {mark}routed AS r ON r.{mark}row = w.row_id
  WHERE CASE {found})"""


def _smooth(line: str) -> str:
    """A line, or where gates are smooth the logistic function of it; engines round their powers in ways of their own."""
    power = f"EXP(CASE WHEN ABS({line}) > {_FAR} THEN -{_FAR} ELSE -ABS({line}) END)"
    return f"CASE WHEN e.{_SMOOTH} = 0 THEN {line} WHEN {line} > 0 THEN {power} / (1 + {power}) ELSE 1 / (1 + {power}) END"


def _best(dialect: Dialect, values: list[str]) -> str:
    return dialect.greatest([f"a.{v}" for v in values])


def _settled(program: Program, dialect: Dialect, values: list[str]) -> list[str]:
    """The shares, of which those that differ from the largest by rounding only are as large; or the number."""
    if not program.labelled or program.scores:
        return [f"a.{v} AS {v}" for v in values]
    best, slack = _best(dialect, values), dialect.number(program.tolerance)
    several = "" if program.soft else "e.many > 1 AND "
    return [f"CASE WHEN {several}a.{v} >= {best} - {slack} THEN {best} ELSE a.{v} END AS {v}" for v in values]


def _winner(program: Program, dialect: Dialect, values: list[str]) -> str:
    if program.classes is None or not program.labelled or program.scores:  # scores are compared once they are all there
        return "a.v0"
    least = f"{_best(dialect, values)} - {dialect.number(program.tolerance)}"
    votes = " ".join(f"WHEN a.v{k} >= {least} THEN {dialect.label(program.classes[k])}" for k in program.order_declared)
    alone = "" if program.soft else "WHEN e.many = 1 THEN s.prediction "
    return f"CASE {alone}{votes} END"


def _jumps(program: Program, dialect: Dialect) -> Iterator[list[str]]:
    """Every jump of every node as a row of ``_JUMP``."""

    def number(value: float | None) -> str:
        return "NULL" if value is None else dialect.number(value)

    refuses, rejoins, sigmoids = _refuses(program), program.rejoins, program.sigmoids

    def row(node: int, missing: int, low: float | None, high: float | None, to: int, *share: float) -> list[str]:
        where = [str(node), str(program.column[node]), str(missing), number(low), number(high), str(to)]
        smooth = [str(int(len(share) > 1 and isinstance(program.soft.get(node), Sigmoid)))] if sigmoids else []
        earlier = [str(program.walked_before(node, to))] if rejoins else []
        return where + [number(each) for each in (*share, *((1.0, 0.0, 0.0, 0.0, 0.0)[len(share) :]))] + smooth + earlier

    def taken(node: int, jump: int) -> tuple[tuple[int, float], ...]:
        ways = program.ways[node][:1] if program.in_turn and jump == SPREAD else program.ways.get(node, ())
        return ways if jump == SPREAD else ((jump, 1.0),) if jump >= 0 or refuses else ()

    for node in range(program.size):
        if program.column[node] == ANSWER:
            if program.in_turn and node + 1 < program.size:
                yield row(node, _TAKEN, None, None, node + 1)
            continue
        ramp = program.soft.get(node)
        missing = taken(node, program.missing[node])
        if ramp is not None and ramp.fill is not None:
            below = ramp.below(ramp.fill)
            missing = ((program.to[node][0], below), (program.to[node][1], 1 - below))
        for to, share in missing:
            if share > 0:
                yield row(node, 1, None, None, to, share)
        if isinstance(ramp, Sigmoid):
            one, two = program.to[node][:2]
            yield row(node, 0, None, None, one, 0.0, 1.0, ramp.slope, ramp.at, 0.0)
            yield row(node, 0, None, None, two, 1.0, -1.0, ramp.slope, ramp.at, 0.0)
            continue
        if ramp is not None:
            for low, high, line in _pieces(ramp):
                one, two = program.to[node][:2]
                if line[0] != 0 or line[2] > 0:
                    yield row(node, 0, low, high, one, 0.0, 1.0, *line)
                if line[0] != 0 or line[2] < 1:
                    yield row(node, 0, low, high, two, 1.0, -1.0, *line)
            continue
        # x < cut is x <= the number before it.
        cuts = [math.nextafter(cut, -math.inf) if program.less[node] else cut for cut in program.cuts[node]]
        for k, jump in enumerate(program.to[node]):
            for to, share in taken(node, jump):
                yield row(node, 0, cuts[k - 1] if k else None, cuts[k] if k < len(cuts) else None, to, share)


def _refuses(program: Program) -> bool:
    """Whether a fraction of a row may come to a cell that is refused."""
    tested = [node for node, column in enumerate(program.column) if column != ANSWER]
    return program.spreads and any(REFUSED in (program.missing[node], *program.to[node]) for node in tested)


def _pieces(ramp: Ramp) -> Iterator[tuple[float | None, float | None, tuple[float, float, float]]]:
    """Intervals (low, high] of a soft threshold, and slope, origin and base of the share that goes below."""
    at, share, slope, _ = ramp
    yield None, at[0], (0.0, 0.0, share[0])
    for k in range(len(slope)):
        before = math.nextafter(at[k + 1], -math.inf)
        if before > at[k]:
            yield at[k], before, (slope[k], at[k], share[k])
        yield before, at[k + 1], (0.0, 0.0, share[k + 1])
    yield at[-1], None, (0.0, 0.0, share[-1])
