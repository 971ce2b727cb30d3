"""Clauses carried out on relations: what follows, which tuples do, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import out_of_range, shown
from treewright.model.clauses.clause import Clause, Literal, Variable
from treewright.model.clauses.codes import check_relations, constants_of, core_clause, empty, links_of
from treewright.model.clauses.proof import Proof
from treewright.table.relations import Relation, Relations, code_relations, given_relation
from treewright.table.relations.coded import MISSING, distinct
from treewright.table.relations.types import NUMBER, is_number

if TYPE_CHECKING:
    from treewright.model.clauses.program import Clauses

_MOST_STEPS = 1_000_000  # tuples in a proof


def tuples_given(name: str, columns: tuple[str, ...], tuples: Any) -> Relation:
    """Tuples of the relation that clauses define, as a relation; frames may have their columns in any order."""
    given = given_relation(name, tuples, columns)
    if len(given.values) != len(columns):
        raise ValueError(f"tuples of {name!r} have {len(columns)} arguments, not {len(given.values)}")
    if given.columns != columns and set(given.columns) == set(columns):
        order = [given.columns.index(column) for column in columns]
        given = Relation(given.name, columns, tuple(given.values[i] for i in order))
    return Relation(name, columns, given.values, given.named)


class Evaluation:
    """Clauses on relations, in codes."""

    def __init__(self, clauses: Clauses, relations: Relations, max_tuples: int, given: Relation | None = None) -> None:
        if isinstance(max_tuples, bool) or not isinstance(max_tuples, int) or not 0 < max_tuples < 2**32 - 1:
            raise out_of_range("max_tuples", max_tuples, "a whole number from 1 to 4,294,967,294")
        self.clauses, self.most = clauses, max_tuples
        key = (clauses.name, len(clauses.columns))
        check_relations(clauses, relations, key)
        held = relations.without(key)
        target = empty(clauses.name, clauses.columns)
        declared = {
            label: kinds
            for label, kinds in clauses.types.items()
            if label == f"{key[0]}/{key[1]}" or any(one.label == label for one in held.values())
        }
        numbers_only(held, declared)
        self.coded = code_relations(
            held,
            target,
            declared or None,
            None,
            () if given is None else (given,),
            links_of(list(clauses)),
            constants_of(list(clauses)),
        )
        self.types, self.relations = self.coded.for_core
        pairs = [core_clause(clause, self.coded) for clause in clauses]
        self.core = [pair[0] for pair in pairs]
        self.variables = [pair[1] for pair in pairs]
        self._derived: tuple[list[Any], NDArray[Any], NDArray[Any]] | None = None

    def _run(self) -> tuple[list[Any], NDArray[Any], NDArray[Any]]:
        """Codes of all tuples that follow, the rounds in which they were found, and the clauses that found them."""
        if self._derived is None:
            self._derived = _core.derive(self.types, self.relations, self.coded.target, self.core, self.most, None)
        return self._derived

    def derived(self) -> list[tuple[Any, ...]]:
        """All tuples that follow."""
        columns = self.coded.decode(self._run()[0], self.coded.types_of(self.coded.target))
        return list(zip(*columns, strict=True))

    def _with_target(self, columns: list[NDArray[Any]]) -> list[Any]:
        """The relations, with these tuples as those of the target."""
        out = list(self.relations)
        kinds, _, only_new, _ = out[self.coded.target]
        out[self.coded.target] = (kinds, columns, only_new, False)
        return out

    def _cover(self, at: int, tuples: list[NDArray[Any]], relations: list[Any]) -> tuple[NDArray[Any], list[NDArray[Any]]]:
        found: tuple[NDArray[Any], list[NDArray[Any]]] = _core.cover_clause(
            self.types, relations, self.coded.target, self.core[at], tuples, self.most
        )
        return found

    def covered(self, tuples: Relation, known: Relation) -> list[NDArray[np.bool_]]:
        """Which tuples each clause covers, where the target holds for those that are known."""
        relations = self._with_target(distinct(self.coded.encode(known.values, self.coded.target)))
        own = self.coded.encode(tuples.values, self.coded.target)
        return [self._cover(at, own, relations)[0].astype(bool) for at in range(len(self.core))]

    def holds(self, tuples: Relation) -> NDArray[np.bool_]:
        """Which tuples follow."""
        own = self.coded.encode(tuples.values, self.coded.target)
        out = np.zeros(len(tuples), bool)
        if not self.clauses.recursive:
            for at in range(len(self.core)):
                out |= self._cover(at, own, self.relations)[0].astype(bool)
            return out
        derived = set(zip(*(column.tolist() for column in self._run()[0]), strict=True))
        return np.array([row in derived for row in zip(*(column.tolist() for column in own), strict=True)], bool).reshape(
            len(tuples)
        )

    def proof(self, given: Relation) -> Proof:
        """Why one tuple follows, or does not."""
        own = self.coded.encode(given.values, self.coded.target)
        goal = tuple(int(column[0]) for column in own)
        if not self.holds(given)[0]:
            return Proof(
                Literal(self.clauses.name, tuple(column[0] for column in given.values)),
                False,
                near=tuple((clause, self._near(at, own)) for at, clause in enumerate(self.clauses)),
            )
        columns, rounds, found_by = self._run()
        agree = np.logical_and.reduce([column == code for column, code in zip(columns, goal, strict=True)])
        steps = _core.prove(
            self.types,
            self._with_target(columns),
            self.coded.target,
            self.core,
            rounds,
            found_by,
            int(np.flatnonzero(agree)[0]),
            _MOST_STEPS,
            self.most,
        )
        # Tuples rest on those of earlier rounds: proofs are put together from these up.
        made: dict[int, Proof] = {}
        for tuple_, cells, below in sorted(steps, key=lambda step: int(rounds[step[0]])):
            at = int(found_by[tuple_])
            fact = self._fact([column[tuple_] for column in columns])
            made[tuple_] = Proof(
                fact, True, self.clauses[at], self._filled(at, cells), tuple(made[one] for one in dict.fromkeys(below))
            )
        return made[steps[0][0]]

    def _fact(self, row: Sequence[Any]) -> Literal:
        kinds = self.coded.types_of(self.coded.target)
        return Literal(self.clauses.name, tuple(self.coded.constants[kind][code] for kind, code in zip(kinds, row, strict=True)))

    def _filled(self, at: int, cells: Sequence[int]) -> tuple[Literal, ...]:
        """The body of a clause with constants."""
        clause = self.clauses[at]
        named: dict[Variable, Any] = {
            variable: self.coded.constants[kind][code]
            for (variable, kind), code in zip(self.variables[at], cells, strict=True)
            if variable is not None and code != MISSING
        }
        return tuple(_filled_in(literal, named) for literal in clause.body)

    def _near(self, at: int, own: list[NDArray[Any]]) -> int:
        """How many literals of a clause can hold together of a tuple, from the first one on."""
        clause = self.clauses[at]
        relations = self._with_target(self._run()[0]) if self.clauses.recursive else self.relations
        for n in range(len(clause.body), 0, -1):
            shorter = Clause(clause.head, clause.body[:n])
            try:
                core, _ = core_clause(shorter, self.coded)
            except (KeyError, ValueError):
                continue
            if _core.cover_clause(self.types, relations, self.coded.target, core, own, self.most)[0][0]:
                return n
        return 0


def _filled_in(literal: Literal, values: dict[Variable, Any]) -> Literal:
    return literal if literal.compares else literal.with_values(values)


def numbers_only(relations: Relations, declared: dict[str, Any]) -> None:
    """Refuse columns that were numbers when clauses were learned and hold others now."""
    for one in relations.values():
        for kind, column, values in zip(declared.get(one.label, ()), one.columns, one.values, strict=False):
            if kind == NUMBER:
                odd = next((value for value in values if value is not None and not is_number(value)), None)
                if odd is not None:
                    raise ValueError(
                        f"relation {one.label}, column {column!r} holds {shown(odd)}: the clauses compare numbers there"
                    )
