"""Clauses in codes, as the core carries them out on relations."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any

from treewright.errors import counted, shown, unknown
from treewright.model.clauses.clause import OPPOSITES, Clause, Literal, Variable
from treewright.table.relations import Coded, Relation, Relations
from treewright.table.relations.types import is_number

RELATION, SAME, CONSTANT, LESS, ABOVE = range(5)
_MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

CoreLiteral = tuple[int, bool, int, list[int], int]
CoreClause = tuple[list[int], list[CoreLiteral]]


def check_relations(clauses: Sequence[Clause], relations: Relations, target: tuple[str, int]) -> None:
    """Refuse relations that clauses ask for and that are not there, or have other numbers of arguments."""
    for clause in clauses:
        for literal in clause.body:
            if literal.compares or literal.key == target or literal.key in relations:
                continue
            name, arity = literal.key
            others = [one.arity for one in relations.values() if one.name == name]
            if others:
                raise ValueError(
                    f"{literal.text()} has {counted(arity, 'argument')}, relation {name!r} has "
                    f"{' or '.join(map(str, sorted(others)))}"
                )
            raise unknown("relation", name, [one.name for one in relations.values()])


Place = tuple[tuple[str, int], int]


def _places(clause: Clause) -> tuple[dict[Variable, list[Place]], dict[Variable, Variable]]:
    """Arguments that variables stand for, by the first of those that are compared with each other; and which that is."""
    joined: dict[Variable, Variable] = {}

    def now(variable: Variable) -> Variable:
        while variable in joined:
            variable = joined[variable]
        return variable

    for literal in clause.body:
        if literal.compares and len(literal.variables) == 2:
            a, b = (now(variable) for variable in literal.variables)
            if a != b:
                joined[b] = a
    first = {variable: now(variable) for variable in clause.variables}
    places: dict[Variable, list[Place]] = {}
    for literal in (clause.head, *clause.body):
        if not literal.compares:
            for i, arg in enumerate(literal.args):
                if isinstance(arg, Variable):
                    places.setdefault(first[arg], []).append((literal.key, i))
    lost = [v for literal in clause.body if literal.compares for v in literal.variables if first[v] not in places]
    if lost:
        raise ValueError(f"variable {lost[0]} is only compared, in {shown(clause.text())}: it must stand in a relation")
    return places, first


def links_of(clauses: Sequence[Clause]) -> list[list[Place]]:
    """Arguments that one variable stands for, and those that are compared."""
    return [link for clause in clauses for link in _places(clause)[0].values() if len(link) > 1]


def constants_of(clauses: Sequence[Clause]) -> list[tuple[Place, Any]]:
    """Constants of clauses, each with an argument that it stands for or is compared with; thresholds are none."""
    out: list[tuple[Place, Any]] = []
    for clause in clauses:
        places, first = _places(clause)
        for literal in (clause.head, *clause.body):
            for i, arg in enumerate(literal.args):
                if isinstance(arg, Variable):
                    continue
                if not literal.compares:
                    out.append(((literal.key, i), arg))
                elif literal.relation in ("=", "!="):
                    out.append((places[first[literal.variables[0]]][0], arg))
    return out


def core_clause(clause: Clause, coded: Coded) -> tuple[CoreClause, list[tuple[Variable | None, int]]]:
    """A clause in codes, and its variables by number with their types; None for those that stand for constants."""
    numbers: dict[Variable, int] = {}
    variables: list[Variable | None] = []
    types: list[int] = []
    constants: list[tuple[int, Any]] = []

    def number(arg: Any, kind: int) -> int:
        if isinstance(arg, Variable) and arg in numbers:
            return numbers[arg]
        variables.append(arg if isinstance(arg, Variable) else None)
        types.append(kind)
        if isinstance(arg, Variable):
            numbers[arg] = len(variables) - 1
        else:
            constants.append((len(variables) - 1, arg))
        return len(variables) - 1

    def in_relation(literal: Literal) -> tuple[int, list[int]]:
        r = coded.index(literal.key)
        return r, [number(arg, coded.type_of[r, i]) for i, arg in enumerate(literal.args)]

    head = in_relation(clause.head)[1]
    body: list[CoreLiteral | None] = []
    for literal in clause.body:
        if literal.compares:
            body.append(None)
        else:
            r, args = in_relation(literal)
            body.append((RELATION, literal.negated, r, args, 0))
    waiting = [literal for literal in clause.body if literal.compares]
    compared: list[CoreLiteral] = []
    for _ in range(len(waiting) + 1):  # a variable may get its type from another comparison
        for literal in list(waiting):
            known = [types[numbers[v]] for v in literal.variables if v in numbers]
            if known:
                compared.append(_comparison(literal, known[0], number, coded))
                waiting.remove(literal)
    fixed = [(CONSTANT, False, 0, [v], coded.codes[types[v]][value]) for v, value in constants]
    return (head, [*(literal for literal in body if literal is not None), *fixed, *compared]), list(
        zip(variables, types, strict=True)
    )


def _comparison(literal: Literal, kind: int, number: Any, coded: Coded) -> CoreLiteral:
    sign, (first, second) = literal.relation, literal.args
    if not isinstance(first, Variable):
        sign, first, second = _MIRRORED[sign], second, first
    a = number(first, kind)
    if isinstance(second, Variable):
        b = number(second, kind)
        if sign in ("=", "!="):
            return SAME, sign == "!=", 0, [a, b], 0
        _need_numbers(literal, kind, coded)
        # x > y is y < x, and each of <= and >= the denial of the opposite
        swapped = sign in (">", "<=")
        return LESS, sign in ("<=", ">="), 0, [b, a] if swapped else [a, b], 0
    if sign in ("=", "!="):
        return CONSTANT, sign == "!=", 0, [a], coded.codes[kind][second]
    _need_numbers(literal, kind, coded)
    if not is_number(second):
        raise ValueError(f"{literal.text()}: only numbers are larger or smaller")
    own = coded.constants[kind]
    # x > c: codes from that of the first larger constant on
    place = bisect_right(own, second) if sign in (">", "<=") else bisect_left(own, second)
    denied = sign in ("<=", "<")
    if place == 0:  # all are above: x is at most the largest
        return ABOVE, not denied, 0, [a], len(own)
    return ABOVE, denied, 0, [a], place - 1


def _need_numbers(literal: Literal, kind: int, coded: Coded) -> None:
    if not all(map(is_number, coded.constants[kind])):
        raise ValueError(f"{literal.text()}: only numbers are larger or smaller, {coded.types[kind].name!r} holds others")


def literal_of(one: CoreLiteral, variables: Sequence[Variable], coded: Coded, types: Sequence[int]) -> Literal:
    """A literal in codes as a value."""
    asks, negated, relation, args, constant = one
    names = tuple(variables[v] for v in args)
    if asks == RELATION:
        return Literal(coded.relations[relation].name, names, negated)
    if asks == SAME:
        return Literal("!=" if negated else "=", names)
    if asks == LESS:
        return Literal("<=", names[::-1]) if negated else Literal("<", names)
    value = coded.constants[types[args[0]]][constant]
    sign = "=" if asks == CONSTANT else ">"
    return Literal(OPPOSITES[sign] if negated else sign, (names[0], value))


def empty(name: str, columns: tuple[str, ...]) -> Relation:
    """A relation without tuples."""
    return Relation(name, columns, tuple([] for _ in columns))
