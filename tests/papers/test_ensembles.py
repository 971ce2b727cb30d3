"""Acceptance row 153: forests of trees that see some rows and some columns are right at least as often as one tree."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedKFold

import treewright as tw

TABLES = ("credit-g", "diabetes", "ionosphere", "sonar", "vehicle", "glass")


@pytest.mark.filterwarnings("ignore:.*nobody can judge")
def test_row_153_a_forest_is_right_at_least_as_often_as_one_tree(shared: Path) -> None:
    better, gains = 0, []
    tables = [name for name in TABLES if (shared / "data" / f"{name}.parquet").exists()]
    assert len(tables) >= 4
    for name in tables:
        frame = pd.read_parquet(shared / "data" / f"{name}.parquet")
        X, y = frame.iloc[:, :-1], frame.iloc[:, -1].astype(str)
        tree, forest, bags = [], [], []
        for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
            rows, held = X.iloc[train], X.iloc[test]
            tree.append(tw.CARTClassifier().fit(rows, y.iloc[train]).score(held, y.iloc[test]))
            fitted = tw.RandomForestClassifier(60, oob_score=True).fit(rows, y.iloc[train])
            forest.append(fitted.score(held, y.iloc[test]))
            bags.append(fitted.oob_score_)
        gains.append(np.mean(forest) - np.mean(tree))
        better += gains[-1] > 0
        # Out of bag is an honest estimate: near the score on rows that were held out.
        assert abs(np.mean(bags) - np.mean(forest)) < 0.05
        assert np.mean(bags) > np.mean(tree) - 0.01
    assert better >= len(tables) - 1 and np.mean(gains) > 0.02, dict(zip(tables, gains, strict=True))
