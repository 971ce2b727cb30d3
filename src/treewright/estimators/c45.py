"""C4.5 (Quinlan 1993) as release 8 has it, and as J48 has it."""

from __future__ import annotations

import numbers
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from treewright import _core, parts
from treewright.errors import out_of_range, real
from treewright.estimators.classifying import ClassifyingTree
from treewright.estimators.settings import flag, seed_of, whole
from treewright.estimators.training import Training
from treewright.estimators.windowing import Cycles, Grown, balanced, first_window, iterate, usual_window
from treewright.model.gates import SoftThreshold
from treewright.model.soft import soften
from treewright.store.damage import need
from treewright.store.gates import check as check_gates

VARIANTS = {"r8": "c45", "j48": "j48"}
ESTIMATES = {"r8": "quinlan", "j48": "weka"}
TRIALS = 10  # of windows that are asked for by their size alone, as in release 8


class C45Classifier(ClassifyingTree):
    """C4.5 (Quinlan 1993, release 8): gain ratio among columns of at least average gain, fractional cases, error-based pruning.

    Nominal columns get a branch per declared level, once on a path; numeric columns are cut in two at a training value, and
    pay for the number of cuts they chose from (Quinlan 1996). Rows with a missing cell go down every branch in parts.
    Ordered categories and truth values count as nominal, as C4.5 knows no others.

    Parameters
    ----------
    confidence : float, default 0.25
        Confidence of the error estimates; smaller prunes more. C4.5's and J48's ``-c``/``-C`` (there in per cent).
    min_samples_leaf : int or float, default 2
        At least two branches must hold this weight (``-m``, ``-M``). A float below 1 is a share of the total weight.
    variant : {"r8", "j48"}, default "r8"
        Release 8 in double precision, or J48: see ``docs/c45.md`` for what differs.
    criterion : {"gain_ratio", "info_gain"}, default "gain_ratio"
        ``"info_gain"`` is C4.5's ``-g``: the best gain wins, no average is asked for. Not in J48. For a function of your own use
        ``TreeClassifier(recipe="c45", criterion=...)``.
    grouped : bool, default False
        Levels of nominal columns are merged into groups as long as the gain ratio rises (``-s``; not in J48).
    pruned : bool, default True
        Prune by estimated errors (J48: ``-U`` for False).
    raising : bool, default True
        Pruning may put the largest branch in its parent's place (J48: ``-S`` for False).
    collapse : bool, default True
        Undo splits that save no training error, whether pruned or not (J48: ``-O`` for False).
    penalty : bool, default True
        Thresholds pay log2(cuts tried) / weight (J48: ``-J`` for False).
    trials : int, default 0
        Windowing (``-t``): this many trees are grown from a part of the rows, which takes in rows they get wrong; the one with
        the least estimated errors is kept. 0 grows one tree from all rows, unless ``window`` or ``increment`` is given: these ask
        for windowing too, with 10 trials. Not in J48.
    window, increment : int, optional
        Rows of the first window (``-w``, default the larger of a fifth of the rows and twice the square root of their number),
        and how many it takes in at once (``-i``, default a fifth of the window; half of those that were wrong if that is more).
    soft : bool, default False
        Soft thresholds (``-p``): a value near a threshold goes down both branches in parts. Not in J48.
    missing : str, default "fraction"
        Policy for missing cells; see :class:`TreeClassifier`.
    min_samples_split : int or float, optional
        Least weight of a node to be split; by default twice ``min_samples_leaf``.
    ties, max_depth, categorical_features, unseen, keep_candidates, random_state, n_jobs, verbose
        As in :class:`TreeClassifier`. C4.5 has no limit of depth.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    classes_ : array
        The classes that occur, sorted.
    soft_thresholds_ : dict of int to SoftThreshold
        With ``soft=True``, by node: from where to where each threshold is soft.
    windows_ : array of int, shape (trees, 3)
        With windowing, of every tree that was grown: the trial, the rows of its window, and how many of all rows it gets wrong.
    trial_errors_ : array of float, shape (trials,)
        With windowing, the estimated errors of each trial's pruned tree; the least is that of ``tree_``.
    estimated_errors_ : float
        Training rows the tree is expected to get wrong, were they new: the sum of its leaves' estimates.

    Examples
    --------
    >>> import treewright as tw
    >>> tennis = tw.datasets.load_play_tennis()
    >>> est = tw.C45Classifier().fit(tennis.X, tennis.y)
    >>> est.tree_.n_nodes, round(est.estimated_errors_ / 14, 3)
    (8, 0.385)
    """

    _stored: ClassVar[dict[str, str]] = {
        **ClassifyingTree._stored,
        "soft_thresholds_": "soft_thresholds",
        "windows_": "value",
        "trial_errors_": "value",
    }

    windows_: NDArray[np.int64]
    trial_errors_: NDArray[np.float64]

    def __init__(
        self,
        *,
        confidence: float = 0.25,
        min_samples_leaf: float = 2,
        variant: str = "r8",
        criterion: str = "gain_ratio",
        grouped: bool = False,
        pruned: bool = True,
        raising: bool = True,
        collapse: bool = True,
        penalty: bool = True,
        trials: int = 0,
        window: int | None = None,
        increment: int | None = None,
        soft: bool = False,
        missing: str | None = None,
        min_samples_split: float | None = None,
        ties: Any = "first",
        max_depth: int | None = None,
        categorical_features: Any = None,
        unseen: str = "missing",
        keep_candidates: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.confidence = confidence
        self.min_samples_leaf = min_samples_leaf
        self.variant = variant
        self.criterion = criterion
        self.grouped = grouped
        self.pruned = pruned
        self.raising = raising
        self.collapse = collapse
        self.penalty = penalty
        self.trials = trials
        self.window = window
        self.increment = increment
        self.soft = soft
        self.missing = missing
        self.min_samples_split = min_samples_split
        self.ties = ties
        self.max_depth = max_depth
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.keep_candidates = keep_candidates
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _to_store(self) -> dict[str, Any]:
        learned = super()._to_store()
        if self.soft and "tree_" in learned:  # files hold soft thresholds beside the tree
            learned |= {"tree_": self.tree_.with_gates({}), "soft_thresholds_": self.soft_thresholds_}
        return learned

    def _take(self, learned: dict[str, Any]) -> None:
        soft = learned.pop("soft_thresholds_", None)
        super()._take(learned)
        need(soft, soft is not None or not self.soft, "it has no 'soft_thresholds_'")
        if soft is not None:
            check_gates(soft, self.tree_)
            self.tree_ = self.tree_.with_gates(soft)

    def _parameters(self) -> dict[str, Any]:
        params = super()._parameters()
        params["recipe"] = VARIANTS[parts.check_name("variant", self.variant, tuple(VARIANTS))]
        if callable(self.criterion):
            name = getattr(self.criterion, "__name__", type(self.criterion).__name__)
            raise ValueError(f"criterion={name} is a function: use TreeClassifier(recipe={params['recipe']!r}, criterion={name})")
        if parts.check_name("criterion", self.criterion, ("gain_ratio", "info_gain")) == "info_gain":
            params["chooser"] = "best"
        if flag("grouped", self.grouped):
            params["nominal"] = "grouped"
        if self.min_samples_split is None and isinstance(self.min_samples_leaf, numbers.Real):
            # A node is split if it can fill two leaves; a share of one half or more leaves room for one only.
            least = self.min_samples_leaf
            params["min_samples_split"] = 2 * least if not 0.5 <= least < 1 else 1 - 2**-53
        return params

    def _missing(self) -> str:
        return "fraction" if self.missing is None else self.missing

    def _confidence(self) -> float:
        most = 0.5 if self.variant == "j48" else 1.0
        if isinstance(self.confidence, numbers.Real) and 1 < self.confidence <= 100 * most:
            share = f"a number above 0, up to {most:g}; {self.confidence:g} % is {float(self.confidence) / 100:g}"
            raise out_of_range("confidence", self.confidence, share)
        return real("confidence", self.confidence, 0.0, most, above=True)

    def _finished(self, core: _core.Tree, table: _core.TableInput) -> _core.Tree:
        return self._pruned(core, table, anew=False)

    def _pruned(self, core: _core.Tree, table: _core.TableInput, anew: bool) -> _core.Tree:
        options = {
            "confidence": self._confidence(),
            "raising": flag("raising", self.raising),
            "estimate": self.variant,
            "criterion": self.criterion,
        }
        if flag("pruned", self.pruned):
            core = _core.prune("error_based", core, options, _core.Costs([], [], "variance"), rows=table, anew=anew)
            if self.grouped:
                core = _core.without_impossible_branches(core)
        return core

    def _learned(self, training: Training, params: dict[str, Any], settings: _core.GrowSettings) -> _core.Tree:
        trials = whole("trials", self.trials, 0)
        absent = {
            "grouped": self.grouped,
            "trials": trials,
            "window": self.window,
            "increment": self.increment,
            "soft": flag("soft", self.soft),
            "criterion": self.criterion if self.criterion != "gain_ratio" else None,
        }
        for name, wanted in absent.items():
            if self.variant == "j48" and wanted:
                raise ValueError(f"{name}={wanted!r} is an option of C4.5 that J48 has not: use variant='r8'")
        if trials == 0 and not (self.window is None and self.increment is None):
            trials = TRIALS
        if trials:
            core = self._windowed(training, params, settings, trials)
        else:
            settings.close(
                bool(self.collapse), self._confidence() if self.pruned else None, ESTIMATES[self.variant], bool(self.raising)
            )
            core = super()._learned(training, params, settings)
        return core

    def _look_back(self, training: Training, settings: _core.GrowSettings) -> None:
        super()._look_back(training, settings)
        if self.soft:
            self.tree_ = self.tree_.with_gates(soften(self.tree_, training.arrays, training.codes, training.weights))

    @property
    def soft_thresholds_(self) -> dict[int, SoftThreshold]:
        """By node, from where to where each threshold is soft."""
        if not self.soft:
            raise AttributeError("the thresholds are hard: fit with soft=True")
        check_is_fitted(self, "tree_")
        return {node: gate for node, gate in self.tree_.gates.items() if isinstance(gate, SoftThreshold)}

    def _windowed(self, training: Training, params: dict[str, Any], settings: _core.GrowSettings, trials: int) -> _core.Tree:
        training.check_all(settings.missing)
        table, codes = training.table(), training.codes
        n = len(codes)
        window = usual_window(n) if self.window is None else min(n, whole("window", self.window, 1))
        increment = max(window // 5, 1) if self.increment is None else whole("increment", self.increment, 1)
        target = balanced(codes, window, len(training.target.classes or ()))
        rng = np.random.default_rng(seed_of(self.random_state))

        def grow(rows: NDArray[np.int64]) -> Grown:
            settings.wide_share = 0.3 * n / len(rows)  # of the whole table
            part = training.table(rows)
            core = _core.at_training_values(self._grow(params, part, settings), table)
            return Grown(core, *training.answers(core, settings.missing))

        best, least = None, np.inf
        windows: list[tuple[int, int, int]] = []
        errors = []
        for trial in range(trials):
            order, size = first_window(codes, target, rng)
            cycles: Cycles = []
            core = self._pruned(iterate(grow, codes, order, size, increment, cycles), table, anew=True)
            expected = _core.estimated_errors(core, self._confidence(), ESTIMATES[self.variant])
            windows += [(trial, *cycle) for cycle in cycles]
            errors.append(expected)
            if best is None or expected < least:
                best, least = core, expected
        assert best is not None
        self.windows_, self.trial_errors_ = np.array(windows, np.int64), np.array(errors)
        return best

    @property
    def estimated_errors_(self) -> float:
        """Training rows the tree is expected to get wrong, were they new."""
        check_is_fitted(self, "tree_")
        return _core.estimated_errors(self.tree_._core, self._confidence(), ESTIMATES[self.variant])
