"""Records JRip (WEKA) on the shared tables: rules and errors on all rows, and errors and rules of every fold of F10.

F10: fold k holds the rows whose position is k modulo 10. Default options and seed.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd

from tools import weka

MOST_CELLS = 110_000
FOLDS = 10
RULES = re.compile(r"Number of Rules : (\d+)")
WRONG = re.compile(r"Incorrectly Classified Instances\s+(\d+)")


def run(java: list[str], train: pd.DataFrame, test: pd.DataFrame | None, folder: Path) -> tuple[int, int]:
    """Number of rules, the default included, and errors: on the test rows, or on the training rows where there are none."""
    files = [folder / "jrip-train.arff", folder / "jrip-test.arff"]
    files[0].write_text(weka.arff(train), encoding="ascii")
    command = [*java, "weka.classifiers.rules.JRip", "-t", str(files[0])]
    if test is None:
        command += ["-no-cv"]
    else:
        files[1].write_text(weka.arff(test), encoding="ascii")
        command += ["-T", str(files[1])]
    said = weka.run(command)
    rules, wrong = RULES.search(said), WRONG.findall(said)
    if rules is None or not wrong:
        raise ValueError(f"JRip printed something that is not understood: {said[:500]}")
    return int(rules[1]), int(wrong[-1])


def record() -> dict[str, Any] | str:
    """JRip's rule counts and errors by table, with the version; or why they cannot be recorded."""
    java = weka.java()
    if isinstance(java, str):
        return f"JRip is not recorded: {java}"
    version = weka.version(java)
    scratch = weka.SCRATCH
    tables: dict[str, Any] = {}
    for name in weka.shared_names("classification"):
        frame = weka.shared_table(name)
        if frame.size > MOST_CELLS:
            continue
        whole = run(java, frame, None, scratch)
        place = pd.Series(range(len(frame)), index=frame.index) % FOLDS
        folds = [run(java, frame[place != k], frame[place == k], scratch) for k in range(FOLDS)]
        tables[name] = {"rules": whole[0], "errors": whole[1], "folds": [list(fold) for fold in folds]}
        print(f"JRip {name}: {whole[0]} rules, {whole[1]} errors; F10 {sum(fold[1] for fold in folds)} errors", flush=True)
    return {"program": "WEKA JRip", "version": version, "tables": tables}
