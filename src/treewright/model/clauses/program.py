"""Clauses that define a relation: what a learner of rules over relations finds, as a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from treewright import parts
from treewright.errors import counted, shown
from treewright.model.clauses.clause import Clause, Literal, Variable
from treewright.model.clauses.evaluating import Evaluation, tuples_given
from treewright.model.clauses.parse import parse_clause, parse_clauses
from treewright.model.clauses.proof import Proof
from treewright.table.relations import Relation, given_relations, read_relations
from treewright.table.relations.given import letters, split_name

MOST = 10_000_000


@dataclass(frozen=True, eq=False)
class Clauses(Sequence[Clause]):
    """Clauses that define a relation, in order: a tuple belongs to it if one of them covers it.

    Attributes
    ----------
    clauses : tuple of Clause
        The clauses; all heads are of one relation.
    name : str
        The relation that they define.
    columns : tuple of str
        What its arguments are called.
    relations : dict
        The relations that clauses were learned from, name/arguments to what their columns are called. Empty where that is not
        known.
    types : dict
        The types of their arguments, name/arguments to names of types. Empty where that is not known.
    """

    clauses: tuple[Clause, ...]
    name: str
    columns: tuple[str, ...]
    relations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    types: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._check_names()
        known = {tuple(label.rsplit("/", 1)) for label in self.relations}
        for clause in self.clauses:
            if clause.head.key != (self.name, len(self.columns)):
                raise ValueError(
                    f"{clause.head.text()} is no head of {self.name}/{len(self.columns)}: all clauses define one relation"
                )
            for literal in clause.body:
                if literal.negated and literal.key == clause.head.key:
                    raise ValueError(f"{clause.text()} denies what it defines: such clauses have no one meaning")
                if known and not literal.compares and literal.key != clause.head.key:
                    name, arity = literal.key
                    if (name, str(arity)) not in known:
                        raise ValueError(
                            f"{literal.text()}: there is no relation {name}/{arity}; known: {', '.join(self.relations)}"
                        )

    def _check_names(self) -> None:
        object.__setattr__(self, "clauses", tuple(self.clauses))
        odd = next((one for one in self.clauses if not isinstance(one, Clause)), None)
        if odd is not None:
            raise TypeError(f"{shown(odd)} is no clause")
        if not isinstance(self.name, str) or not self.name:
            raise TypeError(f"clauses define a relation of a name, not {shown(self.name)}")
        object.__setattr__(self, "columns", _texts(f"the columns of {self.name}", self.columns))
        if not self.columns or len(set(self.columns)) < len(self.columns):
            raise ValueError(f"the columns of {self.name} are {shown(self.columns)}: there must be some, of different names")
        for what in ("relations", "types"):
            given = getattr(self, what)
            if not isinstance(given, Mapping):
                raise TypeError(
                    f"{what}={shown(given)} of {self.name}: it must be a dictionary, such as {{'parent/2': ('a', 'b')}}"
                )
            held = {label: _texts(f"{what}[{shown(label)}]", names) for label, names in given.items()}
            for label, names in held.items():
                if not isinstance(label, str) or label.rpartition("/")[2] != str(len(names)) or not label.rpartition("/")[0]:
                    raise ValueError(f"{what}: {shown(label)} does not say that it has {counted(len(names), 'argument')}")
            object.__setattr__(self, what, held)

    @overload
    def __getitem__(self, at: int) -> Clause: ...
    @overload
    def __getitem__(self, at: slice) -> Clauses: ...
    def __getitem__(self, at: int | slice) -> Clause | Clauses:
        return replace(self, clauses=self.clauses[at]) if isinstance(at, slice) else self.clauses[at]

    def __len__(self) -> int:
        return len(self.clauses)

    def __iter__(self) -> Iterator[Clause]:
        return iter(self.clauses)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Clauses) and (self.name, self.columns, self.clauses) == (
            other.name,
            other.columns,
            other.clauses,
        )

    def __hash__(self) -> int:
        return hash((self.name, self.columns, self.clauses))

    def __repr__(self) -> str:
        return f"<Clauses: {self.name}/{len(self.columns)}, {counted(len(self), 'clause')}>"

    def __str__(self) -> str:
        return self.to_text()

    @property
    def recursive(self) -> bool:
        """Whether a clause asks for the relation that they define."""
        return any(clause.recursive for clause in self)

    @property
    def sizes(self) -> dict[str, int]:
        """How many clauses and literals there are."""
        return {"clauses": len(self), "literals": sum(len(clause.body) for clause in self)}

    def to_text(self, *, sentences: bool = False, scores: bool = False, brief: bool = False) -> str:
        """The clauses, one a line.

        Parameters
        ----------
        sentences : bool, default False
            As IF … THEN sentences.
        scores : bool, default False
            With the tuples that each covers, as a comment behind it.
        brief : bool, default False
            Variables that stand once are written ``_``, as wide tables have many.
        """
        text: str = parts.writer("clauses_text")(self, sentences, scores, brief)
        return text

    def to_prolog(self) -> str:
        """The clauses as a Prolog program."""
        text: str = parts.writer("clauses_prolog")(self)
        return text

    def to_sql(self, dialect: str = "ansi") -> str:
        """A query for all tuples that follow, from tables called like the relations.

        Parameters
        ----------
        dialect : {"ansi", "duckdb", "postgresql", "sqlite"}, default "ansi"
            For which engine it is written.
        """
        text: str = parts.writer("clauses_sql")(self, dialect)
        return text

    @classmethod
    def parse(cls, text: str, like: Clauses | None = None) -> Clauses:
        """Read clauses, as they are written or as sentences; bare words are variables, constants are quoted.

        Parameters
        ----------
        text : str
            Clauses, one after the other.
        like : Clauses, optional
            Clauses of the same relations: what is known of their columns and types is taken over.
        """
        found = parse_clauses(text)
        if not found:
            raise ValueError("the text holds no clauses: write such as 'grandparent(x, z) :- parent(x, y), parent(y, z).'")
        if like is not None:
            return replace(like, clauses=tuple(found))
        head = found[0].head
        names = [
            arg.name if isinstance(arg, Variable) else letter
            for arg, letter in zip(head.args, letters(len(head.args)), strict=True)
        ]
        columns = tuple(names) if len(set(names)) == len(names) else letters(len(names))
        return cls(tuple(found), head.relation, columns)

    def added(self, clause: Clause | str, at: int | None = None) -> Clauses:
        """The clauses with one more, before a position or at the end; nothing is known of what it covers."""
        new = parse_clause(clause) if isinstance(clause, str) else clause
        if not isinstance(new, Clause):
            raise TypeError(f"{shown(new)} is no clause")
        held = [one.unscored() for one in self]
        held.insert(len(held) if at is None else at, new.unscored())
        return replace(self, clauses=tuple(held))

    def dropped(self, at: int) -> Clauses:
        """The clauses without the one at a position."""
        if not -len(self) <= at < len(self):
            raise IndexError(f"there is no clause {at}: there are {len(self)}")
        place = at % len(self)
        return replace(self, clauses=tuple(one.unscored() for i, one in enumerate(self) if i != place))

    def replaced(self, at: int, clause: Clause | str) -> Clauses:
        """The clauses with another one at a position."""
        return self.dropped(at).added(clause, at % len(self))

    def evaluate(self, relations: Any, *, max_tuples: int = MOST) -> list[tuple[Any, ...]]:
        """All tuples that follow from relations, in the order in which they are found.

        Parameters
        ----------
        relations : dict of frames or tuples, or path of a folder
            What the clauses ask for. Tuples of the relation that they define are not looked at.
        max_tuples : int, default 10,000,000
            Where more tuples or bindings come up, an error says so.
        """
        return self._on(relations, max_tuples).derived()

    def holds(self, tuples: Any, relations: Any, *, max_tuples: int = MOST) -> NDArray[np.bool_]:
        """Which of some tuples follow from relations."""
        given = tuples_given(self.name, self.columns, tuples)
        return self._on(relations, max_tuples, given).holds(given)

    def explain(self, values: Any, relations: Any, *, max_tuples: int = MOST) -> Proof:
        """Why a tuple follows from relations, or where the clauses fail.

        Parameters
        ----------
        values : tuple
            The constants of one tuple.
        relations, max_tuples
            As in :meth:`evaluate`.
        """
        one = values if isinstance(values, (tuple, list)) else (values,)
        given = tuples_given(self.name, self.columns, [tuple(one)])
        return self._on(relations, max_tuples, given).proof(given)

    def scored(self, relations: Any, positives: Any, negatives: Any, *, max_tuples: int = MOST) -> Clauses:
        """The clauses with the tuples that each covers, among positive and negative ones.

        A recursive literal holds for the positive tuples that were given, as in learning.
        """
        good, bad = (tuples_given(self.name, self.columns, one) for one in (positives, negatives))
        both = Relation(good.name, good.columns, tuple(a + b for a, b in zip(good.values, bad.values, strict=True)), good.named)
        evaluation = self._on(relations, max_tuples, both)
        seen = np.zeros(len(good), bool)
        out = []
        for clause, covers in zip(self, evaluation.covered(both, good), strict=True):
            own = covers[: len(good)]
            out.append(
                replace(
                    clause,
                    positive=int(own.sum()),
                    negative=int(covers[len(good) :].sum()),
                    new_positive=int((own & ~seen).sum()),
                )
            )
            seen |= own
        return replace(self, clauses=tuple(out))

    def domain(self, variable: Variable, clause: Clause) -> list[tuple[str, int, int]]:
        """Arguments (relation, number of arguments, place) whose constants a variable takes that no literal binds.

        Those of its type, without the relation that is defined; none where types are not known.
        """
        own = (self.name, len(self.columns))
        places = [
            (one.key, i)
            for one in (clause.head, *clause.body)
            if not one.compares
            for i, arg in enumerate(one.args)
            if arg == variable
        ]
        kinds = {self.types[f"{name}/{arity}"][i] for (name, arity), i in places if f"{name}/{arity}" in self.types}
        labels = [(label.rpartition("/")[0], len(types), types) for label, types in self.types.items()]
        return [
            (name, arity, i)
            for name, arity, types in labels
            if (name, arity) != own
            for i, kind in enumerate(types)
            if kind in kinds
        ]

    def _on(self, relations: Any, max_tuples: int, given: Relation | None = None) -> Evaluation:
        if isinstance(relations, (str, bytes)) or hasattr(relations, "__fspath__"):
            relations = read_relations(relations)[0]
        return Evaluation(self, given_relations(relations), max_tuples, given)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        bundle: dict[str, str] = parts.writer("clauses_bundle")(self)
        return bundle

    def save(self, path: Any) -> None:
        """Write the clauses to a file that :func:`treewright.load` reads.

        Parameters
        ----------
        path : path
            Where to write; an existing file is replaced.
        """
        parts.writer("file")("clauses", self, path)

    def __reduce__(self) -> tuple[Any, ...]:
        reduced: tuple[Any, ...] = parts.writer("pickle")("clauses", self)
        return reduced


def _texts(what: str, names: Any) -> tuple[str, ...]:
    if not isinstance(names, (tuple, list)) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"{what} are {shown(names)}: they must be a tuple of text")
    return tuple(names)


def heads(name: str, columns: Iterable[str]) -> Literal:
    """The head of clauses, its variables called like the columns where those are names of variables, A, B, … otherwise."""
    names = tuple(columns)
    base = split_name(name)[0]
    try:
        return Literal(base, tuple(map(Variable, names)))
    except ValueError:
        return Literal(base, tuple(map(Variable, letters(len(names)))))
