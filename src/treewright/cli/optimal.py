"""The command that says how far a tree is from the best one of its size, and of its depth."""

from __future__ import annotations

from typing import Any

from treewright.cli import learn, models
from treewright.cli.model_text import headline, tree_of
from treewright.cli.say import Talk, UsageError
from treewright.errors import visible

_TREES = "only single trees are compared with the best one: name one, such as of --algo cart"
_SECONDS = 10.0


def optimal(args: Any, talk: Talk) -> None:
    """Fit a tree or take one, and compare it with the best of its size and of its depth on the rows beside it."""
    path = models.model_given(args)
    if path is None:
        learner, task, _ = learn.prepared(args, talk)
        estimator = learn.fit(learner, task)
        name, what = args.algo.lower(), f"--algo {args.algo}"
    else:
        if args.data is None:
            raise UsageError("which tree is best is a question about rows", "MODEL", "name the training rows: MODEL DATA")
        estimator = models.load_fitted(path, args)
        task = models.task_of(args, estimator)
        name = what = visible(path)
    tree_of(estimator, what, _TREES)
    found = gap_of(estimator, (task.X, task.y), args.seconds, task.name, "--seconds")
    talk.note(f"{headline(name, estimator._model)}\n")
    talk.result(found.to_text(), gap_data(found))


def gap_of(estimator: Any, rows: tuple[Any, ...], seconds: float | None, name: str, option: str = "--gap") -> Any:
    """The gap of a tree on rows; what the data do not allow is an error of the data."""
    from treewright.learn.optimality import optimality_gap

    limit = _SECONDS if seconds is None else seconds
    if not limit >= 0:
        raise UsageError(f"a search cannot end after {limit:g} seconds", option, "a number from 0 up")
    try:
        return optimality_gap(estimator, *rows, time_limit=limit)
    except (ValueError, TypeError) as error:
        raise learn.data_error(error, name) from error


def gap_data(found: Any) -> dict[str, Any]:
    """The same for machines."""
    return {
        "loss": found.loss,
        "splits": found.n_splits,
        "depth": found.depth,
        "as_small": {"bound": found.size_bound, "found": found.smaller_loss, "proven": found.size_proven},
        "as_deep": {"bound": found.depth_bound, "found": found.best_loss, "proven": found.depth_proven},
    }
