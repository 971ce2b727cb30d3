"""What tests of the command line share."""

from __future__ import annotations

from pathlib import Path

import pytest

import treewright as tw


@pytest.fixture
def tennis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    data = tw.datasets.load_play_tennis()
    data.frame().to_csv("tennis.csv", index=False)
    return tmp_path / "tennis.csv"
