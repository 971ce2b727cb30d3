"""J48's trees, as recorded by ``make peers``, node by node: columns, thresholds, leaves, weights and errors."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import treewright as tw

RECORD = Path(__file__).parent / "recorded" / "j48.json.gz"
OPTIONS: dict[str, dict[str, Any]] = {
    "pruned": {},
    "unpruned": {"pruned": False},
    "no raising": {"raising": False},
    "confidence 0.1": {"confidence": 0.1},
    "leaf 5": {"min_samples_leaf": 5},
    "no collapse": {"collapse": False},
    "no penalty": {"penalty": False},
    "all that grows": {"pruned": False, "collapse": False, "penalty": False, "min_samples_leaf": 1},
}
# Trees that may differ, and why.
ALLOWED: dict[tuple[str, str], str] = {}


@cache
def recorded() -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(gzip.decompress(RECORD.read_bytes()))
    return answer


def cases() -> list[Any]:
    trees = recorded()["trees"]
    return [pytest.param(name, variant, id=f"{name}-{variant}") for name in sorted(trees) for variant in trees[name]]


def listed(tree: tw.Tree, target: pd.Series) -> list[list[Any]]:
    """The nodes of a tree as the record has them: below the root, parents first; of a lone leaf the leaf."""
    place = {label: k for k, label in enumerate(target.cat.categories)}
    columns = {column.name: j for j, column in enumerate(tree.columns)}
    out: list[list[Any]] = []
    open_: list[tuple[tw.Node, int, list[Any]]] = [(tree.root, -1, [None, "", 0])]
    while open_:
        node, depth, test = open_.pop()
        line = [depth, *test]
        if node.is_leaf:
            shares = node.value
            wrong = 0.0 if node.weight == 0 else node.weight - shares[node.prediction]
            line += [place[node.prediction], node.weight, wrong]
        if depth >= 0 or node.is_leaf:
            out.append([max(depth, 0), *line[1:]])
        if (split := node.split) is None:
            continue
        tests: list[list[Any]]
        if split.family == "multiway":
            tests = [[columns[split.column], "=", b] for b in range(len(node.children))]
        else:
            tests = [[columns[split.column], sign, split.cuts[0]] for sign in ("<=", ">")]
        open_ += [(child, depth + 1, test) for child, test in reversed(list(zip(node.children, tests, strict=True)))]
    return out


def first_difference(ours: list[list[Any]], theirs: list[list[Any]]) -> str | None:
    for number, (mine, their) in enumerate(zip(ours, theirs, strict=False)):
        same = len(mine) == len(their) and mine[:3] == their[:3]
        same = same and abs(mine[3] - their[3]) <= 5.1e-7 * max(1.0, abs(their[3]))
        same = same and mine[4:5] == their[4:5]
        # Weights are printed with two digits.
        same = same and all(abs(a - b) <= 0.00501 for a, b in zip(mine[5:], their[5:], strict=True))
        if not same:
            return f"node {number + 1}: {mine} here, {their} there"
    return None if len(ours) == len(theirs) else f"{len(ours)} nodes here, {len(theirs)} there"


def test_the_record_is_broad() -> None:
    assert len(recorded()["trees"]) >= 40
    assert recorded()["version"].startswith("3.")
    assert sum(len(tree) for trees in recorded()["trees"].values() for tree in trees.values()) > 10_000


@pytest.mark.parametrize(("name", "variant"), cases())
def test_same_tree(shared: Path, name: str, variant: str) -> None:
    table = pd.read_parquet(shared / "data" / f"{name}.parquet")
    X, y = table.iloc[:, :-1], table.iloc[:, -1]
    est = tw.C45Classifier(variant="j48", **OPTIONS[variant]).fit(X, y)
    difference = first_difference(listed(est.tree_, y), recorded()["trees"][name][variant])
    assert (difference is not None) == ((name, variant) in ALLOWED), difference
