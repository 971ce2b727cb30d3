"""The command that writes the explorer's page about a model, or about the model of a table."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from treewright.cli import learn, models
from treewright.cli.model_text import tree_of
from treewright.cli.optimal import gap_of
from treewright.cli.say import Talk, UsageError, check_output
from treewright.cli.together import refuse_stack
from treewright.errors import visible

_FOLDS, _FEWEST = 10, 3
_ROWS = 5  # a fold has at least so many
_SECONDS = 60.0  # for what is not the fit itself
_AT_ONCE = 400_000  # cells of a table whose tree keeps its candidates from the first fit on
_CANDIDATES = 1_000_000  # that a page can hold
_COSTLIER = 4  # times as long takes a fit that keeps them


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
    """A model of a table, which is looked at with its own rows: with what the budget of time allows, and a word on the rest."""
    learner, task, _ = learn.prepared(args, talk)
    begin = time.perf_counter()
    rows: tuple[Any, ...] = (task.X, task.y)
    cells = len(task.y) * task.X.num_columns
    able = "keep_candidates" in learner.given and "keep_candidates" not in args.options
    if able and cells <= _AT_ONCE:
        learner, able = learner.changed(keep_candidates=True), False
    estimator = learn.fit(learner, task)
    took = time.perf_counter() - begin
    model = estimator._model
    if not model.has_nodes or model.leaf_model.computed or model.n_leaves < 2:
        return estimator, rows, {}
    budget = _SECONDS if args.budget is None else args.budget
    if able and model.n_nodes * task.X.num_columns > _CANDIDATES:
        talk.note(f"alternative splits are left out: {model.n_nodes} nodes have too many for a page (--keep-candidates)")
    elif able and _COSTLIER * took > budget / 2:
        talk.note(_beyond("alternative splits are left out", _COSTLIER * took, budget, "--keep-candidates"))
    elif able:
        estimator = learn.fit(learner.changed(keep_candidates=True), task)
    return estimator, rows, {"folds": _folds(args, talk, task, took, budget)}


def _folds(args: Any, talk: Talk, task: learn.Task, took: float, budget: float) -> int | None:
    """How many folds the sizes of a tree are judged by: those asked for, or as many as the budget allows."""
    if args.cv is not None:
        return args.cv or None
    if len(task.y) < _ROWS * _FOLDS:
        few = f"{len(task.y)} rows are few for cross-validation: the page has errors of the training rows alone (--cv {_FOLDS})"
        talk.note(few)
        return None
    allowed = min(_FOLDS, int(budget / max(took, 1e-9)))
    if allowed < _FEWEST:
        talk.note(_beyond("cross-validation is left out", _FOLDS * took, budget, f"--cv {_FOLDS}"))
        return None
    if allowed < _FOLDS:
        talk.note(_beyond(f"cross-validation has {allowed} folds instead of {_FOLDS}", _FOLDS * took, budget, f"--cv {_FOLDS}"))
    return allowed


def _beyond(what: str, seconds: float, budget: float, option: str) -> str:
    return f"{what}: it would take about {seconds:.0f} s, the budget is {budget:.0f} s (--budget SECONDS, or {option})"
