"""Clauses as a section of a model file."""

from __future__ import annotations

from typing import Any

from treewright.model.clauses import Clause, Clauses, Literal, Variable
from treewright.store.damage import Damage, entry, need, only, take
from treewright.store.values import read, written


def pack(value: Clauses) -> dict[str, Any]:
    """Return clauses as a section."""
    return {
        "name": written(value.name),
        "columns": [written(column) for column in value.columns],
        "clauses": [_clause(clause) for clause in value],
        "relations": [[written(label), *map(written, columns)] for label, columns in value.relations.items()],
        "types": [[written(label), *map(written, types)] for label, types in value.types.items()],
    }


def _clause(clause: Clause) -> dict[str, Any]:
    variables = {variable: at for at, variable in enumerate(clause.variables)}

    def literal(one: Literal) -> list[Any]:
        args = [variables[arg] if isinstance(arg, Variable) else [written(arg)] for arg in one.args]
        return [written(one.relation), one.negated, *args]

    return {
        "variables": [variable.name for variable in variables],
        "head": literal(clause.head),
        "body": [literal(one) for one in clause.body],
        "covers": [clause.positive, clause.negative, clause.new_positive],
    }


def unpack(section: dict[str, Any]) -> Clauses:
    """Return the clauses of a section after checking all of it."""
    only(section, "kind", "name", "columns", "clauses", "relations", "types")
    name = take(read(entry(section, "name", str)), str)
    columns = _texts(entry(section, "columns", list))
    try:
        return Clauses(
            tuple(_read_clause(take(one, dict)) for one in entry(section, "clauses", list)),
            name,
            columns,
            _labelled(entry(section, "relations", list)),
            _labelled(entry(section, "types", list)),
        )
    except (ValueError, TypeError) as error:
        if isinstance(error, Damage):
            raise
        raise Damage(str(error)) from error


def _texts(values: list[Any]) -> tuple[str, ...]:
    return tuple(take(read(one), str) for one in values)


def _labelled(rows: list[Any]) -> dict[str, tuple[str, ...]]:
    out = {}
    for row in rows:
        label, *names = _texts(take(row, list)) or ("",)
        _, slash, arity = label.rpartition("/")
        need(label, bool(slash) and arity == str(len(names)) and bool(names), f"{label!r} does not say how many arguments it has")
        out[label] = tuple(names)
    return out


def _read_clause(section: dict[str, Any]) -> Clause:
    only(section, "variables", "head", "body", "covers")
    variables = [Variable(one) for one in _texts(entry(section, "variables", list))]
    need(variables, len(set(variables)) == len(variables), "a variable stands twice")
    covers = entry(section, "covers", list)
    for one in covers:
        need(one, one is None or (type(one) is int and one >= 0), f"{one!r} is no number of tuples")
    need(covers, len(covers) == 3, "a clause does not say what it covers")
    body = tuple(_read_literal(take(one, list), variables) for one in entry(section, "body", list))
    return Clause(_read_literal(entry(section, "head", list), variables), body, *covers)


def _read_literal(row: list[Any], variables: list[Variable]) -> Literal:
    need(row, len(row) >= 3 and type(row[1]) is bool, "a literal has no arguments")
    args = []
    for arg in row[2:]:
        if type(arg) is int:
            need(arg, 0 <= arg < len(variables), f"there is no variable {arg}")
            args.append(variables[arg])
        else:
            need(arg, type(arg) is list and len(arg) == 1, "an argument is neither a variable nor a constant")
            args.append(_constant(read(arg[0])))
    return Literal(take(read(row[0]), str), tuple(args), row[1])


def _constant(value: Any) -> Any:
    try:
        hash(value)
    except TypeError as error:
        raise Damage(f"a constant cannot be told from others: {error}") from error
    return value
