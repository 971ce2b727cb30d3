"""Pruning a tree by the name of a method: what the method refuses, and the path it chooses from. The decisions are the core's."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright import _core, parts
from treewright.model import Tree
from treewright.model.weighing import in_given_unit, in_rows
from treewright.prune.costs import costs_of
from treewright.prune.path import PruningPath, make_path
from treewright.prune.registry import Option, Pruner, check_options, path_names, pruners
from treewright.prune.rows import Losses, Rows


def prune_tree(tree: Tree, method: str, rows: Rows | None, options: dict[str, Any]) -> Tree:
    """The tree after a method."""
    tree._refuse_pruning()
    pruner = check_options(method, options)
    _refuse_tree(pruner, tree)
    values = pruner.values(options)
    decided = _deciding(pruner, options)
    if decided is not None or pruner.rows == "none":
        _refuse_rows(method if decided is None else f"{method} with {decided.name}", rows)
    else:
        _need_rows(pruner, rows, pruner.deciding)
    _refuse_numbers_only(pruner, tree, options)
    if decided is not None and decided.role == "leaves":
        path = _path(pruner, tree, None, None, pruner.of_path(values))
        return path.tree_at(int(np.argmax(path.n_leaves <= values[decided.name])))
    if decided is None and pruner.chooses:
        path = _path(pruner, tree, rows, None, pruner.of_path(values))
        return path.tree_at(path.choose(options.get("rule", "best")))
    loss = None if rows is None or pruner.rows != "pruning" else _pruning_losses(tree, rows).loss / tree.target.row_weight
    table = None if rows is None or pruner.rows != "training" else _training_rows(pruner, tree, rows)
    core = _core.prune(method, in_rows(tree._core, tree.target), values, costs_of(tree.target), loss, table)
    core = in_given_unit(core, tree.target)
    return Tree(core, tree.schema, tree.target, tree.leaf_model.cut(core))


def path_of(tree: Tree, method: str, rows: Rows | None, validation: Rows | None, options: dict[str, Any]) -> PruningPath:
    """The nested trees that a method chooses from."""
    tree._refuse_pruning()
    if method in pruners() and method not in path_names():
        raise ValueError(f"{method!r} makes one tree, no path of them: paths have {', '.join(map(repr, path_names()))}")
    pruner = pruners()[parts.check_name("method", method, path_names())]
    _refuse_tree(pruner, tree)
    pruner.check_names(options, path=True)
    if pruner.keys_by_rows:
        _need_rows(pruner, rows, [])
    return _path(pruner, tree, rows, validation, pruner.values(options))


def _path(pruner: Pruner, tree: Tree, rows: Rows | None, validation: Rows | None, values: dict[str, Any]) -> PruningPath:
    costs = costs_of(tree.target)
    pruning = None if rows is None else _pruning_losses(tree, rows)
    loss = pruning.loss / tree.target.row_weight if pruning is not None and pruner.keys_by_rows else None
    keys = np.asarray(_core.prune_keys(pruner.name, in_rows(tree._core, tree.target), values, costs, loss))
    own = np.asarray(_core.own_risk(tree._core, "error", costs))
    judged = None if validation is None else validation.losses(tree)
    return make_path(pruner.name, tree, keys, own, pruning, judged, pruner.above_keys)


def _pruning_losses(tree: Tree, rows: Rows) -> Losses:
    losses = rows.losses(tree)
    rows.apart(tree, losses)
    return losses


def _training_rows(pruner: Pruner, tree: Tree, rows: Rows) -> _core.TableInput:
    table = rows.training_table(tree)
    grown, given = tree.root.weight, rows.total()
    if abs(grown - given) > 1e-6 * grown:
        raise ValueError(
            f"{pruner.name!r} needs the rows the tree was grown from: these weigh {given:g}, those {grown:g}; "
            "to prune by other rows use 'reduced_error'"
        )
    return table


# -- refusals ------------------------------------------------------------------------------------------------------------


def _deciding(pruner: Pruner, options: dict[str, Any]) -> Option | None:
    """The option that says how far to prune, if one was given."""
    names = pruner.decided_by(options)
    if len(names) > 1:
        raise ValueError(f"{' and '.join(names)} both say how far to prune: give one of them")
    for option in pruner.options:
        if option.name in names:
            option.checked(options[option.name], options)
            return option
    return None


def _refuse_rows(what: str, rows: Rows | None) -> None:
    if rows is not None:
        raise ValueError(f"{what!r} looks at the tree alone: call it without X and y")


def _need_rows(pruner: Pruner, rows: Rows | None, instead: list[str]) -> None:
    if rows is None:
        which = "the rows the tree was grown from" if pruner.rows == "training" else "a pruning set"
        if instead:
            which += ", or give " + " or ".join(f"{name}=" for name in instead)
        raise ValueError(f"{pruner.name!r} needs rows: pass X and y of {which}")


def _refuse_tree(pruner: Pruner, tree: Tree) -> None:
    """Refuse a tree that the method is not defined for, whatever it is given."""
    if pruner.errors != "any" and tree.target.measure == "worst":
        raise ValueError(
            f"{pruner.name!r} weighs mean errors, this tree was grown to bound the largest: 'limits' can be applied, or grow it "
            "again with a larger min_impurity"
        )
    if pruner.classes_only and tree.target.classes is None:
        raise ValueError(f"{pruner.name!r} is defined for classes, this tree predicts numbers: use e.g. 'cost_complexity'")
    if pruner.errors == "squares" and tree.target.classes is None and tree.target.measure != "variance":
        raise ValueError(
            f"{pruner.name!r} is defined by variances, this tree was grown by its {tree.target.error_name}: use "
            "'cost_complexity' or 'reduced_error'"
        )
    if not pruner.losses and tree.target.losses:
        raise ValueError(
            f"{pruner.name!r} takes every error for the same, this tree was grown with losses: use 'cost_complexity', "
            "'reduced_error' or 'minimum_error'"
        )


def _refuse_numbers_only(pruner: Pruner, tree: Tree, options: dict[str, Any]) -> None:
    for option in pruner.options:
        if option.numbers_only and tree.target.classes is not None and options.get(option.name) is not None:
            raise ValueError(f"{option.name} is for numbers, this tree predicts classes")
