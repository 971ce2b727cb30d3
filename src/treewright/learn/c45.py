"""C4.5 (Quinlan 1993) as release 8 has it, and as J48 has it."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from treewright import _core, parts
from treewright.errors import out_of_range, real
from treewright.learn.class_tree import ClassTreeLearner
from treewright.learn.growing import Grown, grow
from treewright.learn.jobs import Progress
from treewright.learn.training import Rows, Training
from treewright.learn.values import flag, seed_of, whole
from treewright.learn.windowing import Cycles, WindowTree, balanced, first_window, iterate, usual_window
from treewright.model import Tree
from treewright.model.gates import SoftThreshold
from treewright.model.soft import soften
from treewright.model.weighing import in_rows
from treewright.store.damage import need
from treewright.store.gates import check as check_gates
from treewright.table import TargetSchema

VARIANTS = {"r8": "c45", "j48": "j48"}
ESTIMATES = {"r8": "quinlan", "j48": "weka"}
MOST_TRIALS = 10_000
TRIALS = 10  # of windowing where only the size of the window is given, as in release 8
ROUNDING = 1e-10  # sums of estimates that differ by less, in proportion, are equal


@dataclass(kw_only=True, eq=False, repr=False)
class C45Parameters:
    """Parameters of ``C45Classifier``, which describes them."""

    confidence: float = 0.25
    min_samples_leaf: float = 2
    variant: str = "r8"
    criterion: str = "gain_ratio"
    grouped: bool = False
    pruned: bool = True
    raising: bool = True
    collapse: bool = True
    penalty: bool = True
    trials: int = 0
    window: int | None = None
    increment: int | None = None
    soft: bool = False
    missing: str | None = None
    min_samples_split: float | None = None
    ties: Any = "first"
    max_depth: int | None = None
    forced: Any = None
    categorical_features: Any = None
    unseen: str = "missing"
    keep_candidates: bool = False
    random_state: Any = None
    n_jobs: int | None = None
    verbose: bool = False


class C45Learner(ClassTreeLearner[C45Parameters]):
    """C4.5: gain ratio, fractional cases, error-based pruning; from all rows, or the best of several windows."""

    name = "C45Classifier"
    Parameters = C45Parameters
    stored: ClassVar[dict[str, str]] = {
        **ClassTreeLearner.stored,
        "soft_thresholds_": "soft_thresholds",
        "windows_": "value",
        "trial_errors_": "value",
    }

    @cached_property
    def chosen(self) -> dict[str, Any]:
        """The parameters that trees are grown with."""
        given, out = self.params, dict(self.given)
        out["recipe"] = VARIANTS[parts.check_name("variant", given.variant, tuple(VARIANTS))]
        if callable(given.criterion):
            name = getattr(given.criterion, "__name__", type(given.criterion).__name__)
            raise ValueError(f"criterion={name} is a function: use TreeClassifier(recipe={out['recipe']!r}, criterion={name})")
        if parts.check_name("criterion", given.criterion, ("gain_ratio", "info_gain")) == "info_gain":
            out["chooser"] = "best"
        if flag("grouped", given.grouped):
            out["nominal"] = "grouped"
        if given.min_samples_split is None and isinstance(given.min_samples_leaf, numbers.Real):
            # A node is split if it can fill two leaves; a share of one half or more leaves room for one only.
            least = given.min_samples_leaf
            out["min_samples_split"] = 2 * least if not 0.5 <= least < 1 else 1 - 2**-53
        return out

    @property
    def missing(self) -> str:
        """The policy for missing cells, by its name."""
        return "fraction" if self.params.missing is None else self.params.missing

    @property
    def not_by_nodes(self) -> str | None:
        """Soft thresholds send rows down several branches."""
        return "soft thresholds" if self.params.soft else None

    @property
    def confidence(self) -> float:
        """The confidence of error estimates, a share."""
        given = self.params.confidence
        most = 0.5 if self.params.variant == "j48" else 1.0
        if isinstance(given, numbers.Real) and 1 < given <= 100 * most:
            share = f"a number above 0, up to {most:g}; {given:g} % is {float(given) / 100:g}"
            raise out_of_range("confidence", given, share)
        return real("confidence", given, 0.0, most, above=True)

    def check_own(self) -> None:
        """Refuse a confidence that is none."""
        _ = self.confidence

    def estimated_errors(self, core: _core.Tree, target: TargetSchema) -> float:
        """Weight of training rows that a tree is expected to get wrong, were they new."""
        wrong = _core.estimated_errors(in_rows(core, target), self.confidence, ESTIMATES[self.params.variant])
        return wrong * target.row_weight

    def finish(self, core: _core.Tree, table: _core.TableInput) -> _core.Tree:
        """The tree, pruned by estimated errors."""
        return self._prune(core, table, anew=False)

    def _prune(self, core: _core.Tree, table: _core.TableInput, anew: bool) -> _core.Tree:
        given = self.params
        options = {
            "confidence": self.confidence,
            "raising": flag("raising", given.raising),
            "estimate": given.variant,
            "criterion": given.criterion,
        }
        if flag("pruned", given.pruned):
            core = _core.prune("error_based", core, options, _core.Costs([], [], "variance"), rows=table, anew=anew)
            if given.grouped:
                core = _core.without_impossible_branches(core)
        return core

    def grow(self, training: Training, settings: _core.GrowSettings, progress: Progress) -> Grown:
        """The tree of the training rows."""
        given, trials = self.params, self._trials()
        if trials:
            return self._grow_windows(training, settings, progress, trials)
        confidence = self.confidence if given.pruned else None
        settings.early_pruning(bool(given.collapse), confidence, ESTIMATES[given.variant], bool(given.raising))
        return super().grow(training, settings, progress)

    def look_back(self, tree: Tree, training: Training, settings: _core.GrowSettings) -> tuple[Tree, dict[str, Any]]:
        """The tree, with soft thresholds where they are wanted, and the classes that occur."""
        tree, facts = super().look_back(tree, training, settings)
        if self.params.soft:
            tree = tree.with_gates(soften(tree, training.arrays, training.codes, training.counted))
        return tree, facts

    def _trials(self) -> int:
        """How many trees are grown from windows; 0: none. Refuses what J48 has not."""
        given, trials = self.params, whole("trials", self.params.trials, 0, MOST_TRIALS)
        absent = {
            "grouped": given.grouped,
            "trials": trials,
            "window": given.window,
            "increment": given.increment,
            "soft": flag("soft", given.soft),
            "criterion": given.criterion if given.criterion != "gain_ratio" else None,
        }
        for name, wanted in absent.items():
            if given.variant == "j48" and wanted:
                raise ValueError(f"{name}={wanted!r} is an option of C4.5 that J48 has not: use variant='r8'")
        return TRIALS if trials == 0 and not (given.window is None and given.increment is None) else trials

    def _grow_windows(self, training: Training, settings: _core.GrowSettings, progress: Progress, trials: int) -> Grown:
        training.check_all(settings.missing)
        given, table, codes = self.params, training.table(), training.codes
        n = len(codes)
        window = usual_window(n) if given.window is None else min(n, whole("window", given.window, 1))
        increment = max(window // 5, 1) if given.increment is None else whole("increment", given.increment, 1)
        target = balanced(codes, window, len(training.target.classes or ()))
        rng = np.random.default_rng(seed_of(given.random_state))

        def grow_window(rows: Rows) -> WindowTree:
            settings.wide_share = 0.3 * n / len(rows)  # of the whole table
            core = _core.at_training_values(grow(training.table(rows), settings, progress), table)
            return WindowTree(core, *training.answers(core, settings.missing))

        best, least = None, np.inf
        windows: list[tuple[int, int, int]] = []
        errors = []
        for trial in range(trials):
            order, size = first_window(codes, target, rng)
            cycles: Cycles = []
            core = self._prune(iterate(grow_window, codes, order, size, increment, cycles), table, anew=True)
            expected = self.estimated_errors(core, training.target)
            windows += [(trial, *cycle) for cycle in cycles]
            errors.append(expected * training.row_weight)
            if best is None or expected < least * (1 - ROUNDING):  # the first of those that are equal
                best, least = core, expected
        assert best is not None
        return Grown(best, facts={"windows_": np.array(windows, np.int64), "trial_errors_": np.array(errors)})

    def refuse_pruning(self, tree: Tree) -> None:
        """Refuse what does not survive pruning."""
        super().refuse_pruning(tree)
        if tree.gates:
            raise ValueError("soft thresholds belong to the tree they were made for: prune an estimator with soft=False")

    def to_store(self, learned: dict[str, Any]) -> dict[str, Any]:
        """Files hold soft thresholds beside the tree."""
        tree = learned.get("tree_")
        if tree is None or not (tree.gates or self.params.soft):
            return learned
        return {**learned, "tree_": tree.with_gates({}), "soft_thresholds_": soft_thresholds(tree)}

    def from_store(self, held: dict[str, Any]) -> dict[str, Any]:
        """Soft thresholds become gates of the tree."""
        held = dict(held)
        soft = held.pop("soft_thresholds_", None)
        learned = super().from_store(held)
        need(learned, not learned["tree_"].gates, "its soft thresholds stand in its tree, not beside it")
        need(soft, soft is not None or not self.params.soft, "it has no 'soft_thresholds_'")
        if soft is None:
            return learned
        check_gates(soft, learned["tree_"])
        return {**learned, "tree_": learned["tree_"].with_gates(soft)}


def soft_thresholds(tree: Tree) -> dict[int, SoftThreshold]:
    """The soft thresholds among the gates of a tree, by node."""
    return {node: gate for node, gate in tree.gates.items() if isinstance(gate, SoftThreshold)}
