"""Long fits say how far they are, and how long it will take."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import treewright as tw
from treewright import progress
from treewright.progress import Lasting


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(progress, "time", made)
    return made


@pytest.mark.parametrize(
    ("spent", "share", "words"),
    [
        (10.0, 0.5, "50% of 1,000 rows, about 10 s left  10.0 s"),
        (100.0, 0.1, "10% of 1,000 rows, about 15 min left  100.0 s"),
        (1000.0, 0.1, "10% of 1,000 rows, about 2 h left  1000.0 s"),
        (200.0, 0.999, "100% of 1,000 rows, about 1 s left  200.0 s"),
        (2.0, 0.5, "50% of 1,000 rows  2.0 s"),
    ],
)
def test_what_is_left_is_said(clock: Clock, capsys: pytest.CaptureFixture[str], spent: float, share: float, words: str) -> None:
    with Lasting("reading") as bar:
        clock.now = spent
        bar(round(1000 * share), 1000)
    assert capsys.readouterr().err == f"reading  {words}\n"


def test_every_step_is_told(clock: Clock, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def later() -> float:
        clock.now += 1.0
        return clock.now

    monkeypatch.setattr(clock, "monotonic", later)
    rng = np.random.default_rng(0)
    table = pa.table({"a": rng.random(3000), "b": rng.random(3000), "y": rng.integers(0, 2, 3000)})
    tw.scale.fit(tw.CARTClassifier(max_bins=20, verbose=True), table, target="y")
    said = capsys.readouterr().err
    assert "reading  100% of 3,000 rows" in said
    assert "finding bins  100% of 2 columns" in said
    assert "growing  100% of 3,000 rows" in said
