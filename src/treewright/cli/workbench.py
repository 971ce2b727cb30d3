"""The command that grows the tree of a table and lets it be edited on screen."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from treewright.cli import learn
from treewright.cli.model_text import headline
from treewright.cli.say import DataError, Talk, UsageError
from treewright.errors import counted, visible

_FOLDS, _ROWS = 5, 10  # folds unless it is said, and rows that each has at least
_SECONDS = 20.0  # that the fits of the folds may take together


def workbench(args: Any, talk: Talk) -> None:
    """Serve the page until it is interrupted; every edit is in the log before it is told."""
    from treewright.learn.edits.edit import Edit
    from treewright.learn.fitted import Fitted
    from treewright.learn.tree import TreeLearner
    from treewright.prune.rows import Rows
    from treewright.workbench import Workbench

    learner, task, file = learn.prepared(args, talk)
    if not isinstance(learner, TreeLearner):
        raise UsageError(f"{args.algo} learns no single tree: only trees are edited", "--algo", "such as cart or c45")
    validation = None
    if args.validation is not None:
        test = learn.same_columns(task, learn.read(args, args.validation, like=file.table))
        validation = (test.X, test.y)
    begin = time.perf_counter()
    fitted, _ = learn.fit_asked(args, learner, task)
    took = time.perf_counter() - begin
    if not isinstance(fitted, Fitted):
        raise UsageError(f"{args.algo} learns no single tree: only trees are edited", "--algo", "such as cart or c45")
    talk.note(headline(args.algo, fitted._model, took))
    rows, log = Rows(task.X, task.y), args.log or f"{_stem(args.data)}.edits.json"
    try:
        edit: Edit[Fitted] = Edit(
            learner,
            fitted.learned,
            rows,
            validation=validation,
            folds=_folds(args, talk, task, took),
            random_state=args.seed or 0,
            finish=lambda learned: Fitted(learner, learned),
        )
        bench = Workbench(edit, (task.X, task.y), log, args.port)
    except (ValueError, TypeError) as error:
        raise learn.data_error(error, task.name) from error
    with bench:
        if bench.session.resumed:
            talk.note(f"{counted(bench.session.resumed, 'edit')} taken up again from {visible(log)}")
        talk.output = "-"
        talk.result(f"edit it in a browser: {bench.url}", {"page": bench.url, "log": os.path.abspath(log)})
        sys.stdout.flush()
        if not args.no_browser:
            bench.browse()
        talk.note(f"every edit is kept in {visible(log)}; end with Ctrl-C")
        try:
            bench.wait()
        except KeyboardInterrupt:
            made = len(edit.edits)
            talk.note(f"\nended; {counted(made, 'edit')} in {visible(log)}" if made else "\nended; nothing was edited")


def _stem(path: str) -> str:
    """What the log is called unless it is said: after the table."""
    stem = os.path.basename(path) if path != "-" else "table"
    return stem.removesuffix(".gz").rpartition(".")[0] or stem


def _folds(args: Any, talk: Talk, task: learn.Task, took: float) -> int | None:
    """How many folds judge every edit: as many as are asked for, else five, where that takes no long time."""
    if args.cv is not None:
        if args.cv and not 2 <= args.cv <= len(task.y):
            raise DataError(f"--cv {args.cv} folds are not possible", f"the table has {len(task.y)} rows", "or --cv 0 for none")
        return args.cv or None
    if len(task.y) < _FOLDS * _ROWS:
        return None
    if _FOLDS * took > _SECONDS:
        talk.note(f"cross-validation is left out: it would take about {_FOLDS * took:.0f} s (--cv {_FOLDS})")
        return None
    return _FOLDS
