"""A flat program as one SELECT: tests inside one another, to a fixed depth.

What lies deeper is found by the whole path to it, so that nothing nests with the depth of a tree. Rows that go several ways
are added up by ``sql_divided.py``, members of forests by ``sql_members.py``.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace

from treewright.errors import unknown, visible
from treewright.export.dialects import DIALECTS, Dialect, joined, name
from treewright.export.labels import Label
from treewright.export.program import ANSWER, REFUSED, Answer, Program
from treewright.export.sql_cells import Cells
from treewright.export.sql_divided import divided_tables
from treewright.export.sql_members import Members
from treewright.export.sql_paths import Cell, Edge, Path, branches, has_paths, heights, parents_of, regions, way
from treewright.export.sql_scores import best_class, score_tables, share_tables

_WIDE = 1500  # classes whose shares fit the columns of a table
GIVEN = ("prediction", "shares", "leaf")


def sql_query(
    program: Program,
    dialect: str = "ansi",
    table: str | Sequence[str] = "rows",
    give: str | Sequence[str] = "prediction",
    keep: Sequence[str] | None = None,
    key: str | None = None,
) -> str:
    """Write a program as one SELECT statement; see ``Tree.to_sql``."""
    if dialect not in DIALECTS:
        raise unknown("dialect", dialect, DIALECTS)
    given = [give] if isinstance(give, str) else list(give)
    for one in given:
        if one not in GIVEN:
            raise unknown("give", one, GIVEN)
    kept = program.names if keep is None else [keep] if isinstance(keep, str) else list(keep)
    if given == ["leaf"] and len(program.order) > _WIDE:
        # Which leaf it is does not depend on what leaves predict.
        answers = [Answer(REFUSED, (0.0,))] * len(program.answers)
        program = replace(program, classes=None, order=(), answers=answers, scores=False)
    return _Query(program, DIALECTS[dialect], given, kept, key).text(table)


class _Query:
    def __init__(self, program: Program, dialect: Dialect, given: list[str], kept: list[str], key: str | None) -> None:
        self.program, self.dialect, self.given, self.kept, self.key = program, dialect, given, kept, key
        self.named: set[bytes] = set()
        self.mark = _mark([*kept, *(one.name for one in program.inputs)])
        self.cells = Cells(program, dialect, self.mark)
        self.paths = has_paths(program)
        self.votes = program.spreads or not (program.rules or self.paths)
        refuses = -1 in (program.missing[i] for i in range(program.size) if program.column[i] != ANSWER)
        strict = any(program.inputs[j].strict for j in program.used)
        self.total = not (self.votes or refuses or strict)  # every row has a leaf
        self.same = self._same_answers()
        self.parents = parents_of(program)
        program.refuse_divided("SQL")
        if (self.votes or program.members) and key is None and not dialect.materialized:
            why = "members of a forest are added up" if program.members else "rows can go several ways"
            raise ValueError(
                f"{why} here, and standard SQL cannot number rows: name a unique column, such as key='id', "
                "or a dialect, such as dialect='duckdb'"
            )
        if program.scores:
            program.refuse_members("SQL", "its members have scores of classes, which are not added up there")
        if program.combine == "median":
            program.refuse_members("SQL", "the median of its members is not found there")
        if program.members and "leaf" in given:
            raise ValueError("a forest has a leaf of every member, give='leaf' has no single answer: ask for 'prediction'")
        if given != ["leaf"] and len(program.order) > _WIDE:
            raise ValueError(f"{len(program.order)} classes are more than a SQL table has columns for: ask for give='leaf'")
        if "shares" in given and program.classes is None:
            raise ValueError("give='shares' needs classes, this model predicts numbers")
        if program.soft and "leaf" in given:
            raise ValueError("soft thresholds send a row to several leaves, give='leaf' has no answer: ask for 'prediction'")

    def text(self, table: str | Sequence[str]) -> str:
        """The statement."""
        source = ".".join(name(part) for part in (table.split(".") if isinstance(table, str) else table))
        mark = self.mark
        if self.program.members:
            return self._forest_text(source)
        tables = [*self.cells.level_tables(), self._cells(source), self._routed(), self._answer_table()]
        joins = f"LEFT JOIN {mark}said AS s ON s.leaf = r.{mark}leaf"
        if self.votes:
            values = range(len(self.program.answers[0].values)) if self.program.linear else ()
            computed = [self._computed(k, self.program.leaves) for k in values]
            tables += divided_tables(self.program, self.dialect, mark, self.cells, computed)
            joins += "" if self.program.scores else f"\nLEFT JOIN {mark}vote AS v ON v.row_id = r.{mark}row"
        last = f"{mark}routed"
        if self.program.scores:
            scores = [f"v.v{k}" if self.votes else self._computed(k) for k in self.program.scored]
            # SQLite has NULL for NaN; where no cell is refused, that is a sum that overflows with both signs: 0 for the model.
            scores = [f"COALESCE({one}, 0)" for one in scores] if self.total else scores
            said = f"{mark}vote AS v ON v.row_id = r.{mark}row" if self.votes else f"{mark}said AS s ON s.leaf = r.{mark}leaf"
            tables += score_tables(scores, self.dialect, mark, f"{mark}routed AS r LEFT JOIN {said}")
            last = f"{mark}bounded"
            if "shares" in self.given:
                kept = {column: f"r.{column}" for column in (*(name(one) for one in self.kept), f"{mark}leaf")}
                kept[f"{mark}class"] = best_class(self._scored(), self.dialect, mark)
                tables += share_tables(len(self.program.scored), self.dialect, mark, kept)
                last = f"{mark}shared"
        columns = [f"r.{name(one)}" for one in self.kept] + self._answers()
        begin = f"WITH{' RECURSIVE' if self.votes else ''} " + ",\n".join(tables)
        return f"{begin}\nSELECT {', '.join(columns)}\nFROM {last} AS r\n{joins}\n"

    def _forest_text(self, source: str) -> str:
        """The statement of a forest: every row beside every member, then the sums of what these say."""
        p, mark = self.program, self.mark
        members = Members(p, self.dialect, mark, self.cells)
        tables = [*self.cells.level_tables(), self._cells(source), *members.walk()]
        if members.divides:
            values = range(len(p.answers[0].values)) if p.linear else ()
            computed = [self._computed(k, p.leaves) for k in values]
            tables += [self._answer_table(), *divided_tables(p, self.dialect, mark, self.cells, computed)]
        tables += members.together()
        if p.adds:
            tables += members.linked()
        columns = [f"r.{name(one)}" for one in self.kept] + self._answers(members.winner())
        begin = "WITH RECURSIVE " + ",\n".join(tables)
        joins = f"LEFT JOIN {mark}{members.last} AS a ON a.row_id = r.{mark}of"
        return f"{begin}\nSELECT {', '.join(columns)}\nFROM {mark}cells AS r\n{joins}\n"

    # -- leaves --------------------------------------------------------------------------------------------------------

    def _cells(self, source: str) -> str:
        """Every column that is used as a number, NULL where it is missing."""
        used, joins = self.cells.selected()
        columns = [f"t.{name(one)}" for one in self.kept] + used
        if self.votes or self.program.members:
            numbered = "ROW_NUMBER() OVER ()" if self.key is None else f"t.{name(self.key)}"
            columns.append(f"{numbered} AS {self.mark}{'of' if self.program.members else 'row'}")
        made = f"SELECT {', '.join(columns) or '1 AS nothing'} FROM {source} AS t"
        keyword = self.dialect.materialized if self.program.members else ""
        return f"{self.mark}cells AS {keyword}({' '.join([made, *joins])})"

    def _same_answers(self) -> dict[int, int]:
        """For every leaf the first with the same answers to what is given: tests between such leaves are left out."""
        p = self.program
        first: dict[tuple[int, int | None], int] = {}
        out = {}
        for leaf in p.leaves:
            answer = p.answer[leaf]
            same = leaf if "leaf" in self.given else answer if "shares" in self.given else p.answers[answer].label
            out[leaf] = first.setdefault((same, answer if p.classes is None or p.scores else None), leaf)
        return out

    def _routed(self) -> str:
        """The leaf of every row; NULL where it has none, or several."""
        if self.program.rules:
            leaf = self._first_rule("\n    ")
        elif self.program.soft or not self.paths or (self.program.divides and 0 not in heights(self.program, 0, frozenset())):
            leaf = "CAST(NULL AS INTEGER)"
        else:
            leaf = self._decided(0, frozenset(), "\n    ")
        keyword = self.dialect.materialized if self.votes else ""
        return f"{self.mark}routed AS {keyword}(SELECT c.*,\n  {leaf} AS {self.mark}leaf\n  FROM {self.mark}cells AS c)"

    def _first_rule(self, line: str) -> str:
        """The answer of the first rule that holds."""
        p = self.program
        unseen = [f"c.{column} = -1" for column in self.cells.strict()]
        # Where a rule may take a fraction of a row, what is left of it goes on: such rows have no single leaf.
        parted = dict.fromkeys(p.column[node] for node in sorted(p.ways))
        none = [*unseen, *(f"{self.cells.tested(j, 'c')} IS NULL" for j in parted)]
        lines = [f"WHEN {joined('OR', none)} THEN NULL"] if none else []
        for begin, answer in p.rules:
            path: Path = {}
            for node in range(begin, answer):
                cell = next((cell for target, cell in branches(p, node) if target == node + 1), None)
                both = path[p.column[node]].also(cell) if cell is not None and p.column[node] in path else cell
                if both is None:
                    break
                path[p.column[node]] = both
            else:
                lines.append(f"WHEN {self._condition(path)} THEN {self.same[answer]}")
        default = self.same[p.size - 1]
        return f"CASE{line}{line.join(lines)}{line}ELSE {default} END" if lines else str(default)

    def _decided(self, start: int, stops: frozenset[int], line: str) -> str:
        """The leaf of a row that came to a node and to none of the nodes to stop at.

        Low trees are nested as they are; high ones are cut into regions that are found by the whole path to
        them, so that the nesting grows with the logarithm of the leaves and never with the depth.
        """
        height = heights(self.program, start, stops)
        if start not in height:
            return "NULL"
        if height[start] <= self.dialect.nesting:
            return self._nested(start, height, line)
        found = regions(self.program, start, height, self.dialect.regions)
        below = line + "  "
        others = stops | set(found)
        lines = []
        for node in found:
            path = way(self.program, self.parents, start, node)
            if path is not None:
                lines.append(f"WHEN {self._condition(path)} THEN {self._decided(node, others, below)}")
        return f"CASE{line}{line.join(lines)}{line}ELSE {self._decided(start, others, below)} END"

    def _nested(self, node: int, alive: Container[int], line: str) -> str:
        """The leaf below a node, by one test after the other."""
        if self.program.column[node] == ANSWER:
            return str(self.same[node])
        column = self.program.column[node]
        ways = []
        for target, cell in branches(self.program, node):
            if target in alive:
                ways.append((cell, self._nested(target, alive, line + "  ")))
        if self.total:
            # Every row takes one of them: missing cells the last, so that no condition needs to mention them.
            ways.sort(key=lambda way: way[0].missing)
            if len({leaf for _, leaf in ways}) == 1:
                return ways[0][1]
        lines = [f"WHEN {self._condition({column: cell})} THEN {leaf}" for cell, leaf in ways]
        if self.total:
            lines[-1] = f"ELSE {ways[-1][1]}"
        return f"CASE{line}{line.join(lines)} END"

    def _condition(self, path: Path) -> str:
        terms = [term for j, cell in path.items() for term in self._terms(j, cell)]
        return joined("AND", terms) if terms else "TRUE"

    def _terms(self, j: int, cell: Cell) -> list[str]:
        column, one, seen = self.cells.tested(j, "c"), self.program.tested(j), self.cells.not_refused(j, "c")
        missing = [f"{column} IS NULL", *seen]
        if not cell.present:
            return missing
        if cell.codes is not None:
            held = [self.cells.among(one, column, cell.codes)]
        else:
            held = [self._bound(column, edge, low) for edge, low in ((cell.low, True), (cell.high, False)) if edge is not None]
            if one.strict and one.by_level:
                held.append(f"{column} >= 0")
        if cell.missing:
            return [f"({joined('AND', missing)} OR {joined('AND', held)})"] if held else seen
        return held or [f"{column} IS NOT NULL"]

    def _bound(self, column: str, edge: Edge, low: bool) -> str:
        at, less = edge
        sign = (">=" if less else ">") if low else ("<" if less else "<=")
        return f"{column} {sign} {self.dialect.compared(at)}"

    # -- answers -------------------------------------------------------------------------------------------------------

    def _answer_table(self) -> str:
        """What every leaf predicts."""
        p, write = self.program, self.dialect
        all_of_them = self.votes or ("shares" in self.given and not p.scores) or p.outputs or p.members
        values = [f"v{k}" for k in range(len(p.answers[0].values))] if all_of_them else []
        rows = []
        for leaf in p.leaves:
            answer = p.answers[p.answer[leaf]]
            computed = not p.labelled or p.scores
            prediction = write.number(answer.values[0]) if computed else write.label((p.classes or ())[answer.label])
            numbers = [write.number(value) for value in answer.values] if values else []
            rows.append(f"({', '.join([str(leaf), str(p.turn[leaf]), prediction, *numbers])})")
        head = ", ".join(["leaf", "turn", "prediction", *values])
        return f"{self.mark}said({head}) AS (VALUES\n  " + ",\n  ".join(rows) + ")"

    def _named(self, answer: str) -> str:
        """The name of an answer: another where a column that is kept, or an answer before it, is the same to the engine."""
        kept = {self.dialect.same_name(one) for one in self.kept}
        while self.dialect.same_name(answer) in kept:
            answer = f"predicted {answer}"
        plain, number = answer, 1
        while self.dialect.same_name(answer) in self.named | kept:
            number += 1
            end = f" ({number})"
            answer = plain.encode()[: self.dialect.longest_name - len(end)].decode(errors="ignore") + end
        self.named.add(self.dialect.same_name(answer))
        return answer if re.fullmatch(r"[a-z]+", answer) else name(answer)

    def _answers(self, winner: str = "") -> list[str]:
        """What is given, by the names of the answers; ``winner``: what a forest says."""
        p = self.program
        out = []
        for given in self.given:
            if given == "prediction" and p.outputs:
                out += [self._real(self._value(k), f"prediction of {output}") for k, output in enumerate(p.outputs)]
            elif given == "prediction":
                if p.members:
                    prediction = winner
                elif p.scores and "shares" in self.given:
                    prediction = f"r.{self.mark}class"
                elif p.scores:
                    prediction = best_class(self._scored(), self.dialect, self.mark)
                else:
                    prediction = self._computed(0) if p.linear and not self.votes else self._either("prediction")
                prediction = f"CAST({prediction} AS DOUBLE PRECISION)" if p.classes is None else prediction
                out.append(f"{prediction} AS {self._named('prediction')}")
            elif given == "leaf":
                out.append(f"{self._either('leaf')} AS {self._named('leaf')}")
            else:
                for k in p.order:
                    share = self._share(k) if p.scores else self._value(k)
                    out.append(self._real(share, f"probability_{(p.classes or ())[k].value}"))
        return out

    def _scored(self) -> list[Label]:
        """The classes that have scores."""
        classes = self.program.classes or ()
        return [classes[k] for k in self.program.scored]

    def _share(self, k: int) -> str:
        """The share of a class by its score: none of one without."""
        scored = self.program.scored
        return f"r.{self.mark}share{scored.index(k)}" if k in scored else f"0 * r.{self.mark}share0"

    def _real(self, value: str, answer: str) -> str:
        """A number, by the name of its answer."""
        return f"CAST({value} AS DOUBLE PRECISION) AS {self._named(visible(answer))}"

    def _computed(self, k: int, leaves: Iterable[int] | None = None) -> str:
        """What the leaf of a row computes from its cells: value k."""
        p = self.program
        listed = dict.fromkeys(self.same.values()) if leaves is None else leaves
        lines = []
        for leaf in listed:
            answer = p.answers[p.answer[leaf]]
            lines.append(f"WHEN {leaf} THEN {self.cells.sum(answer.values[k], answer.terms_of(k), 'r')}")
        return "CASE s.leaf\n  " + "\n  ".join(lines) + " END"

    def _value(self, k: int) -> str:
        """A share or a number of the answer."""
        if self.program.link in ("shares", "exp"):
            return f"a.{self.mark}share{k}"
        return f"a.v{k}" if self.program.members else self._either(f"v{k}")

    def _either(self, column: str) -> str:
        return f"COALESCE(s.{column}, v.{column})" if self.votes else f"s.{column}"


def _mark(names: Sequence[str]) -> str:
    """What the names of a query's own columns begin with: nothing that a column begins with."""
    number, mark = 0, "tw_"
    while any(one.lower().startswith(mark) for one in names):
        number += 1
        mark = f"tw{number}_"
    return mark
