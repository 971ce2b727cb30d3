"""A flat program as tables for ONNX: nodes of one cut each for rows that go one way, and levels of shares for rows in parts."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from treewright.export.program import ANSWER, REFUSED, SPREAD, Derived, Program, Ramp

_WAYS = 100_000  # by which leaves are reached, where ways meet


class Table:
    """Nodes of one cut each: a node with more is a search among its cuts. Nodes that answer lead to themselves."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.column: list[int] = []
        self.cut: list[float] = []
        self.below: list[int] = []
        self.above: list[int] = []
        self.gone: list[int] = []
        self.answer: list[int] = []
        self.leaf: list[int] = []
        self.depth = 0
        n = program.size
        for node in range(n):
            self._add(program.column[node], leaf=node if program.column[node] == ANSWER else -1, answer=program.answer[node])
        self.none = self._add(ANSWER, leaf=-1, answer=REFUSED)
        self.several = self._add(ANSWER, leaf=-1, answer=REFUSED)  # where rows end that go on in parts
        deep = [0] * n
        for node in range(n):
            if program.column[node] == ANSWER:
                continue
            steps = self._search(node)
            for to in program.successors(node):
                deep[to] = max(deep[to], deep[node] + steps)
            self.depth = max(self.depth, deep[node] + steps)

    def _add(self, column: int, leaf: int = -1, answer: int = REFUSED) -> int:
        at = len(self.column)
        self.column.append(column)
        self.cut.append(0.0)
        self.leaf.append(leaf)
        self.answer.append(answer)
        for jumps in (self.below, self.above, self.gone):
            jumps.append(at)
        return at

    def _jump(self, to: int) -> int:
        return self.none if to == REFUSED else self.several if to == SPREAD else to

    def _search(self, node: int) -> int:
        """Fill in a node; return the most steps it takes."""
        p = self.program
        (cuts, jumps), gone = intervals(p, node), self._jump(p.missing[node])
        one = p.tested(p.column[node])
        if one.by_level and one.strict:  # levels that are refused have a number below all others
            cuts, jumps = [-0.5, *cuts], [REFUSED, *jumps]
        steps = 1
        open_ = [(node, 0, len(cuts), 1)]
        while open_:
            at, low, high, depth = open_.pop()
            steps = max(steps, depth)
            self.gone[at] = gone
            if low == high:
                self.below[at] = self.above[at] = self._jump(jumps[low])
                continue
            middle = (low + high - 1) // 2
            self.cut[at] = cuts[middle]
            for side, begin, end in ((self.below, low, middle), (self.above, middle + 1, high)):
                if begin == end:
                    side[at] = self._jump(jumps[begin])
                else:
                    side[at] = self._add(p.column[node])
                    open_.append((side[at], begin, end, depth + 1))
        return steps


def intervals(program: Program, node: int) -> tuple[list[float], list[int]]:
    """The largest number of every interval of a node but the last, and where each leads."""
    cuts, to = program.cuts[node], program.to[node]
    # x < cut is x <= the number before it.
    upper = [math.nextafter(cut, -math.inf) for cut in cuts] if program.less[node] else list(cuts)
    if refusable(program, program.column[node]):
        return [*upper, sys.float_info.max], [*to, REFUSED]
    return upper, list(to)


def refusable(program: Program, column: int) -> bool:
    """Whether a node tests a number that is infinite where a level that it is computed from is refused."""
    k = column - len(program.inputs)
    return k >= 0 and bool(strict_columns(program, program.derived[k]))


def strict_columns(program: Program, derived: Derived) -> list[int]:
    """The columns of levels that are refused if unseen, of those a number is computed from."""
    used = dict.fromkeys(term.column for term in derived.terms)
    return [j for j in used if program.inputs[j].strict and program.inputs[j].by_level]


Factors = tuple[float, ...]


@dataclass
class Level:
    """What every part of a row is multiplied with on one level: edges, by the part each comes from and the cell it looks at."""

    parent: list[int] = field(default_factory=list)
    column: list[int] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)
    by_level: list[bool] = field(default_factory=list)
    base: list[int] = field(default_factory=list)
    soft_base: list[int] = field(default_factory=list)  # the same where soft thresholds count
    ramp: list[Ramp | None] = field(default_factory=list)
    above: list[bool] = field(default_factory=list)  # whether what does not go below a ramp is meant

    def add(self, *entry: object) -> None:
        """Add an edge."""
        for entries, one in zip(vars(self).values(), entry, strict=True):
            entries.append(one)


class Parts:
    """The shares of a row that come to all ends, level by level.

    A level has a share for every node of its depth and for every end above it; each is that of its parent times a factor, which
    depends on one cell: of the table ``factors`` from the edge's ``base`` on the one of the cell's level, or of whether a number
    lies inside (low, high]; before it stand those of a cell that is refused and of a missing one.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.factors: list[float] = []
        self._known: dict[Factors, int] = {}
        self._on = self._place((1.0, 1.0, 1.0, 1.0))
        # Where rows go several ways at hard thresholds too, a missing cell that a soft one takes for a number has two factors.
        self.apart = program.divides and any(ramp.fill is not None for ramp in program.soft.values())
        self.levels: list[Level] = []
        # Ends in the order in which they are added up, and where their shares stand on the last level.
        self.ends: list[int] = []
        self.places: list[int] = []
        if program.in_turn:
            self.begin = len(program.rules) + 1
            self._rules()
        else:
            self.begin = 1
            self._tree()

    def _place(self, factors: Factors) -> int:
        """Where the first factor of a known cell stands."""
        if factors not in self._known:
            self._known[factors] = len(self.factors) + 2
            self.factors += factors
        return self._known[factors]

    def _rules(self) -> None:
        p = self.program
        spans = [*p.rules, (p.size - 1, p.size - 1)]
        for step in range(max(answer - begin for begin, answer in spans)):
            level = Level()
            for k, (begin, answer) in enumerate(spans):
                if begin + step < answer:
                    self._edge(level, k, begin + step, begin + step + 1)
                else:
                    self._stay(level, k)
            self.levels.append(level)
        self.ends, self.places = [answer for _, answer in spans], list(range(len(spans)))

    def _tree(self) -> None:
        p = self.program
        front, walked = [0], [0]  # nodes of a level, and the number of the part that comes to each on the way it stands for
        while any(p.column[node] != ANSWER for node in front):
            level, after, order = Level(), [], []
            for k, node in enumerate(front):
                if p.column[node] == ANSWER:
                    self._stay(level, k)
                    after.append(node)
                    order.append(walked[k])
                for to in p.successors(node):
                    edges = self._edge(level, k, node, to)
                    after += [to] * edges
                    order += [walked[k] + (p.walked_before(node, to) if p.rejoins else 0)] * edges
            if len(after) > _WAYS and not p.is_tree:
                raise ValueError(
                    "ONNX cannot hold this model: ways meet, and so many lead to its leaves that a table of all is too large; "
                    "use to_python, to_javascript, to_c or to_sql"
                )
            self.levels.append(level)
            front, walked = after, order
        order = sorted(range(len(front)), key=lambda k: (p.turn[front[k]], walked[k]))
        self.ends, self.places = [front[k] for k in order], order

    def _stay(self, level: Level, parent: int) -> None:
        level.add(parent, self.program.used[0], -math.inf, math.inf, False, self._on, self._on, None, False)

    def _edge(self, level: Level, parent: int, node: int, to: int) -> int:
        """What goes from a node to another; how many edges that takes, one for every interval with a factor of its own."""
        p = self.program
        one = p.tested(p.column[node])
        ways = dict(p.ways.get(node, ()))

        def factor(jump: int) -> float:
            return math.nan if jump == REFUSED else ways.get(to, 0.0) if jump == SPREAD else float(jump == to)

        ramp = p.soft.get(node)
        lost = soft_lost = factor(p.missing[node])
        if ramp is not None and ramp.fill is not None:
            below = ramp.below(ramp.fill)
            soft_lost = {p.to[node][0]: below, p.to[node][1]: 1 - below}.get(to, 0.0)
            lost = lost if self.apart else soft_lost
        ramp = ramp if to in p.to[node] else None
        cuts, jumps = intervals(p, node)
        above = ramp is not None and to != p.to[node][0]
        if one.by_level:
            codes = [factor(jumps[_interval(cuts, code)]) for code in range(max((c for c, _ in one.labels), default=-1) + 1)]
            base = self._place((math.nan, lost, *codes))
            level.add(parent, p.column[node], 0.0, 0.0, True, base, base, ramp, above)
            return 1
        # A cell that is refused takes the row along on the first edge.
        first = to == p.successors(node)[0]
        runs = list(_runs([factor(jump) if jump != REFUSED or first else 0.0 for jump in jumps]))
        for begin, end, value in runs or [(0, len(cuts), 0.0)]:
            low, high = cuts[begin - 1] if begin else -math.inf, cuts[end] if end < len(cuts) else math.inf
            base, soft_base = (self._place((math.nan, gone, 0.0, value)) for gone in (lost, soft_lost))
            level.add(parent, p.column[node], low, high, False, base, soft_base, None if math.isnan(value) else ramp, above)
            lost = soft_lost = 0.0
        return len(runs) or 1


def _interval(cuts: Sequence[float], x: float) -> int:
    return sum(x > cut for cut in cuts)


def _runs(factors: Sequence[float]) -> Iterator[tuple[int, int, float]]:
    """First and last interval of every run that has one factor; runs of 0 are left out."""
    begin = 0
    for value, run in groupby(factors, key=repr):
        end = begin + len(list(run))
        if float(value) != 0:
            yield begin, end - 1, float(value)
        begin = end
