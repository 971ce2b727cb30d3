"""docs/reliability.md is true: every case it lists has a test of that name where it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINES = re.findall(r"^\|[^|]*\| ([A-Z]\d[^|]*)\| `([^`]+)`", (ROOT / "docs" / "reliability.md").read_text(), re.M)
CASES = [(case, file) for cases, file in LINES for case in cases.split()]


@pytest.mark.parametrize(("case", "file"), CASES)
def test_every_case_has_its_test(case: str, file: str) -> None:
    text = (ROOT / file).read_text()
    assert case == "A1" or re.search(rf"def test_(\w+_)?{case}_", text, re.I), f"{file} has no test of {case}"


def test_the_page_lists_cases() -> None:
    assert len(CASES) > 60
