"""Relations as the core reads them: constants as codes of their types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.table.relations.constants import one_kind
from treewright.table.relations.given import Relation, Relations
from treewright.table.relations.types import ArgumentType, infer_types, is_number, named_constants

MISSING = 0xFFFFFFFF
_WIDE = 5  # arguments, beyond which those that link nothing only give values

Codes = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Coded:
    """Relations in codes.

    Attributes
    ----------
    relations : tuple of Relation
        As they were given; the target among them.
    target : int
        Which of them is defined.
    types : tuple of ArgumentType
        The kinds of constants.
    constants : tuple of list
        By type, in order of code.
    named : tuple of set
        By type, constants that clauses to be learned may name.
    said : tuple of set
        By type, constants that stand in clauses alone.
    """

    relations: tuple[Relation, ...]
    target: int
    types: tuple[ArgumentType, ...]
    constants: tuple[list[Any], ...]
    named: tuple[set[Any], ...]
    said: tuple[set[Any], ...]

    @cached_property
    def codes(self) -> tuple[dict[Any, int], ...]:
        """The code of every constant, by type."""
        return tuple({value: code for code, value in enumerate(own)} for own in self.constants)

    @cached_property
    def type_of(self) -> dict[tuple[int, int], int]:
        """The type of an argument of a relation."""
        return {place: t for t, kind in enumerate(self.types) for place in kind.places}

    def types_of(self, relation: int) -> list[int]:
        """The types of the arguments of a relation."""
        return [self.type_of[relation, i] for i in range(self.relations[relation].arity)]

    def index(self, key: tuple[str, int]) -> int:
        """Where a relation stands."""
        return next(r for r, one in enumerate(self.relations) if one.key == key)

    def encode(self, columns: Sequence[Sequence[Any]], relation: int) -> list[Codes]:
        """Codes of tuples of a relation; what occurs nowhere is as if nothing were known of it."""
        out = []
        for kind, values in zip(self.types_of(relation), columns, strict=True):
            codes = self.codes[kind]
            out.append(np.array([MISSING if value is None else codes.get(value, MISSING) for value in values], np.uint32))
        return out

    def decode(self, columns: Sequence[NDArray[Any]], types: Sequence[int]) -> list[list[Any]]:
        """Constants of codes."""
        return [
            [None if code == MISSING else own[code] for code in column.tolist()]
            for own, column in zip((self.constants[t] for t in types), columns, strict=True)
        ]

    @cached_property
    def for_core(self) -> tuple[list[Any], list[Any]]:
        """Types and relations as the core takes them."""
        types = [
            (
                len(own),
                kind.measured,
                sorted(self.codes[t][value] for value in self.named[t]),
                [code for code, value in enumerate(own) if value not in self.said[t]] if self.said[t] else None,
            )
            for t, (kind, own) in enumerate(zip(self.types, self.constants, strict=True))
        ]
        relations = []
        for r, relation in enumerate(self.relations):
            columns = distinct(self.encode(relation.values, r))
            kinds = self.types_of(r)
            alone = [len(self.types[t].places) == 1 for t in kinds]
            only_new = [one and relation.arity > _WIDE for one in alone]
            relations.append((kinds, columns, only_new, relation.arity == 2 and kinds[0] == kinds[1] and _symmetric(columns)))
        return types, relations


def distinct(columns: list[Codes]) -> list[Codes]:
    """Tuples once each, in the order in which they first stand."""
    if not len(columns[0]):
        return columns
    order = np.lexsort(columns[::-1])
    new = np.zeros(len(order), bool)
    new[0] = True
    for column in columns:
        held = column[order]
        new[1:] |= held[1:] != held[:-1]
    if new.all():
        return columns
    # lexsort is stable: the first of equal ones is the one that stands first
    kept = np.sort(order[new])
    return [np.ascontiguousarray(column[kept]) for column in columns]


def _symmetric(columns: list[Codes]) -> bool:
    a, b = (column.astype(np.uint64) for column in columns)
    one, other = (a << np.uint64(32)) | b, (b << np.uint64(32)) | a
    return bool(len(a)) and bool(np.array_equal(np.sort(one), np.sort(other)))


def code_relations(
    relations: Relations,
    target: Relation,
    types: Mapping[str, Any] | None = None,
    constants: Any = None,
    more: Sequence[Relation] = (),
    links: Sequence[Sequence[tuple[tuple[str, int], int]]] = (),
    said: Sequence[tuple[tuple[tuple[str, int], int], Any]] = (),
) -> Coded:
    """Give every argument a type and every constant a code.

    ``target`` takes the place of the relation of its name; ``more`` are tuples of it whose constants must be known as well.
    ``links``: arguments, by relation and place, that are of one type because a clause has one variable for them; ``said``:
    constants of clauses, each with an argument that it stands for.
    """
    held = tuple(target if one.key == target.key else one for one in relations.values())
    if target.key not in relations:
        held = (*held, target)
    at = next(r for r, one in enumerate(held) if one is target)
    wide = tuple(_with(one, more) if one is target else one for one in held)
    kinds = infer_types(wide, at, types)
    place = {one.key: r for r, one in enumerate(held)}
    if links:
        kinds = _joined(kinds, [[(place[key], i) for key, i in link] for link in links])
    of_place = {at: t for t, kind in enumerate(kinds) for at in kind.places}
    more_of: list[dict[Any, None]] = [{} for _ in kinds]
    for (key, i), value in said:
        more_of[of_place[place[key], i]][value] = None
    values = []
    alone: list[set[Any]] = []
    for kind, clauses_say in zip(kinds, more_of, strict=True):
        first = [next((value for value in wide[r].values[i] if value is not None), None) for r, i in kind.places]
        one_kind(f"type {kind.name!r}", [*first, *clauses_say])
        own = dict.fromkeys(value for r, i in kind.places for value in wide[r].values[i] if value is not None)
        alone.append(set(clauses_say) - set(own))
        listed = list(own | clauses_say)
        if kind.measured or all(map(is_number, listed)) or all(isinstance(value, str) for value in listed):
            listed.sort()
        values.append(listed)
    return Coded(held, at, tuple(kinds), tuple(values), tuple(named_constants(kinds, wide, at, constants)), tuple(alone))


def _joined(kinds: list[ArgumentType], links: Sequence[Sequence[tuple[int, int]]]) -> list[ArgumentType]:
    """Types that are linked, as one."""
    for link in links:
        linked = [kind for kind in kinds if not set(kind.places).isdisjoint(link)]
        if len(linked) > 1:
            one = ArgumentType(
                linked[0].name, all(kind.measured for kind in linked), [place for kind in linked for place in kind.places]
            )
            kinds = [one if kind is linked[0] else kind for kind in kinds if kind is linked[0] or kind not in linked]
    return kinds


def _with(relation: Relation, more: Sequence[Relation]) -> Relation:
    columns = tuple([value for one in (relation, *more) for value in one.values[i]] for i in range(relation.arity))
    return Relation(relation.name, relation.columns, columns, relation.named)
