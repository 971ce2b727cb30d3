"""RIPPER against JRip, as recorded by ``make peers``: errors on the ten fixed folds and the number of rules.

The two draw different rows to prune by, so single tables differ; their mean must not. The table in docs/rules.md is the same
comparison.
"""

from __future__ import annotations

import gzip
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw

RECORD = Path(__file__).parent / "recorded" / "jrip.json.gz"
PAGE = Path(__file__).parents[2] / "docs" / "rules.md"


@cache
def recorded() -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(gzip.decompress(RECORD.read_bytes()))
    return answer


def ours(table: pd.DataFrame) -> tuple[int, float]:
    """Errors on ten folds, and the mean number of rules, the default included."""
    X, y = table.iloc[:, :-1], table.iloc[:, -1]
    fold = np.arange(len(y)) % 10
    errors, rules = 0, []
    for k in range(10):
        est = tw.RipperClassifier(unseen="missing").fit(X[fold != k], y[fold != k])
        errors += int((est.predict(X[fold == k]) != y[fold == k].to_numpy()).sum())
        rules.append(len(est.ruleset_) + 1)
    return errors, float(np.mean(rules))


@pytest.fixture(scope="module")
def compared(shared: Path) -> dict[str, tuple[int, int, float, int, float]]:
    """By table: rows, our errors and rules, JRip's errors and rules."""
    out = {}
    for name, record in recorded()["tables"].items():
        table = pd.read_parquet(shared / "data" / f"{name}.parquet")
        errors, rules = ours(table)
        folds = record["folds"]
        out[name] = (len(table), errors, rules, sum(wrong for _, wrong in folds), float(np.mean([count for count, _ in folds])))
    return out


pytestmark = pytest.mark.filterwarnings("ignore::treewright.UnseenLevelWarning")


def test_the_record_is_broad() -> None:
    assert len(recorded()["tables"]) >= 20
    assert recorded()["version"].startswith("3.")


def test_mean_error_is_not_above(compared: dict[str, tuple[int, int, float, int, float]]) -> None:
    differences = np.array([(mine - theirs) / rows for rows, mine, _, theirs, _ in compared.values()])
    assert differences.mean() <= differences.std(ddof=1) / np.sqrt(len(differences))


def test_rules_are_about_as_many(compared: dict[str, tuple[int, int, float, int, float]]) -> None:
    assert 0.7 <= np.mean([mine / theirs for _, _, mine, _, theirs in compared.values()]) <= 1.4


def test_the_page_has_these_figures(compared: dict[str, tuple[int, int, float, int, float]]) -> None:
    lines = re.findall(
        r"^\| ([\w.-]+) \| (\d+) \| (\d+) \| (\d+) \| ([\d.]+) \| ([\d.]+) \|$", PAGE.read_text(encoding="utf-8"), re.M
    )
    page = {name: (int(n), int(a), float(c), int(b), float(d)) for name, n, a, b, c, d in lines}
    assert page == {name: (n, a, round(c, 1), b, round(d, 1)) for name, (n, a, c, b, d) in compared.items()}
