"""The command that writes the explorer's page about a model, or about the model of a table."""

from __future__ import annotations

import os
import sys
from typing import Any

from treewright.cli import learn, models
from treewright.cli.model_text import tree_of
from treewright.cli.optimal import gap_of
from treewright.cli.say import Talk, UsageError, check_output
from treewright.cli.together import refuse_stack
from treewright.errors import visible

_FOLDS = 10
_MOST = 20_000  # rows for which trees are grown anew, and candidates kept, without being asked


def explore(args: Any, talk: Talk) -> None:
    """Write the page, and say where it is."""
    from treewright.explore.write import model_document, page

    path = models.model_given(args)
    named = path if path is not None else args.data
    target = args.output or _beside(named)
    check_output(target, args.force)
    estimator, rows, options = _of_table(args, talk) if path is None else _of_model(args, path)
    options |= {"include_rows": {"none": False, "sample": "sample", "all": True}[args.include_rows], "title": args.title}
    refuse_stack(estimator, "explore")
    try:
        if args.gap is not None:
            options["gap"] = _gap(args.gap, estimator, rows, named)
        contents = page(model_document(estimator, *rows, **options))
    except (ValueError, TypeError) as error:
        raise learn.data_error(error, visible(named)) from error
    if target == "-":
        sys.stdout.buffer.write(contents)
        return
    talk.save(target, contents)
    where = os.path.abspath(target)
    talk.output = "-"
    talk.result(f"open it in a browser: {visible(where)}", {"page": where, "bytes": len(contents)})


def _gap(seconds: float, estimator: Any, rows: tuple[Any, ...], named: str) -> Any:
    """How far the tree is from the best one of its training rows."""
    if len(rows) < 2:
        raise UsageError("--gap asks for the best tree of rows with answers", "MODEL", "name the training rows: MODEL DATA")
    tree_of(estimator, "--gap", "only single trees are compared with the best one")
    return gap_of(estimator, rows, seconds, named)


def _beside(name: str) -> str:
    """Where the page goes unless it is said: here, named after the model or the table."""
    stem = os.path.basename(name) if name != "-" else "tree"
    for ending in (".gz", *(os.path.splitext(stem.removesuffix(".gz"))[1:])):
        stem = stem.removesuffix(ending) if ending else stem
    return f"{stem or 'tree'}.html"


def _of_model(args: Any, path: str) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """A model that was saved, and the rows that were named beside it: with their answers, if they are there."""
    estimator = models.load_fitted(path, args)
    if args.data is None:
        if args.cv:
            raise UsageError("--cv grows trees anew, for which rows are needed", "MODEL", "name the training rows: MODEL DATA")
        return estimator, (), {}
    file, X = models.read_rows(args, estimator)
    target = estimator._model.target
    y = file.table.column(target.name) if target.name in file.table.column_names else None
    if y is not None:
        task = learn.make_task(
            target.name, X.append_column(target.name, y), "classes" if target.nominal else "numbers", file.name
        )
        return estimator, (task.X, task.y), {"folds": args.cv or None}
    return estimator, (X,), {}


def _of_table(args: Any, talk: Talk) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """A model of a table, which is then looked at with its own rows."""
    learner, task, _ = learn.prepared(args, talk, keep_candidates=True)
    few = len(task.y) <= _MOST
    if not few and "keep_candidates" in learner.given:
        learner = learner.changed(keep_candidates=False)
    estimator = learn.fit(learner, task)
    model = estimator._model
    if not model.has_nodes or model.leaf_model.computed or model.n_leaves < 2:
        return estimator, (task.X, task.y), {}
    folds = args.cv
    if folds is None:
        folds = _FOLDS if few and len(task.y) >= 10 * _FOLDS else 0
    return estimator, (task.X, task.y), {"folds": folds or None}
