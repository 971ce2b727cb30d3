"""Trees whose nodes look at several columns at once: the methods, the nodes they make, and how a tree of them is grown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from treewright import _core, parts
from treewright.learn.class_tree import ClassTreeLearner
from treewright.learn.held_out import HeldOutPruning
from treewright.learn.number_tree import NumberTreeLearner
from treewright.learn.score_room import check_room
from treewright.learn.training import Rows, Training
from treewright.learn.values import whole


class Method(NamedTuple):
    """A way to find tests over several columns.

    Attributes
    ----------
    nodes : tuple of str
        The kinds of nodes it can make.
    numbers : bool
        Whether the target may be numbers.
    criterion : str
        By which classes are told apart unless something else is asked for.
    many : bool
        Whether nodes may have more than two branches.
    """

    nodes: tuple[str, ...]
    numbers: bool
    criterion: str
    many: bool = False


METHODS = {
    "cart-lc": Method(("linear", "quadratic"), True, "gini"),
    "oc1": Method(("linear", "quadratic", "sphere", "ellipsoid"), True, "twoing"),
    "ldt": Method(("linear", "quadratic"), False, "info_gain"),
    "quest": Method(("linear", "quadratic"), False, "gini"),
    "fact": Method(("linear", "quadratic"), False, "info_gain", many=True),
    "lmdt": Method(("linear", "quadratic"), False, "info_gain", many=True),
    "centres": Method(("sphere", "ellipsoid"), True, "gini"),
    "backprop": Method(("network",), True, "info_gain"),
}
MOMENTS = ("ldt", "quest", "fact")  # methods that keep sums of products by class
# What method=None means, by the kind of node: for classes, and for numbers.
DEFAULTS = {
    "linear": ("oc1", "oc1"),
    "quadratic": ("ldt", "cart-lc"),
    "sphere": ("oc1", "oc1"),
    "ellipsoid": ("centres", "centres"),
    "network": ("backprop", "backprop"),
}
# How often a search begins at random besides its first beginning, by the kind of node; curved ones begin where classes lie.
RESTARTS = {"linear": 20, "network": 2}
CRITERIA = ("gini", "twoing", "info_gain", "error")


@dataclass(kw_only=True, eq=False, repr=False)
class ObliqueTreeClassifierParameters:
    """Parameters of ``ObliqueTreeClassifier``, which describes them."""

    method: str | None = None
    node: str = "linear"
    criterion: str | None = None
    max_terms: int | None = None
    restarts: int | None = None
    jumps: int = 5
    hidden: int | None = None
    pruned: bool = True
    holdout: float = 0.1
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_split: float | None = None
    min_samples_leaf: float | None = None
    min_weight_fraction_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    class_weight: Any = None
    missing: str | None = None
    categorical_features: Any = None
    unseen: str = "missing"
    random_state: Any = None
    n_jobs: int | None = None
    verbose: bool = False


@dataclass(kw_only=True, eq=False, repr=False)
class ObliqueTreeRegressorParameters:
    """Parameters of ``ObliqueTreeRegressor``, which describes them."""

    method: str | None = None
    node: str = "linear"
    max_terms: int | None = None
    restarts: int | None = None
    jumps: int = 5
    hidden: int | None = None
    pruned: bool = True
    holdout: float = 0.1
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_split: float | None = None
    min_samples_leaf: float | None = None
    min_weight_fraction_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    missing: str | None = None
    categorical_features: Any = None
    unseen: str = "missing"
    random_state: Any = None
    n_jobs: int | None = None
    verbose: bool = False


P = TypeVar("P", bound=ObliqueTreeClassifierParameters | ObliqueTreeRegressorParameters)


class ObliqueTreeLearner(HeldOutPruning[P]):
    """What both kinds share."""

    numbers = False  # whether the target is numbers

    @property
    def method(self) -> str:
        """The method, by its name: the one asked for, or the usual one for this kind of node."""
        node = parts.check_name("node", self.params.node, tuple(DEFAULTS))
        if self.params.method is None:
            return DEFAULTS[node][self.numbers]
        name = parts.check_name("method", self.params.method, tuple(METHODS))
        method = METHODS[name]
        if self.numbers and not method.numbers:
            raise ValueError(f"method={name!r} tells classes apart, the target is numbers: use {self._able(node)}")
        if node not in method.nodes:
            other = " or ".join(map(repr, method.nodes))
            raise ValueError(f"method={name!r} makes no {node} nodes: use {self._able(node)}, or node={other}")
        return name

    def _able(self, node: str) -> str:
        """The methods for a kind of node and this kind of target."""
        able = [repr(name) for name, of in METHODS.items() if node in of.nodes and (of.numbers or not self.numbers)]
        return f"method={' or '.join(able)}"

    def settings(self, training: Training, rows: Rows | None = None) -> _core.GrowSettings:
        """What growing from the rows, or from some of them, needs to know."""
        check_room(training, (self.params.node,), self.method in MOMENTS)
        settings = super().settings(training, rows)
        self._set_proposers(settings)
        return settings

    def _set_proposers(self, settings: _core.GrowSettings) -> None:
        most, restarts, node, method = self.params.max_terms, self.params.restarts, self.params.node, self.method
        if restarts is None:
            restarts = RESTARTS.get(node, 0)
        hidden = 0 if self.params.hidden is None else whole("hidden", self.params.hidden, 1, 1000)
        if node == "network" and most is not None:
            raise ValueError("max_terms=: networks look at all columns; use hidden= for a shorter score, or another node=")
        # QUEST has its own way to split a column.
        settings.proposers = ["quest-columns" if method == "quest" else "columns", method]
        settings.several_columns(
            node,
            0 if most is None else min(whole("max_terms", most, 1), 2**31),
            whole("restarts", restarts, 0, 10_000),
            whole("jumps", self.params.jumps, 0, 10_000),
            hidden,
        )

    def check_own(self) -> None:
        """Refuse parameters that only this algorithm has."""
        super().check_own()
        self._set_proposers(_core.GrowSettings())


class ObliqueTreeClassifierLearner(
    ObliqueTreeLearner[ObliqueTreeClassifierParameters], ClassTreeLearner[ObliqueTreeClassifierParameters]
):
    """Oblique trees for classes."""

    name = "ObliqueTreeClassifier"
    Parameters = ObliqueTreeClassifierParameters

    @property
    def chosen(self) -> dict[str, Any]:
        """The parameters that trees are grown with: those given, and what the algorithm makes of them."""
        chosen = super().chosen
        criterion = METHODS[self.method].criterion if chosen["criterion"] is None else chosen["criterion"]
        known = parts.ALIASES.get(criterion, criterion) if isinstance(criterion, str) else criterion
        if METHODS[self.method].many and known == "twoing":
            raise ValueError(
                f"criterion='twoing' compares two branches, method={self.method!r} makes one for every class: use 'gini'"
            )
        return {**chosen, "criterion": parts.check_name("criterion", known, CRITERIA)}


class ObliqueTreeRegressorLearner(
    ObliqueTreeLearner[ObliqueTreeRegressorParameters], NumberTreeLearner[ObliqueTreeRegressorParameters]
):
    """Oblique trees for numbers."""

    name = "ObliqueTreeRegressor"
    Parameters = ObliqueTreeRegressorParameters
    numbers = True
