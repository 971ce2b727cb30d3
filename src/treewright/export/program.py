"""The flat program: what every export writes down. A table of nodes and forward jumps, no matter what the model was.

A node finds the interval of its column's cell and jumps to the node of that interval; a missing cell has a jump of its own, or
goes several ways in parts. Levels are numbers here, so subsets are intervals too. Jumps only lead forward and may meet:
a tree uses them as branches, a list of rules as "go on with the next rule". An answer is what a node without a test says.
"""

from __future__ import annotations

import datetime as dt
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np

from treewright.errors import shown
from treewright.export.predictor import _below
from treewright.model.linear import NEVER, Equation
from treewright.model.node_columns import owned
from treewright.model.soft import SoftThreshold
from treewright.model.surrogate import Surrogate, surrogates_of
from treewright.model.ties import ROUNDING
from treewright.model.tree import Tree
from treewright.table.schema import ColumnSchema, TableSchema

REFUSED = -1  # no answer: the model refuses such a cell
SPREAD = -2  # the row goes on in parts, see ``Program.ways``
LOST = -3  # while a program is made: where a missing cell goes
ANSWER = -1  # the column of a node that tests nothing

_EPOCH = dt.datetime(1970, 1, 1)
_MICRO = dt.timedelta(microseconds=1)


class Label(NamedTuple):
    """A level or a class in a form every language can write.

    ``tag`` is "t" (text), "n" (a number), "w" (a whole number beyond 2**53, as digits), "b" (0 or 1), "d" and "a" (a moment
    and a day, in microseconds since 1970), "u" (a duration in microseconds).
    """

    tag: str
    value: str | int | float


def label_of(value: Any, what: str) -> Label:
    """Return a level or class as a label; refuse what other languages have no word for."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{what}: {shown(value)} is no valid Unicode text and cannot be exported: rename it") from None
        return Label("t", str(value))
    if isinstance(value, bool):
        return Label("b", int(value))
    if isinstance(value, int):
        return Label("n", value) if abs(value) <= 2**53 else Label("w", str(value))
    if isinstance(value, float):
        return Label("n", float(value))
    if isinstance(value, Decimal) and value == float(value):
        return Label("n", float(value))
    if isinstance(value, dt.datetime) and value.tzinfo is None:
        return Label("d", (dt.datetime.fromisoformat(value.isoformat()) - _EPOCH) // _MICRO)
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return Label("a", (dt.datetime(value.year, value.month, value.day) - _EPOCH) // _MICRO)
    if isinstance(value, dt.timedelta):
        return Label("u", value // _MICRO)
    kind = type(value).__name__
    raise ValueError(f"{what}: {shown(value)} of type {kind} cannot be exported: use text, numbers, booleans or dates")


@dataclass(frozen=True, slots=True)
class Input:
    """A column as a program reads it.

    Attributes
    ----------
    name : str
        Its name.
    kind : str
        number, bool, date, duration (both microseconds), ordered or nominal (both the number of a level).
    labels : tuple of (int, Label)
        The levels that are known, by number.
    strict : bool
        Whether other levels are refused; else they count as missing.
    """

    name: str
    kind: str
    labels: tuple[tuple[int, Label], ...] = ()
    strict: bool = False

    @property
    def by_level(self) -> bool:
        """Whether cells are levels."""
        return self.kind in ("nominal", "ordered")


class Term(NamedTuple):
    """What is added to a number: a coefficient times a cell, or times 1 where the cell is one of these levels, else 0."""

    column: int
    coefficient: float
    missing: float  # what a missing cell is multiplied with
    codes: tuple[int, ...] | None


class Answer(NamedTuple):
    """What a node without a test says: a class and the shares of all, scores of all, or numbers.

    To scores and numbers terms are added in their order.
    """

    label: int  # position of the class, REFUSED for numbers and scores
    values: tuple[float, ...]  # shares or scores in declared order, or the numbers
    terms: tuple[tuple[Term, ...], ...] = ()  # of every value; none where no value has any

    def terms_of(self, k: int) -> tuple[Term, ...]:
        """What is added to a value."""
        return self.terms[k] if self.terms else ()


class Ramp(NamedTuple):
    """A threshold that is passed in parts: the share that goes below is linear between these points."""

    at: tuple[float, ...]
    share: tuple[float, ...]
    slope: tuple[float, ...]  # of each piece
    fill: float | None = None  # what a missing cell counts as; None: it takes the ways of missing cells

    def below(self, x: float) -> float:
        """The part of a row that goes below."""
        return _below(x, *map(list, self[:3]))


@dataclass(frozen=True)
class Program:
    """A model as a table of nodes.

    Node i tests ``column[i]`` (``ANSWER``: nothing). With m cuts ``cuts[i]`` it has m + 1 jumps ``to[i]``: a cell takes the first
    whose cut it does not exceed (``x <= cut``, or ``x < cut`` where ``less[i]``), else the last. ``missing[i]`` is the jump
    of a missing cell. A jump is a node after i, ``REFUSED`` or ``SPREAD``: then each of ``ways[i]`` is taken with its share.
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
    soft: dict[int, Ramp] = field(default_factory=dict)
    # Of a list of rules: the first node and the answer of each; a row that fails a test goes on with the next rule.
    rules: tuple[tuple[int, int], ...] = ()
    outputs: tuple[str, ...] = ()  # names of the numbers of an answer, where it is several
    bounded: bool = False  # whether numbers that are computed are cut to the range of numbers: none is infinite
    scores: bool = False  # whether answers are scores of classes, whose exponentials are the shares but for a common factor

    def __post_init__(self) -> None:
        # No language writes infinite numbers alike; x < cut is written as x <= the number before it.
        least = -sys.float_info.max
        for column, cuts, less in zip(self.column, self.cuts, self.less, strict=True):
            if any(not math.isfinite(cut) or (less and cut == least) for cut in cuts):
                named = shown(self.inputs[column].name)
                raise ValueError(f"column {named}: a threshold at the end of all numbers cannot be exported")

    @property
    def size(self) -> int:
        """Number of nodes."""
        return len(self.column)

    @cached_property
    def used(self) -> list[int]:
        """Positions of the columns that are tested, or that answers are computed from."""
        told = {term.column for answer in self.answers for terms in answer.terms for term in terms}
        return sorted(told.union(self.column) - {ANSWER})

    @property
    def linear(self) -> bool:
        """Whether answers are computed from cells."""
        return any(terms for answer in self.answers for terms in answer.terms)

    @cached_property
    def leaves(self) -> list[int]:
        """The nodes that answer."""
        return [i for i, j in enumerate(self.column) if j == ANSWER]

    @cached_property
    def spreads(self) -> bool:
        """Whether a row can go several ways."""
        return bool(self.soft) or SPREAD in self.missing or any(SPREAD in to for to in self.to)

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
        return ROUNDING if self.spreads else 0.0

    @cached_property
    def turn(self) -> list[int]:
        """Rank of every node in the order in which parts are added up, so that sums are rounded as the model's are."""
        if not self.soft:
            return list(range(self.size))
        turn, open_ = [0] * self.size, [0]
        for n in range(self.size):
            at = open_.pop()
            turn[at] = n
            open_ += self.successors(at)
        return turn

    def successors(self, node: int) -> list[int]:
        """Nodes that a node leads to, each once, in order."""
        return self._successors[node]

    @cached_property
    def _successors(self) -> list[list[int]]:
        ways = [[to for to, _ in self.ways[node]] if node in self.ways else [] for node in range(self.size)]
        return [
            sorted({jump for jump in (*to, missing, *several) if jump >= 0})
            for to, missing, several in zip(self.to, self.missing, ways, strict=True)
        ]

    @cached_property
    def depth(self) -> int:
        """Length of the longest way."""
        deep = [0] * self.size
        for node in range(self.size):
            for to in self.successors(node):
                deep[to] = max(deep[to], deep[node] + 1)
        return max(deep)

    @property
    def in_turn(self) -> bool:
        """Whether this is a list of rules of which each takes its share of what those before it left of a row."""
        return bool(self.rules) and bool(self.ways)

    @cached_property
    def room(self) -> int:
        """The most parts a row can be in at once."""
        if self.in_turn:
            return len(self.rules) + 1
        parts = [1] * self.size
        for node in range(self.size - 1, -1, -1):
            each = [parts[to] for to in self.successors(node)]
            if each:
                several = node in self.soft or SPREAD in (self.missing[node], *self.to[node])
                parts[node] = sum(each) if several else max(each)
        return parts[0]


def flat_program(tree: Tree, order: Sequence[int] | None = None, soft: Mapping[int, SoftThreshold] | None = None) -> Program:
    """Write a tree as a flat program.

    Parameters
    ----------
    tree : Tree
        The tree; its nodes keep their numbers, unless surrogates stand between them.
    order : sequence of int, optional
        Positions of the declared classes in the order in which shares are given (default: all, as declared).
    soft : dict of SoftThreshold, optional
        Soft thresholds by node.
    """
    ramps = {id: _ramp(threshold) for id, threshold in (soft or {}).items()} | blended(tree)
    reader = _Reader(tree, bool(soft))
    classes = tree.target.classes
    column: list[int] = []
    cuts: list[tuple[float, ...]] = []
    to: list[tuple[int, ...]] = []
    missing: list[int] = []
    ways = {}
    for id in range(tree.n_nodes):
        column.append(reader.column[id])
        if reader.column[id] == ANSWER:
            cuts.append(())
            to.append(())
            missing.append(REFUSED)
            continue
        at, jumps = reader.intervals(id)
        cuts.append(at)
        to.append(jumps)
        missing.append(REFUSED if tree.missing == "refuse" else reader.home(id))
        if SPREAD in (*jumps, missing[-1]):
            ways[id] = reader.ways(id)
    answer, answers = reader.answers()
    less = [bool(strict) and not tree.columns[j].nominal for j, strict in zip(column, reader.state["strict"], strict=True)]
    if reader.surrogates:
        column, cuts, to, less, missing, answer = _with_stand_ins(reader, column, cuts, to, less, missing, answer)
    return Program(
        inputs=tuple(_input(column, j, tree.schema) for j, column in enumerate(tree.columns)),
        target=tree.target.name,
        classes=None if classes is None else tuple(label_of(label, "class") for label in classes),
        order=tuple(range(len(classes or ())) if order is None else order),
        column=column,
        cuts=cuts,
        to=to,
        less=less,
        missing=missing,
        answer=answer,
        answers=answers,
        ways=ways,
        soft=ramps,
        outputs=() if tree.vectors is None else tree.target.outputs,
        bounded=tree.models is not None and classes is None,
        scores=tree.models is not None and classes is not None,
    )


def _with_stand_ins(
    reader: _Reader,
    column: list[int],
    cuts: list[tuple[float, ...]],
    to: list[tuple[int, ...]],
    less: list[bool],
    missing: list[int],
    answer: list[int],
) -> tuple[list[int], list[tuple[float, ...]], list[tuple[int, ...]], list[bool], list[int], list[int]]:
    """The same nodes, each followed by one for every surrogate: a missing cell jumps to the first, and from one to the next."""
    added = [len(reader.surrogates.get(id, ())) for id in range(len(column))]
    place = [id + before for id, before in enumerate(accumulate([0, *added[:-1]]))]
    out: tuple[list[Any], ...] = ([], [], [], [], [], [])

    def add(*node: Any) -> None:
        for entries, entry in zip(out, node, strict=True):
            entries.append(entry)

    def moved(node: int) -> int:
        return node if node < 0 else place[node]

    for id in range(len(column)):
        stand_ins = reader.surrogates.get(id, ())
        first = place[id] + 1 if stand_ins else moved(missing[id])
        jumps = tuple(first if jump == LOST else moved(jump) for jump in to[id])
        add(column[id], cuts[id], jumps, less[id], first, answer[id])
        branches = [place[reader.state["first_child"][id] + b] for b in (0, 1)] if stand_ins else []
        for k, surrogate in enumerate(stand_ins):
            after = place[id] + 2 + k if k + 1 < len(stand_ins) else moved(missing[id])
            condition = surrogate.when[0]
            if condition.column.nominal:
                at, ways = reader.runs_of(surrogate, branches, after)
                add(condition.index, at, ways, False, after, REFUSED)
                continue
            bound = condition.high or condition.low
            assert bound is not None
            order = branches if condition.high is not None else branches[::-1]
            add(condition.index, (bound.at,), tuple(order), bound.strict, after, REFUSED)
    return out  # type: ignore[return-value]


def _input(column: ColumnSchema, j: int, schema: TableSchema) -> Input:
    if not column.nominal and column.kind != "ordered":
        return Input(column.name, column.kind)
    known = schema.known[j] if schema.known and column.nominal else range(len(column.levels))
    labels = tuple((code, label_of(column.levels[code], f"column {shown(column.name)}")) for code in known)
    return Input(column.name, column.kind, labels, schema.unseen == "error" or schema.missing == "refuse")


def computed(equations: Sequence[Equation]) -> Answer:
    """What is said by an equation, or by one for every class."""
    terms = tuple(tuple(Term(t.index, t.coefficient, t.missing, t.codes) for t in each.terms) for each in equations)
    return Answer(REFUSED, tuple(each.intercept for each in equations), terms)


def _ramp(soft: SoftThreshold) -> Ramp:
    at, share = soft.ramp
    slope = [(share[k + 1] - share[k]) / (at[k + 1] - at[k]) for k in range(len(at) - 1)]
    # A step between neighbouring numbers has no value inside, so that its slope is never asked for.
    return Ramp(tuple(at), tuple(share), tuple(rise if math.isfinite(rise) else 0.0 for rise in slope))


def blended(tree: Tree) -> dict[int, Ramp]:
    """The thresholds of a model tree around which the answers of both sides are mixed, by node."""
    models = tree.models
    if models is None or models.smoothing.kind != "blend":
        return {}
    state, spread, fill = tree._state, models._state["spread"], models._state["fill"]
    ramps = {}
    for id in np.flatnonzero(np.diff(state["cut_begin"])).tolist():
        column = int(state["column"][id])
        at, half = float(state["cut_at"][state["cut_begin"][id]]), models.smoothing.band * float(spread[column])
        low, high = at - half, at + half
        slope = -1 / (high - low) if high > low else -math.inf
        if -math.inf < slope < 0:
            ramps[id] = Ramp((low, high), (1.0, 0.0), (slope,), float(fill[column]))
    return ramps


class _Reader:
    """The columns of a tree as lists."""

    _COLUMNS = ("n_children", "first_child", "family", "strict", "column", "otherwise", "missing_to", "weight")
    _POOLS = ("cut_begin", "cut_at", "level_begin", "level", "level_branch")

    def __init__(self, tree: Tree, soft: bool) -> None:
        self.tree = tree
        self.soft = soft
        self.state: dict[str, Any] = {name: tree._state[name].tolist() for name in (*self._COLUMNS, *self._POOLS)}
        self.column: list[int] = self.state["column"]
        self._presence = tree.families.index("presence")
        begin = tree._state["surrogate_begin"]
        owners = np.flatnonzero(np.diff(begin)).tolist() if len(begin) else []
        self.surrogates = {id: surrogates_of(tree, id) for id in owners}

    def home(self, id: int) -> int:
        """Where a missing cell jumps to."""
        branch: int = self.state["missing_to"][id]
        return branch if branch < 0 else self.state["first_child"][id] + branch

    def intervals(self, id: int) -> tuple[tuple[float, ...], tuple[int, ...]]:
        """The cuts of a node and where each interval leads."""
        state = self.state
        first = state["first_child"][id]
        if state["family"][id] == self._presence:
            return (), (first,)
        if not self.tree.columns[self.column[id]].nominal:
            begin, end = owned(state, "cut", id)
            return tuple(state["cut_at"][begin:end]), tuple(range(first, first + end - begin + 1))
        return self._runs(id, first)

    def _runs(self, id: int, first: int) -> tuple[tuple[float, ...], tuple[int, ...]]:
        """Known levels in order of their numbers, put together where they lead to one place."""
        state = self.state
        begin, end = owned(state, "level", id)
        listed = dict(zip(state["level"][begin:end], state["level_branch"][begin:end], strict=True))
        otherwise = state["otherwise"][id]
        rest = first + otherwise if otherwise >= 0 else LOST if id in self.surrogates else self.home(id)
        return self._joined(self.column[id], {code: first + branch for code, branch in listed.items()}, rest)

    def runs_of(self, surrogate: Surrogate, branches: Sequence[int], rest: int) -> tuple[tuple[float, ...], tuple[int, ...]]:
        """Cuts and jumps of a surrogate by levels; those it does not list go on to the next."""
        ways = {code: branches[b] for b in (0, 1) for code in surrogate.when[b].levels or ()}
        return self._joined(surrogate.when[0].index, ways, rest)

    def _joined(self, column: int, ways: Mapping[int, int], rest: int) -> tuple[tuple[float, ...], tuple[int, ...]]:
        codes = self.tree.seen_levels(column) if self.tree.schema.known else range(len(self.tree.columns[column].levels))
        jumps = [(code, ways.get(code, rest)) for code in codes]
        if not jumps:  # no level was ever seen: every cell is missing
            return (), (rest,)
        ends = [a for a, b in pairwise(jumps) if a[1] != b[1]]
        return tuple(float(code) for code, _ in ends), tuple([to for _, to in ends] + [jumps[-1][1]])

    def ways(self, id: int) -> tuple[tuple[int, float], ...]:
        """The branches of a node with their shares of a row that takes them all."""
        first, n = self.state["first_child"][id], self.state["n_children"][id]
        weights = self.state["weight"][first : first + n]
        if self.soft:  # summed as soft votes sum them
            total = float(self.tree._state["weight"][first : first + n].sum())
        else:
            total = [*accumulate(weights)][-1]
        shares = [weight / total if total > 0 else 1 / n for weight in weights]
        return tuple((first + k, share) for k, share in enumerate(shares) if share > 0)

    def answers(self) -> tuple[list[int], list[Answer]]:
        """What the leaves say, each answer once."""
        tree = self.tree
        place: dict[Answer, int] = {}
        answer = []
        label, models = tree._state["label"].tolist(), tree.models
        values = (tree._state["value"][:, None] if tree.vectors is None else tree.vectors).tolist()
        for id, tested in enumerate(self.column):
            if tested != ANSWER:
                answer.append(REFUSED)
                continue
            if models is not None:
                said = computed(models.equations(id, tree.schema))
            else:
                said = Answer(label[id], tuple(tree.node_shares(id).tolist())) if label else Answer(REFUSED, tuple(values[id]))
            answer.append(place.setdefault(said, len(place)))
        return answer, list(place)
