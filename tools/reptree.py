"""Records REPTree's trees (WEKA) on the shared tables, for classes and for numbers: needs what J48's recorder needs."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import Any

import pandas as pd

from tools.j48 import PACKAGE, ROOT, TABLES, arff, jars

# Trees of larger tables would make the record large.
MOST_CELLS = 30_000
VARIANTS = {
    "pruned": (),
    "unpruned": ("-P",),
    "seed 7, 4 folds": ("-S", "7", "-N", "4"),
    "leaf 5, depth 4": ("-M", "5", "-L", "4"),
}
LINE = re.compile(
    r"^(?P<bars>(?:\|   )*)"
    r"(?:x(?P<column>\d+) (?P<sign>=|<|>=) (?P<value>\S+))?"
    r"(?: : c?(?P<says>\S+) \((?P<rows>[^/]+)/[^)]*\) \[(?P<held>[^/]+)/[^\]]*\])?$"
)


def read_tree(text: str) -> list[list[Any]]:
    """The nodes below the root, parents first: depth, column, sign, value, and of leaves answer, growing and held-out weight."""
    nodes = []
    for line in text.splitlines():
        found = LINE.match(line)
        if found is None:
            raise ValueError(f"REPTree printed a line that is not understood: {line!r}")
        node: list[Any] = [len(found["bars"]) // 4, None, "", 0]
        if found["column"] is not None:
            value = found["value"]
            node[1:] = [int(found["column"]), found["sign"], int(value[1:]) if found["sign"] == "=" else float(value)]
        if found["says"] is not None:
            node += [float(found["says"]), float(found["rows"]), float(found["held"])]
        nodes.append(node)
    return nodes


def record() -> dict[str, Any] | str:
    """REPTree's trees by table and options, with the version; or why they cannot be recorded."""
    if shutil.which("java") is None:
        return "REPTree is not recorded: there is no java on this machine"
    if not TABLES.is_dir():
        return "REPTree is not recorded: the shared tables are not here"
    folder = jars()
    if folder is None:
        return f"REPTree is not recorded: {PACKAGE}, which carries WEKA's jar, could not be installed"
    java = ["java", "-Djava.awt.headless=true", "-cp", f"{folder}/*"]
    version = subprocess.run([*java, "weka.core.Version"], capture_output=True, text=True, check=True).stdout.split()[0]
    trees: dict[str, dict[str, list[list[Any]]]] = {}
    scratch = ROOT / "build" / "peers" / "table.arff"
    for name in pd.read_csv(TABLES / "manifest.csv")["name"]:
        frame = pd.read_parquet(TABLES / f"{name}.parquet")
        if frame.size > MOST_CELLS:
            continue
        scratch.write_text(arff(frame), encoding="ascii")
        trees[name] = {}
        for variant, options in VARIANTS.items():
            command = [*java, "weka.classifiers.trees.REPTree", "-t", str(scratch), "-no-cv", "-v", "-num-decimal-places", "9"]
            said = subprocess.run([*command, *options], capture_output=True, text=True, check=True).stdout
            body = re.search(r"={10,}\n\n?(.*?)\n+Size of the tree", said, re.DOTALL)
            if body is None:
                raise ValueError(f"REPTree printed no tree of {name}: {said[:500]}")
            trees[name][variant] = read_tree(body[1].strip("\n"))
        sizes = {variant: sum(len(node) > 4 for node in tree) for variant, tree in trees[name].items()}
        print(f"REPTree {name}: {', '.join(f'{variant} {leaves} leaves' for variant, leaves in sizes.items())}")
    return {"program": "WEKA REPTree", "version": version, "options": {k: list(v) for k, v in VARIANTS.items()}, "trees": trees}
