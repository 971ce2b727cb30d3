"""Which arguments of relations hold the same kind of thing: told by the user, by their values, or by their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from treewright.errors import shown
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
    number: bool
    whole: bool

    @property
    def name(self) -> str | None:
        """The name that was given to it."""
        return self.relation.columns[self.place[1]] if self.relation.named else None


def is_number(value: Any) -> bool:
    """Whether a constant is a number; True and False are not."""
    return isinstance(value, Real) and not isinstance(value, bool)


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
    for i, column in enumerate(open_columns):
        keys = [("value", column.number, value) for value in column.distinct]
        if column.name is not None:
            keys.append(("name", column.number or not column.distinct, column.name))
        for key in keys:
            if key in first:
                a, b = root(first[key]), root(i)
                parent[max(a, b)] = min(a, b)
            else:
                first[key] = i
    made: dict[int, int] = {}
    for i, column in enumerate(open_columns):
        at = root(i)
        if at not in made:
            # A declared type takes in undeclared columns that share its constants.
            same = next(
                (
                    g
                    for g, group in enumerate(groups)
                    if not group.measured
                    and any(columns_share(columns, place, open_columns, parent, root, at) for place in group.places)
                ),
                None,
            )
            if same is None:
                taken = {group.name for group in groups} | {NUMBER}
                own = column.name or column.relation.name
                name = (
                    own if own not in taken else next(f"{own}{n}" for n in range(2, len(columns) + 3) if f"{own}{n}" not in taken)
                )
                groups.append(ArgumentType(name))
                same = len(groups) - 1
            made[at] = same
        put(column, made[at])
    return groups


def columns_share(
    columns: list[_Column], place: tuple[int, int], others: list[_Column], parent: list[int], root: Any, at: int
) -> bool:
    """Whether a declared column shares a constant with one of an open group."""
    own = next(column for column in columns if column.place == place)
    return any(root(i) == at and not own.distinct.isdisjoint(other.distinct) for i, other in enumerate(others))


def _where(column: _Column) -> str:
    return f"relation {column.relation.label}, column {column.relation.columns[column.place[1]]!r}"


def _column(relation: Relation, place: tuple[int, int]) -> _Column:
    values = relation.values[place[1]]
    try:
        distinct = set(values)
    except TypeError as error:
        raise TypeError(
            f"relation {relation.label}, column {relation.columns[place[1]]!r} holds what is no constant: {error}"
        ) from error
    distinct.discard(None)
    numbers = sum(map(is_number, distinct))
    if 0 < numbers < len(distinct):
        one, other = next(v for v in distinct if is_number(v)), next(v for v in distinct if not is_number(v))
        raise ValueError(
            f"relation {relation.label}, column {relation.columns[place[1]]!r} holds numbers ({shown(one)}) and "
            f"others ({shown(other)}): "
            "make all of them numbers, or all of them text"
        )
    for value in distinct if numbers else ():
        if float(value) in (float("inf"), float("-inf")):
            raise ValueError(
                f"relation {relation.label}, column {relation.columns[place[1]]!r} holds {value}: numbers must be finite"
            )
    number = numbers > 0
    return _Column(relation, place, distinct, number, number and all(float(value).is_integer() for value in distinct))


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
    out = {column.place for column in heads}
    for column in whole:
        if column.place in out:
            continue
        others = [other for other in whole if other.place != column.place]
        if not column.relation.named:
            linked = any(not column.distinct.isdisjoint(other.distinct) for other in others)
        elif (
            any(other.name == column.name and other.place[0] != column.place[0] for other in others) or column.relation.arity == 1
        ):
            linked = True
        elif column.relation.arity == 2:
            linked = sum(other.place[0] == column.place[0] for other in others) == 1
        else:
            linked = any(_stands_for(head, column, whole) for head in heads)
        if linked:
            out.add(column.place)
    return out


def _stands_for(head: _Column, column: _Column, whole: list[_Column]) -> bool:
    """Whether a column of a wide table is the one that holds what an argument of the target holds."""
    own = [other for other in whole if other.place[0] == column.place[0]]
    if any(other.name == head.name for other in own):
        return False
    likeness = [len(other.distinct & head.distinct) / max(1, len(other.distinct | head.distinct)) for other in own]
    return max(likeness) > 0 and own[likeness.index(max(likeness))].place == column.place


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
            own if not kind.measured and len(own) <= _MOST_NAMED and _is_attribute(kind, types, relations, target) else set()
            for kind, own in zip(types, values, strict=True)
        ]
    if isinstance(asked, Mapping):
        out: list[set[Any]] = [set() for _ in types]
        for key, some in asked.items():
            found = False
            for t, kind in enumerate(types):
                if kind.name == key or any(
                    key in (relations[r].columns[i], f"{relations[r].name}.{relations[r].columns[i]}") for r, i in kind.places
                ):
                    out[t] |= {some} if isinstance(some, str) else set(some)
                    found = True
            if not found:
                raise ValueError(f"constants: {shown(key)} is neither a type nor a column")
        lost = [value for own, known in zip(out, values, strict=True) for value in own - known]
    else:
        some = set(asked)
        out = [own & some if not kind.measured else set() for kind, own in zip(types, values, strict=True)]
        lost = list(some - set().union(*out))
    if lost:
        raise ValueError(f"constants: {shown(lost[0])} occurs in no relation")
    return out


def _is_attribute(kind: ArgumentType, types: Sequence[ArgumentType], relations: Sequence[Relation], target: int) -> bool:
    homes = {r for r, _ in kind.places}
    if len(homes) != 1 or target in homes:
        return False
    (home,) = homes
    if relations[home].arity < 3:
        return False
    # Where two arguments are of one linking type, the relation is a structure, such as a list with its tail.
    linking = [
        sum(r == home for r, _ in other.places) for other in types if len({r for r, _ in other.places}) > 1 and not other.measured
    ]
    return all(n <= 1 for n in linking)
