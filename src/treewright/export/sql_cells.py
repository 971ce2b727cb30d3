"""The cells of a program in SQL: columns as numbers, levels as their numbers, and sums of terms over them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from treewright.export.dialects import Dialect, joined, name
from treewright.export.labels import Input
from treewright.export.program import Derived, Program, Term

_FAR = 700.0  # e to the power of it is a number
_CASE = 32  # levels that are compared one after another; more are looked up in a table


class Cells:
    """What the tests and sums of a query read."""

    def __init__(self, program: Program, dialect: Dialect, mark: str) -> None:
        self.program, self.dialect, self.mark = program, dialect, mark
        self.names = {j: f"{mark}{j}_{_slug(program.inputs[j].name)}".rstrip("_") for j in program.used}

    # -- columns as numbers --------------------------------------------------------------------------------------------

    def level_tables(self) -> Iterator[str]:
        """Tables of the levels of columns that have many."""
        for j in self.program.used:
            if _looked_up(self.program.inputs[j]):
                rows = (f"({label}, {code})" for code, label in self._labels(self.program.inputs[j]))
                yield f"{self.mark}levels_{j}(label, code) AS (VALUES {', '.join(rows)})"

    def selected(self) -> tuple[list[str], list[str]]:
        """Every column that is used as a number, NULL where it is missing, and the tables of levels to join."""
        columns, joins = [], []
        for j in self.program.used:
            one = self.program.inputs[j]
            column = f"t.{name(one.name)}"
            columns.append(f"{self._number(one, j, column)} AS {self.names[j]}")
            if _looked_up(one):
                joins.append(f"LEFT JOIN {self.mark}levels_{j} AS l{j} ON l{j}.label = {self._as_text(one, column)}")
        return columns, joins

    def _labels(self, one: Input) -> list[tuple[int, str]]:
        return [(code, self.dialect.label(label)) for code, label in one.labels if self.dialect.holds(label)]

    def _as_text(self, one: Input, column: str) -> str:
        texts = all(label.tag == "t" for _, label in one.labels)
        return self.dialect.same_text(column) if texts else column

    def _number(self, one: Input, j: int, column: str) -> str:
        if not one.by_level:
            return self.dialect.cell(one, column)
        if _looked_up(one):
            found = f"l{j}.code"
            return f"CASE WHEN {column} IS NOT NULL THEN COALESCE({found}, -1) END" if one.strict else found
        unseen = f" WHEN {column} IS NOT NULL THEN -1" if one.strict else ""
        text = self._as_text(one, column)
        cases = " ".join(f"WHEN {text} = {label} THEN {code}" for code, label in self._labels(one))
        return f"CASE {cases}{unseen} END" if cases or unseen else "CAST(NULL AS INTEGER)"

    # -- what tests look at --------------------------------------------------------------------------------------------

    def tested(self, column: int, row: str) -> str:
        """The number a node tests, of a row by its name in the query."""
        k = column - len(self.program.inputs)
        if k < 0:
            return f"{row}.{self.names[column]}"
        derived = self.program.derived[k]
        if derived.parts:
            return self.dialect.real(self._scored(derived, row))
        return self.dialect.real(self.sum(derived.intercept, derived.terms, row, derived.needs_all))

    def _scored(self, derived: Derived, row: str) -> str:
        """A score that is made of several sums, or the number of the largest of several: each sum is written once."""
        sums = ", ".join(
            f"CAST({self.sum(constant, terms, row, derived.needs_all)} AS DOUBLE PRECISION) AS s{p}"
            for p, (constant, terms) in enumerate(derived.sums())
        )
        scores: dict[int, list[str]] = {}
        for p, part in enumerate(derived.parts):
            scores.setdefault(part.score, []).append(self._squashed(f"p.s{p}", part.weight) if part.squashed else f"p.s{p}")
        columns = ", ".join(f"{' + '.join(of)} AS c{k}" for k, of in scores.items())
        if len(scores) == 1:
            return f"(SELECT q.c0 FROM (SELECT {columns} FROM (SELECT {sums}) AS p) AS q)"
        none = joined("OR", [f"q.c{k} IS NULL" for k in scores])
        cases = [f"WHEN {none} THEN NULL"]
        for k in range(len(scores) - 1):  # the first of equals; those before it are not the largest here
            cases.append(f"WHEN {joined('AND', [f'q.c{k} >= q.c{j}' for j in range(k + 1, len(scores))])} THEN {k}")
        cases.append(f"ELSE {len(scores) - 1}")
        return f"(SELECT CASE {' '.join(cases)} END FROM (SELECT {columns} FROM (SELECT {sums}) AS p) AS q)"

    def _squashed(self, x: str, weight: float) -> str:
        """A weight times the sigmoid of a number; the engine's own exponential, kept from overflowing."""
        number = self.dialect.number
        most = number(_FAR)
        inside = f"CASE WHEN {x} > {most} THEN {most} WHEN {x} < -{most} THEN -{most} ELSE {x} END"
        return f"{number(weight)} / ({number(1.0)} + EXP(-({inside})))"

    def not_refused(self, column: int, row: str) -> list[str]:
        """What holds where a derived number is missing, not refused: its cells are of levels that training showed."""
        k = column - len(self.program.inputs)
        levels = dict.fromkeys(term.column for term in self.program.derived[k].terms) if k >= 0 else ()
        return [f"COALESCE({row}.{self.names[j]}, 0) >= 0" for j in levels if _refuses(self.program.inputs[j])]

    def strict(self) -> list[str]:
        """The columns that hold -1 where a level is refused."""
        return [self.names[j] for j in self.program.used if _refuses(self.program.inputs[j])]

    def among(self, one: Input, column: str, codes: frozenset[int]) -> str:
        """That a cell is one of some levels; levels that stand beside each other as a range."""
        runs: list[list[int]] = []
        last = None
        for code, _ in one.labels:
            if code in codes:
                if last is None:
                    runs.append([code, code])
                runs[-1][1] = code
            last = code if code in codes else None
        terms = [f"{column} = {a}" if a == b else f"{column} BETWEEN {a} AND {b}" for a, b in runs]
        return terms[0] if len(terms) == 1 else f"({joined('OR', terms)})"

    # -- sums ----------------------------------------------------------------------------------------------------------

    def sum(self, constant: float, terms: Sequence[Term], row: str, needs_all: bool = False) -> str:
        """A constant and terms, added in their order; NULL where a level is refused, or with ``needs_all`` a cell missing."""
        return " + ".join([self.dialect.begin(constant), *(self._product(term, row, needs_all) for term in terms)])

    def _product(self, term: Term, row: str, needs_all: bool) -> str:
        alone = self._alone(term, row, needs_all)
        if term.by < 0:
            return alone
        other = f"CAST({row}.{self.names[term.by]} AS DOUBLE PRECISION)"
        return f"({alone}) * {other if needs_all else f'COALESCE({other}, {self.dialect.number(term.by_missing)})'}"

    def _alone(self, term: Term, row: str, needs_all: bool) -> str:
        one, number = self.program.inputs[term.column], self.dialect.number
        cell = f"{row}.{self.names[term.column]}"
        missing = "NULL" if needs_all else number(term.missing)
        if term.codes is None:
            real = f"CAST({cell} AS DOUBLE PRECISION)"
            return self.dialect.product(term.coefficient, real if needs_all else f"COALESCE({real}, {missing})")
        unseen = f" WHEN {cell} = -1 THEN NULL" if one.strict else ""
        held = self.among(one, cell, frozenset(term.codes))
        none = f"WHEN {cell} IS NULL THEN {missing}{unseen}"
        return f"{number(term.coefficient)} * CASE {none} WHEN {held} THEN {number(1)} ELSE {number(0)} END"


def _looked_up(one: Input) -> bool:
    return one.by_level and len(one.labels) > _CASE


def _refuses(one: Input) -> bool:
    return one.strict and one.by_level


def _slug(text: str) -> str:
    """What can be read of a name without quotes."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:30]
