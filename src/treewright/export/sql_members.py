"""Forests in SQL: every row beside every member, and one query that adds up what the members say, in their order.

The members of a row are rows themselves: so a forest of any size is one expression for the leaf, as a tree is, and one table of answers.
"""

from __future__ import annotations

from collections.abc import Sequence

from treewright.export.dialects import Dialect
from treewright.export.program import Program

_REAL = "DOUBLE PRECISION"


def member_table(program: Program, dialect: Dialect, mark: str) -> str:
    """The table of the members: where each begins, and what it counts."""
    rows = (f"({at}, {root}, {dialect.number(weight)})" for at, (root, weight, _) in enumerate(program.members))
    return f"{mark}members(member, root, weight) AS (VALUES {', '.join(rows)})"


def routed_table(leaves: Sequence[str], columns: Sequence[str], dialect: Dialect, mark: str, numbered: bool) -> str:
    """Every row beside every member, with its leaf there; NULL where it has none, or several."""
    cases = "\n  ".join(f"WHEN {at} THEN {leaf}" for at, leaf in enumerate(leaves))
    parts = [*(f"c.{column}" for column in columns), f"c.{mark}of", "m.member", "m.root", "m.weight"]
    if numbered:
        parts.append(f"ROW_NUMBER() OVER (ORDER BY c.{mark}of, m.member) AS {mark}row")
    keep = dialect.materialized if numbered else ""
    found = f"CASE m.member\n  {cases} END AS {mark}leaf"
    return f"{mark}routed AS {keep}(SELECT {', '.join(parts)},\n  {found}\n  FROM {mark}cells AS c CROSS JOIN {mark}members AS m)"


def together_tables(program: Program, dialect: Dialect, mark: str, told: Sequence[str], joins: str) -> list[str]:
    """The common table expressions that give ``together``: what the members say of every row, value by value.

    ``told``: what a member says, by expressions of the row and member ``r`` and what ``joins`` puts beside it.
    """
    keep = dialect.materialized
    values = [f"v{k}" for k in range(len(told))]
    weighed = (f"CAST(r.weight AS {_REAL}) * CAST({one} AS {_REAL}) AS {v}" for one, v in zip(told, values, strict=True))
    zeros = ", ".join(f"CAST(0 AS {_REAL})" for _ in values)
    adds = ", ".join(f"a.{v} + t.{v}" for v in values)
    weight = dialect.begin(program.weight)
    means = ", ".join(f"a.{v} / {weight} AS {v}" for v in values)
    return [
        f"{mark}told AS {keep}(SELECT r.{mark}of AS row_id, r.member + 1 AS place,\n  "
        + ",\n  ".join(weighed)
        + f"\n  FROM {mark}routed AS r\n  {joins})",
        f"""{mark}added(row_id, place, {", ".join(values)}) AS (
  SELECT c.{mark}of, 0, {zeros} FROM {mark}cells AS c
  UNION ALL
  SELECT a.row_id, t.place, {adds}
  FROM {mark}added AS a JOIN {mark}told AS t ON t.row_id = a.row_id AND t.place = a.place + 1)""",
        f"{mark}together AS (SELECT a.row_id, {means} FROM {mark}added AS a WHERE a.place = {len(program.members)})",
    ]


def voted(program: Program, dialect: Dialect, said: str) -> list[str]:
    """A vote for the class that a member says, value by value; NULL where it has no answer."""
    classes = program.classes or ()
    return [f"CASE WHEN {said} = {dialect.label(label)} THEN 1 WHEN {said} IS NOT NULL THEN 0 END" for label in classes]


def winner(program: Program, dialect: Dialect) -> str:
    """The first class whose share is the largest, but for rounding."""
    assert program.classes is not None
    shares = [f"a.v{k}" for k in range(len(program.classes))]
    least = f"{dialect.greatest(shares)} - {dialect.number(program.tolerance)}"
    cases = " ".join(f"WHEN a.v{k} >= {least} THEN {dialect.label(program.classes[k])}" for k in program.order_declared)
    return f"CASE {cases} END"
