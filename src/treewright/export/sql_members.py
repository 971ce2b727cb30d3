"""Forests in SQL: every row beside every member, a walk down one table of nodes, and a query that adds up what members say.

Nodes are data, not expressions: engines take longer for an expression than in proportion to its size, and a forest has a hundred
thousand nodes. Sums are additions one after another, in the order of the members, as the model adds them.
"""

from __future__ import annotations

from collections.abc import Sequence

from treewright.export.dialects import Dialect
from treewright.export.node_table import NodeTable, refusable
from treewright.export.program import ANSWER, REFUSED, Program
from treewright.export.sql_cells import Cells
from treewright.export.sql_divided import bounded
from treewright.export.sql_scores import power_tables, score_tables, share_tables

_REAL = "DOUBLE PRECISION"


class Members:
    """The common table expressions of a forest."""

    def __init__(self, program: Program, dialect: Dialect, mark: str, cells: Cells) -> None:
        self.program, self.dialect, self.mark, self.cells = program, dialect, mark, cells
        self.table = NodeTable(program)
        # A number that is computed from a refused level is NULL here, as a missing one is: the walk of divided rows knows better.
        self.unclear = any(refusable(program, column) for column in program.column if column != ANSWER)
        self.divides = program.spreads or self.unclear

    def walk(self) -> list[str]:
        """Tables up to ``routed``: every row beside every member, and which answer it comes to; none of all, or several."""
        mark, table, every = self.mark, self.table, range(len(self.table.column))
        inner = [node for node in every if table.column[node] != ANSWER] or [0]
        nodes: dict[str, Sequence[float]] = {
            "node": inner,
            "tested": [table.column[node] for node in inner],
            "cut": [float(table.cut[node]) for node in inner],
            "below": [self._code(table.below[node]) for node in inner],
            "above": [self._code(table.above[node]) for node in inner],
            "missing": [self._code(table.missing[node]) for node in inner],
        }
        p = self.program
        several = self._code(table.several)
        roots = [several if member.soft or self.unclear else self._code(member.root) for member in p.members]
        members: dict[str, Sequence[float]] = {
            "member": list(range(len(roots))),
            "begin": roots,
            "root": p.roots,
            "weight": [member.weight for member in p.members],
        }
        if p.adds:
            members["score"] = [member.score for member in p.members]
        return [
            self.dialect.table(f"{mark}nodes", nodes),
            self.dialect.table(f"{mark}members", members),
            self._walked(),
            self._routed(),
        ]

    def _code(self, node: int) -> int:
        """A node, or below 0 the number of an answer; behind these none, and several."""
        table, many = self.table, len(self.program.answers)
        if table.column[node] != ANSWER:
            return node
        answer = table.answer[node]
        return -1 - (answer if answer != REFUSED else many if node == table.none else many + 1)

    def _walked(self) -> str:
        """The nodes that every row passes in every member."""
        p, mark = self.program, self.mark
        derived = range(len(p.inputs), len(p.inputs) + len(p.derived))
        tested = " ".join(f"WHEN {j} THEN {self.cells.tested(j, 'c')}" for j in (*p.used, *derived))
        cell = f"CAST(CASE n.tested {tested} END AS {_REAL})" if tested else f"CAST(NULL AS {_REAL})"
        return f"""{mark}walked(row_id, member, node) AS (
  SELECT c.{mark}of, m.member, m.begin FROM {mark}cells AS c CROSS JOIN {mark}members AS m
  UNION ALL
  SELECT w.row_id, w.member, CASE WHEN {cell} <= n.cut THEN n.below WHEN {cell} IS NULL THEN n.missing ELSE n.above END
  FROM {mark}walked AS w JOIN {mark}nodes AS n ON n.node = w.node JOIN {mark}cells AS c ON c.{mark}of = w.row_id
  WHERE w.node >= 0)"""

    def _routed(self) -> str:
        mark = self.mark
        parts = [f"w.row_id AS {mark}of", "w.member", "m.root", "m.weight", "-1 - w.node AS answer"]
        parts += ["m.score"] * self.program.adds
        source = f"{mark}walked AS w JOIN {mark}members AS m ON m.member = w.member"
        if self.divides or self.program.linear:
            parts += [f"c.{column}" for column in self.cells.names.values()]
            source += f" JOIN {mark}cells AS c ON c.{mark}of = w.row_id"
        if self.divides:
            several = len(self.program.answers) + 1
            parts.append(f"ROW_NUMBER() OVER (ORDER BY w.row_id, w.member) AS {mark}row")
            parts.append(f"CASE WHEN w.node <> {-1 - several} THEN 1 END AS {mark}leaf")
        return f"{mark}routed AS {self.dialect.materialized}(SELECT {', '.join(parts)}\n  FROM {source} WHERE w.node < 0)"

    def together(self) -> list[str]:
        """Tables up to ``together``: what the members say of every row, value by value."""
        p, mark, dialect = self.program, self.mark, self.dialect
        answers: dict[str, Sequence[float]] = {"answer": range(len(p.answers))}
        said = self._votes() if p.combine == "vote" else self._values()
        if p.combine == "vote":
            answers["label"] = [answer.label for answer in p.answers]
        elif not p.linear:
            answers |= {f"v{k}": [float(one.values[k]) for one in p.answers] for k in range(len(p.answers[0].values))}
        joins = f"LEFT JOIN {mark}answers AS s ON s.answer = r.answer"
        if self.divides:
            joins += f"\n  LEFT JOIN {mark}vote AS v ON v.row_id = r.{mark}row"
        values = [f"v{k}" for k in range(len(said))]
        weighed = [f"CAST(r.weight AS {_REAL}) * CAST({one} AS {_REAL})" for one in said]
        if p.adds:  # a member adds to one of the scores, and nothing to the others
            values = [f"v{k}" for k in range(p.sums)]
            weighed = [f"CASE WHEN r.score = {k} THEN 1 ELSE 0 END * {weighed[0]}" for k in range(p.sums)]
        weighed = [f"{one} AS {v}" for one, v in zip(weighed, values, strict=True)]
        told = ",\n  ".join([f"r.{mark}of AS row_id, r.member + 1 AS place", *weighed])
        return [
            dialect.table(f"{mark}answers", answers),
            f"{mark}told AS {dialect.materialized}(SELECT {told}\n  FROM {mark}routed AS r\n  {joins})",
            *self._added(values),
        ]

    def _added(self, values: list[str]) -> list[str]:
        """The sums of what was told, in the order of the members; NULL where one of them has no answer."""
        mark, many, p = self.mark, len(self.program.members), self.program
        end = [f"/ {self.dialect.begin(p.weight)}"] * len(values)
        if p.adds:
            end = [f"+ {self.dialect.begin(base)}" for base in p.base]
        ends = list(zip(values, end, strict=True))
        if self.dialect.sums_in_order:
            sums = (f"CASE WHEN COUNT(t.{v}) = {many} THEN SUM(t.{v} ORDER BY t.place) {end} END AS {v}" for v, end in ends)
            return [f"{mark}together AS (SELECT t.row_id, {', '.join(sums)} FROM {mark}told AS t GROUP BY t.row_id)"]
        zeros = ", ".join(f"CAST(0 AS {_REAL})" for _ in values)
        adds = ", ".join(f"a.{v} + t.{v}" for v in values)
        means = ", ".join(f"a.{v} {end} AS {v}" for v, end in ends)
        return [
            f"""{mark}added(row_id, place, {", ".join(values)}) AS (
  SELECT c.{mark}of, 0, {zeros} FROM {mark}cells AS c
  UNION ALL
  SELECT a.row_id, t.place, {adds}
  FROM {mark}added AS a JOIN {mark}told AS t ON t.row_id = a.row_id AND t.place = a.place + 1)""",
            f"{mark}together AS (SELECT a.row_id, {means} FROM {mark}added AS a WHERE a.place = {many})",
        ]

    def _values(self) -> list[str]:
        """What a member says, value by value."""
        p, every = self.program, range(len(self.program.answers[0].values))
        said = [f"s.v{k}" for k in every]
        if p.linear:
            said = [f"({self._computed(k)})" for k in every]
            said = [bounded(one, self.dialect) for one in said] if p.bounded else said
        return [f"COALESCE({one}, v.v{k})" if self.divides else one for k, one in enumerate(said)]

    def _computed(self, k: int) -> str:
        answers = enumerate(self.program.answers)
        sums = (f"WHEN {at} THEN {self.cells.sum(answer.values[k], answer.terms_of(k), 'r')}" for at, answer in answers)
        return "CASE r.answer\n  " + "\n  ".join(sums) + " END"

    def _votes(self) -> list[str]:
        """A vote for the class that a member says, value by value; NULL where it has no answer."""
        classes = self.program.classes or ()
        own = [f"WHEN s.label = {k} THEN 1 WHEN s.label IS NOT NULL THEN 0" for k in range(len(classes))]
        if not self.divides:
            return [f"CASE {one} END" for one in own]
        labels = [self.dialect.label(label) for label in classes]
        mixed = [f"WHEN v.prediction = {label} THEN 1 WHEN v.prediction IS NOT NULL THEN 0" for label in labels]
        return [f"CASE {one} {other} END" for one, other in zip(own, mixed, strict=True)]

    @property
    def last(self) -> str:
        """The table of the answers."""
        return "shared" if self.program.link in ("shares", "exp") else "together"

    def linked(self) -> list[str]:
        """Tables up to ``shared``: what is made of the scores of every row, where they are not the answers themselves."""
        if self.last == "together":
            return []
        many, kept = self.program.sums, {"row_id": "r.row_id"}
        tables = power_tables if self.program.link == "exp" else share_tables
        bounded = score_tables([f"r.v{k}" for k in range(many)], self.dialect, self.mark, f"{self.mark}together AS r")
        return [*bounded, *tables(many, self.dialect, self.mark, kept)]

    def winner(self) -> str:
        """The first class whose share is the largest, but for rounding; or the number."""
        p, value = self.program, f"a.{self.mark}share" if self.last == "shared" else "a.v"
        if p.classes is None:
            return f"{value}0"
        least = f"{self.dialect.greatest([f'{value}{k}' for k in range(len(p.classes))])} - {self.dialect.number(p.tolerance)}"
        cases = " ".join(f"WHEN {value}{k} >= {least} THEN {self.dialect.label(p.classes[k])}" for k in p.order_declared)
        return f"CASE {cases} END"
