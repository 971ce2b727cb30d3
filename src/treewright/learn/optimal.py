"""Optimal trees: of all trees within limits the one of least loss on the training rows, or the best found in the time given."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np

from treewright import _core, parts
from treewright.errors import out_of_range, real, shown
from treewright.learn.class_tree import ClassTreeLearner
from treewright.learn.growing import Grown
from treewright.learn.jobs import Progress
from treewright.learn.number_tree import NumberTreeLearner
from treewright.learn.training import Rows, Training
from treewright.learn.tree import TreeLearner
from treewright.learn.values import flag, whole
from treewright.progress import Closing
from treewright.prune.costs import costs_of
from treewright.recipe import Recipe
from treewright.store.damage import need
from treewright.table.target import check_squares

OPTIMAL = Recipe(
    name="optimal",
    criterion="error",
    nominal="one_vs_rest",
    source="least training loss within limits: Demirović et al. 2022 (MurTree), van der Linden et al. 2023 (STreeD), "
    "Briţa et al. 2025 (ConTree)",
)
RISK = replace(OPTIMAL, criterion="risk")
DEEPEST = 20  # levels: every one of them multiplies the work, and beyond this all tables have fewer rows than leaves
MOST_SUBSET_LEVELS = 10  # 511 divisions of a column
MOST_CELLS = 2**30  # bytes of what all rows answer to all tests of levels
POLICIES = ("learned", "majority", "refuse")
NOMINAL = ("one_vs_rest", "subset")
HIDDEN = 1e-5  # share of an objective: what rounding may hide below that, beside the best tree, is not told
ENDS = ("proven", "rounding", "steps", "time", "interrupt")
# What is proven, as files keep it.
PROVEN = dict.fromkeys(("optimal_", "objective_", "lower_bound_", "steps_", "ended_"), "value")


@dataclass(kw_only=True, eq=False, repr=False)
class OptimalTreeClassifierParameters:
    """Parameters of ``OptimalTreeClassifier``, which describes them."""

    max_depth: int = 3
    max_splits: int | None = None
    cost_per_leaf: float = 0.0
    class_weight: Any = None
    loss: Any = None
    nominal: str = "one_vs_rest"
    max_thresholds: int | None = None
    missing: str | None = None
    max_steps: int | None = None
    time_limit: float | None = None
    keep_on_interrupt: bool = False
    cache_mb: int = 256
    categorical_features: Any = None
    unseen: str = "missing"
    n_jobs: int | None = None
    verbose: bool = False


@dataclass(kw_only=True, eq=False, repr=False)
class OptimalTreeRegressorParameters:
    """Parameters of ``OptimalTreeRegressor``, which describes them."""

    max_depth: int = 3
    max_splits: int | None = None
    cost_per_leaf: float = 0.0
    nominal: str = "one_vs_rest"
    max_thresholds: int | None = None
    missing: str | None = None
    max_steps: int | None = None
    time_limit: float | None = None
    keep_on_interrupt: bool = False
    cache_mb: int = 256
    categorical_features: Any = None
    unseen: str = "missing"
    n_jobs: int | None = None
    verbose: bool = False


P = TypeVar("P", bound=OptimalTreeClassifierParameters | OptimalTreeRegressorParameters)


class OptimalTreeLearner(TreeLearner[P]):
    """What both kinds share."""

    # Tests put a clock of their own here: a function that tells seconds.
    clock: ClassVar[Any] = None

    @cached_property
    def chosen(self) -> dict[str, Any]:
        """The parameters that trees are grown with: those given, and what the algorithm makes of them."""
        return {"recipe": RISK if self.given.get("loss") is not None else OPTIMAL, **self.given}

    def check_own(self) -> None:
        """Refuse parameters that only this algorithm has."""
        given = self.given
        whole("max_depth", given["max_depth"], 0, DEEPEST)
        for name, low in (("max_splits", 0), ("max_thresholds", 1), ("max_steps", 1)):
            if given[name] is not None:
                whole(name, given[name], low)
        if given["time_limit"] is not None:
            real("time_limit", given["time_limit"], 0.0, finite=False)
        real("cost_per_leaf", given["cost_per_leaf"], 0.0)
        whole("cache_mb", given["cache_mb"], 0, 2**20)
        flag("keep_on_interrupt", given["keep_on_interrupt"])
        parts.check_name("nominal", given["nominal"], NOMINAL)
        if given["missing"] is not None:
            parts.check_name("missing", given["missing"], POLICIES)

    def settings(self, training: Training, rows: Rows | None = None) -> _core.GrowSettings:
        """What the search needs to know of the parts of a tree."""
        self.check_own()
        settings = super().settings(training, rows)
        training.check_all(settings.missing, "missing='learned' or missing='majority'")
        return settings

    def leaf_cost(self, training: Training) -> float:
        """What a leaf costs, in the unit in which the core counts losses."""
        raise NotImplementedError  # pragma: no cover

    def cost_of(self, core: _core.Tree, training: Training, settings: _core.GrowSettings) -> float:
        """What the tree costs, which the search knows but for rounding."""
        ends = training.tree(core, settings.missing).node_columns.is_leaf
        losses = np.asarray(_core.own_risk(core, "error", costs_of(self.judged_target(training, settings))))
        return float(losses[ends].sum()) + self.leaf_cost(training) * int(ends.sum())

    def check_levels(self, training: Training) -> None:
        """Refuse columns whose levels have too many subsets, or too many tests to be held."""
        subsets = self.given["nominal"] == "subset"
        tests = []
        for column, known in zip(training.columns, self.known_levels(training), strict=True):
            if subsets and len(known) > MOST_SUBSET_LEVELS:
                raise ValueError(
                    f"column {column.name!r} has {len(known)} levels, all divisions of them in two are tried for at most "
                    f"{MOST_SUBSET_LEVELS}: use nominal='one_vs_rest', or merge levels"
                )
            # Each once more where missing cells may go either way.
            tests.append(2 * (2 ** len(known) // 2 - 1 if subsets else len(known)) if column.nominal else 0)
        rows = len(training.codes)
        if sum(tests) * rows > MOST_CELLS:
            most = max(range(len(tests)), key=tests.__getitem__)
            raise ValueError(
                f"column {training.columns[most].name!r} alone makes {tests[most]:,} tests of its levels, all columns "
                f"{sum(tests):,}; of {rows:,} rows at most {MOST_CELLS // rows:,} are held in memory: merge levels, leave the "
                "column out, or learn from fewer rows"
            )

    def grow(self, training: Training, settings: _core.GrowSettings, progress: Progress) -> Grown:
        """The best tree of the training rows, and what is proven of it."""
        given = self.given
        self.check_levels(training)
        with progress.shown("searching", Closing) as tell:
            core, found = _core.optimal_tree(
                training.table(),
                settings,
                max_depth=given["max_depth"],
                max_splits=2**31 if given["max_splits"] is None else min(given["max_splits"], 2**31),
                cost_per_leaf=self.leaf_cost(training),
                max_thresholds=min(given["max_thresholds"] or 0, 2**31),
                max_subset_levels=MOST_SUBSET_LEVELS,
                max_steps=None if given["max_steps"] is None else min(given["max_steps"], 2**62),
                time_limit=None if given["time_limit"] is None else float(given["time_limit"]),
                cache_bytes=given["cache_mb"] << 20,
                keep_best=given["keep_on_interrupt"],
                clock=self.clock,
                progress=tell,
            )
        row, ended = training.row_weight, found["ended"]
        cost = self.cost_of(core, training, settings)
        bound = min(found["bound"], cost)
        # A search that went through has compared all trees, but for what rounding may hide: more than the rest is worth where one
        # row costs nearly all, such as a number far from all others.
        if ended == "proven" and cost - bound > HIDDEN * cost:
            ended = "rounding"
        proven = ended == "proven" or bound == cost
        facts = {
            "optimal_": proven,
            "objective_": cost * row,
            "lower_bound_": (cost if proven else bound) * row,
            "steps_": found["steps"],
            "ended_": "proven" if proven else ended,
        }
        return Grown(core, facts=facts)

    def cut_to(self, tree: Any, learned: dict[str, Any]) -> dict[str, Any]:
        """The attributes of a fitted estimator once its tree was cut back: what was proven was of the tree before."""
        out = super().cut_to(tree, learned)
        if tree.n_nodes < learned["tree_"].n_nodes:
            for name in PROVEN:
                out.pop(name, None)
        return out

    def check_stored(self, learned: dict[str, Any]) -> None:
        """Refuse attributes that do not fit each other."""
        super().check_stored(learned)
        if "optimal_" not in learned:  # of a tree that was cut back
            return
        optimal, cost, bound = (learned.get(name) for name in ("optimal_", "objective_", "lower_bound_"))
        need(optimal, isinstance(optimal, bool), "optimal_ is neither true nor false")
        numbers = all(isinstance(value, float) and math.isfinite(value) for value in (cost, bound))
        need(cost, numbers, "objective_ and lower_bound_ are no numbers")
        assert isinstance(cost, float) and isinstance(bound, float)
        need(bound, 0 <= bound <= cost and (bound == cost or not optimal), "lower_bound_ does not fit the objective")
        steps, ended = learned.get("steps_"), learned.get("ended_")
        need(steps, type(steps) is int and steps >= 0, "steps_ is no count")
        need(ended, ended in ENDS, "ended_ is unknown")


class OptimalTreeClassifierLearner(
    OptimalTreeLearner[OptimalTreeClassifierParameters], ClassTreeLearner[OptimalTreeClassifierParameters]
):
    """Optimal trees for classes."""

    name = "OptimalTreeClassifier"
    Parameters = OptimalTreeClassifierParameters
    stored: ClassVar[dict[str, str]] = {**ClassTreeLearner.stored, **PROVEN}

    def leaf_cost(self, training: Training) -> float:
        """What a leaf costs: rows, or a share of all rows."""
        cost = float(self.given["cost_per_leaf"])
        return cost * training.total if cost < 1 else cost


class OptimalTreeRegressorLearner(
    OptimalTreeLearner[OptimalTreeRegressorParameters], NumberTreeLearner[OptimalTreeRegressorParameters]
):
    """Optimal trees for numbers."""

    name = "OptimalTreeRegressor"
    Parameters = OptimalTreeRegressorParameters
    stored: ClassVar[dict[str, str]] = {**NumberTreeLearner.stored, **PROVEN}

    def leaf_cost(self, training: Training) -> float:
        """What a leaf costs: a share of the squared error of a tree without splits."""
        share = float(self.given["cost_per_leaf"])
        if share == 0:
            return 0.0
        weights = np.ones(len(training.codes)) if training.counted is None else training.counted
        y = np.asarray(training.codes, np.float64)
        y = y - y[0]  # so that no digit is lost where they lie far from 0
        mean = np.average(y, weights=weights)
        return share * float(weights @ (y - mean) ** 2)

    def check_own(self) -> None:
        """Refuse parameters that only this algorithm has."""
        super().check_own()
        if self.given["cost_per_leaf"] > 1:
            raise out_of_range(
                "cost_per_leaf", self.given["cost_per_leaf"], "a share of the squared error of the root, from 0 to 1"
            )

    def settings(self, training: Training, rows: Rows | None = None) -> _core.GrowSettings:
        """What the search needs to know of the parts of a tree."""
        check_squares(training.codes, "an optimal tree")
        return super().settings(training, rows)

    def ends_at(self, tree: Any) -> str:
        """The option that ends a tree at its root."""
        return f"cost_per_leaf={shown(1.0)}"
