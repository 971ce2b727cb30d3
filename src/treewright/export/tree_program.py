"""A tree as a flat program: its nodes keep their numbers, unless surrogates stand between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from treewright.export.labels import class_labels, inputs_of
from treewright.export.program import ANSWER, REFUSED, SPREAD, Answer, Program, Ramp, Term
from treewright.model.node_columns import owned
from treewright.model.surrogate import Surrogate, surrogates_of
from treewright.model.tree import Tree

_LOST = -3  # while a program is made: where a missing cell goes


def flat_program(tree: Tree, order: Sequence[int] | None = None) -> Program:
    """Write a tree as a flat program.

    Parameters
    ----------
    tree : Tree
        The tree; its nodes keep their numbers, unless surrogates stand between them.
    order : sequence of int, optional
        Positions of the declared classes in the order in which shares are given (default: all, as declared).
    """
    ramps = {id: Ramp(*gate.pieces) for id, gate in tree.gates.items()}
    reader = _Reader(tree, bool(ramps))
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
        inputs=inputs_of(tree.schema),
        target=tree.target.name,
        classes=class_labels(classes),
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
        outputs=tree.leaf_model.outputs,
        bounded=tree.leaf_model.bounded,
        scores=tree.leaf_model.scored,
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
        jumps = tuple(first if jump == _LOST else moved(jump) for jump in to[id])
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
        rest = first + otherwise if otherwise >= 0 else _LOST if id in self.surrogates else self.home(id)
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
        place: dict[Answer, int] = {}
        answer = []
        for id, tested in enumerate(self.column):
            if tested != ANSWER:
                answer.append(REFUSED)
                continue
            label, values, terms = self.tree.leaf_model.program(id)
            given = Answer(label, values, tuple(tuple(Term(*term) for term in each) for each in terms))
            answer.append(place.setdefault(given, len(place)))
        return answer, list(place)
