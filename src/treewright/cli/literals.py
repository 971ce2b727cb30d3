"""What the value of a learner's option means: a number, a word, or what is said of classes and of columns."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from treewright.cli.say import UsageError
from treewright.errors import shown

# Options that say something of classes, and how that is written.
OF_CLASSES = {
    "class_weight": "write balanced, or CLASS=NUMBER,CLASS=NUMBER",
    "priors": "write CLASS=NUMBER,CLASS=NUMBER, or the numbers alone in the order of the sorted classes",
    "loss": "write a row for every true class and a number for every answer, both sorted, such as '0,1;5,0'",
}

# The same of columns.
OF_COLUMNS = {
    "monotonic_cst": "write COLUMN=1 where answers may only rise with it, COLUMN=-1 where only fall, such as age=1,debt=-1",
    "interaction_cst": "write pairwise, no_interactions, or the columns that may meet, such as 'age,income;age,city'",
}

# What options are called here, where parameters have another name.
NAMED = {"missing_policy": "missing", "monotonic": "monotonic_cst", "interactions": "interaction_cst"}


def parameter(option: str) -> str:
    """The parameter that an option gives."""
    key = option.removeprefix("--").replace("-", "_")
    return NAMED.get(key, key)


def option(parameter: str) -> str:
    """The option that gives a parameter."""
    own = next((key for key, value in NAMED.items() if value == parameter), parameter)
    return f"--{own.replace('_', '-')}"


def literal(text: str) -> Any:
    """Return what a value means: a number, true, false, none, else a word."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False, "none": None}.get(text.lower(), text)


def option_value(name: str, text: str) -> Any:
    """Return the value of a learner's option: lists and dicts as JSON, and what is said of classes in a short form too."""
    if text[:1] in ("[", "{"):
        try:
            return json.loads(text)
        except ValueError as error:
            raise UsageError(
                f"{shown(text)} is not JSON", option(name), {**OF_CLASSES, **OF_COLUMNS}.get(name, str(error))
            ) from error
    value = literal(text)
    if name in OF_COLUMNS:
        return _of_columns(name, text)
    if name not in OF_CLASSES or value is None or text == "balanced":
        return value
    made = _matrix(text) if name == "loss" else _pairs(text) if "=" in text else _numbers(text)
    if made is None:
        raise UsageError(f"{shown(text)} says nothing of classes", option(name), OF_CLASSES[name])
    return made


def _of_columns(name: str, text: str) -> Any:
    """Directions by column, or one for each; sets of columns."""
    if literal(text) is None:
        return None
    if name == "interaction_cst":
        sets = [[column for column in each.split(",") if column] for each in text.split(";")]
        return text if text in ("pairwise", "no_interactions") else sets
    made = _pairs(text) if "=" in text else _numbers(text)
    if made is None:
        raise UsageError(f"{shown(text)} says nothing of columns", option(name), OF_COLUMNS[name])
    return made


def costs_of(text: str | None) -> list[list[float]] | None:
    """Read what answers cost: a row for every actual class."""
    if text is None:
        return None
    made = _matrix(text)
    if made is None:
        raise UsageError(f"{shown(text)} is no table of costs", "--cost", "a row for every actual class, such as '0,1;5,0'")
    return made


def _numbers(text: str) -> list[Any] | None:
    values = [literal(cell) for cell in text.split(",")]
    return values if all(type(value) in (int, float) for value in values) else None


def _matrix(text: str) -> list[list[Any]] | None:
    rows = [row for row in map(_numbers, text.split(";")) if row is not None]
    return rows if len(rows) == text.count(";") + 1 else None


def _pairs(text: str) -> dict[str, Any] | None:
    entries = [entry.rpartition("=") for entry in text.split(",")]
    return {label: literal(value) for label, _, value in entries} if all(sign for _, sign, _ in entries) else None


def by_label(value: Any, labels: Iterable[Any]) -> Any:
    """Put the classes of a table in the place of their texts."""
    if not isinstance(value, dict):
        return value
    by_text = {str(label): label for label in labels}
    return {by_text.get(text, literal(text)): number for text, number in value.items()}
