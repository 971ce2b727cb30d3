"""What the recorders of WEKA's answers share: its jar, tables in its format, fixed folds, predictions."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

ROOT = Path(__file__).parent.parent
TABLES = ROOT.parent / "shared" / "data"
WEKA = ROOT / "build" / "peers" / "weka-wrapper"
PACKAGE = "python-weka-wrapper3"
OWN = ROOT / "tests" / "peers" / "tables"
SCRATCH = ROOT / "build" / "peers"
FOLDS = 10


def arff(frame: pd.DataFrame) -> str:
    """The table in WEKA's format; the last column is the target."""
    lines = ["@relation t"]
    columns = []
    for j, name in enumerate(frame.columns):
        column, last = frame[name], j == frame.shape[1] - 1
        head = "@attribute y" if last else f"@attribute x{j}"
        if isinstance(column.dtype, pd.CategoricalDtype):
            letter = "c" if last else "v"
            lines.append(f"{head} {{{','.join(f'{letter}{k}' for k in range(len(column.cat.categories)))}}}")
            columns.append(["?" if code < 0 else f"{letter}{code}" for code in column.cat.codes])
        else:
            lines.append(f"{head} numeric")
            columns.append(["?" if pd.isna(value) else repr(float(value)) for value in column])
    lines.append("@data")
    lines += [",".join(cells) for cells in zip(*columns, strict=True)]
    return "\n".join(lines) + "\n"


def jars() -> Path | None:
    """The folder of WEKA's jars, fetched with pip if it is not there."""
    folder = WEKA / "weka" / "lib"
    if not (folder / "weka.jar").exists():
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "-q",
            "--disable-pip-version-check",
            "--no-deps",
            "--target",
            str(WEKA),
            PACKAGE,
        ]
        if subprocess.run(command, check=False).returncode != 0 or not (folder / "weka.jar").exists():
            return None
    return folder


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
    return pd.read_csv(own) if own.exists() else shared_table(name)


def shared_table(name: str) -> pd.DataFrame:
    """A table of the shared ones."""
    return pd.read_parquet(TABLES / f"{name}.parquet")


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


def record_trees(
    program: str,
    names: Iterable[str],
    most_cells: int,
    variants: Callable[[pd.DataFrame], Mapping[str, Sequence[str]]],
    body: re.Pattern[str],
    read_tree: Callable[[str], list[list[Any]]],
) -> dict[str, Any] | str:
    """The trees of one of WEKA's tree learners by table and options, with the version; or why they cannot be recorded."""
    command = java()
    if isinstance(command, str):
        return f"{program} is not recorded: {command}"
    trees: dict[str, dict[str, list[list[Any]]]] = {}
    for name in names:
        frame = shared_table(name)
        if frame.size > most_cells:
            continue
        trees[name] = {}
        for variant, options in variants(frame).items():
            said = tree_text(command, f"weka.classifiers.trees.{program}", frame, options)
            found = body.search(said)
            if found is None:
                raise ValueError(f"{program} printed no tree of {name}: {said[:500]}")
            trees[name][variant] = read_tree(found[1].strip("\n"))
        sizes = {variant: sum(len(node) > 4 for node in tree) for variant, tree in trees[name].items()}
        print(f"{program} {name}: {', '.join(f'{variant} {leaves} leaves' for variant, leaves in sizes.items())}")
    return {"program": f"WEKA {program}", "version": version(command), "trees": trees}


def shared_names(task: str | None = None) -> list[str]:
    """Names of the shared tables, all or of one task; none where they are not here."""
    if not TABLES.is_dir():
        return []
    manifest = pd.read_csv(TABLES / "manifest.csv")
    return list(manifest["name"] if task is None else manifest.loc[manifest["task"] == task, "name"])
