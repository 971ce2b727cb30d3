"""From the arguments to a table and a fitted learner: the target is found, its task decided, the columns described first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any

from treewright.cli import defaults
from treewright.cli.literals import OF_CLASSES, by_label
from treewright.cli.options import refuse_unknown
from treewright.cli.say import DataError, Talk, UsageError
from treewright.cli.together import OPTIONS, Several, several
from treewright.cli.wording import parted
from treewright.errors import counted, shown, unknown, visible

_FEW = 12  # distinct whole numbers that are still classes
# What others call them, and the options that make them so.
_ALIASES: dict[str, tuple[str, dict[str, Any]]] = {
    "lmt": ("logistictree", {}),
    "logistic": ("logistictree", {}),
    "j48": ("c45", {"variant": "j48"}),
    "c4.5": ("c45", {}),
    "c4.5rules": ("c45rules", {}),
    "jrip": ("ripper", {}),
    "m5p": ("m5", {}),
    "rpart": ("cart", {"recipe": "rpart"}),
    "oblique": ("obliquetree", {}),
    "oc1": ("obliquetree", {"method": "oc1"}),
    "cart-lc": ("obliquetree", {"method": "cart-lc"}),
    "ldt": ("obliquetree", {"method": "ldt"}),
    "fact": ("obliquetree", {"method": "fact"}),
    "lmdt": ("obliquetree", {"method": "lmdt"}),
    "network": ("obliquetree", {"node": "network"}),
    "quest": ("questtree", {}),
    "omnivariate": ("omnivariatetree", {}),
    "soft": ("softtree", {}),
    "rf": ("randomforest", {}),
    "random-forest": ("randomforest", {}),
    "vote": ("voting", {}),
    "stack": ("stacking", {}),
}
_LISTED = 60  # columns that are described
_NAME = 30  # characters of their names
_SMALL = 10_000  # cells of a table that is grown a tree of in no time, whatever is kept


@dataclass(slots=True)
class Task:
    """What is to be learned: the columns, the target, and whether it is classes or numbers."""

    name: str
    X: Any
    y: Any
    classes: bool
    left_out: dict[str, str] = field(default_factory=dict)  # columns that identify rows, with the reasons

    def rows(self, which: Any) -> Task:
        """The same of some rows."""
        return replace(self, X=self.X.take(which), y=self.y.take(which))


def algorithms() -> dict[str, dict[bool, str]]:
    """Every learner by name: its estimators for classes (True) and numbers (False)."""
    from treewright.learn import LEARNERS

    out: dict[str, dict[bool, str]] = {}
    for name in LEARNERS:
        for ending, classes in (("Classifier", True), ("Regressor", False)):
            if name.endswith(ending) and "Neighbors" not in name:
                out.setdefault(name.removesuffix(ending).lower(), {})[classes] = name
    return out


def _parameters(names: Iterable[str]) -> list[Field[Any]]:
    """The parameters of estimators, one after the other."""
    from treewright.learn import learner_class

    return [field for name in names for field in fields(learner_class(name).Parameters)]


def learner_options() -> dict[str, bool]:
    """The names of all parameters of learners, and whether they are true or false."""
    every = _parameters({name for tasks in algorithms().values() for name in tasks.values()})
    defaults = {each.name: each.default for each in every}
    defaults |= {name: default for own in OPTIONS.values() for name, default in own.items() if name not in defaults}
    return {name: isinstance(default, bool) for name, default in defaults.items()}


def own_options(algo: str) -> dict[str, Any]:
    """The options of an algorithm, of whatever it learns, and their defaults."""
    name, preset = _ALIASES.get(algo.lower(), (algo.lower(), {}))
    given = {"random_state", "n_jobs", "verbose", "categorical_features"}  # by options of the command itself
    if name in OPTIONS:
        return OPTIONS[name]
    every = _parameters(algorithms().get(name, {}).values())
    return {each.name: preset.get(each.name, each.default) for each in every if each.name not in given}


def reading_options(args: Any) -> dict[str, Any]:
    """How tables are read, as the options say."""
    ordered = {}
    for entry in args.ordered:
        name, sign, levels = entry.partition("=")
        if not sign or len(levels.split("<")) < 2:
            raise UsageError(f"{entry!r} names no ordered levels", "--ordered", "write COLUMN=A<B<C, in quotes")
        ordered[name] = levels.split("<")
    return {
        "format": args.format,
        "delimiter": {"tab": "\t", "\\t": "\t"}.get(args.delimiter, args.delimiter),
        "decimal": args.decimal,
        "encoding": args.encoding,
        "header": False if args.no_header else None,
        "missing": args.missing,
        "also_missing": args.also_missing,
        "categorical": args.categorical,
        "numeric": args.numeric,
        "ordered": ordered,
        "ignore": args.ignore,
        "dates": args.dates,
        "max_unpacked": args.max_unpacked,
    }


def read(args: Any, path: str, like: Any = None) -> Any:
    """Read the data file as the options say; kinds of columns that ``like`` (a model, a table) has are not guessed."""
    from treewright.table.files import read_file

    options = reading_options(args)
    try:
        return read_file(path, **options, like=like)
    except LookupError as error:  # an unknown encoding
        raise UsageError(str(error), f"--encoding {args.encoding}", "use a name such as utf-8, latin-1 or cp1252") from error
    except ValueError as error:
        if type(error) is not ValueError:
            raise
        what, remedy = parted(error)
        raise UsageError(what, path, remedy or "see --help") from error


def describe(file: Any, talk: Talk, target: str | None = None, left_out: Mapping[str, str] = {}) -> str:
    """Say how the columns were read, a line each, and which of them are not learned from."""
    from treewright.show.cells import cells, cut_to
    from treewright.table.files.describe import column_facts

    table = file.table
    head = f"{file.name}  {counted(table.num_rows, 'row')} × {counted(table.num_columns, 'column')}"
    head += f"   {file.about}" if file.about else ""
    if target is not None:
        head += f"   target {target}: {column_facts(target, table.column(target)).text()}"
    lines, hints = [head], []
    if target is not None:
        hints += [f"hint: target {shown(target)}: {hint}" for hint in column_facts(target, table.column(target)).hints]
    names = [name for name in table.column_names if name != target]
    labels = {name: cut_to(visible(name), _NAME, talk.plain("…")) for name in names[:_LISTED]}
    wide = max(map(cells, labels.values()), default=0)
    for name, label in labels.items():
        facts = column_facts(name, table.column(name))
        note = f"   ({file.notes[name]})" if name in file.notes else ""
        text = facts.text(talk.width - wide - 14 - len(note))
        lines.append(f"  {label}{' ' * (wide - cells(label))}  {facts.kind:<8}  {visible(text)}{note}")
        if name not in left_out:
            hints += [f"hint: column {shown(name)}: {hint}" for hint in facts.hints]
    if len(names) > _LISTED:
        lines.append(f"  … {len(names) - _LISTED} more columns")
    if left_out:
        hints.append(defaults.left_out_text(left_out))
    cut = [cut_to(talk.plain(visible(line)), talk.width, talk.plain("…")) for line in lines[1:]]
    return "\n".join(
        [cut_to(talk.plain(visible(head)), 4 * talk.width, talk.plain("…")), *cut, *(talk.plain(visible(hint)) for hint in hints)]
    )


def find_task(args: Any, file: Any) -> Task:
    """Take the target out of a table; rows without one are left out, with a warning."""
    table = file.table
    target = args.target
    if target is None:
        if file.format not in ("arff", "c45"):
            columns = ", ".join(map(visible, table.column_names[:12])) + (", …" if table.num_columns > 12 else "")
            raise UsageError("no target column is named", f"columns: {columns}", "name the one to predict: --target COLUMN")
        target = table.column_names[-1]
    if target not in table.column_names:
        raise missing_target(target, file)
    if table.num_columns < 2:
        raise DataError("there is no column besides the target", file.name, "a tree needs columns to ask about")
    return make_task(target, table, args.task, file.name)


def _kind(what: str) -> str:
    return "a numeric target" if what == "numbers" else "a target of classes"


def missing_target(target: str, file: Any) -> DataError:
    """Build the error for a target that is no column."""
    columns = ", ".join(map(visible, file.table.column_names[:12])) + (", …" if file.table.num_columns > 12 else "")
    hint = str(unknown("target", target, file.table.column_names)).partition("did you mean ")[2].rstrip("?")
    remedy = f"did you mean: --target {hint.strip(chr(39))}" if hint else "name one of them: --target COLUMN"
    return DataError(f"target column {shown(target)} is not in {visible(file.name)}", f"columns: {columns}", remedy)


def same_columns(task: Task, file: Any) -> Task:
    """Take from another table the columns and the target of a task, in any order; further columns are left out."""
    found = file.table.column_names
    if task.y.name not in found:
        raise missing_target(task.y.name, file)
    wanted = task.X.column_names
    absent = [name for name in wanted if name not in found]
    if absent:
        what = f"columns of {visible(task.name)} are not in {visible(file.name)}: {shown(absent)}"
        raise DataError(what, file.name, "test on rows with the same columns")
    return make_task(task.y.name, file.table.select([*wanted, task.y.name]), "classes" if task.classes else "numbers", file.name)


def make_task(target: str, table: Any, task: str | None, name: str) -> Task:
    """Divide a table into columns and target, and decide whether the target is classes."""
    import warnings

    import pyarrow.compute as pc

    from treewright.errors import TreewrightWarning
    from treewright.table.files.target import TargetColumn
    from treewright.table.written import written_of

    column = table.column(target)
    present = pc.is_valid(column)
    gone = table.num_rows - (pc.sum(present).as_py() or 0)
    if gone == table.num_rows:
        raise DataError(f"every cell of the target {shown(target)} is missing", name, "choose another column, or see --missing")
    if gone:
        warnings.warn(
            f"{gone} of {table.num_rows} rows have no {shown(target)} and are left out", TreewrightWarning, stacklevel=2
        )
        table = table.filter(present)
        column = table.column(target)
    classes = _is_classes(column) if task is None else task == "classes"
    if task is None and classes and _is_numeric(column.type) and pc.count_distinct(column).as_py() > 2:
        tell_guess(target)
    if classes and _has_fractions(column):
        remedy = f"leave --task out, or read its cells as levels: --categorical {shown(target)}"
        raise DataError(f"target {shown(target)} holds numbers that are no classes", name, remedy)
    if not classes and not _is_numeric(column.type):
        raise DataError(f"target {shown(target)} holds no numbers", name, "leave --task out, or choose another column")
    goal = TargetColumn(target, column, written_of(table.schema.field(target)))
    return Task(name, table.drop_columns([target]), goal, classes)


def _is_numeric(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _has_fractions(column: Any) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    return pa.types.is_floating(column.type) and pc.any(pc.not_equal(column, pc.floor(column))).as_py() is True


def _is_classes(column: Any) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    return are_classes(column.type, pc.count_distinct(column).as_py() if pa.types.is_integer(column.type) else 0)


def are_classes(kind: Any, distinct: int) -> bool:
    """Whether a target of a type, of which so many are different, is read as classes."""
    import pyarrow as pa

    # Whole numbers of few kinds are classes; --task says otherwise.
    return not _is_numeric(kind) or (pa.types.is_integer(kind) and distinct <= _FEW)


def tell_guess(target: str) -> None:
    """Say that whole numbers are read as classes."""
    import warnings

    from treewright.errors import TreewrightWarning

    guess = f"the whole numbers of {shown(target)} are few and read as classes; --task numbers reads them as numbers"
    warnings.warn(guess, TreewrightWarning, stacklevel=2)


def check_algorithm(args: Any) -> dict[bool, str]:
    """Return the estimators of the algorithm that was named; refuse an unknown one."""
    return {} if _together(args.algo) else _estimators(args.algo, "--algo")


def _together(algo: str) -> str | None:
    """The name of a stack or vote, if that is what is named."""
    name = _ALIASES.get(algo.lower(), (algo.lower(), {}))[0]
    return name if name in OPTIONS else None


def _estimators(algo: str, option: str) -> dict[bool, str]:
    allowed = algorithms()
    name, _ = _ALIASES.get(algo.lower(), (algo.lower(), {}))
    if name not in allowed:
        more = [*_ALIASES, *OPTIONS] if option == "--algo" else [each for each, (own, _) in _ALIASES.items() if own in allowed]
        what, remedy = parted(unknown("algorithm", algo, [*allowed, *more]))
        raise UsageError(what, option, remedy)
    return allowed[name]


def _member(algo: Any, classes: bool, option: str = "--estimator", **more: Any) -> Any:
    """The learner of members, given by the name of an algorithm, with its defaults."""
    from treewright.learn import learner_class

    names = _estimators(str(algo), option)
    if classes not in names:
        what = "classes" if classes else "numbers"
        raise UsageError(f"{algo} cannot predict {_kind(what)}", option, f"the target holds {what}: name another algorithm")
    kind = learner_class(names[classes])
    own = {field.name for field in fields(kind.Parameters)}
    given = {name: value for name, value in more.items() if value is not None and name in own}
    return kind(kind.Parameters(**_ALIASES.get(str(algo).lower(), ("", {}))[1], **given))


def make_learner(args: Any, classes: bool, y: Any, talk: Talk, **more: Any) -> Any:
    """Build the learner of an algorithm with its options, which may name classes of ``y``; refuse what it does not have."""
    import numpy as np

    from treewright.learn import learner_class

    names = check_algorithm(args)
    algo = args.algo.lower()
    if (together := _together(algo)) is not None:
        for name in args.options:
            if name not in OPTIONS[together]:
                raise refuse_unknown(name, list(OPTIONS[together]), algo)
        each = {"random_state": args.seed, "n_jobs": args.jobs}
        return several(together, classes, args.options, lambda name, option: _member(name, classes, option, **each))
    if classes not in names:
        others = ", ".join(sorted(name for name, tasks in algorithms().items() if classes in tasks))
        what = "classes" if classes else "numbers"
        raise UsageError(
            f"{algo} cannot predict {_kind(what)}", f"the target holds {what}", f"use one of: --algo {others}; or --task"
        )
    kind = learner_class(names[classes])
    parameters = [field.name for field in fields(kind.Parameters)]
    options = {**_ALIASES.get(algo, ("", {}))[1], **args.options}
    for name in options:
        if name not in parameters:
            raise refuse_unknown(name, parameters, algo)
    wanted = {"random_state": args.seed, "n_jobs": args.jobs, "verbose": talk.verbose, **more}
    options.update({name: value for name, value in wanted.items() if value is not None and name in parameters})
    if options.get("estimator") is not None:
        options["estimator"] = _member(options["estimator"], classes)
    labels = ("a", "b") if classes else None
    if classes and not OF_CLASSES.keys().isdisjoint(options):
        labels = tuple(sorted(set(np.asarray(y).tolist())))
        options |= {name: by_label(options[name], labels) for name in OF_CLASSES if name in options}
    learner = kind(kind.Parameters(**options))
    try:
        learner.check(labels)
    except (ValueError, TypeError) as error:
        what, remedy = parted(error)
        raise UsageError(what, "the options of the algorithm", remedy or "see --help") from error
    return learner


def prepared(args: Any, talk: Talk, **more: Any) -> tuple[Any, Task, Any]:
    """Read and describe the table before anything long starts; return the learner, what it learns from, and the file."""
    check_algorithm(args)
    file = read(args, args.data)
    task = find_task(args, file)
    learner = make_learner(args, task.classes, task.y, talk, **more)
    if found := defaults.left_out(args, task):
        task = replace(task, X=task.X.drop_columns(list(found)), left_out=found)
    if not talk.quiet:
        talk.note(describe(file, talk, task.y.name, task.left_out))
    return learner, task, file


def keeping_candidates(learner: Any, task: Task, options: dict[str, Any]) -> Any:
    """A learner of a model that is saved keeps the candidates of nodes, where the table is small and no option says otherwise."""
    able = "keep_candidates" in learner.given and "keep_candidates" not in options
    return learner.changed(keep_candidates=True) if able and len(task.y) * task.X.num_columns <= _SMALL else learner


def judging_out_of_bag(learner: Any, options: dict[str, Any]) -> Any:
    """A learner that leaves rows out of bags judges them, unless an option says otherwise: its training errors say nothing."""
    able = "oob_score" in learner.given and "oob_score" not in options and learner.given.get("bootstrap", False) is not False
    return learner.changed(oob_score=True) if able else learner


def fit(learner: Any, task: Task) -> Any:
    """Fit; what the data do not allow is an error of the data."""
    try:
        return fitted(learner, task.X, task.y)
    except (ValueError, TypeError) as error:
        raise data_error(error, task.name) from error


def fitted(learner: Any, X: Any, y: Any) -> Any:
    """A learner with what it learns from a table; of a stack or vote the estimator."""
    from treewright.learn.fitted import fit as fit_plain

    return learner.fit(X, y) if isinstance(learner, Several) else fit_plain(learner, X, y)


def fit_asked(args: Any, learner: Any, task: Task, judged: bool = False) -> tuple[Any, defaults.Judged | None]:
    """Fit; a tree by default is cut back by cross-validation, or, if it is to be ``judged``, at least judged so."""
    return finished(args, fit(learner, task), task, judged)


def finished(args: Any, estimator: Any, task: Task, judged: bool = False) -> tuple[Any, defaults.Judged | None]:
    """Cut back what was fitted by default."""
    cut = defaults.cuts(args)
    folds = defaults.folds_of(args, task) if cut or judged else 0
    if not folds:
        return estimator, None
    try:
        return defaults.cut_back(estimator, task.X, task.y, folds, cut)
    except (ValueError, TypeError) as error:
        raise data_error(error, task.name) from error


def data_error(error: Exception, name: str) -> DataError:
    """Turn an error of a learner about its data into one of the command line."""
    what, remedy = parted(error)
    return DataError(what, name, remedy or "see treewright describe")
