"""Clauses as a query for all tuples that follow: a recursive common table expression where they ask for what they define.

Every relation is a table of its name, or of name/arguments where two share one; its columns are called as those that clauses were
learned from, or A, B, … where that is not known.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from treewright.errors import shown, unknown
from treewright.export.dialects import name
from treewright.export.prolog import ready_order
from treewright.model.clauses import Clause, Clauses, Literal, Variable
from treewright.table.relations.given import letters

DIALECTS = ("ansi", "duckdb", "postgresql", "sqlite")
_SIGNS = {"=": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


def clauses_query(clauses: Clauses, dialect: str = "ansi") -> str:
    """The query."""
    if dialect not in DIALECTS:
        raise unknown("dialect", dialect, DIALECTS)
    if not len(clauses):
        raise ValueError("there are no clauses: nothing follows, and there is no query")
    for clause in clauses:
        if sum(literal.key == clause.head.key for literal in clause.body) > 1:
            raise ValueError(
                f"{shown(clause.text())} asks twice for what it defines, which SQL cannot: export it as Prolog, or "
                "write it with one"
            )
    writer = _Writer(clauses, dialect)
    plain = [writer.select(clause) for clause in clauses if not clause.recursive]
    again = [writer.select(clause) for clause in clauses if clause.recursive]
    if not again:
        return "\nUNION\n".join(plain) + "\n"
    columns = ", ".join(map(name, clauses.columns))
    if not plain:
        plain = [f"SELECT {', '.join(f'CAST(NULL AS VARCHAR) AS {name(c)}' for c in clauses.columns)} WHERE 1 = 0"]
    # Engines differ in how many recursive parts they take; one that chooses among them is taken by all.
    first = "\nUNION\n".join(plain)
    body = first + "\nUNION\n" + "\nUNION\n".join(again)
    if dialect != "sqlite" and (len(plain) > 1 or len(again) > 1):
        if len(again) > 1:
            raise ValueError(
                f"several clauses ask for what they define, and only SQLite takes several recursive parts: use "
                f"dialect='sqlite', not {dialect!r}"
            )
        body = f"(\n{first}\n)\nUNION\n{again[0]}"
    table = name(clauses.name)
    return f"WITH RECURSIVE {table}({columns}) AS (\n{body}\n)\nSELECT {columns} FROM {table}\n"


class _Writer:
    def __init__(self, clauses: Clauses, dialect: str) -> None:
        self.clauses, self.dialect = clauses, dialect
        labels = {tuple(label.rsplit("/", 1)) for label in clauses.relations} | {
            (literal.relation, str(len(literal.args)))
            for clause in clauses
            for literal in (clause.head, *clause.body)
            if not literal.compares
        }
        names = [one[0] for one in labels]
        self.shared = {one for one in names if names.count(one) > 1}

    def table(self, literal: Literal) -> str:
        own = literal.relation
        return name(f"{own}/{len(literal.args)}" if own in self.shared and literal.key != self.clauses[0].head.key else own)

    def columns(self, relation: str, arity: int) -> tuple[str, ...]:
        if (relation, arity) == (self.clauses.name, len(self.clauses.columns)):
            return self.clauses.columns
        return self.clauses.relations.get(f"{relation}/{arity}", letters(arity))

    def select(self, clause: Clause) -> str:
        """One clause as a SELECT."""
        tables: list[str] = []
        where: list[str] = []
        cell: dict[Variable, str] = {}

        def equal(expression: str, arg: Any) -> None:
            if isinstance(arg, Variable):
                if arg in cell:
                    where.append(f"{expression} = {cell[arg]}")
                else:
                    cell[arg] = expression
            else:
                where.append(f"{expression} = {self.constant(arg)}")

        ordered = ready_order(clause)
        for literal in ordered:
            if literal.compares or literal.negated:
                continue
            alias = f"t{len(tables)}"
            tables.append(f"{self.table(literal)} AS {alias}")
            for column, arg in zip(self.columns(*literal.key), literal.args, strict=True):
                equal(f"{alias}.{name(column)}", arg)
        for literal in ordered:
            if literal.relation == "=" and len(literal.variables) == 1 and literal.variables[0] not in cell:
                cell[literal.variables[0]] = next(self.constant(arg) for arg in literal.args if not isinstance(arg, Variable))
        for variable in clause.unbound:
            alias = f"d{len(tables)}"
            tables.append(f"({self.domain(variable, clause)}) AS {alias}")
            cell[variable] = f"{alias}.c"
        for literal in ordered:
            if literal.compares:
                a, b = (cell[arg] if isinstance(arg, Variable) else self.constant(arg) for arg in literal.args)
                where.append(f"{a} {_SIGNS[literal.relation]} {b}")
            elif literal.negated:
                where += self.denial(literal, cell)
        shown_columns = [
            f"{cell[arg] if isinstance(arg, Variable) else self.constant(arg)} AS {name(column)}"
            for column, arg in zip(self.clauses.columns, clause.head.args, strict=True)
        ]
        # What is not known belongs to no tuple.
        where += [f"{cell[v]} IS NOT NULL" for v in clause.head.variables]
        return (
            f"SELECT DISTINCT {', '.join(shown_columns)}"
            + (f"\nFROM {', '.join(tables)}" if tables else "")
            + (f"\nWHERE {' AND '.join(dict.fromkeys(where))}" if where else "")
        )

    def denial(self, literal: Literal, cell: Mapping[Variable, str]) -> list[str]:
        """No tuple of the relation is so; where a cell is missing, nothing is known."""
        inside, own = [], dict[Variable, str]()
        for column, arg in zip(self.columns(*literal.key), literal.args, strict=True):
            here = f"n.{name(column)}"
            if not isinstance(arg, Variable):
                inside.append(f"{here} = {self.constant(arg)}")
            elif arg in cell:
                inside.append(f"{here} = {cell[arg]}")
            elif arg in own:
                inside.append(f"{here} = {own[arg]}")
            else:
                own[arg] = here
        known = [f"{cell[v]} IS NOT NULL" for v in literal.variables if v in cell]
        condition = f" WHERE {' AND '.join(inside)}" if inside else ""
        return [*known, f"NOT EXISTS (SELECT 1 FROM {self.table(literal)} AS n{condition})"]

    def domain(self, variable: Variable, clause: Clause) -> str:
        """All constants of the type of a variable that no literal binds."""
        parts = [
            f"SELECT {name(self.columns(relation, arity)[i])} AS c "
            f"FROM {name(f'{relation}/{arity}' if relation in self.shared else relation)}"
            for relation, arity, i in self.clauses.domain(variable, clause)
        ]
        if not parts:
            raise ValueError(
                f"variable {variable} of {shown(clause.text())} stands in no relation of the body, and its type is not known"
            )
        return " UNION ".join(parts)

    def constant(self, value: Any) -> str:
        if isinstance(value, bool):
            return ("1" if value else "0") if self.dialect == "sqlite" else ("TRUE" if value else "FALSE")
        if isinstance(value, (int, float)):
            return repr(value)
        text = value.isoformat(" ") if isinstance(value, dt.datetime) else str(value)
        if "\0" in text:
            raise ValueError(f"the constant {shown(text)} holds a NUL character, which SQL cannot write")
        quoted = "'" + text.replace("'", "''") + "'"
        if self.dialect == "sqlite" or not isinstance(value, dt.date):  # SQLite keeps dates as text
            return quoted
        if not isinstance(value, dt.datetime):
            return f"DATE {quoted}"
        return f"TIMESTAMP {'' if value.tzinfo is None else 'WITH TIME ZONE '}{quoted}"
