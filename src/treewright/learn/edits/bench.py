"""A table on which a tree is edited: the rows of any node, trees grown from them, and nodes described by them.

Everything is grown by the core from a part of one encoded table, so that impurities, priors, losses and policies for missing
cells are the estimator's own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import shown
from treewright.learn.costs import class_factors
from treewright.learn.edits.known import ROOT, Known, Place
from treewright.learn.jobs import Progress
from treewright.learn.learner import COSTS
from treewright.learn.training import Training
from treewright.learn.tree import TreeLearner
from treewright.model import Tree
from treewright.model.node_columns import core_tree
from treewright.model.rules import by_column
from treewright.model.weighing import in_given_unit

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]

# Under these the rows that count at a node are not those that answers send there.
_APART = ("ignore", "most_common_in_class")
_DEEPEST = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Held:
    """The rows of a node: positions among the training rows, the share of each that comes there, and where the node lies.

    Positions are ascending; shares are None where all of every row comes there.
    """

    rows: Whole
    shares: Floats | None = None
    place: Place = ROOT

    def some(self, chosen: Any, times: float = 1.0) -> Held:
        """Some of these rows, by a mask or by positions, with a part of their shares."""
        if self.shares is None and times == 1.0:
            return Held(self.rows[chosen])
        shares = np.ones(len(self.rows)) if self.shares is None else self.shares
        return Held(self.rows[chosen], shares[chosen] * times)

    def with_(self, others: Held) -> Held:
        """These rows and others."""
        rows = np.concatenate([self.rows, others.rows])
        order = np.argsort(rows, kind="stable")
        if self.shares is None and others.shares is None:
            return Held(rows[order])
        shares = [np.ones(len(held.rows)) if held.shares is None else held.shares for held in (self, others)]
        return Held(rows[order], np.concatenate(shares)[order])


class Bench:
    """The training rows of a tree, to edit it by.

    Attributes
    ----------
    learner : TreeLearner
        The algorithm that grew the tree.
    training : Training
        The rows.
    """

    def __init__(self, learner: TreeLearner[Any], training: Training) -> None:
        refuse_learner(learner)
        self.learner, self.training = learner, training
        if training.target.outputs:
            raise ValueError("y has several numbers a row: trees of several targets are not edited node by node")
        self.settings = self._exact(learner)
        if self.settings.missing in _APART and training.has_missing():
            raise ValueError(
                f"missing={self.settings.missing!r} counts rows with missing cells at other nodes than it sends them to: "
                "such a tree is not edited; fit with another policy, such as missing='majority'"
            )
        self.encoded = training.table()
        self.encoded.prepare(self.settings)
        self.target = learner.judged_target(training, self.settings)
        self.weights = None if training.weights is None else np.asarray(training.weights, np.float64)

    def _exact(self, learner: TreeLearner[Any]) -> _core.GrowSettings:
        """The settings of an algorithm, without bins: an edit looks at every value of the few rows it is about."""
        settings = learner.settings(self.training)
        if self.bins:
            settings.max_bins = 0
        return settings

    @property
    def bins(self) -> bool:
        """Whether the algorithm puts numbers in bins first."""
        return self.learner.chosen.get("max_bins") is not None

    @cached_property
    def _of_leaves(self) -> TreeLearner[Any]:
        """The algorithm for rows that are asked for nothing: what columns may meet is not gone through for every leaf."""
        sets = self.learner.given.get("interaction_cst")
        return self.learner if sets is None else self.learner.changed(interaction_cst=None)

    @cached_property
    def table(self) -> _core.TableInput:
        """The table as the algorithm encodes it for itself."""
        if not self.bins:
            return self.encoded
        table = self.training.table()
        table.prepare(self.learner.settings(self.training))
        return table

    @cached_property
    def cells(self) -> list[NDArray[Any]]:
        """The cells of every column."""
        return by_column(self.training.cells[0])

    @cached_property
    def factors(self) -> Floats | None:
        """What a row of each class counts beside its weight; None: one each."""
        return None if self.training.factors is not None else class_factors(self.settings, self.training)

    @cached_property
    def reweighted(self) -> Floats | None:
        """What a row of each class counts where impurities are measured: under altered priors what can be lost of it, too."""
        losses = np.array(self.settings.loss_sums or [1.0] * len(self.training.target.classes or ()))
        if self.factors is None and not self.settings.loss_sums:
            return None
        out = losses if self.factors is None else losses * self.factors
        counts = np.bincount(self.training.codes, self.weights, len(out))
        return np.asarray(out * (counts.sum() / float(counts @ out)))

    def _scale(self, held: Held, factors: Floats) -> float:
        """What the rows of a node count in all under factors of their classes, per weight; 1 for all rows together."""
        counts = np.bincount(self.training.codes[held.rows], self.own_weights(held), len(factors))
        return float(counts @ factors) / float(counts.sum())

    @property
    def missing(self) -> str:
        """The policy for missing cells."""
        return str(self.settings.missing)

    @property
    def n_rows(self) -> int:
        """Rows of positive weight."""
        return len(self.training.codes)

    def part(self, rows: Whole) -> Bench:
        """A bench with some of the rows."""
        return Bench(self.learner, self.training.subset(rows))

    def everything(self) -> Held:
        """All rows."""
        return Held(np.arange(self.n_rows))

    def weight(self, held: Held) -> float:
        """What rows of a node weigh, in the unit of the weights."""
        return float(np.sum(self.own_weights(held)))

    def own_weights(self, held: Held) -> Floats:
        """What each of the rows weighs at the node."""
        own = np.ones(len(held.rows)) if self.weights is None else self.weights[held.rows]
        return own if held.shares is None else own * held.shares

    # -- rows of nodes -------------------------------------------------------------------------------------------------

    def held(self, core: _core.Tree, node: int) -> Held:
        """The rows of a node."""
        if node == 0:
            return self.everything()
        place = self._known(core).place(node) if self.constrained else ROOT
        return replace(self._held(core, node), place=place)

    @property
    def constrained(self) -> bool:
        """Whether not every split or answer is allowed at every node."""
        return bool(self.settings.directions or self.settings.interactions)

    def _known(self, core: _core.Tree) -> Known:
        return Known(core, self.settings.directions, self.settings.interactions)

    def kept(self, tree: Tree, said: int | None = None) -> _core.Tree:
        """A tree with its answers in the ranges that an order leaves them; refuse splits that break what is known.

        ``said``: a node whose answer somebody has given, which is refused outside its range.
        """
        if not self.constrained:
            return tree._core
        known = self._known(tree._core)
        known.check(tree.columns)
        if said is not None:
            known.check_answer(said)
        return _core.answers_in_range(tree._core, self.settings)

    def _held(self, core: _core.Tree, node: int) -> Held:
        state = core.state()
        inside = np.zeros(core.size, bool)
        inside[node] = True
        up = np.asarray(state["parent"])
        for at in range(node + 1, core.size):  # parents come before their children
            inside[at] = inside[up[at]]
        leaf, begin, leaves, shares = self._routes(core)
        if begin is None:
            return Held(np.flatnonzero(inside[leaf]))
        part = np.where(inside[leaves], shares, 0.0)
        row = np.repeat(np.arange(self.n_rows), np.diff(begin).astype(np.int64))
        total = np.bincount(row, part, self.n_rows)
        rows = np.flatnonzero(total > 0)
        own = np.minimum(total[rows], 1.0)
        own[own > 1 - 1e-12] = 1.0
        return Held(rows) if np.all(own == 1.0) else Held(rows, own)

    def _routes(self, core: _core.Tree) -> Any:
        """Where all rows end; of the last tree it is kept."""
        last = self.__dict__.get("_last")
        if last is None or last[0] is not core:
            last = self.__dict__["_last"] = (core, core.route(*self.training.cells, 1))
        return last[1]

    # -- trees of rows -------------------------------------------------------------------------------------------------

    def grown(self, held: Held, depth: int | None, column: int | None = None) -> _core.Tree:
        """The tree that growing makes of rows, without what an algorithm does afterwards.

        ``depth``: how many levels at most. ``column``: split by this column alone, if rows differ there at all.
        """
        settings = self._settings_of(held, self._of_leaves if depth == 0 else None)
        settings.max_leaves, settings.cp, settings.collapse = 0, None, False
        settings.max_depth = _DEEPEST if depth is None else depth
        at_values, settings.at_training_values = settings.at_training_values, False
        if column is not None:
            _unlimited(settings)
            settings.directions, settings.interactions = settings.directions[column : column + 1], []
        table = self._table(held, column)
        core = _core.grow(table, settings, None)
        if at_values:
            whole = self.encoded if column is None else self.encoded.narrowed([column])
            core = _core.at_training_values(core, whole)
        return self._in_unit(core, held)

    def weighed(self, held: Held) -> _core.Tree:
        """Rows as a tree of one split at most, with the best split of every column among its candidates."""
        settings = self._settings_of(held)
        _unlimited(settings)
        settings.keep_candidates, settings.max_competitors = True, 0
        settings.max_depth, settings.max_leaves = 1, 0
        settings.cp, settings.collapse, settings.at_training_values = None, False, False
        return self._in_unit(_core.grow(self._table(held, None), settings, None), held)

    def leaf(self, held: Held) -> _core.Tree:
        """Rows as a leaf."""
        return self.grown(held, 0)

    def impurity(self, held: Held) -> float:
        """The impurity of rows."""
        return float(self.leaf(held).state()["impurity"][0])

    def below(self, held: Held, depth: int, progress: Progress) -> _core.Tree:
        """What the algorithm makes of rows at a depth, under the limits of the whole table."""
        learner, deepest = self.learner, self.learner.given.get("max_depth")
        if deepest is not None:
            learner = learner.changed(max_depth=max(0, deepest - depth))
        settings = self._settings_of(held, learner)
        settings.threads = learner.threads
        at_values, settings.at_training_values = settings.at_training_values, False
        core = learner.grow(self._part(held), settings, progress).core
        return self._in_unit(_core.at_training_values(core, self.encoded) if at_values else core, held)

    def _part(self, held: Held) -> Training:
        """Rows as those of a table of their own."""
        if len(held.rows) == self.n_rows and held.shares is None:
            return self.training
        weights = None if self.weights is None and held.shares is None else self.own_weights(held)
        return self.training.part(held.rows, weights)

    def regrown(self, held: Held, learner: TreeLearner[Any]) -> _core.Tree:
        """What an algorithm makes of rows, as a table of their own."""
        part = self._part(held)
        settings = learner.settings(part)
        held.place.tell(settings)
        self._keep_factors(settings, held)
        return self._in_unit(learner.grow(part, settings, Progress()).core, held)

    def changed(self, parameters: dict[str, Any]) -> TreeLearner[Any]:
        """The algorithm with other parameters; refused are those that all nodes of a tree share."""
        unknown = [name for name in parameters if name not in self.learner.given]
        if unknown:
            raise TypeError(f"{self.learner.name} has no parameter {unknown[0]!r}")
        learner: TreeLearner[Any] = self.learner.changed(**parameters)
        learner.check(self.training.target.classes, len(self.training.columns))
        other = learner.settings(self.training)
        same = (other.criterion, other.missing) == (self.settings.criterion, self.settings.missing)
        shared = ("categorical_features", "unseen", *COSTS)
        if not same or any(name in parameters and parameters[name] is not self.learner.given[name] for name in shared):
            told = ", ".join(f"{name}={shown(value)}" for name, value in parameters.items())
            raise ValueError(f"{told}: the criterion, costs and cells of all nodes are the same; fit the whole tree with them")
        return learner

    def _settings_of(self, held: Held, learner: TreeLearner[Any] | None = None) -> _core.GrowSettings:
        """The limits of the whole table for some of its rows."""
        settings = self._exact(learner or self.learner)
        settings.threads = 1
        times = self.weight(self.everything()) / self.weight(held)
        settings.min_decrease *= times
        settings.wide_share *= times
        held.place.tell(settings)
        self._keep_factors(settings, held)
        return settings

    def _keep_factors(self, settings: _core.GrowSettings, held: Held) -> None:
        """A row counts at every node what it counts in the whole table, whatever share its class has there.

        The core scales factors such that all rows of a table weigh together what they weigh: limits on impurities follow.
        """
        if self.factors is not None:
            settings.class_weight, settings.priors = self.factors.tolist(), []
        if self.reweighted is not None:
            scale = self._scale(held, self.reweighted)
            settings.min_gain, settings.min_decrease = settings.min_gain / scale, settings.min_decrease / scale
            if settings.min_impurity is not None:
                settings.min_impurity = settings.min_impurity / scale

    def _table(self, held: Held, column: int | None) -> _core.TableInput:
        table = self.encoded if column is None else self.encoded.narrowed([column])
        if held.shares is not None:
            return table.sample(held.rows, self.own_weights(held), self.training.row_weight)
        return table if len(held.rows) == self.n_rows else table.part(held.rows)

    def _in_unit(self, core: _core.Tree, held: Held) -> _core.Tree:
        """A tree of some rows in the unit of the weights that were given, its classes counted as in the whole table."""
        core = in_given_unit(core, self.tree_target)
        if self.reweighted is None:
            return core
        scale = self._scale(held, self.reweighted)
        state = dict(core.state())
        for name in ("impurity", "gain", "weighed_gain", "weighed_after", "weighed_penalty"):
            state[name] = np.asarray(state[name]) * scale
        if self.settings.criterion != "twoing":  # whose merit has no unit
            state["weighed_merit"] = np.asarray(state["weighed_merit"]) * scale
        factors = self.factors
        if factors is None:
            return core_tree(state)
        factor = factors[np.asarray(state["class_id"])]
        count = np.asarray(state["class_weight"]) * self._scale(held, factors) / factor
        whole = np.rint(count)
        count = np.where(np.abs(whole - count) <= 1e-9 * np.maximum(whole, 1.0), whole, count)
        told = {**state, "class_weight": count * factor}
        return core_tree(told if self.settings.loss_sums else {**told, "label": _first_of_equals(told)})

    @cached_property
    def tree_target(self) -> Any:
        """The target as trees of these rows have it."""
        return replace(self.target, row_weight=self.training.row_weight)

    # -- answers -------------------------------------------------------------------------------------------------------

    def error(self, tree: Tree, rows: Whole | None = None) -> float:
        """Share of the rows that are told another class than theirs, or the root of the mean squared error."""
        cells, n_rows = self.training.cells
        codes, weights = self.training.codes, self.weights
        if rows is not None:
            cells, n_rows = [array[rows] for array in cells], len(rows)
            codes, weights = codes[rows], None if weights is None else weights[rows]
        return error_of(tree, cells, n_rows, codes, weights)


def _first_of_equals(state: dict[str, Any]) -> NDArray[Any]:
    """What nodes say: of classes that weigh the same the first, however their weights were rounded on the way."""
    label, class_id = np.array(state["label"]), np.asarray(state["class_id"])
    begin = np.asarray(state["class_begin"]).tolist()
    for id, (first, end) in enumerate(pairwise(begin)):
        own = state["class_weight"][first:end]
        if len(own) and own.max() in own[class_id[first:end] == label[id]]:
            label[id] = class_id[first + int(np.argmax(own))]
    return label


def error_of(tree: Tree, cells: list[NDArray[Any]], n_rows: int, codes: NDArray[Any], weights: NDArray[Any] | None) -> float:
    """Share of rows that are told another class than theirs, or the root of the mean squared error."""
    said = tree.predict_cells((cells, n_rows))
    if tree.target.classes is None:
        off = np.asarray(said, np.float64) - np.asarray(codes, np.float64)
        largest = float(np.max(np.abs(off), initial=0.0))
        if largest == 0.0:
            return 0.0
        return largest * float(np.sqrt(np.average((off / largest) ** 2, weights=weights)))
    place = {label: k for k, label in enumerate(tree.target.classes)}
    wrong = np.array([place[label] for label in said.tolist()]) != codes
    return float(np.average(wrong, weights=weights))


def refuse_learner(learner: Any) -> None:
    """Refuse algorithms whose trees are not made of nodes that each know what they say."""
    if not isinstance(learner, TreeLearner):
        raise TypeError(f"{learner.name} learns no single tree: only trees are edited")
    if learner.not_by_nodes is not None:
        raise ValueError(f"{learner.name} has {learner.not_by_nodes}, which belong to the tree they were made for: fit without")


def refuse_tree(tree: Tree) -> None:
    """Refuse trees whose nodes do not say one class or number each."""
    if not tree.leaf_model.by_nodes:
        raise ValueError("only trees with one class or number per leaf are edited, the leaves of this one compute what they say")
    if tree.gates:
        raise ValueError("the thresholds of this tree are soft, and belong to the tree they were made for: edit a hard tree")


def _unlimited(settings: _core.GrowSettings) -> None:
    """A column that a person asks for is taken wherever it divides the rows at all."""
    settings.min_split = settings.min_leaf = settings.min_every = settings.min_branch = 0.0
    settings.min_gain = settings.min_decrease = 0.0
    settings.min_impurity, settings.purity, settings.significance = None, 1.0, 0.0
    settings.max_features, settings.chooser, settings.penalty, settings.keep_candidates = 0, "best", False, False
    settings.proposers = ["columns"]
