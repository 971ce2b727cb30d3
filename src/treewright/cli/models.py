"""Model files on the command line: which argument is one, the rows a model is asked about, and the commands that need a model."""

from __future__ import annotations

import csv
import io
import os
import sys
from typing import Any

from treewright.cli import learn
from treewright.cli.say import MODEL, DataError, Talk, UsageError, size_text
from treewright.cli.together import asked
from treewright.cli.wording import cli_words
from treewright.errors import ModelFormatError, counted, shown, visible


def model_given(args: Any) -> str | None:
    """Return the path of the model that was named, by ``--model`` or instead of a table; its rows are then ``args.data``."""
    from treewright.store.files import is_model

    rows = getattr(args, "rows", None)
    if args.model is not None:
        if rows is not None:
            raise UsageError(f"{shown(rows)} is one table too many", "--model", "name the model once")
        return str(args.model)
    if args.data is None:
        raise UsageError("no table and no model is named", f"treewright {args.command}", f"see treewright {args.command} --help")
    if args.data != "-" and is_model(args.data):
        model, args.data = args.data, rows
        return str(model)
    if rows is not None:
        raise UsageError(f"{shown(args.data)} is no model file", f"treewright {args.command}", "MODEL DATA, or DATA alone")
    return None


def load(path: str, edited: bool = False) -> Any:
    """Load a model from a file or standard input; ``edited``: though its checksum is wrong."""
    from treewright.store.files import load_plain, read_plain

    if path == "-":
        return read_plain(sys.stdin.buffer, "standard input", edited)
    return load_plain(path, edited=edited)


def load_fitted(path: str, args: Any) -> Any:
    """Load a model that can be asked about rows: with its learner, or a tree or rules alone. Options of learners are refused."""
    if args.options:
        name = next(iter(args.options)).replace("_", "-")
        raise UsageError(
            f"--{name} is an option of a learner, a model is learned already", "MODEL", "leave it out, or name a table"
        )
    model = load(path, args.edited)
    if hasattr(model, "named_estimators_"):
        return asked(model, path, args.command)
    if not hasattr(model, "_model"):
        raise UsageError(
            f"{visible(path)} holds clauses over relations, which are not asked about the rows of a table",
            f"treewright {args.command}",
            "use tw.load(...) in Python, or treewright foil FOLDER --to prolog (or sql)",
        )
    return model


def read_rows(args: Any, model: Any) -> tuple[Any, Any]:
    """Read the rows a model is asked about: the file, and its columns that the model wants, in the model's order."""
    if args.data is None:
        raise UsageError("no table is named", f"treewright {args.command} MODEL", "name the rows: MODEL DATA")
    schema = model._model.schema
    file = learn.read(args, args.data, like=model)
    found = file.table.column_names
    absent = [name for name in schema.names if name not in found]
    if not absent:
        return file, file.table.select(schema.names)
    if not schema.named and len(found) >= len(schema.names):
        return file, file.table.select(list(range(len(schema.names)))).rename_columns(schema.names)
    needed = model._model.needed_columns
    if missed := [name for name in absent if name in needed]:
        what = f"columns of the model are not in {visible(file.name)}: {shown(missed)}"
        raise DataError(what, f"columns: {shown(found, 120)}", f"the model needs these: {shown(needed, 120)}")
    return file, _with_unused(file.table, schema)


def _with_unused(table: Any, schema: Any) -> Any:
    """The columns of a model; those it never looks at and that are not there hold nothing, or anything where that is refused."""
    import pyarrow as pa

    def cells(column: Any) -> Any:
        if column.name in table.column_names:
            return table.column(column.name)
        anything = column.levels[0] if column.levels else 0.0
        return pa.array([anything if schema.missing == "refuse" else None] * table.num_rows)

    return pa.table({column.name: cells(column) for column in schema.columns})


def ask(question: Any, X: Any, name: str) -> Any:
    """Ask a model about rows; what the data do not allow is an error of the data."""
    try:
        return question(X)
    except (ValueError, TypeError) as error:
        raise learn.data_error(error, name) from error


def predict(args: Any, talk: Talk) -> None:
    """Predict the rows of a table by a model."""
    model = load_fitted(args.model_file, args)
    file, X = read_rows(args, model)
    target = model._model.target
    columns: dict[str, list[Any]] = {}
    kept = file.rows if args.keep and not talk.json else None
    if args.keep and kept is None:
        columns.update({name: file.table.column(name).to_pylist() for name in file.table.column_names})
    taken = {*columns, *(file.table.column_names if kept is not None else ())}
    columns[_free(target.name, taken)] = ask(model.predict, X, file.name).tolist()
    if args.proba:
        if not target.nominal:
            raise UsageError("the model predicts numbers, which have no shares", "--proba", "leave it out")
        shares = ask(model.predict_proba, X, file.name)
        for j, label in enumerate(target.classes if model is model._model else model.classes_.tolist()):
            columns[_free(f"probability_{label}", taken)] = shares[:, j].tolist()
    if args.explain:
        columns[_free("reason", taken)] = ask(model._model.reasons, X, file.name)
    if kept is not None:
        talk.write_bytes(kept.with_columns(columns, args.safe_csv))
    else:
        talk.result(_csv(columns, args.safe_csv), columns)


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name = f"predicted {name}"
    taken.add(name)
    return name


def _csv(columns: dict[str, list[Any]], safe: bool) -> str:
    """Write columns as CSV; ``safe`` puts a quote before text that a spreadsheet would run."""

    def cell(value: Any) -> Any:
        text = isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r")
        return f"'{value}" if safe and text else value

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([cell(name) for name in columns])
    writer.writerows([cell(value) for value in row] for row in zip(*columns.values(), strict=True))
    return out.getvalue().removesuffix("\n")


def task_of(args: Any, model: Any) -> learn.Task:
    """The rows of a table beside a model, with the truth."""
    file, X = read_rows(args, model)
    target = model._model.target
    if target.name not in file.table.column_names:
        raise learn.missing_target(target.name, file)
    table = X.append_column(target.name, file.table.column(target.name))
    return learn.make_task(target.name, table, "classes" if target.nominal else "numbers", file.name)


def fitted_on(args: Any, path: str) -> tuple[Any, learn.Task]:
    """A saved model, and the rows beside it."""
    model = load_fitted(path, args)
    return model, task_of(args, model)


def scores(args: Any, path: str, costs: Any) -> Any:
    """Say how well a model does on the rows of a table."""
    from treewright.cli.scores import answers, scored

    model, task = fitted_on(args, path)
    found = ask(lambda _: answers(model, task), task.X, task.name)
    return scored([found], f"on the {len(task.y)} rows of {visible(task.name)}", costs)


def _facts(model: Any, path: str) -> tuple[list[str], dict[str, Any]]:
    """What a model file holds, in words and as values."""
    if hasattr(model, "named_estimators_"):  # a stack or a vote
        size = {} if path == "-" else {"bytes": os.path.getsize(path)}
        members = {name: type(each).__name__ for name, each in model.named_estimators_.items()}
        named = type(model).__name__
        told = ", ".join(f"{name} ({kind})" for name, kind in members.items())
        return [named, f"members {told}", *(size_text(n) for n in size.values())], {
            "file": path,
            "valid": True,
            "model": named,
            "members": members,
            **size,
        }
    if not hasattr(model, "_model"):  # clauses, alone or with what learned them
        clauses = getattr(model, "clauses", model)
        clauses = model if isinstance(clauses, tuple) else clauses
        size = {} if path == "-" else {"bytes": os.path.getsize(path)}
        named = "Foil" if clauses is not model else "Clauses"
        facts = {"file": path, "valid": True, "model": named, "target": clauses.name, **clauses.sizes, **size}
        return [named, f"relation {clauses.name}", counted(len(clauses), "clause"), *(size_text(n) for n in size.values())], facts
    learned = model._model
    named = type(model).__name__ if model is learned else model.name
    size = {} if path == "-" else {"bytes": os.path.getsize(path)}
    facts = {"file": path, "valid": True, "model": named, "target": learned.target.name, **size}
    text = [named, f"target {learned.target.name}"]
    for name, one, more in (("n_members", "member", "members"), ("n_nodes", "node", "nodes"), ("n_leaves", "leaf", "leaves")):
        if name in learned.sizes:
            facts[name] = learned.sizes[name]
            text.append(f"{facts[name]} {one if facts[name] == 1 else more}")
    return [*text, counted(len(learned.schema.columns), "column"), *(size_text(n) for n in size.values())], facts


def check(args: Any, talk: Talk) -> None:
    """Validate a model file and say what it holds; with --json, also what is wrong with it."""
    path = args.model_file
    try:
        model = load(path, args.edited)
    except ModelFormatError as error:
        if talk.json:
            talk.result(
                "", {"file": path, "valid": False, "fault": error.what, "remedy": cli_words(error.remedy), "exit_code": MODEL}
            )
        raise
    text, facts = _facts(model, path)
    talk.result(visible(f"{path}: a valid model, {', '.join(text)}"), facts)


def describe(path: str, args: Any, talk: Talk) -> None:
    """Say what a model was trained on: its columns, their levels, its target and its policies."""
    from treewright.show.cells import cells, cut_to
    from treewright.show.data import plain

    model = load(path, args.edited)
    text, facts = _facts(model, path)
    if hasattr(model, "named_estimators_"):
        talk.result(visible(f"{path}  {', '.join(text)}"), facts)
        return
    if not hasattr(model, "_model"):
        clauses = getattr(model, "clauses", model)
        talk.result(f"{visible(path)}  {', '.join(text)}\n{model if isinstance(clauses, tuple) else clauses}", facts)
        return
    schema, target = model._model.schema, model._model.target
    named = {"nominal": "category"}
    labels = [cut_to(visible(column.name), 30) for column in schema.columns]
    wide = max(map(cells, labels), default=0)
    lines = [visible(f"{path}  {', '.join(text)}")]
    for label, column in zip(labels, schema.columns, strict=True):
        levels = " · ".join(str(level) for level in column.levels)
        line = f"  {label}{' ' * (wide - cells(label))}  {named.get(column.kind, column.kind):<8}  {visible(levels)}"
        lines.append(cut_to(line.rstrip(), talk.width, talk.plain("…")))
    answers = "numbers" if target.classes is None else " · ".join(str(label) for label in target.classes)
    lines.append(cut_to(visible(f"answers: {answers}"), talk.width, talk.plain("…")))
    lines.append(f"missing cells: {schema.missing}; levels never seen: {schema.unseen}")
    columns = [
        {
            "name": c.name,
            "kind": named.get(c.kind, c.kind),
            **({"levels": [plain(level) for level in c.levels]} if c.levels else {}),
        }
        for c in schema.columns
    ]
    classes = None if target.classes is None else [plain(label) for label in target.classes]
    policies = {"missing": schema.missing, "unseen": schema.unseen}
    talk.result("\n".join(lines), {**facts, "columns": columns, "classes": classes, **policies})
