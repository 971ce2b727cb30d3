"""Which arguments of relations hold the same kind of thing: told by the user, by their values, or by their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from treewright.errors import shown
from treewright.table.relations.constants import finite, kind_of, one_kind, plain
from treewright.table.relations.given import Relation

NUMBER = "number"
_MOST_NAMED = 50  # constants of an attribute that clauses may name


@dataclass
class ArgumentType:
    """A kind of constants. Measured ones are numbers that are compared and not joined."""

    name: str
    measured: bool = False
    places: list[tuple[int, int]] = field(default_factory=list)  # relation and argument


@dataclass
class _Column:
    relation: Relation
    place: tuple[int, int]
    distinct: set[Any]
    kind: str | None  # None where it is empty

    @property
    def number(self) -> bool:
        """Whether it holds numbers."""
        return self.kind == "numbers"

    @cached_property
    def whole(self) -> bool:
        """Whether it holds whole numbers."""
        return self.number and all(float(value).is_integer() for value in self.distinct)

    @property
    def name(self) -> str | None:
        """The name that was given to it."""
        return self.relation.columns[self.place[1]] if self.relation.named else None


def is_number(value: Any) -> bool:
    """Whether a constant is a number; True and False are not."""
    return kind_of(value) == "numbers"


def infer_types(relations: Sequence[Relation], target: int, declared: Mapping[str, Any] | None) -> list[ArgumentType]:
    """The types of all arguments.

    Text is of one type where columns share a value. Numbers with fractions are measured. Whole numbers are labels where they link
    relations, and measured where they do not; see ``docs/foil.md``.
    """
    columns = [_column(relation, (r, i)) for r, relation in enumerate(relations) for i in range(relation.arity)]
    told = _told(columns, declared)
    labels = _labels(columns, target, told)
    groups: list[ArgumentType] = []
    group_of: dict[tuple[int, int], int] = {}

    def put(column: _Column, group: int) -> None:
        group_of[column.place] = group
        groups[group].places.append(column.place)

    by_name: dict[str, int] = {}
    measured: int | None = None
    open_columns = []
    for column in columns:
        name = told.get(column.place)
        if name is None and column.number and column.place not in labels:
            name = NUMBER
        if name is None:
            open_columns.append(column)
            continue
        if name not in by_name:
            by_name[name] = len(groups)
            groups.append(ArgumentType(name, name == NUMBER))
            measured = len(groups) - 1 if name == NUMBER else measured
        if groups[by_name[name]].measured and not column.number and column.distinct:
            raise ValueError(f"{_where(column)} is declared a number and holds {shown(next(iter(column.distinct)))}")
        put(column, by_name[name])
    # What is open joins those that share a value or a name with it.
    parent = list(range(len(open_columns)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    first: dict[Any, int] = {}
    # A column without values goes with the first of its name that has some.
    kind_of_name = {column.name: column.kind for column in reversed(open_columns) if column.kind is not None}
    for i, column in enumerate(open_columns):
        keys: list[Any] = [("value", column.kind, value) for value in column.distinct]
        if column.name is not None:
            keys.append(("name", column.kind or kind_of_name.get(column.name), column.name))
        for key in keys:
            if key in first:
                a, b = root(first[key]), root(i)
                parent[max(a, b)] = min(a, b)
            else:
                first[key] = i
    # A declared type takes in undeclared columns that share its constants.
    home: dict[Any, int] = {}
    for column in columns:
        group = group_of.get(column.place)
        if group is not None and not groups[group].measured:
            for value in column.distinct:
                home[column.kind, value] = min(group, home.get((column.kind, value), group))
    made: dict[int, int] = {}
    for i, column in enumerate(open_columns):
        shared = [home[column.kind, value] for value in column.distinct if (column.kind, value) in home]
        if shared:
            made[root(i)] = min(*shared, made.get(root(i), shared[0]))
    taken = {group.name for group in groups} | {NUMBER}
    for i, column in enumerate(open_columns):
        at = root(i)
        if at not in made:
            own = column.name or column.relation.name
            name = own if own not in taken else next(f"{own}{n}" for n in range(2, len(columns) + 3) if f"{own}{n}" not in taken)
            taken.add(name)
            made[at] = len(groups)
            groups.append(ArgumentType(name))
        put(column, made[at])
    _one_kind_each(groups, columns)
    return groups


def _one_kind_each(groups: Sequence[ArgumentType], columns: Sequence[_Column]) -> None:
    at = {column.place: column for column in columns}
    for group in groups:
        held = [at[place] for place in group.places if at[place].kind is not None]
        odd = next((column for column in held if column.kind != held[0].kind), None)
        if odd is not None:
            raise ValueError(
                f"type {group.name!r} has {held[0].kind} ({_where(held[0])}) and {odd.kind} ({_where(odd)}): "
                "declare other types, or make all of them numbers, or all of them text"
            )


def _where(column: _Column) -> str:
    return f"relation {column.relation.label}, column {column.relation.columns[column.place[1]]!r}"


def _column(relation: Relation, place: tuple[int, int]) -> _Column:
    values = relation.values[place[1]]
    where = f"relation {relation.label}, column {relation.columns[place[1]]!r}"
    try:
        distinct = set(values)
    except TypeError as error:
        raise TypeError(f"{where} holds what is no constant: {error}") from error
    distinct.discard(None)
    kind = one_kind(where, values)
    if kind == "numbers":
        finite(where, distinct)
    return _Column(relation, place, distinct, kind)


def _told(columns: list[_Column], declared: Mapping[str, Any] | None) -> dict[tuple[int, int], str]:
    """Declared types by place: a relation with one per argument, ``relation.column``, or the name of a column."""
    if declared is None:
        return {}
    if not isinstance(declared, Mapping):
        raise TypeError(f"types={shown(declared)}: it must be a dictionary, such as {{'parent': ['person', 'person']}}")
    out: dict[tuple[int, int], str] = {}
    for key, kind in declared.items():
        found = False
        for column in columns:
            relation, at = column.relation, column.place[1]
            if key in (relation.name, relation.label) and not isinstance(kind, str):
                if not isinstance(kind, Sequence) or len(kind) != relation.arity:
                    if key == relation.label or sum(c.relation.name == relation.name and c.place[1] == 0 for c in columns) == 1:
                        raise ValueError(
                            f"types: {key!r} has {relation.arity} arguments, {shown(kind)} does not name a type for each"
                        )
                    continue
                name = kind[at]
            elif isinstance(kind, str) and key in (
                column.name,
                f"{relation.name}.{relation.columns[at]}",
                f"{relation.label}.{relation.columns[at]}",
            ):
                name = kind
            else:
                continue
            if name is not None and not isinstance(name, str):
                raise TypeError(f"types: {shown(name)} is no name of a type")
            found = True
            if name is not None:
                out[column.place] = name
        if not found:
            raise ValueError(f"types: {shown(key)} is neither a relation nor a column")
    return out


def _labels(columns: list[_Column], target: int, told: Mapping[tuple[int, int], str]) -> set[tuple[int, int]]:
    """Columns of whole numbers that are names of things."""
    whole = [column for column in columns if column.whole and column.place not in told]
    heads = [column for column in whole if column.place[0] == target]
    holding = Counter(value for column in whole for value in column.distinct)
    named: dict[str | None, set[int]] = {}
    by_relation: dict[int, list[_Column]] = {}
    for column in whole:
        named.setdefault(column.name, set()).add(column.place[0])
        by_relation.setdefault(column.place[0], []).append(column)
    stand_in = {held.place for r, own in by_relation.items() if r != target for head in heads for held in _stands_for(head, own)}
    out = {column.place for column in heads}
    for column in whole:
        if column.place in out:
            continue
        if not column.relation.named:
            linked = any(holding[value] > 1 for value in column.distinct)
        elif len(named[column.name]) > 1 or column.relation.arity == 1:
            linked = True
        elif column.relation.arity == 2:
            linked = len(by_relation[column.place[0]]) == 2
        else:
            linked = column.place in stand_in
        if linked:
            out.add(column.place)
    return out


def _stands_for(head: _Column, own: Sequence[_Column]) -> list[_Column]:
    """The column of a wide table that holds what an argument of the target holds, if there is one."""
    if any(other.name == head.name for other in own):
        return []
    likeness = [len(other.distinct & head.distinct) / max(1, len(other.distinct | head.distinct)) for other in own]
    return [own[likeness.index(max(likeness))]] if max(likeness) > 0 else []


def named_constants(types: Sequence[ArgumentType], relations: Sequence[Relation], target: int, asked: Any) -> list[set[Any]]:
    """Constants that clauses may name, by type.

    ``asked``: "attributes" for the values of attributes, which stand in one wide relation and link it to nothing; a dictionary
    of types (or columns) and their constants; a list of constants; None for none.
    """
    values = [set().union(*(relations[r].values[i] for r, i in kind.places)) - {None} if kind.places else set() for kind in types]
    if asked is None:
        return [set() for _ in types]
    if isinstance(asked, str):
        if asked != "attributes":
            raise ValueError(f"constants={shown(asked)} is not allowed: it must be 'attributes', None, a list or a dictionary")
        return [
            own if not kind.measured and len(own) <= _MOST_NAMED and attribute else set()
            for kind, own, attribute in zip(types, values, _attributes(types, relations, target), strict=True)
        ]
    if isinstance(asked, Mapping):
        out: list[set[Any]] = [set() for _ in types]
        for key, some in asked.items():
            own = _listed(f"constants[{shown(key)}]", [some] if isinstance(some, str) else some)
            found = False
            for t, kind in enumerate(types):
                if kind.name == key or any(
                    key in (relations[r].columns[i], f"{relations[r].name}.{relations[r].columns[i]}") for r, i in kind.places
                ):
                    out[t] |= own
                    found = True
            if not found:
                raise ValueError(f"constants: {shown(key)} is neither a type nor a column")
        lost = [value for own, known in zip(out, values, strict=True) for value in own - known]
    else:
        some = _listed("constants", asked)
        out = [own & some if not kind.measured else set() for kind, own in zip(types, values, strict=True)]
        lost = list(some - set().union(*out))
    if lost:
        raise ValueError(f"constants: {shown(min(lost, key=repr))} occurs in no relation")
    return out


def _listed(what: str, values: Any) -> set[Any]:
    """Constants that were asked for."""
    if isinstance(values, (bytes, Mapping)) or not isinstance(values, Iterable):
        raise TypeError(f"{what}={shown(values)} is not allowed: it must be a list of constants")
    try:
        return {plain(value) for value in values}
    except TypeError as error:
        raise TypeError(f"{what}={shown(values)} holds what is no constant: {error}") from error


def _attributes(types: Sequence[ArgumentType], relations: Sequence[Relation], target: int) -> list[bool]:
    """Types whose constants stand in one wide relation, which they link to nothing."""
    homes = [{r for r, _ in kind.places} for kind in types]
    # Where two arguments are of one linking type, the relation is a structure, such as a list with its tail.
    structures = set()
    for kind, own in zip(types, homes, strict=True):
        if len(own) > 1 and not kind.measured:
            structures |= {r for r, n in Counter(r for r, _ in kind.places).items() if n > 1}
    return [
        len(own) == 1 and target not in own and relations[min(own)].arity >= 3 and min(own) not in structures for own in homes
    ]
