"""What is known of the columns beforehand (``monotonic_cst=``, ``interaction_cst=``).

With some of them answers may only rise, or only fall; and only those of one set may meet on a way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from treewright import _core
from treewright.errors import misspelt, out_of_range, shown
from treewright.learn.training import Training
from treewright.learn.values import is_whole
from treewright.table import ColumnSchema

# Policies under which a search sees the rows of a branch as they will be.
_SEEN = ("learned", "own", "ignore", "most_common", "most_common_in_class", "refuse")
_PAIRS = 1000  # columns that may stand together in pairs
_DIRECTIONS = "an array-like of -1, 0 or 1, or a dict of these by column"
_SETS = '"pairwise", "no_interactions", or a sequence of sets of columns, by name or position'


def constrained(params: Mapping[str, Any]) -> bool:
    """Whether anything is known beforehand."""
    return params.get("monotonic_cst") is not None or params.get("interaction_cst") is not None


def check_constraints(params: Mapping[str, Any]) -> None:
    """Refuse what no table would make sense of."""
    if (order := params.get("monotonic_cst")) is not None:
        _directions_given(order)
    if (together := params.get("interaction_cst")) is not None:
        _sets_given(together)


def set_constraints(settings: _core.GrowSettings, params: Mapping[str, Any], training: Training) -> None:
    """Tell the core what is known of the columns."""
    for name in ("monotonic_cst", "interaction_cst"):
        if params.get(name) is not None and settings.missing == "surrogate":
            raise ValueError(
                f"{name} is about the columns that decide, with missing='surrogate' others may stand in: "
                "use e.g. missing='learned'"
            )
    if (order := params.get("monotonic_cst")) is not None:
        _refuse_others(settings, training)
        settings.directions = directions(order, training.columns, training.target.classes, training.occurring)
    if (together := params.get("interaction_cst")) is not None:
        settings.interactions = sets_of(together, [column.name for column in training.columns])


# -- directions ------------------------------------------------------------------------------------------------------------


def _directions_given(order: Any) -> dict[Any, int] | list[int]:
    """Directions as they were given, by column or one for each."""
    if isinstance(order, Mapping):
        return dict(zip(order, _signs(list(order.values()), order), strict=True))
    try:
        values = np.asarray(order).tolist()
    except (TypeError, ValueError):
        values = None
    if isinstance(order, (str, bytes)) or not isinstance(values, list):
        raise _no_directions(order)
    return _signs(values, values)


def _signs(values: list[Any], given: Any) -> list[int]:
    """Numbers that are -1, 0 or 1."""
    for value in values:
        if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)) or value not in (-1, 0, 1):
            raise _no_directions(given)
    return [int(value) for value in values]


def _no_directions(given: Any) -> ValueError:
    return ValueError(f"monotonic_cst must be None or {_DIRECTIONS}, but it is {shown(given)}")


def directions(
    order: Any, columns: Sequence[ColumnSchema], classes: tuple[Any, ...] | None, occurring: Sequence[Any]
) -> list[int]:
    """By column 1, -1 or 0; none where nothing is to be kept. Answers are shares of the class that the core counts second.

    ``classes``: those that were declared; ``occurring``: those that are there, sorted.
    """
    given, names = _directions_given(order), [column.name for column in columns]
    if isinstance(given, dict):
        signs = [0] * len(names)
        for column, sign in given.items():
            signs[_position("monotonic_cst", column, names)] = sign
    elif len(given) != len(names):
        raise ValueError(
            f"monotonic_cst has shape {len(given)} but the input data X has {len(names)} features: one number for each"
        )
    else:
        signs = given
    for column, sign in zip(columns, signs, strict=True):
        if sign and column.nominal:
            raise ValueError(
                f"monotonic_cst of column {shown(column.name)} is {sign}, but its levels have no order: give 0, or make it an "
                "ordered category"
            )
    if not any(signs):
        return []
    declared = [label for label in classes or () if label in occurring]
    turned = len(declared) == 2 and declared[1] != occurring[1]
    return [-sign for sign in signs] if turned else signs


def refuse_several(y: Any) -> None:
    """Refuse targets of several columns, of which an order is not defined."""
    try:
        shape: tuple[int, ...] = getattr(y, "shape", None) or np.shape(y if isinstance(y, (list, tuple)) else ())
    except ValueError:  # rows of several lengths, which the reader refuses
        return
    if len(shape) > 1 and shape[1] > 1:
        raise ValueError(
            "Monotonicity constraints are not supported with multiple outputs: monotonic_cst is about one target, "
            f"y has {shape[1]} columns"
        )


def _refuse_others(settings: _core.GrowSettings, training: Training) -> None:
    """Refuse what an order of answers is not defined for."""
    if training.target.outputs:
        raise ValueError(
            "Monotonicity constraints are not supported with multiple outputs: monotonic_cst needs one number per row"
        )
    if len(training.occurring) > 2:
        raise ValueError(
            "Monotonicity constraints are not supported with multiclass classification: monotonic_cst is about the share of the "
            f"second of two classes, y has {len(training.occurring)}"
        )
    if settings.numeric != "threshold":
        raise ValueError(f"monotonic_cst needs splits in two, numeric={settings.numeric!r} makes more: use 'threshold'")
    if settings.missing not in _SEEN:
        raise ValueError(
            "monotonic_cst needs to know all rows of a branch when it is made, "
            f"which missing={settings.missing!r} does not tell: use e.g. missing='learned'"
        )


# -- sets ------------------------------------------------------------------------------------------------------------------


def _sets_given(together: Any) -> str | list[list[Any]]:
    """Sets of columns as they were given."""
    if isinstance(together, str):
        if together not in ("pairwise", "no_interactions"):
            raise out_of_range("interaction_cst", together, _SETS)
        return together
    listed = isinstance(together, Iterable) and not isinstance(together, (bytes, Mapping))
    sets = list(together) if listed else []
    plain = [isinstance(each, (set, frozenset, list, tuple, range, np.ndarray)) and len(each) > 0 for each in sets]
    if not sets or not all(plain):
        raise out_of_range("interaction_cst", together, _SETS)
    return [list(each) for each in sets]


def sets_of(together: Any, names: list[str]) -> list[list[int]]:
    """Sets of positions, each ascending; columns that are in none make up one more."""
    given, n = _sets_given(together), len(names)
    if given == "no_interactions":
        return [[j] for j in range(n)]
    if given == "pairwise":
        if n > _PAIRS:
            raise ValueError(f'interaction_cst="pairwise" takes {_PAIRS} columns at most, X has {n}: give the sets that may meet')
        return [list(pair) for pair in combinations(range(n), 2)] or [[0]]
    sets = [sorted({_position("interaction_cst", column, names) for column in each}) for each in given]
    rest = sorted(set(range(n)) - {column for each in sets for column in each})
    return [*sets, rest] if rest else sets


def within(sets: list[list[int]], way: Iterable[int]) -> list[list[int]]:
    """The sets that hold every column of a way."""
    columns = set(way)
    return [each for each in sets if columns <= set(each)] if columns else sets


def _position(parameter: str, column: Any, names: list[str]) -> int:
    """Where a column stands that is given by name or by position."""
    if isinstance(column, str):
        if names.count(column) == 1:
            return names.index(column)
        why = "stands there more than once: give its position" if column in names else misspelt([column], names)
        known = f"; known: {', '.join(map(shown, names[:10]))}" if not why else f"; {why}"
        raise ValueError(f"{parameter} names column {shown(column)}, which X does not have{known}")
    if not is_whole(column) or not -len(names) <= column < len(names):
        raise ValueError(
            f"{parameter} names column {shown(column)}: columns are given by name, or by position from 0 to {len(names) - 1}"
        )
    return int(column) % len(names)
