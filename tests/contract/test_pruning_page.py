"""docs/pruning.md and the core's registry name the same pruning methods, with the same options."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from treewright import _core
from treewright.prune import pruners

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "pruning.md").read_text(encoding="utf-8")
ROWS = {"none": "none", "pruning": "pruning set", "training": "training rows"}


def methods() -> dict[str, list[str]]:
    """The rows of the table of methods by name."""
    section = re.search(r"^## Methods\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert section
    lines = [line for line in section[1].splitlines() if line.startswith("|")][2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0].strip('`"'): row[1:] for row in cells}


def test_methods_of_the_page_are_those_of_the_core() -> None:
    assert sorted(methods()) == sorted(pruners()) == [pruner["name"] for pruner in _core.pruners()]


@pytest.mark.parametrize("name", pruners())
def test_a_method_is_described_as_it_is(name: str) -> None:
    rows, _, options = methods()[name]
    pruner = pruners()[name]
    assert ROWS[pruner.rows] in rows
    assert ("none" in rows) == (pruner.rows == "none" or bool(pruner.deciding))
    for option in pruner.options:
        assert re.search(rf"`{option.name}\b", options)
        if option.kind == "number" and option.default is not None:
            assert f"`{option.name}={option.default:g}`" in options
        for choice in option.choices:
            assert f'"{choice}"' in options or option.role == "rule"
        assert option.doc and not option.doc.endswith(".")
    assert pruner.summary and not pruner.summary.endswith(".")
