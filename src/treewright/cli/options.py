"""The options of the command line. Options of a learner are not listed here: whatever its estimator takes is taken by name."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, NoReturn

import treewright
from treewright import parts
from treewright.cli.export import FORMS
from treewright.cli.literals import NAMED, option, option_value, parameter
from treewright.cli.say import UsageError
from treewright.cli.wording import parted
from treewright.errors import unknown, visible

_NOTE = """\
Any option of the algorithm is given by its name, such as --max-depth 3 --criterion info_gain --soft (or --no-soft);
where missing cells go is --missing-policy. Where answers may only rise or fall with a column, --monotonic age=1,debt=-1;
which columns may meet on a way, --interactions 'age,income;age,city' (or pairwise). Class weights,
priors and losses are written --class-weight no=1,yes=5 (or balanced), --priors no=0.9,yes=0.1, --loss '0,1;5,0'
(a row for every true class, sorted), or as JSON.
DATA is CSV (delimiter, decimal sign and types are found), Parquet, Arrow, JSON lines, ARFF or one of C4.5's
.names and .data, also gzip-compressed; - is standard input."""

_CODES = """\
exit codes: 0 done, 1 internal error, 2 wrong use, 3 bad data, 4 bad model, 5 not enough memory, 130 interrupted,
141 output pipe closed"""


_EXAMPLES = {
    "fit": "treewright fit churn.csv --target churn -o churn.json",
    "predict": "treewright predict churn.json new.csv --keep --proba -o answers.csv",
    "show": "treewright show churn.json --depth 4 --svg churn.svg",
    "rules": "treewright rules churn.json --to markdown",
    "export": "treewright export churn.json --to sql --dialect duckdb --table customers",
    "eval": "treewright eval churn.json new.csv --cost '0,1;5,0' --png scores.png",
    "explain": "treewright explain churn.json new.csv --row 17",
    "prune": "treewright prune churn.csv --target churn --rule 1se -o small.json",
    "optimal": "treewright optimal churn.csv --target churn --max-depth 3",
    "explore": "treewright explore churn.json new.csv -o churn.html",
    "frontier": "treewright frontier churn.csv --target churn --learners cart,c45,ripper -o frontier.html",
    "drift": "treewright drift churn.json new.csv",
    "refresh": "treewright refresh churn.json new.csv -o renewed.json",
    "foil": "treewright foil family/ --target grandparent",
    "workbench": "treewright workbench churn.csv --target churn --max-depth 3",
    "describe": "treewright describe churn.csv",
    "check": "treewright check churn.json",
    "demo": "treewright demo iris --max-depth 2",
}


def _epilog(command: str, *texts: str) -> str:
    """What stands below the options: an example first."""
    return "\n\n".join([f"example:\n  {_EXAMPLES[command]}", *texts])


class _Parser(argparse.ArgumentParser):
    commands: Mapping[str, argparse.ArgumentParser]

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, self.prog, f"see {self.prog} --help")


def _common() -> _Parser:
    common = _Parser(add_help=False)
    group = common.add_argument_group("what is said and where")
    group.add_argument("--json", action="store_true", help="the result as JSON on standard output, notes on standard error")
    group.add_argument("-o", "--output", metavar="FILE", help="write the result there (- is standard output)")
    group.add_argument("--force", action="store_true", help="replace an existing file")
    group.add_argument("--width", type=_count, metavar="N", help="columns of text (default: those of the terminal)")
    group.add_argument("--ascii", action="store_true", help="plain ASCII signs only")
    group.add_argument("--no-color", action="store_true", help="no colours (also NO_COLOR, TERM=dumb, or not a terminal)")
    group.add_argument("-q", "--quiet", action="store_true", help="the result only, no notes and no progress")
    group.add_argument("--edited", action="store_true", help="the model file was edited on purpose: any checksum will do")
    group.add_argument("--debug", action="store_true", help="show where in the program an error came from")
    return common


def _reading() -> _Parser:
    reading = _Parser(add_help=False)
    group = reading.add_argument_group("how DATA is read")
    group.add_argument("--format", metavar="F", help="csv, parquet, arrow, jsonl, arff or c45, if it cannot be told")
    group.add_argument("--delimiter", metavar="C", help="the sign between cells")
    group.add_argument("--decimal", choices=[".", ","], help="the sign before decimals")
    group.add_argument("--dates", choices=["dmy", "mdy"], help="whether the day or the month comes first in 03/04/2024")
    group.add_argument("--encoding", metavar="E", help="such as latin-1, if it is not UTF-8")
    group.add_argument("--max-unpacked", type=int, metavar="BYTES", help="what a packed file may unpack to")
    group.add_argument("--no-header", action="store_true", help="the file has no header")
    group.add_argument(
        "--missing", type=_names, metavar="A,B", help='values to treat as missing, such as "?,-", instead of NA, ?, null'
    )
    group.add_argument("--also-missing", type=_names, default=[], metavar="A,B", help="values to treat as missing besides those")
    group.add_argument("--categorical", type=_names, default=[], metavar="A,B", help="columns to read as levels")
    group.add_argument("--numeric", type=_names, default=[], metavar="A,B", help="columns to read as numbers, 007 as 7")
    group.add_argument("--ordered", action="append", default=[], metavar="COL=A<B<C", help="a column whose levels have an order")
    group.add_argument("--ignore", type=_names, default=[], metavar="A,B", help="columns to leave out")
    return reading


def _learning(algo: bool = True, default: bool = True) -> _Parser:
    learning = _Parser(add_help=False)
    group = learning.add_argument_group("what is learned")
    group.add_argument("--target", metavar="COL", help="the column to predict (ARFF and C4.5: the last one, unless given)")
    if algo:
        group.add_argument("--algo", metavar="NAME", help="cart, id3, c45, ripper, randomforest, ... or tree with --recipe")
    if default:
        group.add_argument("--full", action="store_true", help="without --algo: the whole tree, not cut back by cross-validation")
        group.add_argument("--use", type=_names, default=[], metavar="A,B", help="without --algo: learn from these in any case")
    group.add_argument("--task", choices=["classes", "numbers"], help="what the target is, if it should not be guessed")
    group.add_argument("--seed", type=int, metavar="N", help="seed of random choices")
    group.add_argument("-j", "--jobs", type=int, metavar="N", help="threads (-1: all); the tree is the same for any number")
    return learning


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def _rule(text: str) -> str:
    return "1se" if text in ("one-se", "one_se", "1-se") else text


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 20:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 20 up")
    return int(text)


def parser() -> _Parser:
    """Build the parser."""
    top = _Parser(
        prog="treewright",
        description="Decision trees and rules people can read, from the table you have.",
        epilog=_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"treewright {treewright.__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    top.commands = commands.choices
    common, reading, learning = _common(), _reading(), _learning()

    def command(name: str, about: str, *parents: _Parser) -> argparse.ArgumentParser:
        # Options of learners follow in any spelling; abbreviations would catch them.
        return commands.add_parser(
            name,
            help=about,
            description=about.capitalize() + ".",
            epilog=_epilog(name, _NOTE if learning in parents else _CODES),
            parents=[*parents, common],
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    fit = command("fit", "learn a tree and show it", reading, learning)
    predict = command("predict", "predict the rows of a table by a model", reading)
    show = command("show", "draw a saved model, or one fitted to a table, as text or picture", reading, learning)
    rules = command("rules", "write a saved model, or one fitted to a table, as rules", reading, learning)
    export = command(
        "export", "write a saved model, or one fitted to a table, as a program in another language", reading, learning
    )
    evaluate = command("eval", "say how well a model or a learner does on rows it has not seen", reading, learning)
    explain = command("explain", "say why a row gets its answer, from a saved model or one fitted to a table", reading, learning)
    prune = command("prune", "cut a tree back: the sizes there are, their errors, and the one to keep", reading, learning)
    optimal = command("optimal", "say how far a tree is from the best one of its size and depth", reading, learning)
    explore = command("explore", "write a page to explore a saved model, or one fitted to a table", reading, learning)
    frontier = command(
        "frontier", "score every learner in several sizes: accuracy against size", reading, _learning(algo=False, default=False)
    )
    drift = command("drift", "say how rows differ from those a saved tree was grown from", reading)
    refresh = command("refresh", "renew the leaves of a saved tree by other rows; -o writes the model", reading)
    workbench = command(
        "workbench", "edit the tree of a table on screen, in a page that this machine serves itself", reading, learning
    )
    foil = command("foil", "learn rules over relations from a folder of tables and facts")
    describe = command("describe", "say how the columns of a table are read", reading)
    check = command("check", "validate a model file")
    demo = command("demo", "grow a tree on a built-in table", _learning(default=False))
    for each in (predict, check, drift, refresh):
        each.add_argument("model_file", metavar="MODEL", help="a model file (- is standard input)")
    fit.add_argument("files", nargs="+", metavar="DATA", help="the table (- is standard input); with --memory also several files")
    for each in (predict, frontier, describe, drift, refresh, workbench):
        each.add_argument("data", metavar="DATA", help="the table (- is standard input)")
    for each in (show, rules, export, evaluate, explain, prune, optimal, explore):
        each.add_argument("data", nargs="?", metavar="MODEL|DATA", help="a model file, or a table (- is standard input)")
        each.add_argument("--model", metavar="FILE", help="the model file (- is standard input), where it is not named first")
    for each in (evaluate, explain, prune, optimal, explore):
        each.add_argument("rows", nargs="?", metavar="DATA", help="after a model file: the rows it is asked about")
    predict.add_argument("--proba", action="store_true", help="also the share of every class")
    predict.add_argument("--explain", action="store_true", help="also the conditions of the leaf of every row")
    predict.add_argument("--keep", action="store_true", help="the columns of DATA first")
    predict.add_argument(
        "--safe-csv", action="store_true", help="a quote before text that a spreadsheet would take for a formula"
    )
    for each in (show, rules, export, explain):
        each.add_argument("--member", type=int, metavar="N", help="of a forest: the one member that is meant, from 0")
    for each in (fit, show, demo):
        each.add_argument("--depth", type=int, metavar="N", help="levels to draw (default: 6 of a text, all of a picture)")
    rules.add_argument(
        "--to",
        choices=["text", "full", "markdown"],
        default="text",
        help="full: all that reading it back needs (default text)",
    )
    show.add_argument("--svg", metavar="FILE", help="write a picture as SVG (- is standard output)")
    show.add_argument("--png", metavar="FILE", help="write a picture as PNG (needs matplotlib)")
    show.add_argument("--kind", choices=["auto", "tree", "icicle"], default="auto", help="kind of picture")
    show.add_argument("--exact", action="store_true", help="thresholds and equations with all their digits and levels")
    show.add_argument("--why", metavar="NODE", help="the alternative splits at a node: root, or its number (as in --json)")
    export.add_argument("--to", required=True, choices=FORMS, help="the language")
    export.add_argument("--dialect", default="ansi", metavar="D", help="sql: ansi, duckdb, sqlite or postgresql")
    export.add_argument("--table", default="rows", metavar="NAME", help="sql: the table (default rows)")
    export.add_argument("--give", default="prediction", metavar="A,B", help="sql: prediction, shares, leaf")
    export.add_argument(
        "--keep", type=_names, metavar="A,B", help="sql: columns beside the answer (default: those the model uses)"
    )
    export.add_argument("--key", metavar="COL", help="sql: a column that is unique")
    export.add_argument(
        "--columns", choices=["all", "used"], help="what rows hold: all columns (default), or those the model looks at"
    )
    export.add_argument("--name", default="tree", metavar="NAME", help="c: what the functions begin with (default tree)")
    explain.add_argument("--row", type=int, required=True, metavar="N", help="number of the row, from 1")
    large = fit.add_argument_group("tables larger than memory")
    large.add_argument("--memory", metavar="SIZE", help="learn in parts, of which so much is held at a time, such as 2GB")
    large.add_argument("--weight", metavar="COL", help="with --memory: the column that says what rows weigh")
    large.add_argument("--scratch", metavar="FOLDER", help="with --memory: where scratch files go (default: the system's folder)")
    fit.add_argument("--cv", type=int, metavar="K", help="without --algo: folds of cross-validation (default 10; 0: none)")
    explain.add_argument("--steps", action="store_true", help="every step with its rows, conditions on one column apart")
    evaluate.add_argument("--cv", type=int, metavar="K", help="folds of cross-validation (default 10)")
    evaluate.add_argument("--cost", metavar="M", help="what answers cost, such as '0,1;5,0': a row per actual class")
    evaluate.add_argument("--svg", metavar="FILE", help="also a picture as SVG (needs matplotlib)")
    evaluate.add_argument("--png", metavar="FILE", help="also a picture as PNG (needs matplotlib)")
    evaluate.add_argument("--test", metavar="FILE", help="rows to be tested on instead")
    for each in (evaluate, explore):
        each.add_argument(
            "--gap", type=float, metavar="S", help="also how far the tree is from the best one, searched for S seconds"
        )
    optimal.add_argument("--seconds", type=float, metavar="S", help="how long each of the two searches may take (default 10)")
    prune.add_argument(
        "--rule", type=_rule, choices=["best", "1se"], help="the least error (default), or within one standard error"
    )
    prune.add_argument("--leaves", type=int, metavar="N", help="the largest tree of at most N leaves")
    prune.add_argument("--alpha", type=float, metavar="A", help="complexity penalty per leaf")
    for each in (prune, explore):
        each.add_argument("--cv", type=int, metavar="K", help="errors by K folds; 0: none (DATA must be the training rows)")
    explore.add_argument(
        "--rows", dest="include_rows", choices=["none", "sample", "all"], default="none", help="rows in the page (default none)"
    )
    explore.add_argument(
        "--budget", type=float, metavar="S", help="seconds for cross-validation and alternative splits (default 60)"
    )
    explore.add_argument("--title", metavar="TEXT", help="what the page is called")
    frontier.add_argument("--out", dest="output", metavar="FILE", help="the same as --output: a page with picture and table")
    frontier.add_argument("--cv", type=int, metavar="K", default=10, help="folds of cross-validation (default 10)")
    frontier.add_argument("--learners", type=_names, metavar="A,B", help="only these, such as cart,ripper (default: all)")
    frontier.add_argument("--max-fits", type=int, metavar="N", help="at most N fits; what is left out is listed")
    frontier.add_argument("--budget", type=float, metavar="S", help="begin no fit after S seconds")
    frontier.add_argument("--title", metavar="TEXT", help="what the page is called")
    workbench.add_argument(
        "--log", metavar="FILE", help="where every edit is kept, and taken up again (default DATA's name.edits.json)"
    )
    workbench.add_argument("--port", type=int, metavar="N", default=0, help="the port of the page (default: any that is free)")
    workbench.add_argument("--no-browser", action="store_true", help="open no browser, only say where the page is")
    workbench.add_argument("--cv", type=int, metavar="K", help="folds that judge every edit (default 5; 0: none)")
    workbench.add_argument("--validation", metavar="FILE", help="rows that judge every edit")
    foil.add_argument("data", metavar="FOLDER", help="CSV, Parquet or Prolog files (.pl): a relation each, or facts")
    foil.add_argument("--target", metavar="NAME", help="the relation to define")
    foil.add_argument(
        "--to",
        choices=["text", "brief", "sentences", "prolog", "sql"],
        default="text",
        help="how clauses are written; brief: _ for what stands once",
    )
    foil.add_argument("--dialect", default="ansi", metavar="D", help="sql: ansi, duckdb, sqlite or postgresql")
    foil.add_argument("--constants", type=_names, metavar="A,B", help="constants that clauses may name; none: none at all")
    foil.add_argument("--trace", action="store_true", help="also every state, and the literals weighed there with their gains")
    foil.add_argument("--seed", type=int, metavar="N", help="seed of the negative tuples that are drawn (--negative-share)")
    demo.add_argument("name", nargs="?", default="play-tennis", help="its name (default play-tennis); list: their names")
    return top


def of_tables(args: Any) -> str | None:
    """Return an option that was given and says how a table is read or learned from."""
    for parent in (_reading(), _learning()):
        for action in parent._actions:
            given = getattr(args, action.dest, action.default) != action.default
            if given and not (action.dest == "algo" and args.by_default):
                return action.option_strings[-1]
    return None


def parse(argv: list[str]) -> Any:
    """Read the arguments; options that no command declares are kept for the learner as ``args.options``."""
    top = parser()
    at = next((i for i, word in enumerate(argv) if word in top.commands), len(argv))
    mine, where = argv[: at + 1], "treewright"
    options: dict[str, Any] = {}
    if at == len(argv) and (word := next((word for word in argv if not word.startswith("-")), None)) is not None:
        what, remedy = parted(unknown("command", word, list(top.commands)))
        raise UsageError(what, "treewright", f"see treewright --help; {remedy}")
    if not argv:
        raise UsageError("no command is named", "treewright", f"one of: {', '.join(top.commands)} (see treewright --help)")
    if at < len(argv):
        where, declared = f"treewright {argv[at]}", set(top.commands[argv[at]]._option_string_actions)
        rest, options = _options(argv[at + 1 :], declared, where)
        mine += rest
    if at < len(argv) and {"-h", "--help"} & set(mine) and "--algo" in top.commands[argv[at]]._option_string_actions:
        top.commands[argv[at]].epilog = _epilog(argv[at], _NOTE, _learners_options(mine))
    args, others = top.parse_known_args(mine)
    args.options = options
    _files(args, where)
    _algorithm(args, where)
    if not hasattr(args, "algo") and args.command != "foil":
        others += [f"--{name.replace('_', '-')}" for name in options]
    if others and _rule(others[0]) in ("best", "1se") and f"--prune {others[0]}" in " ".join(argv):
        remedy = (
            f"treewright prune {visible(str(getattr(args, 'data', 'DATA')))} --target COLUMN --rule {_rule(others[0])} -o MODEL"
        )
        raise UsageError(f"--prune takes no rule, {others[0]!r} chooses a size by cross-validation", where, remedy)
    if others:
        raise UsageError(f"{others[0]!r} is not understood", where, f"see {where} --help")
    if hasattr(args, "algo") and len(getattr(args, "missing", None) or ()) == 1 and args.missing[0] in parts.missing_policies():
        raise UsageError(
            f"{args.missing[0]!r} is a policy for missing cells, --missing names the cells",
            where,
            f'use --missing-policy {args.missing[0]}, or --missing "{args.missing[0]},?" for cells that say so',
        )
    return args


def _files(args: Any, where: str) -> None:
    """Refuse several files, and what is about them, where the table is to be held in memory."""
    if args.command != "fit":
        return
    args.data = args.files[0]
    if args.memory is not None:
        return
    if len(args.files) > 1:
        raise UsageError(f"{args.files[1]!r} is a second file", where, "--memory 2GB learns from several files in parts")
    for name in ("weight", "scratch"):
        if getattr(args, name) is not None:
            raise UsageError(f"--{name} is for tables that are learned from in parts", where, "add --memory, such as 2GB")


def _algorithm(args: Any, where: str) -> None:
    """Decide what is learned where no algorithm is named; refuse options about that where one is."""
    if not hasattr(args, "algo"):
        return
    args.by_default = args.algo is None
    for name in ("full", "use", *(["cv"] if args.command == "fit" else [])):
        if not args.by_default and getattr(args, name, None) not in (None, False, []):
            what = f"--{name} is about the tree that is learned where no algorithm is named"
            raise UsageError(what, where, f"leave it out, or --algo {args.algo}")
    args.algo = args.algo or "cart"


def _learners_options(argv: list[str]) -> str:
    """List the options of the algorithm that is named, with what they are unless given."""
    from textwrap import fill

    from treewright.cli.learn import own_options

    named = [
        word.partition("=")[2] or following
        for word, following in zip(argv, [*argv[1:], ""], strict=True)
        if word.partition("=")[0] == "--algo"
    ]
    name = named[0] if named else "cart"
    options = {option(key): value for key, value in own_options(name).items()}
    given = [f"{name} {value}" for name, value in options.items() if value is not None]
    unset = [name for name, value in options.items() if value is None]
    texts = [f"options of {name}, as they are unless given: {', '.join(given)}"] * bool(given)
    texts += [f"options of {name} that are not set unless given: {', '.join(unset)}"] * bool(unset)
    return "\n".join(fill(text, 100, break_on_hyphens=False, break_long_words=False) for text in texts)


def _switch(key: str) -> tuple[str, bool] | None:
    """What an option without a value turns on or off; None if it is no switch."""
    from treewright.cli.learn import learner_options

    switches = learner_options()
    return (key, True) if switches.get(key) else (key[3:], False) if key.startswith("no_") and switches.get(key[3:]) else None


def _without_value(name: str, key: str, declared: set[str], where: str) -> UsageError:
    """Build the error for an option at the end, or before another one, that is no switch."""
    from treewright.cli.learn import learner_options

    names = [*learner_options(), *NAMED]
    if key in names:
        return UsageError(f"option {name} has no value", where, f"write {name} VALUE")
    close = get_close_matches(name, sorted({*declared, *(f"--{each.replace('_', '-')}" for each in names)}), 1, 0.75)
    return UsageError(f"option {name} is unknown", where, f"did you mean {close[0]}?" if close else f"see {where} --help")


def _options(argv: list[str], declared: set[str], where: str) -> tuple[list[str], dict[str, Any]]:
    """Take the options of learners out of the arguments: with the word that follows, unless they are switches."""
    rest: list[str] = []
    options: dict[str, Any] = {}
    at = 0
    while at < len(argv):
        word = argv[at]
        at += 1
        name, sign, value = word.partition("=")
        if word == "--":
            return [*rest, word, *argv[at:]], options
        if not word.startswith("--") or name in declared:
            rest.append(word)
            continue
        key = name[2:].replace("-", "_")
        follows = argv[at] if at < len(argv) else ""
        switch = None if sign or follows.lower() in ("true", "false") else _switch(key)
        if switch is not None:
            options[switch[0]] = switch[1]
            continue
        if not sign:
            if not follows or follows.startswith("--"):
                raise _without_value(name, key, declared, where)
            value, at = follows, at + 1
        options[parameter(key)] = option_value(parameter(key), value)
    return rest, options


def refuse_unknown(name: str, names: list[str], algo: str) -> UsageError:
    """Build the error for an option that a learner does not have."""
    remedy = parted(unknown("option", name, names))[1]
    return UsageError(f"{algo} has no option {name!r}", option(name), f"{remedy} (all parts: --algo tree)")
