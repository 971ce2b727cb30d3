"""Records the trees of rpart (R) on the shared tables: frames, splits, complexity tables, importances, leaves of the rows.

Columns, levels and classes are written by number, so that nothing has to be quoted and the record is about trees alone.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pandas as pd

ROOT = Path(__file__).parent.parent
TABLES = ROOT.parent / "shared" / "data"
SCRIPT = Path(__file__).parent / "rpart.R"

# Trees of larger tables would make the record large.
MOST_CELLS = 60_000
SMALL_CELLS = 15_000
DEEP_CELLS = 4_000
MOST_LEVELS = 12  # of a nominal column with three classes or more: rpart tries all divisions
CLASS_VARIANTS = ("default", "deep", "information", "priors", "loss", "known")
NUMBER_VARIANTS = ("default", "deep", "known")
MOST = {"default": MOST_CELLS, "deep": DEEP_CELLS}  # the others on small tables only


def suits(frame: pd.DataFrame) -> bool:
    """Whether rpart gets through the table, and its record stays small."""
    target = frame.iloc[:, -1]
    many = isinstance(target.dtype, pd.CategoricalDtype) and target.nunique() > 2
    widest = max((len(column.cat.categories) for _, column in nominal(frame)), default=0)
    return frame.size <= MOST_CELLS and not (many and widest > MOST_LEVELS)


def occurring(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows that have a target, which declares no class that does not occur."""
    frame = frame[frame.iloc[:, -1].notna()]
    target = frame.columns[-1]
    if isinstance(frame[target].dtype, pd.CategoricalDtype):
        frame = frame.assign(**{target: frame[target].cat.remove_unused_categories()})
    return frame


def nominal(frame: pd.DataFrame) -> list[tuple[str, pd.Series]]:
    """The nominal columns, the target apart."""
    return [(name, frame[name]) for name in frame.columns[:-1] if isinstance(frame[name].dtype, pd.CategoricalDtype)]


def written(frame: pd.DataFrame) -> pd.DataFrame:
    """The table as R reads it: numbers for everything."""
    columns = {}
    for j, name in enumerate(frame.columns):
        column = frame[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            column = column.cat.codes.where(column.notna()).astype("Int64")
        columns["y" if j == frame.shape[1] - 1 else f"x{j}"] = column
    return pd.DataFrame(columns)


def kinds(frame: pd.DataFrame) -> list[str]:
    """Number of levels of every nominal column and the target, 0 for numbers."""
    return [
        str(len(frame[name].cat.categories)) if isinstance(frame[name].dtype, pd.CategoricalDtype) else "0"
        for name in frame.columns
    ]


def record() -> dict[str, Any] | str:
    """The trees of rpart by table and options, with the version; or why they cannot be recorded."""
    if shutil.which("Rscript") is None:
        return "rpart is not recorded: there is no R on this machine (Debian: apt-get install r-base-core r-cran-rpart)"
    if not TABLES.is_dir():
        return "rpart is not recorded: the shared tables are not here"
    found = subprocess.run(
        ["Rscript", "-e", 'cat(as.character(packageVersion("rpart")))'], capture_output=True, text=True, check=False
    )
    if found.returncode != 0:
        return "rpart is not recorded: R has no package rpart (Debian: apt-get install r-cran-rpart)"
    trees: dict[str, dict[str, Any]] = {}
    scratch = ROOT / "build" / "peers"
    scratch.mkdir(parents=True, exist_ok=True)
    for name in pd.read_csv(TABLES / "manifest.csv")["name"]:
        frame = occurring(pd.read_parquet(TABLES / f"{name}.parquet"))
        if not suits(frame):
            continue
        (scratch / "table.csv").write_text(written(frame).to_csv(index=False, na_rep="NA"), encoding="ascii")
        wanted = NUMBER_VARIANTS if kinds(frame)[-1] == "0" else CLASS_VARIANTS
        variants = [variant for variant in wanted if frame.size <= MOST.get(variant, SMALL_CELLS)]
        command = ["Rscript", str(SCRIPT), str(scratch / "table.csv"), ",".join(kinds(frame)), ",".join(variants)]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        trees[name] = json.loads(said)
        sizes = {variant: len(tree["var"]) for variant, tree in trees[name].items()}
        print(f"rpart {name}: {', '.join(f'{variant} {nodes} nodes' for variant, nodes in sizes.items())}")
    return {"program": "rpart", "version": found.stdout.strip(), "trees": trees}
