"""Every part that the core has enrolled has an oracle: the shared one, or one that is named with the reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from treewright import _core, parts

from . import model, registry

FOLDER = Path(__file__).parent


def unanswered(enrolled: list[str], oracle: tuple[str, ...]) -> list[str]:
    """Parts without an oracle, and oracles without a part."""
    answered = {*oracle, *registry.OTHER_ORACLES, *registry.NOT_SEARCHED}
    return sorted({name for name in enrolled if name not in answered} | {name for name in oracle if name not in enrolled})


def test_criteria_have_an_oracle() -> None:
    assert unanswered([part["name"] for part in _core.criteria()], (*model.CLASS_CRITERIA, "variance")) == []


def test_families_have_an_oracle() -> None:
    assert unanswered(list(_core.families()), (*model.NUMERIC_FAMILIES, *model.NOMINAL_FAMILIES)) == []
    assert (
        unanswered(
            [*parts.families(numeric=True), *parts.families(numeric=False)], (*model.NUMERIC_FAMILIES, *model.NOMINAL_FAMILIES)
        )
        == []
    )


def test_missing_policies_have_an_oracle() -> None:
    assert unanswered(list(_core.missing_policies()), model.POLICIES) == []


def test_discretisers_have_an_oracle() -> None:
    assert unanswered(list(parts.DISCRETISERS), model.DISCRETISERS) == []


@pytest.mark.parametrize(("part", "file"), registry.OTHER_ORACLES.items())
def test_other_oracles_are_there(part: str, file: str) -> None:
    assert re.search(rf"\b{part}\b", (FOLDER / file).read_text(encoding="utf-8"))


def test_a_part_without_an_oracle_is_noticed() -> None:
    assert unanswered(["gini", "new"], ("gini",)) == ["new"]
    assert unanswered(["gini"], ("gini", "gone")) == ["gone"]
