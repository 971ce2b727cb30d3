"""The command that cuts a tree back: the sizes there are with their errors, the one a rule takes, and the model that is left."""

from __future__ import annotations

from typing import Any

from treewright.cli import learn, models
from treewright.cli.model_text import headline, tree_of
from treewright.cli.say import Talk, UsageError
from treewright.errors import visible

_FOLDS = 10
_TREES = "only trees have sizes to choose from: prune one, such as of --algo cart"
_LISTED = 24  # sizes in the table


def prune(args: Any, talk: Talk) -> None:
    """Show the sizes a tree can be cut back to; choose one, and save what is left."""
    if args.leaves is not None and args.alpha is not None:
        raise UsageError("--leaves and --alpha both say how far to go", "treewright prune", "give one of them")
    path = models.model_given(args)
    if path is None:
        estimator, sizes, name = _of_table(args, talk)
    else:
        estimator, sizes, name = _of_model(args, path)
    step = _step(args, sizes)
    tree = sizes.tree_at(step)
    line = headline(name, tree)
    if talk.model is not None:
        line += talk.save_model(estimator._with_tree(tree) if estimator._regrows else tree)
    if args.leaves is not None and sizes.n_leaves[step] < min(args.leaves, sizes.n_leaves[0]):
        line += (
            f"\nno tree of this path has {args.leaves} leaves: the largest of at most {args.leaves} has {sizes.n_leaves[step]}"
        )
    talk.note(f"{line}\n")
    talk.result(_table(sizes, step), _data(sizes, step))


def _of_table(args: Any, talk: Talk) -> tuple[Any, Any, str]:
    """Fit, and judge the sizes by cross-validation."""
    learner, task, _ = learn.prepared(args, talk)
    estimator = learn.fit(learner, task)
    tree_of(estimator, f"--algo {args.algo}", _TREES)
    folds = _FOLDS if args.cv is None else args.cv
    options = {"X": task.X, "y": task.y, "folds": folds} if folds else {}
    return estimator, _path(estimator, options, task.name), args.algo.lower()


def _of_model(args: Any, path: str) -> tuple[Any, Any, str]:
    """Judge the sizes of a saved tree by the rows beside it; with --cv these are its training rows."""
    estimator = models.load_fitted(path, args)
    tree = tree_of(estimator, visible(path), _TREES)
    asks = estimator if estimator._regrows else tree
    if args.data is None:
        if args.cv:
            raise UsageError("--cv grows trees anew, for which rows are needed", "MODEL", "name the training rows: MODEL DATA")
        return estimator, _path(asks, {}, path), visible(path)
    file, X = models.read_rows(args, estimator)
    if tree.target.name not in file.table.column_names:
        raise learn.missing_target(tree.target.name, file)
    table = X.append_column(tree.target.name, file.table.column(tree.target.name))
    task = learn.make_task(tree.target.name, table, "classes" if tree.target.nominal else "numbers", file.name)
    options: dict[str, Any] = {"X": task.X, "y": task.y}
    if args.cv:
        if asks is tree:
            raise UsageError("a tree without its learner cannot be grown anew", "--cv", "leave it out, or name the table itself")
        options["folds"] = args.cv
    return estimator, _path(asks, options, file.name), visible(path)


def _path(model: Any, options: dict[str, Any], rows: str) -> Any:
    """The sizes of a tree; what the data do not allow is an error of the data."""
    try:
        return model.pruning_path(**options)
    except (ValueError, TypeError) as error:
        raise learn.data_error(error, rows) from error


def _step(args: Any, sizes: Any) -> int:
    """The step that is asked for: a size, a cost, or by the rule."""
    import numpy as np

    if args.leaves is not None:
        if args.leaves < 1:
            raise UsageError(f"there is no tree of {args.leaves} leaves", "--leaves", f"a number from 1 to {sizes.n_leaves[0]}")
        return int(np.flatnonzero(sizes.n_leaves <= args.leaves)[0])
    if args.alpha is not None:
        return int(np.flatnonzero(sizes.alpha <= max(args.alpha, 0.0))[-1])
    if not _judges(sizes):
        if args.output is not None or args.rule is not None:
            raise UsageError(
                "nothing says how far to prune", "treewright prune", "name rows to judge by, or use --leaves or --alpha"
            )
        return 0
    return int(sizes.choose(args.rule or "best"))


def _judges(sizes: Any) -> list[str]:
    return [name for name in ("cv", "pruning", "validation") if getattr(sizes, name) is not None]


def _table(sizes: Any, step: int) -> str:
    judges = _judges(sizes)
    curve = getattr(sizes, judges[0]) if judges else None
    marks: dict[int, list[str]] = {}
    if curve is not None:
        marks.setdefault(curve.step("best"), []).append("best")
        marks.setdefault(curve.step("1se"), []).append("1 se")
    marks.setdefault(step, []).append("◀")
    shown = list(range(len(sizes)))
    if len(shown) > _LISTED:
        shown = sorted({*shown[: _LISTED // 2], *shown[-_LISTED // 2 :], *marks})
    heads = {"cv": "cross-validated", "pruning": "on these rows", "validation": "on these rows"}
    lines = [f"{'leaves':>7}  {'alpha':>10}  {'training':>9}" + (f"  {heads[judges[0]]:>19}" if judges else "")]
    if sizes.tree.target.classes is None or sizes.tree.target.losses:
        lines.insert(0, f"errors are the {sizes.tree.target.error_name}")
    last = -1
    for at in shown:
        if at - last > 1:
            lines.append(f"     … {at - last - 1} more")
        last = at
        line = f"{sizes.n_leaves[at]:>7}  {sizes.alpha[at]:>10.4g}  {sizes.training_error[at]:>9.4g}"
        if curve is not None:
            line += f"  {curve.error[at]:>9.4g} ± {curve.se[at]:<7.2g}"
        lines.append(f"{line}  {' '.join(marks.get(at, []))}".rstrip())
    return "\n".join(lines)


def _data(sizes: Any, step: int) -> dict[str, Any]:
    table = {name: column.tolist() for name, column in sizes.as_dict().items()}
    return {"method": sizes.method, "chosen": step, "n_leaves": int(sizes.n_leaves[step]), "path": table}
