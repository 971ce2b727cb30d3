"""What all tree learners share: reading the table, settings, growing, and the tree as a value with its schema."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright import _core, parts
from treewright.learn.constraints import check_constraints, set_constraints
from treewright.learn.growing import Grown, grow, set_ties
from treewright.learn.jobs import Progress
from treewright.learn.learner import COSTS, Learned, Learner
from treewright.learn.settings import chosen, make_settings, without_idle_warnings
from treewright.learn.spreads import with_spreads
from treewright.learn.training import (
    ReadTarget,
    Rows,
    Training,
    declared_levels,
    read_training,
    seen_levels,
)
from treewright.learn.values import threads
from treewright.learn.weights import warn_if_heavy, warn_if_light, warn_if_rounded
from treewright.model import Tree
from treewright.model.weighing import in_given_unit
from treewright.recipe import Recipe
from treewright.recipes import find
from treewright.store.damage import need
from treewright.table import TableSchema, TargetSchema
from treewright.table.target import check_counts

P = TypeVar("P")


class TreeLearner(Learner[P]):
    """A learner of trees. What differs between algorithms are steps of ``learn``, each a method."""

    holds = "tree_"
    stored: ClassVar[dict[str, str]] = {**Learner.stored, "tree_": "tree", "edits_": "value"}
    # Whether it looks at the cells of a sparse table that are not 0 alone; others are given all cells.
    reads_sparse: ClassVar[bool] = False
    # Of learners that have no parameter for it.
    recipe: ClassVar[str | Recipe] = "cart"

    @cached_property
    def chosen(self) -> dict[str, Any]:
        """The parameters that trees are grown with: those given, and what the algorithm makes of them."""
        return {"recipe": self.recipe, **self.given}

    @property
    def missing(self) -> str:
        """The policy for missing cells, by its name."""
        policy = self.chosen.get("missing")
        return find(self.chosen["recipe"]).missing if policy is None else policy

    @property
    def threads(self) -> int:
        """Threads that may be used."""
        return threads(self.given["n_jobs"])

    @property
    def pruned_at(self) -> float:
        """The complexity at which trees are cut when they are fitted, as a share of the root's error."""
        if self.ccp_alpha > 0:
            return 0.0
        return float(chosen(self.chosen, "cp", find(self.chosen["recipe"]).cp) or 0.0)

    @property
    def ccp_alpha(self) -> float:
        """The impurity that a leaf must save, as scikit-learn counts it: weighted by the node's share of all rows."""
        return float(self.given.get("ccp_alpha", 0.0))

    @property
    def not_by_nodes(self) -> str | None:
        """What keeps its trees from being judged node by node, if anything does."""
        return None

    def learn_from(self, training: Training) -> Learned:
        """Grow a tree from rows."""
        settings = self.settings(training)
        if (forced := self.chosen.get("forced")) is not None:
            return self._below(forced, training, settings)
        return self.learned_of(training, settings, lambda progress: self.grow(training, settings, progress))

    def _below(self, forced: Any, training: Training, settings: _core.GrowSettings) -> Learned:
        """Grow a tree below splits that are given."""
        from treewright.learn.edits.first import forced_tree

        by_hand: dict[int, str] = {}

        def grow_tree(progress: Progress) -> Grown:
            core, marks = forced_tree(self, training, forced, progress)
            by_hand.update(marks)
            return Grown(core)

        learned = self.learned_of(training, settings, grow_tree)
        assert isinstance(learned.model, Tree)
        return replace(learned, model=learned.model.marked(by_hand))

    def learned_of(self, training: Training, settings: _core.GrowSettings, grow_tree: Callable[[Progress], Grown]) -> Learned:
        """What is learned from rows by a tree that ``grow_tree`` grows of them."""
        params = self.chosen
        unseen = parts.check_name("unseen", params["unseen"], parts.UNSEEN)
        self.warn(training, settings)
        if settings.criterion == "poisson":
            check_counts(training.codes)
        grown = grow_tree(Progress(bar=bool(params["verbose"])))
        levels = seen_levels(grown.core, declared=settings.nominal in ("multiway", "grouped"))
        schema = TableSchema(tuple(training.columns), training.named, levels, unseen, settings.missing)
        target = replace(self.judged_target(training, settings), row_weight=training.row_weight)
        tree = with_spreads(self.tree_of(replace(grown, core=in_given_unit(grown.core, target)), schema, target), training)
        tree, facts = self.look_back(tree, training, settings)
        return Learned(tree, {**grown.facts, **facts})

    # -- steps, in their order ---------------------------------------------------------------------------------------

    def read_target(self, y: Any, keep: Any) -> ReadTarget:
        """Read the target of the rows that are kept."""
        raise NotImplementedError  # pragma: no cover

    def training(self, X: Any, y: Any, sample_weight: Any = None) -> Training:
        """The rows to learn from; those of weight 0 are none."""
        by_level = ("ordered", "bool") if find(self.chosen["recipe"]).ordered_as_nominal else ()
        nominal = self.chosen["categorical_features"]
        return read_training(X, y, sample_weight, nominal, by_level, self.read_target, self.reads_sparse)

    def settings(self, training: Training, rows: Rows | None = None) -> _core.GrowSettings:
        """What growing from the rows, or from some of them, needs to know."""
        return self._settings(self.chosen, training, rows)

    @staticmethod
    def _settings(params: dict[str, Any], training: Training, rows: Rows | None) -> _core.GrowSettings:
        total = training.total_of(rows)
        shape = (training.target.classes, training.occurring, len(training.columns))
        settings = make_settings(params, *shape, total, training.row_weight)
        set_ties(settings, params.get("ties", "first"), training.columns)
        set_constraints(settings, params, training)
        return settings

    def known_levels(self, training: Training) -> tuple[tuple[int, ...], ...]:
        """Codes of the levels that a tree of these rows knows, by column."""
        declared = self.settings(training).nominal in ("multiway", "grouped")
        return declared_levels(training) if declared else training.occurring_levels

    def warn(self, training: Training, settings: _core.GrowSettings) -> None:
        """Warn of weights that make trees of another size than the user may expect."""
        warn_if_rounded(training.weights)
        self.warn_if_light(training, settings)
        if training.weights is not None and settings.missing in ("fraction", "spread") and training.has_missing():
            warn_if_heavy(training.total / len(training.codes), max(settings.min_leaf, 1.0))

    def warn_if_light(self, training: Training, settings: _core.GrowSettings) -> None:
        """Warn when the whole table weighs too little for even one split."""
        weighted = training.weights is not None and training.row_weight == 1
        warn_if_light(training.total, settings.min_split, settings.min_leaf, weighted)

    def grow(self, training: Training, settings: _core.GrowSettings, progress: Progress) -> Grown:
        """The tree of the training rows."""
        return self.grow_table(training.table(), settings, progress)

    def grow_table(self, table: _core.TableInput, settings: _core.GrowSettings, progress: Progress) -> Grown:
        """The tree of all rows of a table, by the recipe alone."""
        return Grown(self.finish(grow(table, settings, progress), table))

    def finish(self, core: _core.Tree, table: _core.TableInput) -> _core.Tree:
        """What a learner does with the tree that its recipe gives."""
        return self.cut_by_alpha(core)

    def cut_by_alpha(self, core: _core.Tree) -> _core.Tree:
        """The tree without the branches that ``ccp_alpha`` cuts."""
        if self.ccp_alpha == 0:
            return core
        options = {"alpha": self.ccp_alpha, "risk": "impurity"}
        return _core.prune("cost_complexity", core, options, _core.Costs([], [], "variance"))

    def judged_target(self, training: Training, settings: _core.GrowSettings) -> TargetSchema:
        """The target with what errors cost."""
        return replace(training.target, measure=parts.criteria().get(settings.criterion, {}).get("measure", "variance"))

    def tree_of(self, grown: Grown, schema: TableSchema, target: TargetSchema) -> Tree:
        """The grown tree as a value."""
        return Tree(grown.core, schema, target)

    def look_back(self, tree: Tree, training: Training, settings: _core.GrowSettings) -> tuple[Tree, dict[str, Any]]:
        """The tree with what the training rows tell of it once it is there, and facts about them."""
        return tree, {}

    # -- beside learning ---------------------------------------------------------------------------------------------

    def regrow(self, training: Training, encoded: _core.TableInput, rows: Rows, progress: Progress) -> _core.Tree:
        """The tree of some of the training rows; ``encoded`` is their table, encoded once for all such trees."""
        if (forced := self.chosen.get("forced")) is not None:
            from treewright.learn.edits.first import forced_tree

            return forced_tree(self, training.subset(rows), forced, progress, part=True)[0]
        settings = self.settings(training, rows)
        settings.threads = 1
        if type(self).grow is not TreeLearner.grow:  # it needs more of the rows than their table
            return self.grow(training.subset(rows), settings, progress).core
        return self.grow_table(encoded.part(rows), settings, progress).core

    def refuse_pruning(self, tree: Tree) -> None:
        """Refuse what does not survive pruning."""
        tree._refuse_pruning()

    def cut_to(self, tree: Tree, learned: dict[str, Any]) -> dict[str, Any]:
        """The attributes of a fitted estimator once its tree was cut back to this one: no log tells how that came about."""
        return {name: value for name, value in {**learned, "tree_": tree}.items() if name != "edits_"}

    def predict(self, learned: dict[str, Any], X: Any) -> NDArray[Any]:
        """The class or number of every row, by what was learned."""
        tree: Tree = learned["tree_"]
        return tree.predict(X, self.threads)

    def shares(self, learned: dict[str, Any], X: Any) -> NDArray[np.float64]:
        """Share of every class that occurs, sorted, by what was learned."""
        tree: Tree = learned["tree_"]
        return self._sorted(learned, tree.predict_proba(X, self.threads))

    def estimated_errors(self, core: _core.Tree, target: TargetSchema) -> float | None:
        """Training rows a tree is expected to get wrong, were they new, where the algorithm estimates that."""
        return None

    def check(self, classes: tuple[Any, ...] | None, n_columns: int = 2, costs: bool = True) -> None:
        """Refuse parameters that no fit would take, before any row is looked at."""
        super().check(classes, n_columns, costs)
        self.check_own()
        check_constraints(self.chosen)
        if self.chosen.get("forced") is not None:
            from treewright.learn.edits.first import read

            read(self.chosen["forced"])
        params = self.chosen if costs else {**self.chosen, **{name: None for name in COSTS if name in self.chosen}}
        with without_idle_warnings():  # a fit says so
            make_settings(params, classes, list(classes or ()), n_columns, 1e9)

    def check_own(self) -> None:
        """Refuse parameters that only this algorithm has."""

    def check_stored(self, learned: dict[str, Any]) -> None:
        """Refuse attributes that do not fit each other."""
        super().check_stored(learned)
        need(learned, "tree_" in learned, "it has no 'tree_'")
        schema, names = learned["tree_"].schema, learned.get("feature_names_in_")
        need(schema, learned["n_features_in_"] == len(schema.columns), "n_features_in_ is not the number of columns")
        need(names, names is None or names.tolist() == schema.names, "feature_names_in_ are not the names of the columns")
        edits = learned.get("edits_", [])
        need(edits, isinstance(edits, list) and all(isinstance(entry, dict) for entry in edits), "edits_ is no list of edits")
