"""A flat program as a table of nodes of one cut each, for rows that go one way: what SQL and ONNX walk down."""

from __future__ import annotations

import math
import sys

from treewright.export.program import ANSWER, REFUSED, SPREAD, Derived, Program


class NodeTable:
    """Nodes of one cut each: a node with more is a search among its cuts. Nodes that answer lead to themselves."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.column: list[int] = []
        self.cut: list[float] = []
        self.below: list[int] = []
        self.above: list[int] = []
        self.missing: list[int] = []
        self.answer: list[int] = []
        self.leaf: list[int] = []
        self.depth = 0
        n = program.size
        for node in range(n):
            self._add(program.column[node], leaf=node if program.column[node] == ANSWER else -1, answer=program.answer[node])
        self.none = self._add(ANSWER, leaf=-1, answer=REFUSED)
        self.several = self._add(ANSWER, leaf=-1, answer=REFUSED)  # where rows end that are divided
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
        for jumps in (self.below, self.above, self.missing):
            jumps.append(at)
        return at

    def _jump(self, to: int) -> int:
        return self.none if to == REFUSED else self.several if to == SPREAD else to

    def _search(self, node: int) -> int:
        """Fill in a node; return the most steps it takes."""
        p = self.program
        (cuts, jumps), missing = intervals(p, node), self._jump(p.missing[node])
        one = p.tested(p.column[node])
        if one.by_level and one.strict:  # levels that are refused have a number below all others
            cuts, jumps = [-0.5, *cuts], [REFUSED, *jumps]
        steps = 1
        open_ = [(node, 0, len(cuts), 1)]
        while open_:
            at, low, high, depth = open_.pop()
            steps = max(steps, depth)
            self.missing[at] = missing
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
