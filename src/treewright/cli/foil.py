"""The command that learns clauses from a folder of relations: the clauses, and the model file."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from treewright.cli.literals import literal
from treewright.cli.say import DataError, Talk, UsageError
from treewright.cli.wording import parted
from treewright.errors import DataFormatError, counted, unknown, visible

_OWN = ("types", "trace", "random_state", "verbose", "constants")  # told in another way, or not here


def foil(args: Any, talk: Talk) -> None:
    """Learn, show the clauses, and write the model if a file is named."""
    from treewright.learn.foil import Found, learn_clauses
    from treewright.learn.stored_foil import FittedFoil

    if args.target is None:
        raise UsageError("no relation is named", "--target", "the relation to define, such as --target daughter")
    params = _params(args)
    begin = time.perf_counter()
    try:
        found: Found = learn_clauses(params, args.data, args.target)
    except (DataFormatError, OSError):
        raise
    except (ValueError, TypeError) as error:
        what, remedy = parted(error)
        raise DataError(what, args.data, remedy or "see docs/foil.md") from error
    clauses = found.clauses
    wrong = f", {found.negative} wrong" if found.negative else ""
    where = ""
    if args.output is not None:
        counts = {
            "n_positive": found.n_positive,
            "n_negative": found.n_negative,
            "n_covered_positive": found.positive,
            "n_covered_negative": found.negative,
            "n_weighed": found.n_weighed,
        }
        talk.model = args.output
        where = _write(args.output, FittedFoil(params, clauses, counts), talk)
    talk.output = "-"
    talk.note(
        f"{visible(clauses.name)}: {counted(len(clauses), 'clause')} for {found.positive} of "
        f"{counted(found.n_positive, 'tuple')}{wrong}, "
        f"{found.n_negative} others   {time.perf_counter() - begin:.2f} s{where}\n"
    )
    texts: dict[str, Callable[[], str]] = {
        "text": lambda: clauses.to_text(scores=True),
        "brief": lambda: clauses.to_text(scores=True, brief=True),
        "sentences": lambda: clauses.to_text(sentences=True),
        "prolog": clauses.to_prolog,
        "sql": lambda: clauses.to_sql(args.dialect),
    }
    if args.trace:
        talk.note("\n\n".join(state.text() for state in found.trace) + "\n")
    talk.result(
        lambda: texts[args.to]().rstrip("\n"),
        {
            "relation": clauses.name,
            "columns": list(clauses.columns),
            "clauses": [
                {"text": one.text(), "positive": one.positive, "negative": one.negative, "new_positive": one.new_positive}
                for one in clauses
            ],
            "positive": found.positive,
            "negative": found.negative,
            "n_positive": found.n_positive,
            "n_negative": found.n_negative,
        },
    )


def _write(path: str, value: Any, talk: Talk) -> str:
    from treewright.store.files import dumped

    if path == "-":
        raise UsageError("the clauses go to standard output", "--output", "name a file for the model")
    talk.save(path, dumped("foil", value))
    return f"   → {visible(path)}"


def _params(args: Any) -> Any:
    from treewright.learn.foil import FoilParameters, check_params

    given: dict[str, Any] = {"trace": args.trace, "random_state": args.seed, "verbose": not args.quiet}
    known = [one.name for one in fields(FoilParameters) if one.name not in _OWN]
    for name, value in args.options.items():
        if name not in known:
            what, remedy = parted(
                unknown("option", f"--{name.replace('_', '-')}", [f"--{one.replace('_', '-')}" for one in known])
            )
            raise UsageError(what, "treewright foil", remedy)
        given[name] = literal(value) if isinstance(value, str) else value
    if args.constants is not None:
        given["constants"] = None if args.constants == ["none"] else [literal(one) for one in args.constants]
    params = FoilParameters(**given)
    try:
        check_params(params)
    except (ValueError, TypeError) as error:
        what, remedy = parted(error)
        raise UsageError(what, "treewright foil", remedy or "see docs/foil.md") from error
    return params
