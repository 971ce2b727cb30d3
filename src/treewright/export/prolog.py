"""Clauses as a Prolog program."""

from __future__ import annotations

import re
from typing import Any

from treewright.model.clauses import Clause, Clauses, Literal, Variable

_ATOM = re.compile(r"[a-z][A-Za-z0-9_]*")
_SIGNS = {"=": "==", "!=": "\\==", "<": "<", "<=": "=<", ">": ">", ">=": ">="}


def atom(text: str) -> str:
    """A text as an atom, quoted where it has to be."""
    if _ATOM.fullmatch(text):
        return text
    inner = "".join(f"\\{ch}" if ch in "'\\" else ch if ch.isprintable() else f"\\x{ord(ch):x}\\" for ch in text)
    return f"'{inner}'"


def constant(value: Any) -> str:
    """A constant as a term."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(value)
    return atom(str(value))


def prolog_program(clauses: Clauses) -> str:
    """The clauses as Prolog reads them; variables are capital letters, literals stand where all they need is bound."""
    return "\n".join(map(_clause, clauses)) + "\n"


def _clause(clause: Clause) -> str:
    names = {variable: _name(i) for i, variable in enumerate(clause.variables)}
    body = ", ".join(_literal(literal, names) for literal in ready_order(clause))
    return f"{_literal(clause.head, names)} :- {body}." if body else f"{_literal(clause.head, names)}."


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


def _literal(literal: Literal, names: dict[Variable, str]) -> str:
    args = [names[arg] if isinstance(arg, Variable) else constant(arg) for arg in literal.args]
    if literal.compares:
        return f"{args[0]} {_SIGNS[literal.relation]} {args[1]}"
    denial = "\\+ " if literal.negated else ""
    return f"{denial}{atom(literal.relation)}({', '.join(args)})"
