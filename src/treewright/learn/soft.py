"""Soft decision trees (Irsoy, Yildiz and Alpaydin 2012): gates that send a row both ways, grown node by node by descent."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

import numpy as np

from treewright import _core
from treewright.errors import real
from treewright.learn.class_tree import ClassTreeLearner
from treewright.learn.growing import Grown
from treewright.learn.jobs import Progress
from treewright.learn.number_tree import NumberTreeLearner
from treewright.learn.short_gates import shortened
from treewright.learn.soft_tree import Floats, SoftNodes, Targets, gated, soft_tree
from treewright.learn.standardised import Standardised
from treewright.learn.training import Training
from treewright.learn.tree import TreeLearner
from treewright.learn.values import flag, seed_of, whole
from treewright.model import Tree
from treewright.model.gates import SigmoidGate
from treewright.recipe import Recipe
from treewright.store.damage import need
from treewright.table import TableSchema, TargetSchema
from treewright.table.dealing import hold_out

SOFT = Recipe(name="soft", criterion="info_gain", missing="majority", source="Irsoy, Yildiz and Alpaydin 2012")
DEEPEST = 60
MOST_ITERATIONS = 100_000


@dataclass(kw_only=True, eq=False, repr=False)
class SoftTreeClassifierParameters:
    """Parameters of ``SoftTreeClassifier``, which describes them."""

    ridge: float = 1.0
    restarts: int = 3
    iterations: int = 100
    refine: bool = False
    max_terms: int | None = None
    holdout: float = 0.2
    min_improvement: float = 0.001
    max_depth: int | None = None
    min_samples_leaf: float | None = None
    class_weight: Any = None
    categorical_features: Any = None
    unseen: str = "missing"
    random_state: Any = None
    n_jobs: int | None = None
    verbose: bool = False


@dataclass(kw_only=True, eq=False, repr=False)
class SoftTreeRegressorParameters:
    """Parameters of ``SoftTreeRegressor``, which describes them."""

    ridge: float = 1.0
    restarts: int = 3
    iterations: int = 100
    refine: bool = False
    max_terms: int | None = None
    holdout: float = 0.2
    min_improvement: float = 0.001
    max_depth: int | None = None
    min_samples_leaf: float | None = None
    categorical_features: Any = None
    unseen: str = "missing"
    random_state: Any = None
    n_jobs: int | None = None
    verbose: bool = False


P = TypeVar("P", bound=SoftTreeClassifierParameters | SoftTreeRegressorParameters)


@dataclass(frozen=True, eq=False)
class SoftGrown(Grown):
    """A tree of the core with its gates."""

    gates: dict[int, SigmoidGate] = field(default_factory=dict)


def dealt(training: Training, share: float, random_state: Any) -> tuple[Floats, Floats]:
    """What every row counts among those that train and among those that are held out."""
    everything = np.ones(len(training.codes)) if training.counted is None else training.counted
    if share == 0:
        return everything, np.zeros(len(everything))
    keys, label = training.keys(seed_of(random_state))
    out = []
    found = hold_out(keys, training.counted, label, share)
    for fold in (1, 0):
        rows, weights = found.of(fold)
        each = np.zeros(len(everything))
        each[rows] = 1.0 if weights is None else weights
        out.append(each)
    train, held = out
    return (train, held) if train.any() and held.any() else (everything, np.zeros(len(everything)))


def rows_of(training: Training, standards: Standardised, targets: Targets, share: float, random_state: Any) -> _core.SoftRows:
    """The rows as the core trains on them; weights count rows."""
    every = np.ones(len(training.codes)) if training.counted is None else training.counted
    train, held = dealt(training, share, random_state)
    return _core.SoftRows(standards.matrix, targets.numbers, every, train, held, targets.n_classes)


class SoftTreeLearner(TreeLearner[P]):
    """What both kinds share."""

    recipe: ClassVar[str | Recipe] = SOFT

    @property
    def _weighs_rows(self) -> bool:
        """Class weights are weights of rows here."""
        return self.given.get("class_weight") is not None

    @property
    def not_by_nodes(self) -> str | None:
        """Gates send rows down both branches."""
        return "gates"

    def check_own(self) -> None:
        """Refuse parameters that only this algorithm has."""
        self.soft_settings()

    def soft_settings(self) -> _core.SoftSettings:
        """How the core trains."""
        given, out = self.given, _core.SoftSettings()
        real("holdout", given["holdout"], 0.0, 0.5)
        flag("refine", given["refine"])
        whole("max_terms", 1 if given["max_terms"] is None else given["max_terms"], 1)
        out.penalty = real("ridge", given["ridge"], 0.0)
        out.restarts = whole("restarts", given["restarts"], 0, 10_000)
        out.iterations = whole("iterations", given["iterations"], 1, MOST_ITERATIONS)
        out.least_improvement = real("min_improvement", given["min_improvement"], 0.0)
        depth = given["max_depth"]
        out.max_depth = DEEPEST if depth is None else min(whole("max_depth", depth, 0), DEEPEST)
        out.seed = seed_of(given["random_state"])
        out.threads = self.threads
        return out

    def grow(self, training: Training, settings: _core.GrowSettings, progress: Progress) -> Grown:
        """The tree of the training rows, with its gates."""
        how = self.soft_settings()
        how.min_leaf = max(settings.min_leaf, 1.0)
        training.check_all("majority")
        standards = Standardised(training)
        targets = Targets.of(training, standards.share)
        nodes = SoftNodes(np.zeros(1, np.int64), {}, {0: np.zeros(targets.outputs)})
        if not targets.constant:
            rows = rows_of(training, standards, targets, self.given["holdout"], self.given["random_state"])
            if not standards.of:
                how.max_depth = 0
            with progress.shown("training") as tell:
                told, _ = _core.grow_soft(rows, how, True, tell)
                if (most := self.given["max_terms"]) is not None:
                    told = shortened(told, most, (len(standards.of), targets.outputs), rows, how)
                if self.given["refine"]:
                    told, _ = _core.refine_soft(rows, told, how, tell)
            nodes = SoftNodes.read(told, len(standards.of), targets.outputs)
        core, gates = soft_tree(nodes, standards, targets, training)
        return SoftGrown(core, gates=gates)

    def tree_of(self, grown: Grown, schema: TableSchema, target: TargetSchema) -> Tree:
        """The grown tree as a value, with its gates."""
        tree = Tree(grown.core, schema, target)
        return gated(tree, grown.gates) if isinstance(grown, SoftGrown) else tree

    def refuse_pruning(self, tree: Tree) -> None:
        """Refuse what gates do not survive."""
        raise ValueError("rows that were held out decided how far a soft tree grew: prune tree_.to_hard() instead")

    def check_stored(self, learned: dict[str, Any]) -> None:
        """Refuse attributes that do not fit each other."""
        super().check_stored(learned)
        tree = learned["tree_"]
        every = all(isinstance(gate, SigmoidGate) for gate in tree.gates.values())
        need(tree, every and len(tree.gates) == tree.n_nodes - tree.n_leaves, "its gates are not those of a soft tree")


class SoftTreeClassifierLearner(SoftTreeLearner[SoftTreeClassifierParameters], ClassTreeLearner[SoftTreeClassifierParameters]):
    """Soft trees for classes."""

    name = "SoftTreeClassifier"
    Parameters = SoftTreeClassifierParameters


class SoftTreeRegressorLearner(SoftTreeLearner[SoftTreeRegressorParameters], NumberTreeLearner[SoftTreeRegressorParameters]):
    """Soft trees for numbers."""

    name = "SoftTreeRegressor"
    Parameters = SoftTreeRegressorParameters

    def hint(self, tree: Tree, training: Training) -> None:
        """Targets that differ by rounding need no hint: what is held out ends growth."""
