"""Every Python block of the README and the docs runs, and prints what the page says it prints."""

from __future__ import annotations

import contextlib
import io
import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n?^```text\n(.*?)^```$)?", re.M | re.S)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_code_blocks(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__docs__"}
    for code, expected in BLOCK.findall(page.read_text(encoding="utf-8")):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(page), "exec"), names)
        if expected:
            assert _lines(printed.getvalue()) == _lines(expected)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().split("\n")]


def test_the_readme_has_code() -> None:
    assert len(BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))) >= 2


def test_docstring_examples() -> None:
    import doctest

    from treewright.estimators import c45, id3, trees

    for module in (c45, id3, trees):
        result = doctest.testmod(
            module, optionflags=doctest.NORMALIZE_WHITESPACE, verbose=bool(os.environ.get("DOCTEST_VERBOSE"))
        )
        assert result.attempted >= 3
        assert result.failed == 0
