"""Records J48's trees (WEKA) on the shared tables: needs Java and the package that carries WEKA's jar.

Columns, levels and classes are written by number, so that nothing has to be quoted and the record is about trees alone.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd

ROOT = Path(__file__).parent.parent
TABLES = ROOT.parent / "shared" / "data"
WEKA = ROOT / "build" / "peers" / "weka-wrapper"
PACKAGE = "python-weka-wrapper3"

# Trees of larger tables would make the record large.
MOST_CELLS = 150_000
VARIANTS = {"pruned": (), "unpruned": ("-U",), "no raising": ("-S",), "confidence 0.1": ("-C", "0.1"), "leaf 5": ("-M", "5")}
OFTEN = ("pruned", "unpruned")  # the others on small tables only
SMALL_CELLS = 15_000
LINE = re.compile(
    r"^(?P<bars>(?:\|   )*)"
    r"(?:x(?P<column>\d+) (?P<sign>=|<=|>) (?P<value>\S+?))?"
    r"(?:: c(?P<leaf>\d+) \((?P<rows>[\d.]+)(?:/(?P<wrong>[\d.]+))?\))?$"
)


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


def read_tree(text: str) -> list[list[Any]]:
    """The nodes below the root, parents first: depth, column, sign, value, and of leaves class, weight and wrong weight."""
    nodes = []
    for line in text.splitlines():
        found = LINE.match(line)
        if found is None:
            raise ValueError(f"J48 printed a line that is not understood: {line!r}")
        depth = len(found["bars"]) // 4
        node: list[Any] = [depth, None, "", 0]
        if found["column"] is not None:
            value = found["value"]
            node[1:] = [int(found["column"]), found["sign"], int(value[1:]) if found["sign"] == "=" else float(value)]
        if found["leaf"] is not None:
            node += [int(found["leaf"]), float(found["rows"]), float(found["wrong"] or 0)]
        nodes.append(node)
    return nodes


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


def record() -> dict[str, Any] | str:
    """J48's trees by table and options, with the version; or why they cannot be recorded."""
    if shutil.which("java") is None:
        return "J48 is not recorded: there is no java on this machine"
    if not TABLES.is_dir():
        return "J48 is not recorded: the shared tables are not here"
    folder = jars()
    if folder is None:
        return f"J48 is not recorded: {PACKAGE}, which carries WEKA's jar, could not be installed"
    manifest = pd.read_csv(TABLES / "manifest.csv")
    java = ["java", "-Djava.awt.headless=true", "-cp", f"{folder}/*"]
    version = subprocess.run([*java, "weka.core.Version"], capture_output=True, text=True, check=True).stdout.split()[0]
    trees: dict[str, dict[str, list[list[Any]]]] = {}
    scratch = ROOT / "build" / "peers" / "table.arff"
    for name in manifest.loc[manifest["task"] == "classification", "name"]:
        frame = pd.read_parquet(TABLES / f"{name}.parquet")
        if frame.size > MOST_CELLS:
            continue
        scratch.write_text(arff(frame), encoding="ascii")
        trees[name] = {}
        for variant, options in VARIANTS.items():
            if variant not in OFTEN and frame.size > SMALL_CELLS:
                continue
            command = [*java, "weka.classifiers.trees.J48", "-t", str(scratch), "-no-cv", "-v", *options]
            said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            body = re.search(r"-{10,}\n\n?(.*?)\n+Number of Leaves", said, re.DOTALL)
            if body is None:
                raise ValueError(f"J48 printed no tree of {name}: {said[:500]}")
            trees[name][variant] = read_tree(body[1].strip("\n"))
        sizes = {variant: sum(len(node) > 4 for node in tree) for variant, tree in trees[name].items()}
        print(f"J48 {name}: {', '.join(f'{variant} {leaves} leaves' for variant, leaves in sizes.items())}")
    return {"program": "WEKA J48", "version": version, "options": {k: list(v) for k, v in VARIANTS.items()}, "trees": trees}
