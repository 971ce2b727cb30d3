"""The commands: each reads, learns, and gives one result."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from shlex import quote
from typing import Any

from treewright.cli import learn, models
from treewright.cli.candidates import candidates_text, in_order
from treewright.cli.defaults import Judged
from treewright.cli.drift import drift, refresh
from treewright.cli.explore import explore
from treewright.cli.foil import foil
from treewright.cli.frontier import frontier
from treewright.cli.large import fit_large
from treewright.cli.model_text import headline, member_of, model_text, rules_text, tree_of
from treewright.cli.optimal import gap_data, gap_of, optimal
from treewright.cli.options import of_tables
from treewright.cli.prune import prune
from treewright.cli.say import DataError, Talk, UsageError
from treewright.cli.together import refuse_stack
from treewright.cli.values import explained
from treewright.cli.wording import parted
from treewright.cli.workbench import workbench
from treewright.errors import counted, shown, unknown, visible
from treewright.show.cells import cut_to, wrapped
from treewright.show.data import plain


def _fitted(args: Any, talk: Talk, judged: bool = False, **more: Any) -> tuple[Any, learn.Task, str, Judged | None]:
    """Read, describe and fit; also a line about the tree. ``judged``: by rows left out of bags, or in cross-validation."""
    learner, task, _ = learn.prepared(args, talk, **more)
    if talk.model is not None:
        learner = learn.keeping_candidates(learner, task, args.options)
    if judged:
        learner = learn.judging_out_of_bag(learner, args.options)
    begin = time.perf_counter()
    with warnings.catch_warnings():
        if judged:  # who asked for no score out of bag is told of how many rows it is, not that these are not all
            warnings.filterwarnings("ignore", message=r".* nobody can judge them out of bag")
        estimator, found = learn.fit_asked(args, learner, task, judged)
    line = headline(args.algo, estimator._model, time.perf_counter() - begin)
    if found is not None and found.leaves < found.whole:
        line += f", cut back from {found.whole} leaves (--full: whole)"
    return estimator, task, line, found


def fit(args: Any, talk: Talk) -> None:
    """Learn a model and show it."""
    from treewright.cli.training import training_facts, training_text

    if args.memory is not None:
        fit_large(args, talk)
        return
    estimator, task, line, judged = _fitted(args, talk, judged=True)
    if talk.model is not None:
        line += talk.save_model(estimator)
    talk.note(f"{line}\n")
    model = estimator._model

    def lines() -> list[str]:
        return [wrapped(line, talk.width) for line in (*_judgement(args, judged, task), training_text(estimator, task))]

    talk.result(
        lambda: "\n".join([model_text(model, args.depth, talk), *lines()]),
        lambda: {
            **model.data(),
            "training": training_facts(estimator, task),
            **({"cross_validation": judged.data()} if judged is not None else {}),
            **({"left_out": task.left_out} if task.left_out else {}),
        },
    )
    if talk.model not in (None, "-"):
        path, data = (quote(visible(path)) for path in (talk.model, args.data))
        first = f"explain {path} {data} --row 1" if model.kind in ("forest", "stack") or _smooth(model) else f"rules {path}"
        page = f"explore {path}{'' if data == '-' else f' {data}'}" if model.kind != "stack" else f"show {path}"
        talk.note(f"\nnext: treewright {first} · treewright {page}")


def _judgement(args: Any, judged: Judged | None, task: learn.Task) -> list[str]:
    """The line about cross-validation, where the command chose what is learned."""
    if judged is not None:
        return [judged.text()]
    few = args.by_default and args.cv is None
    return [f"{counted(len(task.y), 'row')} are too few for cross-validation: this is the whole tree"] * few


def _smooth(model: Any) -> bool:
    return model.kind == "tree" and bool(model.smooth)


def _given(args: Any, talk: Talk, **more: Any) -> Any:
    """Return the estimator of the model that was named, or one fitted to the table that was, and say how large it is."""
    path = models.model_given(args)
    if path is None:
        estimator, _, line, _ = _fitted(args, talk, **more)
    else:
        estimator = models.load_fitted(path, args)
        if (option := of_tables(args)) is not None:
            raise UsageError(f"{option} is about a table, {shown(path)} is a model", "MODEL", "leave it out, or name a table")
        line = headline(visible(path), estimator._model)
    talk.note(line)
    return member_of(estimator, args.member)


def show(args: Any, talk: Talk) -> None:
    """Draw the model that was named, or that of a table."""
    why = {"keep_candidates": True} if args.why is not None else {}
    estimator = _given(args, talk, **why)
    if args.why is not None:
        _why(tree_of(estimator, "--why", **_one_member(estimator)), args.why, talk)
    elif args.svg is not None or args.png is not None:
        _pictures(estimator, args, talk)
    else:
        talk.note("")
        model = estimator._model
        talk.result(lambda: model_text(model, args.depth, talk, args.exact), model.data)


def _one_member(estimator: Any) -> dict[str, str]:
    """What to do where a tree is needed and a forest was given."""
    return {"remedy": "name one member, such as --member 0"} if estimator._model.kind == "forest" else {}


def _pictures(estimator: Any, args: Any, talk: Talk) -> None:
    """Write a tree, or members of a forest side by side, as pictures."""
    import io
    import sys

    forest = estimator._model.kind == "forest"
    model = estimator._model if forest else tree_of(estimator, "--svg" if args.svg is not None else "--png")
    options = {} if forest else {"kind": args.kind, "exact": args.exact, "max_depth": args.depth}
    if args.svg is not None:
        document = model.to_svg(**options)
        if args.svg == "-":
            sys.stdout.write(document)
        else:
            talk.save(args.svg, document.encode())
    if args.png is not None:
        try:
            import matplotlib as mpl
        except ImportError as error:
            raise UsageError("PNG pictures need matplotlib", "--png", "pip install 'treewright[plot]', or use --svg") from error
        from treewright.show.forest_plots import plot_members
        from treewright.show.plots import plot_tree

        mpl.use("agg")
        picture = io.BytesIO()
        drawn = plot_members(model) if forest else plot_tree(model, **options)
        drawn.figure.savefig(picture, format="png", dpi=150, metadata={"Software": None})
        talk.save(args.png, picture.getvalue())


def _why(tree: Any, which: str, talk: Talk) -> None:
    """Write the candidate splits of a node, best first."""
    number = 0 if which == "root" else int(which) if which.isdigit() else -1
    if not 0 <= number < tree.n_nodes:
        raise UsageError(f"there is no node {shown(which)}", "--why", f"root, or a number from 0 to {tree.n_nodes - 1}")
    node = tree.node(number)
    try:
        candidates = in_order(node.candidates)
    except ValueError as error:
        raise UsageError("alternative splits were not saved", "--why", "fit with --keep-candidates") from error
    text = candidates_text(candidates)
    data = [
        {
            "column": e.column,
            "family": e.family,
            "gain": plain(e.gain),
            "penalty": plain(e.penalty),
            "split_info": plain(e.split_info),
            "merit": plain(e.merit),
            "cut": plain(e.cut),
            "branches": e.n_branches,
            "tried": e.tried,
            "chosen": e.chosen,
        }
        for e in candidates
    ]
    talk.result(text or "nothing was weighed here", {"node": number, "candidates": data})


def rules(args: Any, talk: Talk) -> None:
    """Write the tree of a model or a table as rules, or the rules it learned."""
    estimator = _given(args, talk)
    refuse_stack(estimator, "rules")
    model = estimator._model
    if model.kind == "forest":
        remedy = "name one member, such as --member 0; or see treewright explore"
        raise UsageError("a forest is no list of rules", "treewright rules", remedy)
    if _smooth(model):
        raise UsageError(
            "the gates of a soft tree send a row both ways, rules do not", "treewright rules", "see show and explain"
        )
    found = model.to_rules()
    talk.note("")
    written = {"text": lambda: rules_text(found, talk), "full": lambda: found.to_text(full=True), "markdown": found.to_markdown}
    talk.result(written[args.to], found.data)


def export(args: Any, talk: Talk) -> None:
    """Write the tree of a model or a table as a program or picture in another language."""
    from treewright.cli.export import write_export

    estimator = _given(args, talk)
    refuse_stack(estimator, "export")
    write_export(estimator, args, talk)


def explain(args: Any, talk: Talk) -> None:
    """Say why the tree of a table says what it says of one of its rows."""
    path = models.model_given(args)
    if path is None:
        learner, task, file = learn.prepared(args, talk)
        X, target, classes = file.table.select(task.X.column_names), task.y.name, task.classes
    else:
        estimator = models.load_fitted(path, args)
        file, X = models.read_rows(args, estimator)
        schema = estimator._model.target
        target, classes = schema.name, schema.nominal
    rows = file.table.num_rows
    if not 1 <= args.row <= rows:
        raise UsageError(f"there is no row {args.row}", file.name, f"a number from 1 to {rows}")
    if path is None:
        estimator, _ = learn.fit_asked(args, learner, task)
    estimator = member_of(estimator, args.member)
    found = models.ask(estimator.explain, X.slice(args.row - 1, 1), file.name)
    truth = file.table.column(target)[args.row - 1].as_py() if target in file.table.column_names else None
    steps = {"steps": True} if args.steps and estimator._model.kind == "tree" else {}
    text = talk.plain(f"row {args.row}: {found.to_text(**steps)}")
    if truth is not None:
        text += f"\n  true value: {cut_to(visible(str(truth)), 60)}"
        text += talk.plain(f" {'✓' if truth == found.says else '✗'}") if classes else ""
    talk.result(wrapped(text, talk.width, "    "), {**explained(found), "truth": plain(truth)})


def describe(args: Any, talk: Talk) -> None:
    """Say how the columns of a table are read."""
    from treewright.store.files import is_model
    from treewright.table.files.describe import table_facts

    if args.data != "-" and is_model(args.data):
        models.describe(args.data, args, talk)
        return
    file = learn.read(args, args.data)
    columns = [
        {
            "name": facts.name,
            "kind": facts.kind,
            "missing": facts.missing,
            **({"levels": {str(level): n for level, n in facts.levels.items()}} if facts.levels else {}),
            **({"low": facts.low, "high": facts.high} if facts.low is not None else {}),
            **({"note": file.notes[facts.name]} if facts.name in file.notes else {}),
            **({"hint": facts.hint} if facts.hint else {}),
        }
        for facts in table_facts(file.table)
    ]
    data = {"file": file.name, "format": file.format, "about": file.about, "rows": file.table.num_rows, "columns": columns}
    talk.result(wrapped(learn.describe(file, talk), talk.width), data)


def evaluate(args: Any, talk: Talk) -> None:
    """Say how well a learner does on rows it has not seen."""
    from treewright.cli.literals import costs_of
    from treewright.cli.scores import answers, cross_validate, quiet, scored

    path, costs = models.model_given(args), costs_of(args.cost)
    if path is not None:
        for option in ("cv", "test"):
            if getattr(args, option) is not None:
                remedy = "leave it out, or name the table alone, with --target"
                raise UsageError(f"--{option} learns anew, and a model is only asked", visible(path), remedy)
        found = models.scores(args, path, costs)
        _tell_scores(args, talk, found, lambda: models.fitted_on(args, path))
        return
    folds = 10 if args.cv is None else args.cv
    learner, task, file = learn.prepared(args, talk)
    if args.test is not None:
        other = learn.read(args, args.test, like=file.table)
        test = learn.same_columns(task, other)
        estimator, _ = learn.fit_asked(args, learner, task)
        try:
            result = [answers(estimator, test)]
        except (ValueError, TypeError) as error:
            raise learn.data_error(error, other.name) from error
        where = f"on the {len(test.y)} rows of {visible(other.name)}"
    else:
        if not 2 <= folds <= len(task.y):
            rows = f"the table has {len(task.y)} rows"
            raise UsageError(f"--cv {folds} folds are not possible", rows, f"a number from 2 to {len(task.y)}")
        result = cross_validate(lambda some: learn.fit_asked(args, quiet(learner), some)[0], task, folds, args.seed or 0)
        where = f"in {folds}-fold cross-validation"
    _tell_scores(args, talk, scored(result, where, costs), lambda: (learn.fit_asked(args, learner, task)[0], task))


def _tell_scores(args: Any, talk: Talk, found: Any, fitted: Callable[[], tuple[Any, Any]]) -> None:
    """Give scores, draw them where a picture is asked for, and add what is proven of the tree."""
    for form, path in (("svg", args.svg), ("png", args.png)):
        if path is not None and found.picture is None:
            raise UsageError("so many classes have no picture", f"--{form}", "leave it out")
        if path is not None:
            try:
                from treewright.show.scored import picture

                talk.save(path, picture(found.picture, form))
            except ImportError as error:
                raise UsageError("pictures of scores need matplotlib", f"--{form}", "pip install 'treewright[plot]'") from error
    talk.result(*_with_gap(args, (found.text, found.data), fitted))


def _with_gap(args: Any, result: tuple[str, dict[str, Any]], fitted: Callable[[], tuple[Any, Any]]) -> tuple[str, dict[str, Any]]:
    """Scores with what is proven of the tree, where that was asked for."""
    if args.gap is None:
        return result
    estimator, task = fitted()
    tree_of(estimator, "--gap", "only single trees are compared with the best one")
    found = gap_of(estimator, (task.X, task.y), args.gap, task.name)
    text, data = result
    return f"{text}\n\n{found.to_text()}", {**data, "gap": gap_data(found)}


def demo(args: Any, talk: Talk) -> None:
    """Grow a tree on a built-in table."""
    import numpy as np

    from treewright import datasets

    names = datasets.names()
    if args.name == "list":
        dashed = [name.replace("_", "-") for name in names]
        talk.result("\n".join(dashed), dashed)
        return
    name = args.name.replace("-", "_")
    if name not in names:
        what, remedy = parted(unknown("table", args.name, [n.replace("_", "-") for n in names]))
        raise UsageError(what, "treewright demo", remedy)
    data = datasets.load(name)
    classes = np.asarray(data.y).dtype.kind not in "iuf" if args.task is None else args.task == "classes"
    learner = learn.make_learner(args, classes, data.y, talk)
    talk.note(data.about)
    begin = time.perf_counter()
    try:
        model = learn.fitted(learner, data.X, data.y)._model
    except (ValueError, TypeError) as error:
        raise DataError(str(error), name, "try another --algo") from error
    talk.note(f"{headline(args.algo, model, time.perf_counter() - begin)}\n")
    talk.result(lambda: model_text(model, args.depth, talk), model.data)


COMMANDS: dict[str, Callable[[Any, Talk], None]] = {
    "fit": fit,
    "predict": models.predict,
    "check": models.check,
    "show": show,
    "rules": rules,
    "export": export,
    "eval": evaluate,
    "explain": explain,
    "describe": describe,
    "prune": prune,
    "optimal": optimal,
    "explore": explore,
    "frontier": frontier,
    "drift": drift,
    "refresh": refresh,
    "foil": foil,
    "workbench": workbench,
    "demo": demo,
}
