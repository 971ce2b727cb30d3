"""Numbers in SQL: what an engine reads is the number that was written, to the last bit."""

from __future__ import annotations

import random
import sqlite3

import pytest

from treewright.export.dialects import DIALECTS

# SQLite 3.40 reads the shortest decimals of the first two as their neighbours.
AWKWARD = [57.72173267641951, 0.04037633284452238, 1e15, 999999999999999.9, 2.0**53 + 2, 1e22, 1e300, 5e-324, 2.2e-308, 0.1, 3.0]


def test_sqlite_reads_every_number_as_it_is() -> None:
    rng = random.Random(1)
    drawn = [rng.random() * 10 ** rng.uniform(-300 if k % 4 == 0 else -3, 300 if k % 4 == 1 else 15) for k in range(4000)]
    rounded = [float(f"{value:.{digits}g}") for value in drawn[:800] for digits in (3, 14, 15, 16)]
    database = sqlite3.connect(":memory:")
    for value in [*AWKWARD, *drawn, *rounded]:
        for one in (value, -value):
            for text in (DIALECTS["sqlite"].number(one), DIALECTS["sqlite"].compared(one)):
                assert database.execute(f"SELECT {text} = ?, {text}", (one,)).fetchone()[0] == 1, (one, text)


@pytest.mark.parametrize("name", DIALECTS)
def test_short_numbers_are_written_plainly(name: str) -> None:
    assert [DIALECTS[name].compared(value) for value in (0.0, 3.0, 2.45, -1.5, 1234567890.5)] == [
        "0", "3", "2.45", "-1.5", "1234567890.5",
    ]  # fmt: skip
