"""Tables larger than memory: `treewright fit big/*.parquet --target y --memory 2GB`."""

from __future__ import annotations

import time
from typing import Any

from treewright.cli import learn
from treewright.cli.model_text import headline, model_text
from treewright.cli.say import DataError, Talk, UsageError
from treewright.cli.wording import parted
from treewright.errors import counted, unknown

_BINS = 255  # which a byte holds
_MOST_CLASSES = 256


def fit_large(args: Any, talk: Talk) -> None:
    """Learn from files in parts, and show the model."""
    from treewright.learn.fitted import Fitted
    from treewright.scale.fitting import learn as learn_in_parts
    from treewright.scale.fitting import memory_bytes
    from treewright.scale.learners import check
    from treewright.scale.scratch import Scratch
    from treewright.scale.sources import open_files

    try:
        room = memory_bytes(args.memory)
    except ValueError as error:
        raise _usage(error, f"--memory {args.memory}") from error
    for option in ("cv", "use"):
        if getattr(args, option) not in (None, []):
            what = f"--{option} is about the tree that is cut back by cross-validation, whose rows are all in memory"
            raise UsageError(what, "--memory", "leave it out; --max-depth and --ccp-alpha limit a tree that is learned in parts")
    if args.target is None:
        raise UsageError("no target column is named", "--memory", "name the one to predict: --target COLUMN")
    learn.check_algorithm(args)
    reading = learn.reading_options(args)
    name = args.data if len(args.files) == 1 else counted(len(args.files), "file")
    with Scratch(args.scratch) as scratch:
        try:
            table = open_files(args.files, room, scratch, reading)
            labels, classes = _labels(table, args.target, args.task)
        except FileNotFoundError as error:
            raise DataError("there is no such file", name, "check the path and the folder") from error
        except (ValueError, TypeError) as error:
            raise learn.data_error(error, name) from error
        if "max_bins" in learn.own_options(args.algo) and "max_bins" not in args.options:
            args.options["max_bins"] = _BINS
        learner = learn.make_learner(args, classes, labels, talk)
        try:
            check(learner)
        except (ValueError, TypeError) as error:
            raise _usage(error, f"--algo {args.algo}") from error
        begin = time.perf_counter()
        try:
            ignore = [] if hasattr(table, "to_reader") else args.ignore  # which text was read without
            where = {"memory": room, "scratch": args.scratch, "ignore": ignore}
            learned = learn_in_parts(learner, table, target=args.target, weight=args.weight, **where)
        except (ValueError, TypeError) as error:
            raise learn.data_error(error, name) from error
    estimator = Fitted(learner, learned)
    line = headline(args.algo, estimator._model, time.perf_counter() - begin)
    if talk.model is not None:
        line += talk.save_model(estimator)
    talk.note(f"{line}\n")
    talk.result(lambda: model_text(estimator._model, args.depth, talk), estimator._model.data)


def _labels(table: Any, target: str, task: str | None) -> tuple[list[Any], bool]:
    """The different targets, as far as classes go, and whether they are classes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if target not in table.schema.names:
        raise unknown("target", target, table.schema.names)
    kind = table.schema.field(target).type
    if task == "numbers" or (task is None and (pa.types.is_floating(kind) or pa.types.is_decimal(kind))):
        return [], False
    found: set[Any] = set()
    batches = table.select([target]).to_batches() if hasattr(table, "to_reader") else table.to_batches(columns=[target])
    for batch in batches:
        found.update(pc.unique(pc.drop_null(batch.column(0))).to_pylist())
        if len(found) > _MOST_CLASSES:
            break
    classes = task == "classes" or learn.are_classes(kind, len(found))
    if task is None and classes and len(found) > 2 and pa.types.is_integer(kind):
        learn.tell_guess(target)
    return sorted(found), classes


def _usage(error: Exception, where: str) -> UsageError:
    what, remedy = parted(error)
    return UsageError(what, where, remedy or "see docs/large-tables.md")
