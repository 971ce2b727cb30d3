"""What the recorders of WEKA's answers share: its jar, tables in its format, fixed folds, predictions."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tools.j48 import PACKAGE, ROOT, TABLES, arff, jars

OWN = ROOT / "tests" / "peers" / "tables"
SCRATCH = ROOT / "build" / "peers"
FOLDS = 10


def java() -> list[str] | str:
    """The command that runs a class of WEKA's; or why there is none."""
    if shutil.which("java") is None:
        return "there is no java on this machine"
    if not TABLES.is_dir():
        return "the shared tables are not here"
    folder = jars()
    if folder is None:
        return f"{PACKAGE}, which carries WEKA's jar, could not be installed"
    return ["java", "-Djava.awt.headless=true", "-Xmx2g", "-cp", f"{folder}/*"]


def version(command: list[str]) -> str:
    """WEKA's version."""
    return run([*command, "weka.core.Version"]).split()[0]


def run(command: Sequence[str]) -> str:
    """What a program prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def table(name: str) -> pd.DataFrame:
    """A table of the shared ones, or of our own."""
    own = OWN / f"{name}.csv"
    return pd.read_csv(own) if own.exists() else pd.read_parquet(TABLES / f"{name}.parquet")


def tree_text(command: list[str], learner: str, frame: pd.DataFrame, options: Sequence[str]) -> str:
    """What a learner prints of the tree of the whole table."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    path = SCRATCH / "table.arff"
    path.write_text(arff(frame), encoding="ascii")
    return run([*command, learner, "-t", str(path), "-no-cv", "-v", *options])


def fold_answers(command: list[str], learner: str, frame: pd.DataFrame, options: Sequence[str]) -> NDArray[np.float64]:
    """Predictions of every row by trees of the other folds; row i is in fold i mod 10. Of classes the number of the one said."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    train, test = SCRATCH / "train.arff", SCRATCH / "test.arff"
    fold = np.arange(len(frame)) % FOLDS
    said = np.full(len(frame), np.nan)
    output = "weka.classifiers.evaluation.output.prediction.CSV -decimals 9"
    for k in range(FOLDS):
        train.write_text(arff(frame[fold != k]), encoding="ascii")
        test.write_text(arff(frame[fold == k]), encoding="ascii")
        text = run([*command, learner, "-t", str(train), "-T", str(test), "-classifications", output, *options])
        start = text.index("inst#")
        rows = list(csv.DictReader(io.StringIO(text[start:].strip())))
        found = [row["predicted"].partition(":")[2].removeprefix("c") or row["predicted"] for row in rows if row["predicted"]]
        said[fold == k] = [float(value) for value in found]
    return said
