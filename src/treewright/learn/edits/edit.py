"""A tree that a person edits: every edit is checked, scored and logged, and can be undone."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

from treewright.errors import TreewrightWarning, shown
from treewright.learn.edits.bench import Bench, Held, error_of, refuse_learner, refuse_tree
from treewright.learn.edits.folds import Folds, made
from treewright.learn.edits.log import Entry, beginning, history
from treewright.learn.edits.scores import LeftOut, Scores
from treewright.learn.edits.verbs import Edited
from treewright.learn.tree import TreeLearner
from treewright.learn.values import seed_of
from treewright.model import Tree
from treewright.model.candidates import Candidate
from treewright.prune.rows import Rows, given_rows
from treewright.table.folds import fold_rows
from treewright.table.streams import as_table

E = TypeVar("E")
_OF_TABLE = ("n_features_in_", "feature_names_in_")


class Edit(Generic[E]):
    """A fitted tree that is edited on its training rows; see ``docs/workbench.md``.

    Every verb gives a new tree, which is also :attr:`tree`; trees that were there before stay as they are. A verb that is refused
    changes nothing.
    """

    def __init__(
        self,
        learner: TreeLearner[Any],
        learned: dict[str, Any],
        rows: Rows,
        *,
        validation: Any = None,
        folds: Any = None,
        random_state: Any = None,
        finish: Callable[[dict[str, Any]], E],
    ) -> None:
        tree: Tree = learned["tree_"]
        refuse_tree(tree)
        refuse_learner(learner)
        training = learner.training(as_table(rows.X), rows.y, rows.sample_weight)
        self._bench = Bench(learner, training)
        _refuse_others(tree, self._bench)
        self._learned, self._finish, self._rows = learned, finish, rows
        self._validation = given_rows(validation)
        classes = training.codes if training.target.nominal else None
        self._folds: Folds | None = None
        if folds is not None:
            splits = fold_rows(folds, self._bench.n_rows, classes, seed_of(random_state), training.kept, rows.X)
            self._folds = Folds(self._bench, tree, splits)
        self._before: list[Entry] = list(learned.get("edits_", []))
        first = Edited(tree, {})
        first = Edited(tree, {first.path(node): word for node, word in tree.by_hand.items()})
        self._states, self._entries, self._at = [first], list[Entry](), 0
        self._scores: dict[int, Scores] = {}
        #: Entries of a log that could not be made again: see :func:`treewright.replay`.
        self.left_out: tuple[LeftOut, ...] = ()

    # -- what is there -------------------------------------------------------------------------------------------------

    @property
    def tree(self) -> Tree:
        """The tree as it is now."""
        return self._states[self._at].tree

    @property
    def state(self) -> Edited:
        """The tree with its marks and locks; another one after every edit."""
        return self._states[self._at]

    @property
    def bench(self) -> Bench:
        """The rows it is edited by."""
        return self._bench

    @property
    def steps(self) -> tuple[int, int]:
        """How many edits can be undone, and how many redone."""
        return self._at, len(self._entries) - self._at

    def held(self, node: int) -> Held:
        """The training rows of a node."""
        self.state.path(node)
        return self._bench.held(self.tree._core, int(node))

    @property
    def edits(self) -> list[Entry]:
        """What has been done in this session, and not undone."""
        return [dict(entry) for entry in self._entries[: self._at]]

    @property
    def log(self) -> list[Entry]:
        """How the tree came about, from the fit on: plain values, by which :func:`treewright.replay` makes it again."""
        if not self._before:
            bench = self._bench
            first = self._states[0].tree
            self._before = [beginning(bench.learner, bench.training, first, self._grown())]
        return [*map(dict, self._before), *self.edits]

    @property
    def history(self) -> list[str]:
        """The log in words."""
        return history(self.log)

    @property
    def locked(self) -> list[int]:
        """The nodes that are locked."""
        state = self._states[self._at]
        return sorted(map(state.node, state.locks))

    @property
    def scores(self) -> Scores:
        """How the tree fares now."""
        if self._at not in self._scores:
            tree = self.tree
            validation = None
            if self._validation is not None:
                cells, codes, weights = self._validation.numbers(tree)
                validation = error_of(tree, cells, len(codes), codes, weights.given)
            folds = None if self._folds is None else self._folds.judged(self._entries[: self._at])
            self._scores[self._at] = Scores(self._bench.error(tree), validation, folds, tree.n_leaves)
        return self._scores[self._at]

    @property
    def before(self) -> Scores | None:
        """How the tree fared before the last edit, where that was asked for."""
        return self._scores.get(self._at - 1)

    def alternatives(self, node: int) -> list[Candidate]:
        """The best split of every column for the rows of a node, the best first: what :meth:`swap` chooses from.

        Parameters
        ----------
        node : int
            Number of the node.

        Returns
        -------
        list of Candidate
        """
        state, held = self.state, self.held(node)
        if not len(held.rows):
            return []
        core = self._bench.weighed(held)
        root = Tree(core, state.tree.schema, state.tree.target).root
        weighed = root.candidates if len(core.state()["weighed_begin"]) else []
        return sorted(weighed, key=lambda each: -each.merit)

    # -- verbs ---------------------------------------------------------------------------------------------------------

    def grow(self, node: int = 0, steps: int | None = 1) -> Tree:
        """Grow the leaves at and below a node, as the estimator chooses splits.

        Its limits on rows hold (such as ``min_samples_leaf``), those of size do not (``max_depth``, ``max_leaf_nodes``), and
        nothing is pruned. Locked nodes stay.

        Parameters
        ----------
        node : int, default 0
            Number of the node.
        steps : int or None, default 1
            How many levels; None: as many as the limits allow.
        """
        return self._do("grow", node, steps=steps)

    def split(self, node: int, column: str, *, at: Any = None, levels: Any = None) -> Tree:
        """Give a node another test, with leaves below it.

        Parameters
        ----------
        node : int
            Number of the node, a leaf or not.
        column : str
            The column: alone, its best split is taken. Or a condition, such as ``"humidity <= 75"``, ``"2 < x <= 5"``,
            ``"city in {Bonn, Jena}"`` or ``"income is missing"``: the rows that satisfy it against the others.
        at : number, date or list of these, optional
            Where a column of numbers is cut.
        levels : list, optional
            Levels that go one way, all others the other; or a list of such lists, which name every level.
        """
        given = {name: value for name, value in (("at", _plain(at)), ("levels", _plain(levels))) if value is not None}
        return self._do("split", node, column=column, **given)

    def swap(self, node: int, candidate: int = 1) -> Tree:
        """Give a node the split of another column: the one at a position of :meth:`alternatives`.

        Parameters
        ----------
        node : int
            Number of the node.
        candidate : int, default 1
            Which one; 0 is the best.
        """
        found = self.alternatives(node)
        if isinstance(candidate, bool) or not isinstance(candidate, (int, np.integer)) or not 0 <= candidate < len(found):
            many = f"it has {len(found)}, from 0" if found else "there is none"
            raise ValueError(
                f"candidate={shown(candidate)} is not allowed: it must be one of the alternatives of node {node}; {many}"
            )
        return self._do("swap", node, column=found[int(candidate)].column)

    def cut(self, node: int) -> Tree:
        """Make a node a leaf."""
        return self._do("cut", node)

    def relabel(self, node: int, says: Any) -> Tree:
        """Let a leaf say another class, or another number; what is known of its rows stays.

        Parameters
        ----------
        node : int
            Number of the leaf.
        says : class or number
            What rows are told there. (A row that is divided among several leaves is told by the shares of their rows.)
        """
        return self._do("relabel", node, says=_plain(says))

    def lock(self, node: int) -> Tree:
        """Keep a node as it is, with all below it, until it is unlocked."""
        return self._do("lock", node)

    def unlock(self, node: int) -> Tree:
        """Let a locked node be edited again."""
        return self._do("unlock", node)

    def merge(self, *nodes: int) -> Tree:
        """Make one leaf of leaves that hang at the same node: neighbouring ranges, or any levels.

        Parameters
        ----------
        *nodes : int
            Numbers of the leaves, two or more.
        """
        state = self._states[self._at]
        paths = [state.path(node) for node in nodes]
        if len(paths) < 2 or len({path[:-1] for path in paths}) > 1 or not all(paths):
            raise ValueError(f"nodes {list(nodes)} are not two or more leaves of one node")
        return self._do("merge", state.node(paths[0][:-1]), branches=sorted(path[-1] for path in paths))

    def regrow(self, node: int = 0, **parameters: Any) -> Tree:
        """Let the estimator make of the rows of a node what it makes of a table, pruning and all.

        Parameters
        ----------
        node : int, default 0
            Number of the node.
        **parameters
            Parameters of the estimator that are other than they were; limits such as ``max_depth`` count from the node. The
            criterion, costs and what happens to missing cells are those of the whole tree.
        """
        return self._do("regrow", node, **({"parameters": parameters} if parameters else {}))

    def undo(self) -> Tree:
        """Take the last edit back."""
        if self._at == 0:
            raise ValueError("there is nothing to undo")
        self._at -= 1
        return self.tree

    def redo(self) -> Tree:
        """Do again what was undone last."""
        if self._at == len(self._entries):
            raise ValueError("there is nothing to redo")
        self._at += 1
        return self.tree

    # -- results -------------------------------------------------------------------------------------------------------

    def estimator(self) -> E:
        """The estimator with the edited tree: fitted, as any other; ``edits_`` is the log."""
        bench, tree = self._bench, self.tree
        learned: dict[str, Any] = {name: value for name, value in self._learned.items() if name in _OF_TABLE}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TreewrightWarning)  # the fit has said what there is to say
            tree, facts = bench.learner.look_back(tree, bench.training, bench.settings)
        return self._finish({**learned, **facts, "tree_": tree.marked(self.tree.by_hand), "edits_": self.log})

    def to_text(self) -> str:
        """The log in words, and the tree."""
        return "\n".join([*(f"{at}. {line}" for at, line in enumerate(self.history)), "", self.tree.to_text()])

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Edit: {self._at} edits, {self.tree.size_text}>"

    # -- how -----------------------------------------------------------------------------------------------------------

    def _do(self, verb: str, node: Any, **given: Any) -> Tree:
        state = self._states[self._at]
        path = state.path(node)
        entry: Entry = {"verb": verb, "path": list(path), "asked": state.asked(path), "where": state.where(path), **given}
        self.apply(entry)
        return self.tree

    def apply(self, entry: Entry) -> None:
        """Do what an entry of a log says."""
        new = made(self._bench, self._states[self._at], entry)
        new.tree.validate()
        at = self._at
        self._states[at + 1 :], self._entries[at:] = [new], [entry]
        self._scores = {k: score for k, score in self._scores.items() if k <= at}
        self._at = at + 1

    def position(self) -> tuple[Any, ...]:
        """Where the session stands, to go back to with :meth:`go_back`."""
        return list(self._states), list(self._entries), self._at

    def go_back(self, position: tuple[Any, ...]) -> None:
        """Stand where the session stood."""
        self._states, self._entries, self._at = position
        self._scores = {}

    def _grown(self) -> Tree:
        """The tree that the estimator makes of the rows."""
        bench = self._bench
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TreewrightWarning)
            grown: Any = bench.learner.learn_from(bench.training).model
        return grown


def _plain(value: Any) -> Any:
    """A value of NumPy as one of Python; lists and sets likewise."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(each) for each in value), key=repr)
    return value


def _refuse_others(tree: Tree, bench: Bench) -> None:
    """Refuse rows that are not those the tree was grown from."""
    training = bench.training
    if tuple(training.columns) != tree.columns or training.target.classes != tree.target.classes:
        raise ValueError(
            "the columns or classes of these rows are not those the tree was grown from: edit it on its training rows"
        )
    grown, given = float(tree.node_columns.weight[0]), bench.weight(bench.everything())
    if abs(given - grown) > 1e-6 * grown:
        raise ValueError(
            f"a tree is edited on its training rows: X and y weigh {given:g}, the tree was grown from {grown:g}; "
            "est.refresh(X, y) renews its leaves by other rows"
        )
