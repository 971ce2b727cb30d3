"""Records M5Rules' rules and errors on fixed folds (WEKA) on the shared regression tables."""

from __future__ import annotations

import re
from typing import Any

from tools import m5p

BODY = re.compile(r"^Rule: \d+\n(?:IF\n(?P<when>.*?)\nTHEN\n)?\n.*?\[(?P<rows>\d+)[/\]]", re.DOTALL | re.MULTILINE)
TEST = re.compile(r"^\tx(?P<column>\d+)(?:=(?P<levels>[v\d,]+))? (?P<sign><=|>) (?P<value>\S+)$")


def read_rules(text: str) -> list[list[Any]]:
    """Every rule in order: its conditions (column, listed levels or threshold, whether above) and its rows."""
    rules = []
    for found in BODY.finditer(text):
        conditions: list[list[Any]] = []
        for line in (found["when"] or "").splitlines():
            test = TEST.match(line)
            if test is None:
                raise ValueError(f"M5Rules printed a condition that is not understood: {line!r}")
            value: Any = float(test["value"])
            if test["levels"] is not None:
                value = sorted(int(level.removeprefix("v")) for level in test["levels"].split(","))
            conditions.append([int(test["column"]), value, test["sign"] == ">"])
        rules.append([conditions, int(found["rows"])])
    count = re.search(r"Number of Rules : (\d+)", text)
    if count is None or int(count[1]) != len(rules):
        raise ValueError(f"M5Rules printed rules that are not understood: {text[:500]}")
    return rules


def record() -> dict[str, Any] | str:
    """M5Rules' rules and errors by table and options, with the version; or why they cannot be recorded."""
    return m5p.record_models("M5Rules", "weka.classifiers.rules.M5Rules", "rules", read_rules)
