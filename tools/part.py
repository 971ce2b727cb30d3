"""Records PART (WEKA) on the shared tables: its rules on all rows, and its errors on fixed folds (row i in fold i mod 10)."""

from __future__ import annotations

import re
from typing import Any

from tools import weka

LEARNER = "weka.classifiers.rules.PART"
MOST_CELLS = 60_000
VARIANTS = {"pruned": (), "unpruned": ("-U",)}
BODY = re.compile(r"PART decision list\n-+\n\n(.*?)\n\nNumber of Rules  : \t(\d+)", re.DOTALL)
END = re.compile(r"^(?P<last>.*): c(?P<says>\d+) \((?P<weight>[\d.]+)(?:/(?P<wrong>[\d.]+))?\)$")
TEST = re.compile(r"^x(?P<column>\d+) (?P<sign><=|>|=) (?P<value>\S+)$")


def read_rules(text: str) -> list[list[Any]]:
    """Every rule in order: its tests (column, sign, level or threshold), what it says, its weight and what of it is wrong."""
    body = BODY.search(text)
    if body is None:
        raise ValueError(f"PART printed no rules: {text[:500]}")
    rules: list[list[Any]] = []
    for rule in body[1].strip().split("\n\n"):
        *lines, last = rule.split("\n")
        end = END.match(last)
        if end is None:
            raise ValueError(f"PART printed a rule that is not understood: {rule!r}")
        tests = []
        for line in [*(line.removesuffix(" AND") for line in lines), *([end["last"]] if end["last"] else [])]:
            found = TEST.match(line)
            if found is None:
                raise ValueError(f"PART printed a test that is not understood: {line!r}")
            level = found["value"].startswith("v")
            value = int(found["value"][1:]) if level else float(found["value"])
            tests.append([int(found["column"]), found["sign"], value])
        rules.append([tests, int(end["says"]), float(end["weight"]), float(end["wrong"] or 0)])
    if len(rules) != int(body[2]):
        raise ValueError(f"PART printed {body[2]} rules, {len(rules)} were read")
    return rules


def record() -> dict[str, Any] | str:
    """PART's rules by table and options, and its errors on folds, with the version; or why they cannot be recorded."""
    command = weka.java()
    if isinstance(command, str):
        return f"PART is not recorded: {command}"
    tables: dict[str, Any] = {}
    for name in weka.shared_names("classification"):
        frame = weka.shared_table(name)
        if frame.size > MOST_CELLS:
            continue
        rules = {variant: read_rules(weka.tree_text(command, LEARNER, frame, given)) for variant, given in VARIANTS.items()}
        said = weka.fold_answers(command, LEARNER, frame, ())
        wrong = int((said != frame.iloc[:, -1].cat.codes.to_numpy()).sum())
        tables[name] = {"rules": rules, "errors": wrong}
        print(f"PART {name}: {len(rules['pruned'])} rules, F10 {wrong} errors", flush=True)
    return {"program": "WEKA PART", "version": weka.version(command), "tables": tables}
