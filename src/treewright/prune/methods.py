"""The pruning methods by name: what each takes, and which cuts it makes. The decisions are the core's."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from treewright import _core, parts
from treewright.errors import out_of_range, real, unknown
from treewright.model import Tree
from treewright.prune.path import PruningPath, make_path
from treewright.prune.rows import Floats, Losses, Rows
from treewright.prune.stakes import stakes_of


def _classes_only(tree: Tree, method: str, instead: str) -> None:
    if tree.target.classes is None:
        raise ValueError(f"{method!r} is defined for classes, this tree predicts numbers: use e.g. {instead!r}")


def _no_rows(method: str, rows: Rows | None) -> None:
    if rows is not None:
        raise ValueError(f"{method!r} looks at the tree alone: call it without X and y")


def _need_rows(method: str, rows: Rows | None, which: str) -> Rows:
    if rows is None:
        raise ValueError(f"{method!r} needs rows: pass X and y of {which}")
    return rows


def _no_losses(tree: Tree, method: str) -> None:
    if tree.target.losses:
        raise ValueError(
            f"{method!r} takes every error for the same, this tree was grown with losses: use 'cost_complexity', "
            "'reduced_error' or 'minimum_error'"
        )


def _squares_only(tree: Tree, method: str) -> None:
    if tree.target.classes is None and tree.target.measure != "variance":
        raise ValueError(
            f"{method!r} is defined by variances, this tree was grown by its {tree.target.error_name}: use 'cost_complexity' or "
            "'reduced_error'"
        )


def _not_worst(tree: Tree, method: str) -> None:
    if tree.target.measure == "worst":
        raise ValueError(
            f"{method!r} weighs mean errors, this tree was grown to bound the largest: 'limits' can be applied, or grow it again "
            "with a larger min_impurity"
        )


def _pruning_losses(tree: Tree, rows: Rows) -> Losses:
    losses = rows.losses(tree)
    rows.apart(tree, losses)
    return losses


def _own(tree: Tree) -> Floats:
    return np.asarray(_core.own_risk(tree._core, "error", stakes_of(tree.target)))


# -- paths ---------------------------------------------------------------------------------------------------------------


def cost_complexity_keys(core: _core.Tree, stakes: _core.Stakes, risk: str = "error") -> Floats:
    """By node: the least cost of a leaf, in units of the error of all rows, at which it is one or gone."""
    own = np.asarray(_core.own_risk(core, risk, stakes))
    return np.asarray(_core.cost_complexity(core, own)) / core.state()["weight"][0]


def cost_complexity_path(
    tree: Tree, rows: Rows | None = None, validation: Rows | None = None, *, risk: str = "error"
) -> PruningPath:
    """Cost complexity (Breiman, Friedman, Olshen and Stone 1984): the weakest links end first.

    Parameters
    ----------
    risk : {"error", "impurity"}, default "error"
        What alpha is weighed against: the training error (the book, rpart), or the impurity (scikit-learn).
    """
    parts.check_name("risk", risk, ("error", "impurity"))
    keys = cost_complexity_keys(tree._core, stakes_of(tree.target), risk)
    pruning = None if rows is None else _pruning_losses(tree, rows)
    judged = None if validation is None else validation.losses(tree)
    return make_path("cost_complexity", tree, keys, _own(tree), pruning, judged)


def critical_value_path(
    tree: Tree, rows: Rows | None = None, validation: Rows | None = None, *, measure: str = "gain"
) -> PruningPath:
    """Critical values (Mingers 1987): nodes end where no split there or below was worth as much when the tree was grown.

    Parameters
    ----------
    measure : {"gain", "gain_ratio"}, default "gain"
        What a split was worth.
    """
    parts.check_name("measure", measure, ("gain", "gain_ratio"))
    keys = np.asarray(_core.critical_values(tree._core, measure))
    names = np.append(np.unique(keys[tree._state["n_children"] > 0]), np.inf)
    pruning = None if rows is None else _pruning_losses(tree, rows)
    judged = None if validation is None else validation.losses(tree)
    return make_path("critical_value", tree, keys, _own(tree), pruning, judged, names)


def reduced_error_path(tree: Tree, rows: Rows | None = None, validation: Rows | None = None) -> PruningPath:
    """Reduced error, greedy (Quinlan 1987): the node whose end helps most ends first, until every end would harm."""
    pruning = _pruning_losses(tree, _need_rows("reduced_error", rows, "a pruning set"))
    when = np.asarray(_core.reduced_error_greedy(tree._core, pruning.loss))
    keys = np.where(when == 2**32 - 1, np.inf, when.astype(np.float64))
    judged = None if validation is None else validation.losses(tree)
    return make_path("reduced_error", tree, keys, _own(tree), pruning, judged)


PATHS: dict[str, Callable[..., PruningPath]] = {
    "cost_complexity": cost_complexity_path,
    "critical_value": critical_value_path,
    "reduced_error": reduced_error_path,
}


# -- methods -------------------------------------------------------------------------------------------------------------


def _at(path: PruningPath, rule: str) -> Tree:
    return path.tree_at(path.choose(rule))


def cost_complexity(
    tree: Tree,
    rows: Rows | None,
    *,
    alpha: float | None = None,
    leaves: int | None = None,
    rule: str = "best",
    risk: str = "error",
) -> Tree:
    """Cost complexity (Breiman, Friedman, Olshen and Stone 1984): the smallest tree of least error + alpha * leaves.

    Parameters
    ----------
    alpha : float, optional
        What a leaf costs, in units of the error of all rows.
    leaves : int, optional
        Instead: the largest tree of the path with at most this many leaves.
    rule : {"best", "1se"}, default "best"
        Without both, the tree of the path that errs least on the pruning set, or the smallest within a standard error.
    risk : {"error", "impurity"}, default "error"
        What alpha is weighed against: the training error (the book, rpart), or the impurity (scikit-learn).
    """
    if alpha is not None and leaves is not None:
        raise ValueError("alpha and leaves both say how far to prune: give one of them")
    if alpha is not None:
        cost = real("alpha", alpha, 0.0, finite=False)
        _no_rows("cost_complexity with alpha", rows)
        parts.check_name("risk", risk, ("error", "impurity"))
        return tree._cut(cost_complexity_keys(tree._core, stakes_of(tree.target), risk) <= cost)
    if leaves is not None:
        if not isinstance(leaves, (int, np.integer)) or isinstance(leaves, (bool, np.bool_)) or leaves < 1:
            raise out_of_range("leaves", leaves, "a whole number from 1 up")
        _no_rows("cost_complexity with leaves", rows)
        path = cost_complexity_path(tree, risk=risk)
        return path.tree_at(int(np.argmax(path.n_leaves <= leaves)))
    needed = _need_rows("cost_complexity", rows, "a pruning set, or give alpha= or leaves=")
    return _at(cost_complexity_path(tree, needed, risk=risk), rule)


def critical_value(
    tree: Tree, rows: Rows | None, *, value: float | None = None, measure: str = "gain", rule: str = "best"
) -> Tree:
    """Critical values (Mingers 1987): a split stays if it, or one below it, was worth ``value`` when the tree was grown.

    Parameters
    ----------
    value : float, optional
        The critical value. Without it, the one whose tree errs least on the pruning set (or the smallest by ``rule="1se"``).
    measure : {"gain", "gain_ratio"}, default "gain"
        What a split was worth.
    """
    parts.check_name("measure", measure, ("gain", "gain_ratio"))
    if value is not None:
        _no_rows("critical_value with value", rows)
        return tree._cut(np.asarray(_core.critical_values(tree._core, measure)) < real("value", value, 0.0, finite=False))
    needed = _need_rows("critical_value", rows, "a pruning set, or give value=")
    return _at(critical_value_path(tree, needed, measure=measure), rule)


def reduced_error(tree: Tree, rows: Rows | None, *, order: str = "bottom_up") -> Tree:
    """Reduced error (Quinlan 1987): nodes end where that costs no more on a pruning set.

    Parameters
    ----------
    order : {"bottom_up", "greedy"}, default "bottom_up"
        Bottom up gives the best pruned tree for these rows, and the smallest of the best. Greedy ends the node that helps
        most, again and again, until every end would harm.
    """
    needed = _need_rows("reduced_error", rows, "a pruning set")
    if parts.check_name("order", order, ("bottom_up", "greedy")) == "greedy":
        return reduced_error_path(tree, needed).tree_at(-1)
    return tree._cut(np.asarray(_core.reduced_error(tree._core, _pruning_losses(tree, needed).loss)))


def error_based(
    tree: Tree,
    rows: Rows | None,
    *,
    confidence: float = 0.25,
    raising: bool = True,
    estimate: str = "r8",
    criterion: str = "info_gain",
) -> Tree:
    """Error-based pruning (Quinlan 1993): subtrees make way for a leaf, or for their largest branch, by estimated errors.

    Parameters
    ----------
    confidence : float, default 0.25
        Smaller prunes more.
    raising : bool, default True
        A branch may take its parent's place.
    estimate : {"r8", "j48"}, default "r8"
        C4.5's estimate of errors, or J48's.
    criterion : str, default "info_gain"
        By which the impurity of nodes that were raised is told.
    """
    _classes_only(tree, "error_based", "cost_complexity")
    needed = _need_rows("error_based", rows, "the rows the tree was grown from")
    kind = {"r8": "quinlan", "j48": "weka"}[parts.check_name("estimate", estimate, ("r8", "j48"))]
    sure = real("confidence", confidence, 0.0, 0.5 if estimate == "j48" else 1.0, above=True)
    wanted = parts.ALIASES.get(criterion, criterion)
    parts.check_name("criterion", wanted, tuple(name for name, part in parts.criteria().items() if part["classes"]))
    if not isinstance(raising, (bool, np.bool_)):
        raise out_of_range("raising", raising, "True or False")
    _no_losses(tree, "error_based")
    core = _core.prune_by_errors(
        tree._core, _training_rows(tree, needed), wanted, sure, kind, bool(raising), factor=list(tree.target.factors)
    )
    return Tree(core, tree.schema, tree.target)


def _training_rows(tree: Tree, rows: Rows) -> _core.TableInput:
    table = rows.table(tree, strangers=0)
    grown, given = float(tree._state["weight"][0]), rows.total()
    if abs(grown - given) > 1e-6 * grown:
        raise ValueError(
            f"'error_based' needs the rows the tree was grown from: these weigh {given:g}, those {grown:g}; "
            "to prune by other rows use 'reduced_error'"
        )
    return table


def pessimistic(tree: Tree, rows: Rows | None, *, slack: float = 1.0) -> Tree:
    """Pessimistic pruning (Quinlan 1987): half an error more for every leaf, and a standard error of slack; from the root down.

    Parameters
    ----------
    slack : float, default 1
        Standard errors by which a leaf may be worse than the subtree.
    """
    _classes_only(tree, "pessimistic", "cost_complexity")
    _no_losses(tree, "pessimistic")
    _no_rows("pessimistic", rows)
    return tree._cut(np.asarray(_core.pessimistic(tree._core, real("slack", slack, 0.0, finite=False))))


def minimum_error(tree: Tree, rows: Rows | None, *, m: float | None = None) -> Tree:
    """Minimum error (Niblett and Bratko 1986; Cestnik and Bratko 1991; for numbers Karalič and Cestnik 1991).

    Parameters
    ----------
    m : float, optional
        Rows that the root lends every node. Without it Laplace's estimate, which is for classes only.
    """
    _no_rows("minimum_error", rows)
    if m is None and tree.target.classes is None:
        raise ValueError("'minimum_error' without m counts classes, this tree predicts numbers: give m, such as m=2")
    _squares_only(tree, "minimum_error")
    lent = None if m is None else real("m", m, 0.0, 1e300, finite=False)
    expected = np.asarray(_core.expected_error(tree._core, lent, stakes_of(tree.target)))
    return tree._cut(np.asarray(_core.minimum_error(tree._core, expected)))


def description_length(tree: Tree, rows: Rows | None, *, precision: float | None = None) -> Tree:
    """Description length (Mehta, Rissanen and Agrawal 1995): nodes end where their targets take fewer bits without the split.

    Parameters
    ----------
    precision : float, optional
        Down to which numbers are told apart; by default a hundredth of their standard deviation. Not for classes.
    """
    _no_rows("description_length", rows)
    if tree.target.classes is not None and precision is not None:
        raise ValueError("precision is for numbers, this tree predicts classes")
    _squares_only(tree, "description_length")
    _no_losses(tree, "description_length")
    usual = math.sqrt(float(tree._state["impurity"][0])) / 100 or 1.0
    fine = usual if precision is None else real("precision", precision, 0.0, 1e300, finite=False)
    if fine == 0:
        raise out_of_range("precision", precision, "a number above 0")
    leaf, split = _core.leaf_bits(tree._core, fine), _core.split_bits(tree._core)
    return tree._cut(np.asarray(_core.description_length(tree._core, np.asarray(leaf), np.asarray(split))))


def limits(
    tree: Tree,
    rows: Rows | None,
    *,
    max_depth: int | None = None,
    min_samples: float | None = None,
    min_merit: float | None = None,
) -> Tree:
    """Limits applied afterwards: what they would have stopped while the tree grew ends now.

    Parameters
    ----------
    max_depth : int, optional
        Nodes of this depth are leaves.
    min_samples : float, optional
        Nodes of less weight are not split.
    min_merit : float, optional
        Splits of less gain are undone, with all below them.
    """
    _no_rows("limits", rows)
    if max_depth is not None and (not isinstance(max_depth, (int, np.integer)) or isinstance(max_depth, bool) or max_depth < 0):
        raise out_of_range("max_depth", max_depth, "a whole number from 0 up, or None")
    if max_depth is None and min_samples is None and min_merit is None:
        raise ValueError("'limits' without a limit changes nothing: give max_depth=, min_samples= or min_merit=")
    deep = 2**32 - 1 if max_depth is None else min(int(max_depth), 2**32 - 1)
    least = real("min_samples", min_samples or 0.0, 0.0, finite=False)
    gain = real("min_merit", min_merit or 0.0, 0.0, finite=False)
    return tree._cut(np.asarray(_core.beyond_limits(tree._core, deep, least, gain)))


METHODS: dict[str, Callable[..., Tree]] = {
    "reduced_error": reduced_error,
    "cost_complexity": cost_complexity,
    "error_based": error_based,
    "pessimistic": pessimistic,
    "minimum_error": minimum_error,
    "critical_value": critical_value,
    "description_length": description_length,
    "limits": limits,
}


def _checked(what: str, function: Callable[..., Any], options: dict[str, Any]) -> dict[str, Any]:
    known = [name for name, part in inspect.signature(function).parameters.items() if part.kind is part.KEYWORD_ONLY]
    if "folds" in options:
        raise ValueError(
            "a tree alone cannot be grown anew on folds: use est.prune(..., folds=10) or est.pruning_path(..., folds=10)"
        )
    for name in options:
        if name not in known:
            raise unknown(f"option of {what!r}", name, known)
    return options


def check_options(method: str, options: dict[str, Any]) -> Callable[..., Tree]:
    """Return the function of a method that has these options."""
    function = METHODS[parts.check_name("method", method, tuple(METHODS))]
    _checked(method, function, options)
    return function


def prune_tree(tree: Tree, method: str, rows: Rows | None, options: dict[str, Any]) -> Tree:
    """The tree after a method."""
    tree._refuse_pruning()
    function = check_options(method, options)
    if method != "limits":
        _not_worst(tree, method)
    return function(tree, rows, **options)


def path_of(tree: Tree, method: str, rows: Rows | None, validation: Rows | None, options: dict[str, Any]) -> PruningPath:
    """The nested trees that a method chooses from."""
    tree._refuse_pruning()
    if method in METHODS and method not in PATHS:
        raise ValueError(f"{method!r} makes one tree, no path of them: paths have {', '.join(map(repr, PATHS))}")
    function = PATHS[parts.check_name("method", method, tuple(PATHS))]
    _not_worst(tree, method)
    return function(tree, rows, validation, **_checked(method, function, options))
