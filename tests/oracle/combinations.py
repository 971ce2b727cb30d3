"""Every combination of enrolled criteria, families and missing policies, and the cases that are tried for each."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from .compare import compare
from .frames import fit
from .model import Options, Table
from .reference import Problem
from .registry import CLASS_CRITERIA, CRITERIA, NOMINAL, NUMERIC, POLICIES
from .tables import allowed, make_options, make_table

Combination = tuple[str, str, str, str, str]  # criterion, missing, numeric, discretise, nominal


def all_combinations() -> list[Combination]:
    return [
        (criterion, missing, numeric, discretise, nominal)
        for criterion in CRITERIA
        for missing in POLICIES
        for numeric, discretise in NUMERIC
        for nominal in NOMINAL
    ]


def is_allowed(combination: Combination) -> bool:
    criterion, missing, numeric, discretise, nominal = combination
    return allowed(criterion, numeric, nominal, missing, discretise)


def name(combination: Combination) -> str:
    return "-".join(part for part in combination if part)


def cases(combination: Combination, count: int) -> Iterator[tuple[Table, Options]]:
    """Seeded cases; every second one also draws stopping rules and choosers."""
    criterion, missing, numeric, discretise, nominal = combination
    for number in range(count):
        source = Random(f"{name(combination)}-{number}")
        table = make_table(source, classes=criterion in CLASS_CRITERIA, missing=missing != "refuse")
        yield (
            table,
            make_options(
                source,
                table,
                criterion=criterion,
                numeric=numeric,
                nominal=nominal,
                missing=missing,
                discretise=discretise or "equal_width",
                stopping=number % 2 == 1,
            ),
        )


def check(library: Any, table: Table, options: Options) -> int:
    """Fit with the library and compare; the number of nodes where rounding decides (the whole table counts as one)."""
    problem = Problem(table, options)
    if problem.shaky:
        return 1
    return compare(problem, fit(library, table, options).tree_.root)
