"""What the command learns where no algorithm is named: a tree cut back by cross-validation, of columns that tell something."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from treewright.cli.say import DataError, UsageError
from treewright.errors import shown, unknown, visible
from treewright.show.cells import cut_to

FOLDS = 10
_ROWS = 5  # a fold has at least so many, else the tree stays whole
# Options that say how large the tree is: whoever gives one wants that tree.
_SIZES = frozenset(
    (
        "max_depth",
        "min_samples_split",
        "min_samples_leaf",
        "min_weight_fraction_leaf",
        "max_leaf_nodes",
        "min_impurity_decrease",
        "cp",
        "ccp_alpha",
        "min_impurity",
        "min_gain",
        "purity",
        "significance",
        "recipe",
    )
)


def left_out(args: Any, task: Any) -> dict[str, str]:
    """The columns that identify rows, with the reasons, where no algorithm is named and the options keep none of them."""
    import pyarrow as pa

    from treewright.table.files.identifying import identifying

    for name in args.use:
        if name not in task.X.column_names:
            raise UsageError(*_parted(unknown("column", name, task.X.column_names)), "--use")
    if not args.by_default or task.X.num_rows == 0:
        return {}
    found = identifying(task.X, pa.chunked_array([task.y.cells]))
    out = {name: reason for name, reason in found.items() if name not in args.use}
    if len(out) == task.X.num_columns:
        what = "; ".join(f"{visible(name)}: {reason}" for name, reason in list(out.items())[:6])
        raise DataError(
            "no column can tell anything of new rows", what, f"--use {shown(next(iter(out)))} learns from it all the same"
        )
    return out


def _parted(error: Exception) -> tuple[str, str]:
    from treewright.cli.wording import parted

    return parted(error)


def left_out_text(found: Mapping[str, str]) -> str:
    """Say which columns were left out, why, and how they are kept; columns of one reason stand together."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in found.items():
        by_reason.setdefault(reason, []).append(name)
    texts = [f"{', '.join(cut_to(visible(name), 30) for name in names)} ({reason})" for reason, names in by_reason.items()]
    first = next(iter(found))
    return f"left out: {'; '.join(texts)}. --use {shown(first) if not first.isidentifier() else first} keeps one"


@dataclass(frozen=True, slots=True)
class Judged:
    """A tree by cross-validation: its error beside that of one answer for all rows, and from how many leaves it was cut back.

    Attributes
    ----------
    folds : int
        How many.
    error, spread, baseline : float
        Its error, the standard error of that, and the error of always answering alike.
    measure : str
        What the errors are: error, mean loss, root mean square error, ...
    answer : object
        The answer that the baseline always gives.
    whole, leaves : int
        Leaves of the tree as it was grown, and of the one that is left.
    """

    folds: int
    error: float
    spread: float
    baseline: float
    measure: str
    answer: Any
    whole: int
    leaves: int

    def text(self) -> str:
        """Say it in one line."""
        if self.measure == "error":
            said = f"{self.error:.1%} ± {self.spread:.1%} wrong (always answering {cut_to(visible(str(self.answer)), 30)}: "
            text = f"{self.folds}-fold cross-validation: {said}{self.baseline:.1%})"
        else:
            text = (
                f"{self.folds}-fold cross-validation: {self.measure} {self.error:.4g} ± {self.spread:.2g} "
                f"(one answer for all rows: {self.baseline:.4g})"
            )
        return text if self.leaves > 1 or self.whole == 1 else f"{text}; no tree did better: --full shows the whole one"

    def data(self) -> dict[str, Any]:
        """The same as values."""
        return {
            "folds": self.folds,
            "measure": self.measure,
            "error": self.error,
            "standard_error": self.spread,
            "baseline": self.baseline,
            "leaves_grown": self.whole,
        }


def folds_of(args: Any, task: Any) -> int:
    """How many folds a tree by default is judged by; 0 where it is not: an algorithm was named, or there are too few rows."""
    if not args.by_default:
        return 0
    folds = getattr(args, "cv", None)
    if folds is None:
        return FOLDS if len(task.y) >= FOLDS * _ROWS else 0
    if folds and not 2 <= folds <= len(task.y):
        remedy = f"a number from 2 to {len(task.y)}, or 0 for none"
        raise UsageError(f"--cv {folds} folds are not possible", f"the table has {len(task.y)} rows", remedy)
    return int(folds)


def cuts(args: Any) -> bool:
    """Whether a tree by default is cut back: unless options say how large it is."""
    return bool(args.by_default) and not args.full and _SIZES.isdisjoint(args.options)


def cut_back(estimator: Any, X: Any, y: Any, folds: int, cut: bool) -> tuple[Any, Judged]:
    """Judge a tree by cross-validation; with ``cut`` take the smallest of its path within one standard error of the best."""
    sizes = estimator.pruning_path(X, y, folds=folds)
    step = sizes.choose("1se") if cut else 0
    tree = sizes.tree_at(step)
    curve, target = sizes.cv, sizes.tree.target
    judged = Judged(
        folds,
        float(curve.error[step]),
        float(curve.se[step]),
        float(curve.error[-1]),
        target.error_name,
        sizes.tree.root.prediction,
        int(sizes.n_leaves[0]),
        int(sizes.n_leaves[step]),
    )
    return (estimator._with_tree(tree) if step else estimator), _rooted(judged)


def _rooted(judged: Judged) -> Judged:
    """Mean squares as their roots, which are in the unit of the target."""
    if judged.measure != "mean squared error":
        return judged
    error = math.sqrt(judged.error)
    spread = judged.spread / (2 * error) if error else 0.0
    return replace(judged, error=error, spread=spread, baseline=math.sqrt(judged.baseline), measure="root mean square error")
