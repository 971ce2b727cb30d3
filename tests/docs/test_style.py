"""Pages are spelled right, and say things in the words of `tools/site/words.txt`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools.site.blocks import DOCS, ROOT, pages

WORDS = ROOT / "tools" / "site" / "words.txt"
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`|\]\([^)]*\)|\{ ?#[\w-]+ ?\}", re.M | re.S)


def unwanted() -> list[tuple[str, str]]:
    lines = [line for line in WORDS.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    pairs = [tuple(line.split(" → ")) for line in lines]
    assert all(len(pair) == 2 for pair in pairs)
    return pairs  # type: ignore[return-value]


def found(text: str) -> list[str]:
    prose = CODE.sub(" ", text)
    return [
        f"{phrase!r}: rather {better}"
        for phrase, better in unwanted()
        if re.search(rf"(?<![\w/-]){re.escape(phrase)}(?![\w-])", prose, re.I)
    ]


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_words(page: Path) -> None:
    assert not found(page.read_text(encoding="utf-8"))


def test_the_words_are_looked_for_in_prose_alone() -> None:
    assert found("We Utilize trees, e.g. CART.") == ["'utilize': rather use", "'e.g.': rather such as"]
    assert not found("`utilize` and [this](utilize.md) { #utilize }\n\n```python\nutilize = 1\n```\n")


def test_spelling() -> None:
    pytest.importorskip("codespell_lib")
    given = [str(DOCS), str(ROOT / "README.md"), str(ROOT / "CONTRIBUTING.md"), str(ROOT / "CHANGELOG.md")]
    done = subprocess.run(
        [sys.executable, "-m", "codespell_lib", "--toml", str(ROOT / "pyproject.toml"), *given],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
