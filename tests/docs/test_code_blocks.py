"""Every Python and console block of the README and the docs runs, and prints what the page says; pictures are those it draws."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tools.site.blocks import DOCS, PICTURE, ROOT, blocks, made, pages, run, same


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_code_blocks(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    for block, printed in run(page, text, tmp_path):
        said = block.session if block.session is not None else block.prints
        if said is not None:
            assert same(printed, said), f"{block.code or ''}\nprints now:\n{printed}"
    for picture in PICTURE.findall(text):
        # Those of the browser (tools/pictures.py) differ by its fonts, and are not drawn by the code beside them.
        kept = page.parent / picture
        if page.name == "README.md" and picture.endswith(".svg"):
            assert kept.read_bytes() == (tmp_path / kept.name).read_bytes()
    for name in made(text):
        assert (page.parent / name).is_file() or (tmp_path / name).is_file(), (
            f"{page.name} shows {name}, which no block of it writes"
        )


def test_the_readme_has_code() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = blocks(text)
    assert sum(block.session is None for block in found) >= 2
    assert sum(block.session.count("$ treewright") for block in found if block.session) >= 3
    assert [name for name in PICTURE.findall(text) if name.endswith(".svg")] == ["docs/iris.svg"]


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
    assert 10_000 < (DOCS / "explorer.png").stat().st_size < 150_000
