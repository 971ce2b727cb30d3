"""A clause: a head that holds where all literals of its body do, for some values of the variables."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from treewright.errors import as_float, shown, visible
from treewright.table.relations.constants import plain

COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
PLAIN = re.compile(r"[^\W\d]\w*")
WORDS = ("not", "if", "then", "and", "True", "False")
ANONYMOUS = "_"  # in text: a variable of its own wherever it stands


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of a clause."""

    name: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or PLAIN.fullmatch(self.name) is None or self.name in (*WORDS, ANONYMOUS):
            raise ValueError(
                f"{shown(self.name)} is no name of a variable: letters, digits and underscores, beginning with a letter"
            )

    def __str__(self) -> str:
        return self.name


def constant_text(value: Any) -> str:
    """A constant as clauses write it: numbers as they are, dates behind their kind, everything else quoted."""
    if isinstance(value, (bool, int, float)):
        return repr(value)
    if isinstance(value, dt.date):
        return f"timestamp '{value.isoformat(' ')}'" if isinstance(value, dt.datetime) else f"date '{value.isoformat()}'"
    text = str(value).replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t")
    return f"'{visible(text)}'"


def name_text(name: str) -> str:
    """The name of a relation, quoted where it is no plain word."""
    return name if PLAIN.fullmatch(name) and name not in WORDS else constant_text(name)


@dataclass(frozen=True, slots=True)
class Literal:
    """A relation of variables and constants, its denial, or a comparison.

    Attributes
    ----------
    relation : str
        The name of a relation, or one of = != < <= > >=.
    args : tuple
        Variables and constants.
    negated : bool
        Whether it denies: no tuple of the relation is so.
    """

    relation: str
    args: tuple[Any, ...]
    negated: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.relation, str) or not self.relation:
            raise TypeError(f"a literal is named by text, not by {shown(self.relation)}")
        if not isinstance(self.args, tuple) or not self.args:
            raise TypeError(f"the arguments of {self.relation} are {shown(self.args)}: they must be a tuple of one or more")
        object.__setattr__(self, "args", tuple(arg if isinstance(arg, Variable) else self._constant(arg) for arg in self.args))
        if not isinstance(self.negated, bool):
            raise TypeError(f"negated={shown(self.negated)} of {self.relation}: it must be True or False")
        if self.compares and (len(self.args) != 2 or not any(isinstance(arg, Variable) for arg in self.args)):
            raise ValueError(f"{self.relation!r} compares a variable with another one or with a constant, not {shown(self.args)}")
        if self.compares and self.negated:
            raise ValueError(f"a comparison is denied by its opposite, {OPPOSITES[self.relation]!r}, not by 'not'")

    def _constant(self, value: Any) -> Any:
        constant = plain(value)
        if constant is None:
            raise ValueError(f"{shown(value)} is no constant of {self.relation}: a missing cell agrees with nothing")
        if isinstance(constant, (int, float)) and not math.isfinite(as_float(constant)):
            raise ValueError(f"{shown(value)} is no constant of {self.relation}: numbers must be finite")
        try:
            hash(constant)
        except TypeError as error:
            raise TypeError(f"{shown(value)} is no constant of {self.relation}: {error}") from error
        return constant

    @property
    def compares(self) -> bool:
        """Whether it is a comparison."""
        return self.relation in COMPARISONS

    @property
    def key(self) -> tuple[str, int]:
        """The relation and its number of arguments."""
        return self.relation, len(self.args)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Its variables, each once, in order."""
        return tuple(dict.fromkeys(arg for arg in self.args if isinstance(arg, Variable)))

    def with_values(self, values: Mapping[Variable, Any]) -> Literal:
        """The literal with variables replaced by what is given for them."""
        return replace(self, args=tuple(values.get(arg, arg) if isinstance(arg, Variable) else arg for arg in self.args))

    def text(self, unnamed: Collection[Variable] = ()) -> str:
        """As it is written in a clause; ``unnamed``: variables that are written _."""
        names = {variable: ANONYMOUS if variable in unnamed else variable.name for variable in self.variables}
        args = [names[arg] if isinstance(arg, Variable) else constant_text(arg) for arg in self.args]
        if self.compares:
            return f"{args[0]} {self.relation} {args[1]}"
        return f"{'not ' if self.negated else ''}{name_text(self.relation)}({', '.join(args)})"

    def __str__(self) -> str:
        return self.text()


OPPOSITES = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


@dataclass(frozen=True, slots=True)
class Clause:
    """One rule: the head holds where the body does.

    Attributes
    ----------
    head : Literal
        What follows.
    body : tuple of Literal
        What must hold, all of it.
    positive, negative : int or None
        Tuples of the target that it covers, and others; None where that is not known.
    new_positive : int or None
        Tuples of the target that no clause before it covers.
    """

    head: Literal
    body: tuple[Literal, ...]
    positive: int | None = field(default=None, compare=False)
    negative: int | None = field(default=None, compare=False)
    new_positive: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.head, Literal):
            raise TypeError(f"the head of a clause is a literal, not {shown(self.head)}")
        if self.head.compares or self.head.negated:
            raise ValueError(f"{self.head.text()} is no head: a head is a relation")
        if not isinstance(self.body, tuple) or not all(isinstance(literal, Literal) for literal in self.body):
            raise TypeError("the body of a clause is a tuple of literals")
        for count in (self.positive, self.negative, self.new_positive):
            if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 0):
                raise ValueError(f"{shown(count)} is no number of tuples that a clause covers")

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Its variables, each once, in order."""
        return tuple(dict.fromkeys(v for literal in (self.head, *self.body) for v in literal.variables))

    @property
    def recursive(self) -> bool:
        """Whether it asks for the relation that it defines."""
        return any(literal.key == self.head.key for literal in self.body)

    @property
    def unbound(self) -> tuple[Variable, ...]:
        """Variables of the head and of comparisons, and those that denials share, which no relation and no constant binds."""
        literals = (self.head, *self.body)
        bound = {v for one in self.body if not one.compares and not one.negated for v in one.variables}
        bound |= {one.variables[0] for one in self.body if one.relation == "=" and len(one.variables) == 1}
        uses = [v for literal in literals for v in literal.variables]
        asked = [v for one in literals if not one.negated for v in one.variables]
        denied = [v for one in self.body if one.negated for v in one.variables if uses.count(v) > 1]
        return tuple(v for v in dict.fromkeys([*asked, *denied]) if v not in bound)

    def unscored(self) -> Clause:
        """The same without what is known of tuples."""
        return replace(self, positive=None, negative=None, new_positive=None)

    def renamed(self, names: Mapping[Variable, Variable]) -> Clause:
        """The same with other names of variables."""
        return replace(self, head=self.head.with_values(names), body=tuple(literal.with_values(names) for literal in self.body))

    def alone(self) -> frozenset[Variable]:
        """Variables of the body that stand in one relation, once, and nowhere else."""
        uses = Counter(arg for one in (self.head, *self.body) for arg in one.args if isinstance(arg, Variable))
        return frozenset(v for one in self.body if not one.compares for v in one.variables if uses[v] == 1)

    def text(self, *, brief: bool = False) -> str:
        """As a clause: head :- body; ``brief``: variables that stand once are written _."""
        unnamed = self.alone() if brief else ()
        body = ", ".join(literal.text(unnamed) for literal in self.body)
        return f"{self.head.text()} :- {body}." if body else f"{self.head.text()}."

    def sentence(self, *, brief: bool = False) -> str:
        """As a sentence: IF body THEN head; ``brief``: variables that stand once are written _."""
        unnamed = self.alone() if brief else ()
        body = " AND ".join(literal.text(unnamed) for literal in self.body)
        return f"IF {body} THEN {self.head.text()}" if body else self.head.text()

    def __str__(self) -> str:
        return self.text()

    @classmethod
    def parse(cls, text: str) -> Clause:
        """Read a clause, as it is written or as a sentence; bare words are variables, constants are quoted."""
        from treewright.model.clauses.parse import parse_clause

        return parse_clause(text)


def without_equalities(clause: Clause) -> Clause:
    """The clause with variables that must be equal made one; such equalities are left out."""
    names: dict[Variable, Variable] = {}

    def now(variable: Variable) -> Variable:
        while variable in names:
            variable = names[variable]
        return variable

    order = {variable: at for at, variable in enumerate(clause.variables)}
    body = []
    for literal in clause.body:
        if literal.relation == "=" and all(isinstance(arg, Variable) for arg in literal.args):
            a, b = sorted((now(literal.args[0]), now(literal.args[1])), key=lambda v: order[v])
            if a != b:
                names[b] = a
        else:
            body.append(literal)
    return replace(clause, body=tuple(body)).renamed({variable: now(variable) for variable in order})


def fresh_names(taken: Iterable[str]) -> Iterable[str]:
    """Names for more variables: the next capital letters, or small ones where those are small, then with numbers."""
    used = set(taken)
    small = all(name.islower() for name in used) if used else False
    letters = "zwvutsrqpnmkhgfedcba" if small else "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    n = 0
    while True:
        for letter in letters:
            name = letter + (str(n) if n else "")
            if name not in used:
                used.add(name)
                yield name
        n += 1
