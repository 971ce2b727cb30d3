"""First splits that are given, not searched for: what an expert knows, as a parameter that pipelines keep (``forced=``).

Below the splits that are given, an algorithm makes of the rows of every leaf what it makes of any rows, pruning and all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treewright import _core
from treewright.errors import out_of_range, shown
from treewright.learn.edits.bench import Bench
from treewright.learn.edits.verbs import Edited, Path, split
from treewright.learn.jobs import Progress
from treewright.learn.training import Training
from treewright.learn.tree import TreeLearner
from treewright.model import Tree
from treewright.model.weave import grafted
from treewright.model.weighing import in_rows
from treewright.table import TableSchema

_MOST = 1000  # splits that are given
_FORM = "a condition or the name of a column as text, or {'split': text, 'below': [by branch: the same again, or None]}"

First = dict[Path, str]


def read(forced: Any) -> First:
    """The splits that are given, by the branches that lead to them; refuse what says none."""
    out: First = {}
    open_: list[tuple[Path, Any]] = [((), forced)]
    while open_:
        path, given = open_.pop()
        if given is None and path:
            continue
        if isinstance(given, str):
            given = {"split": given}
        below = given.get("below", []) if isinstance(given, Mapping) else None
        named = isinstance(given, Mapping) and set(given) <= {"split", "below"} and isinstance(given.get("split"), str)
        if not named or not isinstance(below, (list, tuple)) or len(out) >= _MOST:
            raise out_of_range("forced", forced, _FORM)
        assert isinstance(given, Mapping) and below is not None
        out[path] = given["split"]
        open_.extend(((*path, branch), each) for branch, each in enumerate(below))
    return dict(sorted(out.items(), key=lambda item: (len(item[0]), item[0])))


def forced_tree(
    learner: TreeLearner[Any], training: Training, forced: Any, progress: Progress, part: bool = False
) -> tuple[_core.Tree, dict[int, str]]:
    """The tree of rows below splits that are given, and a word for each of these by its node.

    ``part``: these rows are some of a table; a split that does not divide them is left out.
    """
    first = read(forced)
    if learner.given.get("max_leaf_nodes") is not None:
        raise ValueError("forced= and max_leaf_nodes= exclude each other: below forced splits every leaf is grown by itself")
    if learner.given.get("max_bins") is not None:
        raise ValueError("forced= and max_bins= exclude each other: bins are of the whole table, forced splits at any value")
    if learner.given.get("trials") or learner.given.get("window") or learner.given.get("increment"):
        raise ValueError("forced= and windows exclude each other: windows grow trees from some of the rows")
    bench = Bench(learner, training)
    levels = learner.known_levels(training)
    schema = TableSchema(tuple(training.columns), training.named, levels, "missing", bench.missing)
    edited = Edited(Tree(bench.leaf(bench.everything()), schema, bench.tree_target), {})
    for path, text in first.items():
        try:
            edited.node(path)
            edited = split(bench, edited, path, text)
            bench.kept(edited.tree)
        except ValueError as error:
            if part:
                continue
            where = "" if not path else f" at branch {' of branch '.join(map(str, path[::-1]))}"
            raise ValueError(f"forced split {shown(text)}{where} cannot be made: {error}") from error
    core = edited.tree._core
    pieces = {}
    for node in edited.tree.leaves():
        held = bench.held(core, node.id)
        if len(held.rows):
            pieces[node.id] = bench.below(held, node.depth, progress)
    marks = dict.fromkeys(edited.marks, "forced")
    grown = edited.with_core(grafted(core, pieces), marks)
    return in_rows(bench.kept(grown.tree), bench.tree_target), dict(grown.tree.by_hand)
