"""The flat program: what every export writes down. A table of nodes and forward jumps, no matter what the model was.

A node finds the interval of its column's cell and jumps to the node of that interval; a missing cell has a jump of its own, or
goes several ways in fractions. Levels are numbers here, so subsets are intervals too. Jumps only lead forward and may meet:
a tree uses them as branches, a list of rules as "go on with the next rule". An answer is what a node without a test predicts.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, pairwise
from typing import NamedTuple

from treewright.errors import shown
from treewright.export.labels import Input, Label
from treewright.export.predictor import _below, _sigmoid
from treewright.model.few import Few
from treewright.model.linear import NEVER, Equation, Part
from treewright.model.ties import ROUNDING

REFUSED = -1  # no answer: the model refuses such a cell
SPREAD = -2  # the row goes on in fractions, see ``Program.ways``
ANSWER = -1  # the column of a node that tests nothing
MOST_FRACTIONS = 2**24  # of one row; languages that keep them side by side hold no more


class Term(NamedTuple):
    """What is added to a number: a coefficient times a cell, or times 1 where the cell is one of these levels, else 0."""

    column: int
    coefficient: float
    missing: float  # what a missing cell is multiplied with
    codes: tuple[int, ...] | None
    by: int = -1  # the column whose number that is multiplied with, if any
    by_missing: float = 0.0  # and what a missing cell of it counts as


class Derived(NamedTuple):
    """A number that is computed from cells and compared as a cell is: a constant, and terms that are added in their order.

    With parts it is what they make of the terms, and the constant is theirs. A cell that is refused refuses it. A sum that is no
    number, because infinite terms of both signs meet, is missing.
    """

    name: str  # in explanations and messages
    intercept: float
    terms: tuple[Term, ...]
    needs_all: bool = False  # whether it is missing as soon as one of its cells is; else these count as their terms say
    parts: tuple[Part, ...] = ()

    def sums(self) -> list[tuple[float, tuple[Term, ...]]]:
        """The sums that it is made of: its own, or those of its parts."""
        if not self.parts:
            return [(self.intercept, self.terms)]
        ends = [0, *accumulate(part.terms for part in self.parts)]
        return [(part.constant, self.terms[begin:end]) for part, (begin, end) in zip(self.parts, pairwise(ends), strict=True)]


class Answer(NamedTuple):
    """What a node without a test predicts: a class and the shares of all, scores of all, or numbers.

    To scores and numbers terms are added in their order.
    """

    label: int  # position of the class, REFUSED for numbers and scores
    values: Sequence[float]  # shares or scores in declared order, or the numbers; shares of many classes as ``Few``
    terms: tuple[tuple[Term, ...], ...] = ()  # of every value; none where no value has any

    def terms_of(self, k: int) -> tuple[Term, ...]:
        """What is added to a value."""
        return self.terms[k] if self.terms else ()


class Member(NamedTuple):
    """One of several models in a program: its nodes stand together, and no jump leaves them."""

    root: int
    weight: float
    soft: bool  # whether thresholds of its own are passed in fractions
    score: int = 0  # to which of the scores it adds, where members do


class Ramp(NamedTuple):
    """A threshold that is passed in fractions: the share that goes below is linear between these points."""

    at: tuple[float, ...]
    share: tuple[float, ...]
    slope: tuple[float, ...]  # of each piece
    fill: float | None = None  # what a missing cell counts as; None: it takes the ways of missing cells

    def below(self, x: float) -> float:
        """The fraction of a row that goes below."""
        return _below(x, *map(list, self[:3]))


class Sigmoid(NamedTuple):
    """A threshold that is passed in fractions along the logistic function: below goes 1 / (1 + exp(slope * (x - at)))."""

    at: float
    slope: float
    fill: float | None = None  # as of a ramp

    def below(self, x: float) -> float:
        """The fraction of a row that goes below."""
        return _sigmoid(x, self.at, self.slope)


@dataclass(frozen=True)
class Program:
    """A model as a table of nodes.

    Node i tests ``column[i]``: an input, from ``len(inputs)`` on a number of ``derived``, or nothing (``ANSWER``). With m cuts
    ``cuts[i]`` it has m + 1 jumps ``to[i]``: a cell takes the first whose cut it does not exceed (``x <= cut``, or ``x < cut``
    where ``less[i]``), else the last. ``missing[i]`` is the jump of a missing cell. A jump is a node after i, ``REFUSED`` or
    ``SPREAD``: then each of ``ways[i]`` is taken with its share.
    """

    inputs: tuple[Input, ...]
    target: str
    classes: tuple[Label, ...] | None  # in declared order, which settles ties
    order: tuple[int, ...]  # positions of the classes in the order in which shares are given
    column: list[int]
    cuts: list[tuple[float, ...]]
    to: list[tuple[int, ...]]
    less: list[bool]
    missing: list[int]
    answer: list[int]  # of nodes that test nothing: position in ``answers``
    answers: list[Answer]
    ways: dict[int, tuple[tuple[int, float], ...]]
    soft: dict[int, Ramp | Sigmoid] = field(default_factory=dict)
    # Of a list of rules: the first node and the answer of each; a row that fails a test goes on with the next rule.
    rules: tuple[tuple[int, int], ...] = ()
    outputs: tuple[str, ...] = ()  # names of the numbers of an answer, where it is several
    bounded: bool = False  # whether numbers that are computed are cut to the range of numbers: none is infinite
    scores: bool = False  # whether answers are scores of classes, whose exponentials are the shares but for a common factor
    derived: Sequence[Derived] = ()  # numbers that nodes compare, computed from cells
    # Of a forest: its members in the order in which their answers are added up. Else the program is one model, of root 0.
    members: tuple[Member, ...] = ()
    combine: str = ""  # how the members answer together: "mean", "vote", "median" or "scores"
    weight: float = 1.0  # what sums over members are divided by
    # Of scores: what each begins with, and what is made of them: "identity", "exp", or "shares" of a class a score.
    base: tuple[float, ...] = ()
    link: str = ""

    def __post_init__(self) -> None:
        for column, cuts, less in zip(self.column, self.cuts, self.less, strict=True):
            if cuts and not (all(map(math.isfinite, cuts)) and self._inside(column, cuts, less)):
                named = shown(self.tested(column).name)
                raise ValueError(f"column {named}: a threshold at the end of all numbers cannot be exported")
        for one in self.derived:
            if not one.terms or max(max(term.column, term.by) for term in one.terms) >= len(self.inputs):
                raise ValueError(f"the number {shown(one.name)} is not computed from columns of the table")
        if self.spreads:
            self._check_divided()

    def _inside(self, column: int, cuts: tuple[float, ...], less: bool) -> bool:
        """Whether all languages compare with these cuts alike."""
        # x < cut is written as x <= the number before it; sums beyond the last number are infinite, or that number.
        end = sys.float_info.max
        return not (less and -end in cuts) and (column < len(self.inputs) or (end not in cuts and -end not in cuts))

    def _check_divided(self) -> None:
        """What every writer relies on where rows are divided."""
        for node, ways in self.ways.items():
            targets = [to for to, _ in ways]
            if min(targets) <= node or len({*targets}) < len(targets) or not all(0 < share < math.inf for _, share in ways):
                raise ValueError(f"node {node}: the ways of a divided row lead to different nodes behind it, with shares above 0")
        for node in self.soft:
            branches, taken = self.to[node], [to for to, _ in self.ways.get(node, ())]
            if len(branches) != 2 or not node < min(branches) < max(branches) or taken != [to for to in branches if to in taken]:
                raise ValueError(f"node {node}: a soft threshold divides a row between two nodes behind it, and no others")
        for node, column in enumerate(self.column):
            jumps = {*self.to[node], self.missing[node]}
            if column != ANSWER and (jumps == {REFUSED} or (SPREAD in jumps and node not in self.ways)):
                raise ValueError(f"node {node}: it has no ways to go on")

    @property
    def size(self) -> int:
        """Number of nodes."""
        return len(self.column)

    @cached_property
    def used(self) -> list[int]:
        """Positions of the columns that are tested, or that numbers are computed from."""
        tested = {column for column in self.column if column < len(self.inputs)} - {ANSWER}
        computed = [terms for answer in self.answers for terms in answer.terms] + [one.terms for one in self.derived]
        return sorted(tested.union(term.column for terms in computed for term in terms) | self.factors)

    @cached_property
    def factors(self) -> set[int]:
        """Positions of the columns that terms of derived numbers are also multiplied with."""
        return {term.by for one in self.derived for term in one.terms} - {-1}

    @property
    def parted(self) -> bool:
        """Whether any number that is computed is more than a sum."""
        return any(one.parts for one in self.derived)

    def tested(self, column: int) -> Input:
        """What a node tests, as an input."""
        computed = column - len(self.inputs)
        return self.inputs[column] if computed < 0 else Input(self.derived[computed].name, "number")

    @property
    def listed(self) -> bool:
        """Whether answers list the classes whose shares are not 0."""
        return isinstance(self.answers[0].values, Few)

    @property
    def linear(self) -> bool:
        """Whether answers are computed from cells."""
        return any(terms for answer in self.answers for terms in answer.terms)

    @cached_property
    def leaves(self) -> list[int]:
        """The nodes that answer."""
        return [i for i, j in enumerate(self.column) if j == ANSWER]

    @cached_property
    def divides(self) -> bool:
        """Whether a row can take all ways of a node."""
        return SPREAD in self.missing or any(SPREAD in to for to in self.to)

    @property
    def sigmoids(self) -> bool:
        """Whether some thresholds are passed along the logistic function."""
        return any(isinstance(gate, Sigmoid) for gate in self.soft.values())

    @property
    def spreads(self) -> bool:
        """Whether a row can go several ways, be it at a soft threshold."""
        return bool(self.soft) or self.divides

    @property
    def names(self) -> list[str]:
        """Names of the columns that are used."""
        return [self.inputs[j].name for j in self.used]

    @property
    def scored(self) -> list[int]:
        """Positions of the classes that have scores, as declared: those that training had rows of."""
        every = range(len(self.answers[0].values))
        return [k for k in every if any(answer.values[k] != NEVER for answer in self.answers)]

    @property
    def order_declared(self) -> list[int]:
        """Positions of the classes whose shares are given, as declared."""
        return sorted(self.order)

    @property
    def tolerance(self) -> float:
        """How far below the largest share of a vote another may be and still count as large."""
        return ROUNDING if self.spreads or self.members else 0.0

    @property
    def adds(self) -> bool:
        """Whether members say numbers that are added up to scores, whatever the target is."""
        return self.combine == "scores"

    @property
    def labelled(self) -> bool:
        """Whether what ends say are classes."""
        return self.classes is not None and not self.adds

    @property
    def sums(self) -> int:
        """How many numbers the members of a forest add up, or one model answers."""
        return len(self.base) if self.adds else len(self.answers[0].values)

    @property
    def roots(self) -> list[int]:
        """Where rows begin: at the root of every member, or of the one model."""
        return [member.root for member in self.members] or [0]

    @cached_property
    def turn(self) -> list[int]:
        """Rank of every node in the order in which fractions are added up, so that sums are rounded as the model's are."""
        if not self.soft:
            return list(range(self.size))
        turn: dict[int, int] = {}
        open_ = self.roots[::-1]
        while open_:
            at = open_.pop()
            if at not in turn:
                turn[at] = len(turn)
                open_ += self.successors(at)
        return [turn.get(node, self.size) for node in range(self.size)]

    def successors(self, node: int) -> list[int]:
        """Nodes that a node leads to, each once, in order."""
        return self._successors[node]

    def whole_successors(self, node: int) -> list[int]:
        """Those of them that it sends rows to that stay whole."""
        return self._whole_successors[node]

    @cached_property
    def _successors(self) -> list[list[int]]:
        ways = [[to for to, _ in self.ways[node]] if node in self.ways else [] for node in range(self.size)]
        return [
            sorted({jump for jump in (*to, missing, *several) if jump >= 0})
            for to, missing, several in zip(self.to, self.missing, ways, strict=True)
        ]

    @cached_property
    def _whole_successors(self) -> list[list[int]]:
        out = list(self._successors)
        for node in self.ways:
            jumps = {*self.to[node], self.missing[node]}
            out[node] = [to for to in out[node] if to in jumps]
        return out

    @property
    def in_turn(self) -> bool:
        """Whether this is a list of rules of which each takes its share of what those before it left of a row."""
        return bool(self.rules) and bool(self.ways)

    @cached_property
    def is_tree(self) -> bool:
        """Whether ways never meet: every node is reached from one other."""
        reached = [to for node in range(self.size) for to in self.successors(node)]
        return len({*reached}) == len(reached)

    def divided(self, node: int) -> list[int]:
        """The nodes among which a row may be divided at a node, in the order of its fractions."""
        return list(self.to[node]) if node in self.soft else [to for to, _ in self.ways.get(node, ())]

    @cached_property
    def max_fractions(self) -> int:
        """The most fractions a row can be in at once, in one member."""
        if self.in_turn:
            return len(self.rules) + 1
        return max(self._fractions[root] for root in self.roots) if self.spreads else 1

    @cached_property
    def _fractions(self) -> list[int]:
        """Per node the most fractions in which a row can end that comes to it whole."""
        fractions = [1] * self.size
        for node in range(self.size - 1, -1, -1):
            each = [fractions[to] for to in self.successors(node)]
            if each:
                several = node in self.soft or SPREAD in (self.missing[node], *self.to[node])
                fractions[node] = sum(each) if several else max(each)
        return fractions

    @cached_property
    def rejoins(self) -> bool:
        """Whether fractions of one row can come to one leaf: there they are added in the order in which they are walked."""
        if not self.spreads or self.in_turn or self.is_tree:
            return False
        reached = Counter(to for node in range(self.size) for to in self.successors(node))
        bit = {node: 1 << k for k, node in enumerate(node for node, ways in reached.items() if ways > 1)}
        below = [0] * self.size  # of every node which meeting points lie at it or below it
        for node in range(self.size - 1, -1, -1):
            below[node] = bit.get(node, 0)
            for to in self.successors(node):
                below[node] |= below[to]
            met = 0
            for to in self.divided(node):
                if met & below[to]:
                    return True
                met |= below[to]
        return False

    def walked_before(self, node: int, to: int) -> int:
        """How many fractions of a row that is divided at a node are walked at most before the one that goes to another.

        The last way is walked first. Summed up along a way this numbers the fractions of a row in the order of the walk.
        """
        divided = self.divided(node)
        return sum(self._fractions[later] for later in divided[divided.index(to) + 1 :]) if to in divided else 0

    def refuse_divided(self, language: str) -> None:
        """Refuse divided rows that a language is not written for, by its name."""
        if not self.spreads:
            return
        if self.scores and self.linear:
            raise ValueError(
                f"{language} cannot hold this model: rows go to several leaves, and scores that are computed there are not added "
                "up; use to_python or to_javascript"
            )
        if self.max_fractions > MOST_FRACTIONS:
            raise ValueError(
                f"{language} cannot hold this model: ways meet and part so often that a row may come to its leaves in "
                f"{self.max_fractions} fractions; at most {MOST_FRACTIONS} are written"
            )

    def refuse_members(self, language: str, why: str) -> None:
        """Refuse a forest that a language is not written for, by its name."""
        if self.members:
            raise ValueError(f"{language} cannot hold this forest: {why}; use to_python, to_javascript or to_c")


def computed(equations: Sequence[Equation]) -> Answer:
    """What is predicted by an equation, or by one for every class."""
    terms = tuple(tuple(Term(t.index, t.coefficient, t.missing, t.codes) for t in each.terms) for each in equations)
    return Answer(REFUSED, tuple(each.intercept for each in equations), terms)
