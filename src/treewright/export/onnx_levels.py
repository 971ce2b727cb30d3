"""The shares of divided rows as tables for ONNX: level by level what each share is multiplied with."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from treewright.export.node_table import intervals
from treewright.export.program import ANSWER, REFUSED, SPREAD, Program, Ramp, Sigmoid

_WAYS = 100_000  # by which leaves are reached, where ways meet

Factors = tuple[float, ...]


@dataclass
class Level:
    """What every share of a row is multiplied with on one level: edges, by the share each comes from and the cell it looks at."""

    parent: list[int] = field(default_factory=list)
    column: list[int] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)
    by_level: list[bool] = field(default_factory=list)
    base: list[int] = field(default_factory=list)
    soft_base: list[int] = field(default_factory=list)  # the same where soft thresholds count
    ramp: list[Ramp | Sigmoid | None] = field(default_factory=list)
    above: list[bool] = field(default_factory=list)  # whether what does not go below a ramp is meant

    def add(self, *entry: object) -> None:
        """Add an edge."""
        for entries, one in zip(vars(self).values(), entry, strict=True):
            entries.append(one)


class Levels:
    """The shares of a row that come to all ends, level by level.

    A level has a share for every node of its depth and for every end above it; each is that of its parent times a factor, which
    depends on one cell: of the table ``factors`` from the edge's ``base`` on the one of the cell's level, or of whether a number
    lies inside (low, high]; before it stand those of a cell that is refused and of a missing one.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.factors: list[float] = []
        self._at: dict[Factors, int] = {}
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
        """Where the first factor of a cell that is present stands."""
        if factors not in self._at:
            self._at[factors] = len(self.factors) + 2
            self.factors += factors
        return self._at[factors]

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
        front, walked = [0], [0]  # nodes of a level, and how many fractions are walked before the one that comes there
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
        missing = soft_missing = factor(p.missing[node])
        if ramp is not None and ramp.fill is not None:
            below = ramp.below(ramp.fill)
            soft_missing = {p.to[node][0]: below, p.to[node][1]: 1 - below}.get(to, 0.0)
            missing = missing if self.apart else soft_missing
        ramp = ramp if to in p.to[node] else None
        cuts, jumps = intervals(p, node)
        above = ramp is not None and to != p.to[node][0]
        if one.by_level:
            codes = [factor(jumps[_interval(cuts, code)]) for code in range(max((c for c, _ in one.labels), default=-1) + 1)]
            base = self._place((math.nan, missing, *codes))
            level.add(parent, p.column[node], 0.0, 0.0, True, base, base, ramp, above)
            return 1
        # A cell that is refused takes the row along on the first edge.
        first = to == p.successors(node)[0]
        runs = list(_runs([factor(jump) if jump != REFUSED or first else 0.0 for jump in jumps]))
        for begin, end, value in runs or [(0, len(cuts), 0.0)]:
            low, high = cuts[begin - 1] if begin else -math.inf, cuts[end] if end < len(cuts) else math.inf
            base, soft_base = (self._place((math.nan, each, 0.0, value)) for each in (missing, soft_missing))
            level.add(parent, p.column[node], low, high, False, base, soft_base, None if math.isnan(value) else ramp, above)
            missing = soft_missing = 0.0
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
