"""The command that scores every learner in several sizes: a table, and a page with the picture."""

from __future__ import annotations

import os
import sys
from typing import Any

from treewright.cli import learn
from treewright.cli.say import Talk, UsageError
from treewright.cli.wording import parted
from treewright.errors import unknown, visible
from treewright.show.cells import wrapped


def frontier(args: Any, talk: Talk) -> None:
    """Measure, write the page if a file is named, and give the table."""
    file = learn.read(args, args.data)
    task = learn.find_task(args, file)
    if not 2 <= args.cv <= len(task.y):
        rows = f"the table has {len(task.y)} rows"
        raise UsageError(f"--cv {args.cv} folds are not possible", rows, f"a number from 2 to {len(task.y)}")
    for option in ("max_fits", "budget"):
        if (value := getattr(args, option)) is not None and not value > 0:
            raise UsageError(f"nothing can be measured with {value:g}", f"--{option.replace('_', '-')}", "a number above 0")
    if not talk.quiet:
        talk.note(learn.describe(file, talk, task.y.name) + "\n")
    found = _measured(args, talk, task)
    where = None
    if args.output is not None:
        title = args.title or f"{visible(task.y.name)}: {found.scoring} against size"
        page = found.to_html(title=title).encode("utf-8", "backslashreplace")
        if args.output == "-":
            sys.stdout.buffer.write(page)
            return
        talk.save(args.output, page)
        where, talk.output = os.path.abspath(args.output), "-"
    text = wrapped(found.to_text(), talk.width) if talk.wraps else found.to_text()
    talk.result(text, {**found.data(), "page": where})


def _measured(args: Any, talk: Talk, task: learn.Task) -> Any:
    from treewright.evaluate import frontier as measure
    from treewright.evaluate.variants import learners_of

    learners = None
    if args.learners is not None:
        every = {name.lower(): name for name in learners_of(task.classes)}
        for name in args.learners:
            if name.lower() not in every:
                what, remedy = parted(unknown("learner", name, every))
                raise UsageError(what, "--learners", remedy)
        learners = [every[name.lower()] for name in args.learners]
    try:
        return measure(
            task.X,
            task.y,
            task="classes" if task.classes else "numbers",
            learners=learners,
            folds=args.cv,
            max_fits=args.max_fits,
            budget=args.budget,
            random_state=args.seed,
            n_jobs=args.jobs,
            verbose=talk.verbose,
        )
    except (ValueError, TypeError) as error:
        raise learn.data_error(error, task.name) from error
