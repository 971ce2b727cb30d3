"""The commands that look at a saved tree with other rows: how these drift, and the tree with its leaves renewed by them."""

from __future__ import annotations

from typing import Any

from treewright.cli import learn, models
from treewright.cli.model_text import headline, tree_of
from treewright.cli.say import Talk, UsageError
from treewright.errors import visible
from treewright.show.data import plain


def drift(args: Any, talk: Talk) -> None:
    """Say how rows differ from those a tree was grown from; with the target among their columns, errors too."""
    model = models.load_fitted(args.model_file, args)
    tree = tree_of(model, visible(args.model_file), "only trees tell how rows drift")
    file, X = models.read_rows(args, model)
    y = None
    if tree.target.name in file.table.column_names:
        table = X.append_column(tree.target.name, file.table.column(tree.target.name))
        task = learn.make_task(tree.target.name, table, "classes" if tree.target.nominal else "numbers", file.name)
        X, y = task.X, task.y
    found = _compared(tree, X, y, file.name)
    talk.note(f"{headline(visible(args.model_file), tree)}\n")
    talk.result(found.to_text, lambda: _plain(found.data()))


def refresh(args: Any, talk: Talk) -> None:
    """Renew the leaves of a saved tree by rows, and write the model."""
    from treewright.learn.fitted import Fitted
    from treewright.learn.refreshing import refresh as renewed
    from treewright.prune.rows import Rows

    model, task = models.fitted_on(args, args.model_file)
    tree = tree_of(model, visible(args.model_file), "only trees are refreshed")
    if not model._regrows:
        raise UsageError(
            f"{visible(args.model_file)} holds a tree without its learner", args.model_file, "save the estimator: est.save(...)"
        )
    learned = models.ask(lambda rows: renewed(model.learner, model.learned, Rows(rows, task.y)), task.X, task.name)
    new = Fitted(model.learner, learned)
    line = headline(visible(args.model_file), new._model)
    if talk.model is not None:
        line += talk.save_model(new)
    talk.note(f"{line}\n")
    found = _compared(tree, task.X, task.y, task.name)
    talk.result(found.to_text, lambda: _plain(found.data()))


def _compared(tree: Any, X: Any, y: Any, name: str) -> Any:
    """How rows differ from those of a tree."""
    from treewright.inspect.drift import drift as compared

    return models.ask(lambda rows: compared(tree, rows, y), X, name)


def _plain(value: Any) -> Any:
    """A report as values that JSON holds; levels by their text."""
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, (list, tuple)) else plain(value)
