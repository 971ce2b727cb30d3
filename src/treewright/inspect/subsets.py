"""Shapley values by their definition, over all sets of columns: exact for any model, for as many columns as that is feasible."""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.model import Forest, RuleSet, Tree
from treewright.model.condition import Condition
from treewright.model.linear import Equation
from treewright.model.protocol import Model
from treewright.model.routing import Cells
from treewright.model.rules import by_column

Floats = NDArray[np.float64]
Answers = Callable[[Cells], Floats]

MOST = 12  # columns whose sets are gone through, 4,096 of them
_AT_ONCE = 1 << 16  # rows that a model is asked about at a time


def by_subsets(model: Model, answers: Answers, rows: Cells, background: Cells, why: str) -> tuple[Floats, Floats]:
    """Base and contributions against a background: the mean answer of the row in some columns, the background in the others.

    ``answers`` gives class shares or numbers of rows, ``why`` says what makes this way necessary.
    """
    used = used_columns(model)
    if len(used) > MOST:
        raise ValueError(
            f"{why}, and the model reads {len(used)} columns: exact contributions go through all sets of them, which is done for "
            f"{MOST} at most; learn from fewer columns, or estimate with shap.PermutationExplainer(model.predict, X)"
        )
    own, others = by_column(rows[0]), by_column(background[0])
    base = answers(background).mean(axis=0)
    out = np.zeros((rows[1], len(own), len(base)))
    for row in range(rows[1]):
        # Columns in which the row is like all of the background change nothing.
        players = [j for j in used if not np.all(_same(others[j], own[j][row]))]
        worth = _worths(answers, own, others, row, players, base)
        for at, j in enumerate(players):
            out[row, j] = _value(worth, at, len(players))
    return base, out


def _worths(answers: Answers, own: Any, others: Any, row: int, players: list[int], base: Floats) -> Floats:
    """The mean answer for every set of players, the set being the bits of its position."""
    n_others = len(others[0])
    step = max(_AT_ONCE // n_others, 1)
    sets = np.arange(1 << len(players))
    worth = np.empty((len(sets), len(base)))
    for begin in range(0, len(sets), step):
        some = sets[begin : begin + step]
        cells = [np.tile(column, len(some)) for column in others]
        for at, j in enumerate(players):
            # A background may hold integers or short floats where the row does not.
            cells[j] = cells[j].astype(np.result_type(cells[j], own[j]))
            cells[j][np.repeat((some >> at & 1).astype(bool), n_others)] = own[j][row]
        told = answers((cells, len(some) * n_others))
        worth[begin : begin + step] = told.reshape(len(some), n_others, -1).mean(axis=1)
    return worth


def _value(worth: Floats, at: int, n: int) -> Floats:
    """The mean of what a player adds to the sets without it, each size of them counting the same."""
    sets = np.arange(len(worth))
    without = sets[sets >> at & 1 == 0]
    sizes = np.array([int(one).bit_count() for one in without])
    weights = np.array([factorial(size) * factorial(n - size - 1) / factorial(n) for size in range(n)])
    value: Floats = weights[sizes] @ (worth[without | 1 << at] - worth[without])
    return value


def _same(column: NDArray[Any], cell: Any) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = (column == cell) | ((column != column) & (cell != cell))
    return same


def used_columns(model: Model) -> list[int]:
    """Positions of the columns that a model reads, ascending; all where that is not known of its kind."""
    if isinstance(model, Forest):
        return sorted({j for member in model.members for j in used_columns(member)})
    if isinstance(model, Tree):
        return sorted({*model.splits.tested(), *model.leaf_model.used_columns})
    if not isinstance(model, RuleSet):
        return list(range(len(model.schema.columns)))
    every = [*model.rules, *([] if model.otherwise is None else [model.otherwise])]
    asked = {j for rule in every for condition in rule.when for j in _read_by(condition)}
    return sorted(asked | {j for rule in every for j in _computed_from(rule.says)})


def _read_by(condition: Condition) -> set[int]:
    """Positions of the columns that a condition looks at, or what stands in for a missing cell of it."""
    instead = {each.index for one in condition.if_missing for surrogate in one.surrogates for each in surrogate.when}
    return instead | ({condition.index} if condition.equation is None else _computed_from(condition.equation))


def _computed_from(says: Any) -> set[int]:
    """Positions of the columns of an equation; none where something else is said. Scores of classes are not asked as rules."""
    return {j for term in says.terms for j in term.indices} if isinstance(says, Equation) else set()
