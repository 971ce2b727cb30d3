"""An edited tree judged by cross-validation: the estimator is fitted without each fold, and all edits are made again there."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.errors import shown
from treewright.learn.edits.bench import Bench
from treewright.learn.edits.log import Entry
from treewright.learn.edits.scores import CrossValidated
from treewright.learn.edits.verbs import VERBS, Edited, Path
from treewright.learn.jobs import Progress
from treewright.model import Tree
from treewright.model.weighing import in_given_unit

REFUSALS = (ValueError, IndexError, TypeError)


def made(bench: Bench, edited: Edited, entry: Entry) -> Edited:
    """A tree after an edit; an error if the node it is about is not there, or lies behind other questions."""
    path: Path = tuple(entry["path"])
    edited.node(path)
    if (asked := edited.asked(path)) != list(entry["asked"]):
        k = next(k for k, (a, b) in enumerate(zip(asked, entry["asked"], strict=True)) if a != b)
        raise ValueError(f"node {edited.node(path[:k])} asks for {shown(asked[k])} now, it asked for {shown(entry['asked'][k])}")
    given = {name: value for name, value in entry.items() if name not in ("verb", "path", "asked", "where")}
    out = VERBS[entry["verb"]](bench, edited, path, **given)
    said = out.node(path) if entry["verb"] == "relabel" else None
    core = bench.kept(out.tree, said)
    return out if core is out.tree._core else out.with_core(core, out.marks)


class _Fold:
    """A fold: what the estimator makes of the others, and the same edits made on that."""

    def __init__(self, bench: Bench, test: Any, start: Edited) -> None:
        self.bench, self.test = bench, test
        self.states: list[tuple[Edited, int]] = [(start, 0)]
        self.entries: list[Entry] = []  # that were followed

    def follow(self, entries: list[Entry]) -> tuple[Edited, int]:
        """The tree after all entries, and how many could not be made; what was followed before is not made again."""
        pairs = enumerate(zip(self.entries, entries, strict=False))
        same = next((k for k, (a, b) in pairs if a is not b), min(len(self.entries), len(entries)))
        del self.states[same + 1 :]
        for entry in entries[same:]:
            edited, left_out = self.states[-1]
            try:
                self.states.append((made(self.bench, edited, entry), left_out))
            except REFUSALS:
                self.states.append((edited, left_out + 1))
        self.entries = list(entries)
        return self.states[-1]


class Folds:
    """The folds of a table; the trees of the folds are grown when they are first asked for.

    Parameters
    ----------
    bench : Bench
        The whole table.
    tree : Tree
        The tree that is edited, as it was at first.
    splits : list of (train, test)
        Positions of the rows that each fold is fitted to, and judged by.
    """

    def __init__(self, bench: Bench, tree: Tree, splits: list[tuple[Any, Any]]) -> None:
        self.bench, self.tree, self.splits = bench, tree, splits
        self._grown: list[_Fold] | None = None

    def judged(self, entries: list[Entry]) -> CrossValidated:
        """The error over the rows of all folds after so many edits."""
        if self._grown is None:
            self._grown = [self._fold(train, test) for train, test in self.splits]
        bench = self.bench
        square = bench.training.target.classes is None
        wrong, weight, left_out, by_fold = 0.0, 0.0, 0, list[float]()
        for fold in self._grown:
            edited, missed = fold.follow(entries)
            error = bench.error(edited.tree, fold.test)
            own = float(np.sum(bench.weights[fold.test])) if bench.weights is not None else float(len(fold.test))
            wrong, weight, left_out = wrong + own * (error**2 if square else error), weight + own, left_out + missed
            by_fold.append(error)
        whole = float(np.sqrt(wrong / weight)) if square else wrong / weight
        return CrossValidated(whole, len(by_fold), left_out, tuple(by_fold))

    def _fold(self, train: Any, test: Any) -> _Fold:
        bench, tree = self.bench, self.tree
        core = bench.learner.regrow(bench.training, bench.table, train, Progress())
        core = in_given_unit(core, tree.target)
        start = Tree(core, tree.schema, tree.target, tree.leaf_model.moved(core, tree.schema))
        return _Fold(bench.part(train), test, Edited(start, {}))
