"""Every Python and console block of the README and the docs runs, and prints what the page says; pictures are those it draws."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n?^```text\n(.*?)^```$)?|^```console\n(.*?)^```$", re.M | re.S)
PICTURE = re.compile(r"!\[[^\]]+\]\((docs/\w+\.svg)\)")  # those of the browser (tools/pictures.py) differ by its fonts


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_code_blocks(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__docs__"}
    text = page.read_text(encoding="utf-8")
    for code, expected, session in BLOCK.findall(text):
        if session:
            _run_session(session)
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(page), "exec"), names)
        if expected:
            assert _lines(printed.getvalue()) == _lines(expected)
    for picture in PICTURE.findall(text):
        assert (ROOT / picture).read_bytes() == (tmp_path / Path(picture).name).read_bytes()


def _run_session(session: str) -> None:
    """Run the lines that begin with $ and compare what they print; times may differ."""
    from treewright.cli import main

    for entry in re.split(r"^\$ ", session, flags=re.M)[1:]:
        command, _, expected = entry.partition("\n")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            main(shlex.split(command)[1:])
        assert _lines(TIME.sub("TIME", printed.getvalue())) == _lines(TIME.sub("TIME", expected))


TIME = re.compile(r"[\d.]+ m?s$", re.M)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().split("\n")]


def test_the_readme_has_code() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = BLOCK.findall(text)
    assert sum(bool(code) for code, _, _ in found) >= 2
    assert sum(session.count("$ treewright") for _, _, session in found) >= 3
    assert PICTURE.findall(text) == ["docs/iris.svg"]


def test_docstring_examples() -> None:
    import doctest
    from importlib import import_module

    package = ROOT / "src" / "treewright"
    found = [path for path in package.rglob("*.py") if "    >>> " in path.read_text(encoding="utf-8")]
    assert len(found) >= 10
    for path in found:
        module = import_module(".".join(("treewright", *path.relative_to(package).with_suffix("").parts)))
        result = doctest.testmod(
            module, optionflags=doctest.NORMALIZE_WHITESPACE, verbose=bool(os.environ.get("DOCTEST_VERBOSE"))
        )
        assert result.attempted >= 2, path
        assert result.failed == 0, path


def test_the_readme_shows_the_explorer() -> None:
    """The picture of the explorer is of the page that the code beside it writes, and small."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.index('model.explore("iris.html"') < text.index("](docs/explorer.png)")
    assert 10_000 < (ROOT / "docs" / "explorer.png").stat().st_size < 150_000
