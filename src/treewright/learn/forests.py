"""Random forests (Breiman 2001) and extremely randomised trees (Geurts, Ernst and Wehenkel 2006)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np

from treewright import parts
from treewright.errors import out_of_range, shown
from treewright.learn.costs import class_factors
from treewright.learn.ensemble import SampledLearner
from treewright.learn.learner import Learned
from treewright.learn.sampling import Drawing, number_to_draw
from treewright.learn.training import Training
from treewright.learn.tree import TreeLearner
from treewright.learn.trees import (
    TreeClassifierLearner,
    TreeClassifierParameters,
    TreeRegressorLearner,
    TreeRegressorParameters,
)
from treewright.model.combine import Mean
from treewright.model.forest_targets import ForestTargets
from treewright.model.protocol import Model
from treewright.model.targets import leaf_targets
from treewright.store.damage import need


@dataclass(eq=False, repr=False)
class ForestClassifierParameters:
    """Parameters that forests for classes share; their estimators describe them."""

    n_estimators: int = 100
    _: KW_ONLY
    criterion: str = "gini"
    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: Any = "sqrt"
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    bootstrap: Any = True
    oob_score: bool = False
    n_jobs: int | None = None
    random_state: Any = None
    verbose: bool = False
    warm_start: bool = False
    class_weight: Any = None
    max_samples: Any = None
    recipe: Any = "cart"
    missing: str | None = None
    monotonic_cst: Any = None
    interaction_cst: Any = None
    categorical_features: Any = None
    unseen: str = "missing"


@dataclass(eq=False, repr=False)
class ForestRegressorParameters:
    """Parameters that forests for numbers share; their estimators describe them."""

    n_estimators: int = 100
    _: KW_ONLY
    criterion: str = "squared_error"
    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: Any = 1.0
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    bootstrap: bool = True
    oob_score: bool = False
    n_jobs: int | None = None
    random_state: Any = None
    verbose: bool = False
    warm_start: bool = False
    max_samples: Any = None
    keep_targets: bool = False
    recipe: Any = "cart"
    missing: str | None = None
    monotonic_cst: Any = None
    interaction_cst: Any = None
    categorical_features: Any = None
    unseen: str = "missing"


@dataclass(eq=False, repr=False)
class RandomForestClassifierParameters(ForestClassifierParameters):
    """Parameters of ``RandomForestClassifier``, which describes them."""

    _: KW_ONLY
    max_bins: int | None = None


@dataclass(eq=False, repr=False)
class ExtraTreesClassifierParameters(ForestClassifierParameters):
    """Parameters of ``ExtraTreesClassifier``, which describes them."""

    _: KW_ONLY
    bootstrap: Any = False


@dataclass(eq=False, repr=False)
class RandomForestRegressorParameters(ForestRegressorParameters):
    """Parameters of ``RandomForestRegressor``, which describes them."""

    _: KW_ONLY
    max_bins: int | None = None


@dataclass(eq=False, repr=False)
class ExtraTreesRegressorParameters(ForestRegressorParameters):
    """Parameters of ``ExtraTreesRegressor``, which describes them."""

    _: KW_ONLY
    bootstrap: bool = False


P = TypeVar("P", bound=ForestClassifierParameters | ForestRegressorParameters)


class ForestLearner(SampledLearner[P]):
    """Trees of bootstrap samples that look at some columns at every node."""

    combine = Mean()
    wider = ("oob_score", "bootstrap")
    splitter: ClassVar[str] = "best"

    def base_params(self, kind: type[Any]) -> Any:
        """The parameters of members: those that forests and trees share."""
        shared = {field.name for field in fields(kind)} & self.given.keys()
        return kind(splitter=self.splitter, **{name: self.given[name] for name in shared})

    @property
    def balanced(self) -> bool:
        """Whether as many rows are drawn of each class."""
        bootstrap, classes = self.params.bootstrap, "Classifier" in self.name
        if isinstance(bootstrap, str) and bootstrap == "balanced" and classes:
            return True
        if not isinstance(bootstrap, (bool, np.bool_)):
            raise out_of_range("bootstrap", bootstrap, 'True, False or "balanced"' if classes else "True or False")
        return False

    def check(self, classes: tuple[Any, ...] | None, n_columns: int = 2, costs: bool = True) -> None:
        """Refuse parameters that no fit would take, before any row is looked at."""
        super().check(classes, n_columns, costs)
        _ = self.balanced
        number_to_draw(self.params.max_samples, 2**32)

    def drawing(self, training: Training) -> Drawing | None:
        """Bootstrap samples; balanced ones draw as many rows of each class as the rarest has."""
        n_rows, wanted, balanced = len(training.codes), self.params.max_samples, self.balanced
        if not self.params.bootstrap:
            for name in ("max_samples", "oob_score"):
                if self.given[name] is not None and self.given[name] is not False:
                    raise ValueError(f"{name}={shown(self.given[name])} needs bootstrap=True: without draws no row is left out")
            return None
        draws = number_to_draw(wanted, n_rows)
        if not balanced:
            return Drawing(n_rows, draws, self.seed, kept=training.kept)
        groups = np.asarray(training.codes, np.int64)
        counts = np.bincount(groups)
        each = int(counts[counts > 0].min()) if wanted is None else max(1, draws // int(np.count_nonzero(counts)))
        return Drawing(n_rows, each, self.seed, groups=groups, kept=training.kept)


C = TypeVar("C", bound=ForestClassifierParameters)


class ClassForestLearner(ForestLearner[C]):
    """Forests for classes."""

    @cached_property
    def base(self) -> TreeLearner[Any]:
        """CART trees that look at some columns at every node."""
        params = self.base_params(TreeClassifierParameters)
        if isinstance(params.class_weight, str):
            parts.check_name("class_weight", params.class_weight, ("balanced", "balanced_subsample"))
            params.class_weight = "balanced"  # a tree counts classes in the rows it is grown from
        return TreeClassifierLearner(params)

    def based_on(self, training: Training) -> TreeLearner[Any]:
        """What rows of each class count is decided by the whole table, unless every sample is to be balanced."""
        if not isinstance(self.params.class_weight, str) or self.params.class_weight != "balanced":
            return self.base
        factors = class_factors(self.base.settings(training), training)
        assert factors is not None
        counts = dict(zip(training.target.classes or (), factors.tolist(), strict=True))
        return self.base.changed(class_weight={label: counts[label] for label in training.occurring})


class RandomForestClassifierLearner(ClassForestLearner[RandomForestClassifierParameters]):
    """Random forests for classes."""

    name = "RandomForestClassifier"
    Parameters = RandomForestClassifierParameters


class ExtraTreesClassifierLearner(ClassForestLearner[ExtraTreesClassifierParameters]):
    """Extremely randomised trees for classes."""

    name = "ExtraTreesClassifier"
    Parameters = ExtraTreesClassifierParameters
    splitter = "random"


N = TypeVar("N", bound=ForestRegressorParameters)


class NumberForestLearner(ForestLearner[N]):
    """Forests for numbers."""

    stored: ClassVar[dict[str, str]] = {**SampledLearner.stored, "leaf_targets_": "forest_targets"}

    @cached_property
    def base(self) -> TreeLearner[Any]:
        """CART trees that look at some columns at every node."""
        params = self.base_params(TreeRegressorParameters)
        params.keep_targets = False  # the forest keeps those of all rows
        return TreeRegressorLearner(params)

    def learned(self, members: list[Model], weights: list[float], training: Training, facts: dict[str, Any]) -> Learned:
        """The members as one model, and the targets of their leaves where they are to be kept."""
        out = super().learned(members, weights, training, facts)
        if not self.params.keep_targets or training.target.outputs:
            return out
        kept = []
        for tree in out.model.trees:  # type: ignore[attr-defined]
            leaf = np.asarray(tree._core.route(*training.cells, self.threads)[0])
            kept.append(leaf_targets(leaf, training.codes, training.weights, tree.n_nodes))
        return replace(out, facts={**out.facts, "leaf_targets_": ForestTargets(tuple(kept))})

    def check_stored(self, learned: dict[str, Any]) -> None:
        """Refuse attributes that do not fit each other."""
        super().check_stored(learned)
        kept, forest = learned.get("leaf_targets_"), learned["forest_"]
        if kept is not None:
            sizes = [len(each.begin) - 1 for each in kept.members]
            need(kept, sizes == [tree.n_nodes for tree in forest.trees], "leaf_targets_ are not of its trees")


class RandomForestRegressorLearner(NumberForestLearner[RandomForestRegressorParameters]):
    """Random forests for numbers."""

    name = "RandomForestRegressor"
    Parameters = RandomForestRegressorParameters


class ExtraTreesRegressorLearner(NumberForestLearner[ExtraTreesRegressorParameters]):
    """Extremely randomised trees for numbers."""

    name = "ExtraTreesRegressor"
    Parameters = ExtraTreesRegressorParameters
    splitter = "random"
