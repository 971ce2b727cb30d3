"""Records the trees of C4.5 release 8 and the rules of C4.5rules on the shared tables: needs both programs on the path.

Columns, levels and classes are written by number, so that nothing has to be quoted and the record is about trees alone.
"""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tools.weka import FOLDS, SCRATCH, TABLES, shared_names

MOST_CELLS = 60_000  # trees of larger tables would make the record large
VARIANTS: dict[str, tuple[str, ...]] = {"default": (), "groups": ("-s",)}
GROUPS_CELLS = 15_000
FIGURES = re.compile(r"^\s*\d+\s+(\d+)\(\s*[\d.]+%\)\s+\d+\s+(\d+)\(\s*[\d.]+%\)\s+\(\s*([\d.]+)%\)", re.MULTILINE)
TESTED = re.compile(r"Tested \d+, errors (\d+)")


def declared(frame: pd.DataFrame) -> str:
    """What the file of names says: the classes, then the columns."""
    lines = [", ".join(f"c{k}" for k in range(len(frame.iloc[:, -1].cat.categories))) + "."]
    for j, name in enumerate(frame.columns[:-1]):
        if levels := levels_of(frame[name]):
            lines.append(f"x{j}: {', '.join(f'v{k}' for k in range(levels))}.")
        else:
            lines.append(f"x{j}: continuous.")
    return "\n".join(lines) + "\n"


def levels_of(column: pd.Series) -> int:
    """How many levels are declared, 0 for numbers; the program wants two at least."""
    return max(2, len(column.cat.categories)) if isinstance(column.dtype, pd.CategoricalDtype) else 0


def written(frame: pd.DataFrame) -> str:
    """The rows, the class last."""
    columns = []
    for j, name in enumerate(frame.columns):
        letter = "c" if j == frame.shape[1] - 1 else "v"
        if isinstance(frame[name].dtype, pd.CategoricalDtype):
            columns.append(["?" if code < 0 else f"{letter}{code}" for code in frame[name].cat.codes])
        else:
            columns.append(["?" if pd.isna(value) else repr(float(value)) for value in frame[name]])
    return "".join(", ".join(cells) + "\n" for cells in zip(*columns, strict=True))


class Reader:
    """Reads the files in which the programs keep trees and rules: numbers as the machine has them, one after the other."""

    def __init__(self, path: Path, start: int, frame: pd.DataFrame) -> None:
        self.bytes, self.at = path.read_bytes(), start
        self.levels = [levels_of(frame[name]) for name in frame.columns[:-1]]
        self.classes = len(frame.iloc[:, -1].cat.categories)

    def take(self, form: str) -> tuple[Any, ...]:
        """The next numbers."""
        out = struct.unpack_from(f"={form}", self.bytes, self.at)
        self.at += struct.calcsize(f"={form}")
        return out

    def group(self, column: int) -> list[int]:
        """The levels of one branch."""
        held = self.take(f"{(self.levels[column] >> 3) + 1}B")
        return [level for level in range(self.levels[column]) if held[(level + 1) >> 3] >> ((level + 1) & 7) & 1]

    def tree(self) -> list[list[Any]]:
        """The nodes, a node before those below it: weights of the classes, column or -1, cut, groups of levels, branches."""
        nodes: list[list[Any]] = []
        wanted = 1
        while wanted:
            form, _, _, _ = self.take("hhff")
            weights = [round(float(weight), 6) for weight in self.take(f"{self.classes}f")]
            column, branches = self.take("hh") if form else (-1, 0)
            cut = self.take("fff")[0] if form == 2 else None
            groups = [self.group(column) for _ in range(branches)] if form == 3 else None
            nodes.append([weights, column, cut, groups, branches])
            wanted += branches - 1
        return nodes

    def rules(self) -> dict[str, Any]:
        """Rules in their order, each with its class and its conditions (column, cut, branch or levels), and the default class."""
        count, default = self.take("hh")
        rules = []
        for _ in range(count):
            conditions: list[list[Any]] = []
            for _ in range(self.take("h")[0]):
                form, column, branches = self.take("hhh")
                (cut,) = self.take("f")
                groups = [self.group(column) for _ in range(branches)] if form == 3 else []
                (branch,) = self.take("h")
                taken = branch - 1 if form == 2 else [branch - 1] if form == 1 else groups[branch - 1]
                conditions.append([column, cut if form == 2 else None, taken])
            label, _ = self.take("hf")
            rules.append([label, conditions])
        return {"rules": rules, "otherwise": default}


def run(frame: pd.DataFrame, options: tuple[str, ...], with_rules: bool, test: pd.DataFrame | None = None) -> dict[str, Any]:
    """The answers of both programs: of a test set the errors unpruned, pruned and by rules, else everything."""
    folder = SCRATCH / "c45"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "t.names").write_text(declared(frame), encoding="ascii")
    (folder / "t.data").write_text(written(frame), encoding="ascii")
    unseen = ["-u"] if test is not None else []
    if test is not None:
        (folder / "t.test").write_text(written(test), encoding="ascii")

    def said(program: str, *more: str) -> str:
        command = [program, "-f", "t", *unseen, *more]
        return subprocess.run(command, cwd=folder, capture_output=True, check=True).stdout.decode("latin-1")

    text = said("c4.5", *options)
    errors = [int(count) for count in TESTED.findall(said("c4.5rules"))] if with_rules else []
    figures = FIGURES.findall(text)
    if test is not None:
        return {"errors": [int(figures[1][0]), int(figures[1][1]), errors[1]]}
    out = {
        "errors": [int(figures[0][0]), int(figures[0][1])],
        "estimate": float(figures[0][2]),
        "unpruned": Reader(folder / "t.unpruned", 1, frame).tree(),
        "pruned": Reader(folder / "t.tree", 1, frame).tree(),
    }
    if with_rules:
        out["rules"] = {**Reader(folder / "t.rules", 0, frame).rules(), "errors": errors[0]}
    return out


def record() -> dict[str, Any] | str:
    """Trees and rules by table and options, and errors on ten fixed folds; or why they cannot be recorded."""
    if shutil.which("c4.5") is None or shutil.which("c4.5rules") is None:
        return "C4.5 is not recorded: the programs c4.5 and c4.5rules (release 8) are not on the path"
    if not TABLES.is_dir():
        return "C4.5 is not recorded: the shared tables are not here"
    tables: dict[str, Any] = {}
    for name in shared_names("classification"):
        frame = pd.read_parquet(TABLES / f"{name}.parquet")
        frame = frame[frame.iloc[:, -1].notna()]
        if frame.size > MOST_CELLS:
            continue
        own: dict[str, Any] = {}
        for variant, options in VARIANTS.items():
            if variant == "default" or frame.size <= GROUPS_CELLS:
                own[variant] = run(frame, options, with_rules=variant == "default")
        fold = np.arange(len(frame)) % FOLDS
        own["folds"] = [run(frame[fold != k], (), True, frame[fold == k])["errors"] for k in range(FOLDS)]
        tables[name] = own
        print(f"C4.5 {name}: {len(own['default']['pruned'])} nodes, {len(own['default']['rules']['rules'])} rules")
    return {"program": "C4.5", "version": "release 8", "tables": tables}
