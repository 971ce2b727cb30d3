"""Oracle tables as the frames a user would hand to an estimator, and options as its keyword arguments."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from .model import Options, Table


def features(table: Table) -> pd.DataFrame:
    columns: dict[str, Any] = {}
    for column in table.columns:
        if column.levels is None:
            cells = [np.nan if cell is None else cell for cell in column.cells]
            columns[column.name] = np.array(cells, dtype=np.float64)
        else:
            labels = [None if cell is None else column.levels[int(cell)] for cell in column.cells]
            columns[column.name] = pd.Categorical(labels, categories=list(column.levels))
    return pd.DataFrame(columns)


def answers(table: Table) -> Any:
    if table.classes:
        return pd.Categorical([table.classes[int(k)] for k in table.target], categories=list(table.classes))
    return np.array(table.target, dtype=np.float64)


def weights(table: Table) -> np.ndarray:
    return np.array([float(weight) for weight in table.weights])


def keywords(options: Options) -> dict[str, Any]:
    """Only what matters for the combination is named, so that an option that is off stays at its default."""
    always = ("criterion", "numeric", "nominal", "threshold_at", "relation", "missing", "chooser")
    named = {name: getattr(options, name) for name in (*always, "min_samples_leaf", "min_samples_split")}
    if options.numeric == "discretised":
        named |= {"discretise": options.discretise, "bins": options.bins}
    if options.loss is not None:
        named["loss"] = [list(row) for row in options.loss]
    if options.priors is not None:
        named["priors"] = {f"c{k}": prior for k, prior in enumerate(options.priors) if prior}
    for name in ("max_depth", "max_leaf_nodes", "min_impurity", "purity", "significance"):
        if getattr(options, name) is not None:
            named[name] = getattr(options, name)
    for name in ("min_gain", "min_impurity_decrease"):
        if getattr(options, name):
            named[name] = getattr(options, name)
    return named


def fit(library: Any, table: Table, options: Options, sample_weight: np.ndarray | None = None) -> Any:
    """A fitted estimator of `library`, which is treewright or the mirror that tests the comparison."""
    estimator = library.TreeClassifier if table.classes else library.TreeRegressor
    with warnings.catch_warnings():
        # Tiny tables may earn advice (all cells missing, weights below a limit); advice is tested elsewhere.
        warnings.simplefilter("ignore", UserWarning)
        return estimator(recipe="cart", keep_candidates=True, **keywords(options)).fit(
            features(table),
            answers(table),
            sample_weight=weights(table) if sample_weight is None else sample_weight,
        )


def describe(table: Table, options: Options) -> str:
    """The table and what differs from the default options, small enough to read in a failure."""
    default = Options()
    changed = {k: v for k, v in vars(options).items() if v != getattr(default, k)}
    named = {"criterion": options.criterion, "missing": options.missing} | changed
    lines = ["options: " + " ".join(f"{name}={value!r}" for name, value in named.items())]
    for column in table.columns:
        cells = ["?" if cell is None else cell if column.numeric else column.levels[int(cell)] for cell in column.cells]
        declared = "" if column.numeric else f"  levels {' '.join(column.levels)}"
        lines.append(f"  {column.name}: {' '.join(str(cell) for cell in cells)}{declared}")
    target = [table.classes[int(k)] for k in table.target] if table.classes else list(table.target)
    lines.append(f"  target: {' '.join(map(str, target))}  classes {' '.join(table.classes)}")
    lines.append(f"  weight: {' '.join(map(str, table.weights))}")
    return "\n".join(lines)
