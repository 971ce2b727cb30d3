"""Records LMT's trees (WEKA) on the shared classification tables, and its predictions on some."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tools import weka

LEARNER = "weka.classifiers.trees.LMT"
FOLDED = (  # tables of which the predictions on fixed folds are recorded, too
    "iris", "labor", "vote", "breast-cancer", "diabetes", "contact-lenses", "weather.nominal", "glass", "heart-c", "wine",
    "hepatitis", "balance-scale", "ecoli", "vehicle", "tic-tac-toe", "credit-g",
)  # fmt: skip
# Tables of which the root wants no steps, so that every node finds its own: recorded with so many given, too.
GIVEN = {"monks-2": 4}
TREE = re.compile(r"Logistic model tree \n-+\n(.*?)\n\nNumber of Leaves", re.DOTALL)
LINE = re.compile(
    r"^(?P<bars>(?:\|   )*)x(?P<column>\d+) (?P<sign><=|>|=) (?P<value>\S+?)"
    r"(?:: LM_\d+:(?P<own>\d+)/(?P<all>\d+) \((?P<rows>\d+)\))?$"
)
LONE = re.compile(r"^: LM_1:(?P<own>\d+)/(?P<all>\d+) \((?P<rows>\d+)\)$")


def read_tree(text: str) -> list[list[Any]]:
    """The nodes below the root, parents first: depth, column, sign, threshold or level; and of leaves regressions and rows."""
    nodes: list[list[Any]] = []
    for line in text.strip("\n").splitlines():
        if (lone := LONE.match(line)) is not None:
            nodes.append([0, None, None, None, int(lone["own"]), int(lone["all"]), int(lone["rows"])])
            continue
        found = LINE.match(line)
        if found is None:
            raise ValueError(f"LMT printed a line that is not understood: {line!r}")
        value = found["value"]
        node: list[Any] = [len(found["bars"]) // 4, int(found["column"]), found["sign"]]
        node.append(int(value.removeprefix("v")) if found["sign"] == "=" else float(value))
        if found["rows"] is not None:
            node += [int(found["own"]), int(found["all"]), int(found["rows"])]
        nodes.append(node)
    return nodes


def learned(command: list[str], name: str, options: tuple[str, ...] = ()) -> list[list[Any]]:
    """LMT's tree of a table."""
    text = weka.tree_text(command, LEARNER, weka.table(name), options)
    found = TREE.search(text)
    if found is None:
        raise ValueError(f"LMT printed no tree of {name}: {text[:500]}")
    return read_tree(found[1])


def record() -> dict[str, Any] | str:
    """LMT's trees and answers by table, with the version; or why they cannot be recorded."""
    command = weka.java()
    if isinstance(command, str):
        return f"LMT is not recorded: {command}"
    answers: dict[str, Any] = {}
    for name in weka.shared_names("classification"):
        answers[name] = {"tree": learned(command, name)}
        print(f"LMT {name}: {sum(len(node) > 4 for node in answers[name]['tree'])} leaves")
    for name, steps in GIVEN.items():
        answers[name] |= {"steps": steps, "given": learned(command, name, ("-I", str(steps)))}
    for name in FOLDED:
        frame = weka.table(name)
        said = weka.fold_answers(command, LEARNER, frame, ()).astype(int)
        truth = frame.iloc[:, -1].cat.codes.to_numpy()
        answers[name] |= {"said": said.tolist(), "errors": int(np.count_nonzero(said != truth))}
        print(f"LMT {name}: {answers[name]['errors']} of {len(frame)} wrong")
    return {"program": "WEKA LMT", "version": weka.version(command), "answers": answers}
