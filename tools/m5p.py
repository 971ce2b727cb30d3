"""Records M5P's trees and errors on fixed folds (WEKA) on the shared regression tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tools import weka

# Of larger tables the model of all rows alone: folds would take many minutes.
MOST_ROWS = 5_000
VARIANTS = {"pruned": (), "unsmoothed": ("-U",), "unpruned": ("-N",), "constant": ("-R",)}
LINE = re.compile(
    r"^(?P<bars>(?:\|   )*)x(?P<column>\d+)(?:=(?P<levels>[v\d,]+))? (?P<sign><=|> ) (?P<value>\S+) : "
    r"(?:LM\d+ \((?P<rows>\d+)(?:/[\d.]+%)?\))?$"
)
LONE = re.compile(r"^LM\d+ \((?P<rows>\d+)(?:/[\d.]+%)?\)$")


def read_tree(text: str) -> list[list[Any]]:
    """The nodes below the root, parents first: depth, column, listed levels or threshold, side, and of leaves the rows."""
    body = re.search(r"tree:\n(?:\(using smoothed linear models\)\n)?\n?(.*?)\n\n(?:LM num|Number of Rules)", text, re.DOTALL)
    if body is None:
        raise ValueError(f"M5P printed no tree: {text[:500]}")
    nodes: list[list[Any]] = []
    for line in body[1].strip("\n").splitlines():
        if (lone := LONE.match(line)) is not None:
            nodes.append([0, None, None, None, int(lone["rows"])])
            continue
        found = LINE.match(line)
        if found is None:
            raise ValueError(f"M5P printed a line that is not understood: {line!r}")
        test: Any = float(found["value"])
        if found["levels"] is not None:
            test = sorted(int(level.removeprefix("v")) for level in found["levels"].split(","))
        side = 0 if found["sign"] == "<=" else 1
        rows = None if found["rows"] is None else int(found["rows"])
        nodes.append([len(found["bars"]) // 4, int(found["column"]), test, side, rows])
    return nodes


def record_models(program: str, learner: str, part: str, read: Callable[[str], Any]) -> dict[str, Any] | str:
    """What a learner of models says by table and options, with the version; or why it cannot be recorded.

    ``part`` names what ``read`` finds in the printed model of the whole table.
    """
    command = weka.java()
    if isinstance(command, str):
        return f"{program} is not recorded: {command}"
    answers: dict[str, dict[str, Any]] = {}
    for name in sorted({"cpu", *weka.shared_names("regression")}):
        frame = weka.table(name)
        frame = frame[frame.iloc[:, -1].notna()]
        for variant, given in VARIANTS.items():
            if variant != "pruned" and name not in ("cpu", "servo", "auto-mpg", "housing"):
                continue
            found = {part: read(weka.tree_text(command, learner, frame, given))}
            if len(frame) <= MOST_ROWS:
                away = weka.fold_answers(command, learner, frame, given) - frame.iloc[:, -1].to_numpy(float)
                found |= {"mae": float(np.abs(away).mean()), "rmse": float(np.sqrt((away**2).mean()))}
            answers.setdefault(name, {})[variant] = found
        print(f"{program} {name}: {len(answers[name]['pruned'][part])} {part} entries", flush=True)
    return {
        "program": f"WEKA {program}",
        "version": weka.version(command),
        "options": {k: list(v) for k, v in VARIANTS.items()},
        "answers": answers,
    }


def record() -> dict[str, Any] | str:
    """M5P's trees and errors by table and options, with the version; or why they cannot be recorded."""
    return record_models("M5P", "weka.classifiers.trees.M5P", "tree", read_tree)
