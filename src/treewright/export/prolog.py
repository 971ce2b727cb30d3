"""Clauses as a Prolog program."""

from __future__ import annotations

import re
from typing import Any

from treewright.model.clauses import Clause, Clauses, Literal, Variable
from treewright.table.relations.types import NUMBER

_ATOM = re.compile(r"[a-z][A-Za-z0-9_]*")
_SIGNS = {"=": "=", "!=": "\\=", "<": "<", "<=": "=<", ">": ">", ">=": ">="}
_OF_NUMBERS = _SIGNS | {"=": "=:=", "!=": "=\\="}


def atom(text: str) -> str:
    """A text as an atom, quoted where it has to be."""
    if _ATOM.fullmatch(text):
        return text
    inner = "".join(f"\\{ch}" if ch in "'\\" else ch if ch.isprintable() else f"\\x{ord(ch):x}\\" for ch in text)
    return f"'{inner}'"


def constant(value: Any) -> str:
    """A constant as a term."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        digits, e, exponent = repr(value).partition("e")
        return f"{digits}{'' if not e or '.' in digits else '.0'}{e}{exponent}"
    return "[]" if value == "[]" else atom(str(value))


def prolog_program(clauses: Clauses) -> str:
    """The clauses as Prolog reads them; variables are capital letters, literals stand where all they need is bound.

    Programs that ask for what they define are tabled, so that proofs end where facts lead back to where they began. What no
    literal binds is one of the constants of its type, which clauses of their own list.
    """
    writer = _Writer(clauses)
    lines = [f":- table {atom(clauses.name)}/{len(clauses.columns)}."] if clauses.recursive else []
    lines += map(writer.clause, clauses)
    return "\n".join([*lines, *writer.domains.values()]) + "\n"


class _Writer:
    def __init__(self, clauses: Clauses) -> None:
        self.clauses = clauses
        self.domains: dict[tuple[tuple[str, int, int], ...], str] = {}
        self.taken = {literal.relation for clause in clauses for literal in (clause.head, *clause.body)}
        self.taken |= {label.rpartition("/")[0] for label in clauses.relations}
        self.names: dict[tuple[tuple[str, int, int], ...], str] = {}

    def clause(self, clause: Clause) -> str:
        """One clause."""
        names = {variable: _name(i) for i, variable in enumerate(clause.variables)}
        listed = [f"{atom(self.domain(places))}({names[v]})" for v in clause.unbound if (places := self.places(v, clause))]
        bound = {v for one in clause.body if not one.compares and not one.negated for v in one.variables}
        numbers = {v for v in bound if self.number(v, clause)}
        body = [*listed, *(_literal(literal, names, numbers, bound) for literal in ready_order(clause))]
        head = _literal(clause.head, names, numbers, bound)
        return f"{head} :- {', '.join(body)}." if body else f"{head}."

    def places(self, variable: Variable, clause: Clause) -> tuple[tuple[str, int, int], ...]:
        return tuple(self.clauses.domain(variable, clause))

    def domain(self, places: tuple[tuple[str, int, int], ...]) -> str:
        """The relation of the constants of some arguments; its clauses are noted."""
        if places not in self.names:
            n = len(self.names) + 1
            name = next(f"constant{each}" for each in range(n, n + len(self.taken) + 1) if f"constant{each}" not in self.taken)
            self.taken.add(name)
            self.names[places] = name
            self.domains[places] = "\n".join(
                f"{name}(A) :- {atom(relation)}({', '.join('A' if i == at else '_' for i in range(arity))})."
                for relation, arity, at in places
            )
        return self.names[places]

    def number(self, variable: Variable, clause: Clause) -> bool:
        """Whether it stands for numbers as far as types tell."""
        return any(
            self.clauses.types.get(f"{one.relation}/{len(one.args)}", ("",) * len(one.args))[i] == NUMBER
            for one in (clause.head, *clause.body)
            if not one.compares
            for i, arg in enumerate(one.args)
            if arg == variable
        )


def ready_order(clause: Clause) -> list[Literal]:
    """The literals of a body with comparisons and denials behind what binds their variables."""
    waiting, bound, out = list(clause.body), set[Variable](), list[Literal]()
    binding = {v for literal in clause.body if not literal.compares and not literal.negated for v in literal.variables}
    while waiting:
        at = next(
            (
                i
                for i, one in enumerate(waiting)
                if (not one.compares and not one.negated) or {v for v in one.variables if v in binding} <= bound
            ),
            0,
        )
        literal = waiting.pop(at)
        if not literal.compares and not literal.negated:
            bound |= set(literal.variables)
        out.append(literal)
    return out


def _name(i: int) -> str:
    return chr(65 + i % 26) + (str(i // 26) if i >= 26 else "")


def _literal(literal: Literal, names: dict[Variable, str], numbers: set[Variable], bound: set[Variable]) -> str:
    args = [names[arg] if isinstance(arg, Variable) else constant(arg) for arg in literal.args]
    if literal.compares:
        # Numbers are equal by value, 3 to 3.0; other constants, and what nothing has bound, by unification.
        numeric = any((isinstance(arg, (int, float)) and not isinstance(arg, bool)) or arg in numbers for arg in literal.args)
        by_value = numeric and bound.issuperset(literal.variables)
        return f"{args[0]} {(_OF_NUMBERS if by_value else _SIGNS)[literal.relation]} {args[1]}"
    denial = "\\+ " if literal.negated else ""
    return f"{denial}{atom(literal.relation)}({', '.join(args)})"
