"""How many hypotheses there are: row 55."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd

import treewright as tw


def four_bits() -> pd.DataFrame:
    return pd.DataFrame(list(itertools.product("FT", repeat=4)), columns=list("abcd")).astype("category")


def test_row_55_functions_of_four_attributes() -> None:
    inputs = four_bits()
    assert len(inputs) == 16 and 2 ** len(inputs) == 65_536
    for number in np.random.default_rng(55).choice(65_536, 200, replace=False):
        outputs = [str(number >> i & 1) for i in range(16)]
        assert tw.ID3Classifier().fit(inputs, outputs).predict(inputs).tolist() == outputs


def test_row_55_conjunctions_of_four_attributes() -> None:
    inputs = four_bits()
    functions = set()
    for wanted in itertools.product(("T", "F", None), repeat=4):
        holds = np.all([inputs[c] == value for c, value in zip("abcd", wanted, strict=True) if value] or [np.ones(16)], axis=0)
        functions.add(tuple(holds.astype(int).tolist()))
        # A conjunction is one path of the tree, which tests what it names.
        rules = [rule for rule in tw.ID3Classifier().fit(inputs, holds.astype(int)).tree_.to_rules() if rule.says == 1]
        assert [len(rule.when) for rule in rules] == [sum(value is not None for value in wanted)]
    functions.add((0,) * 16)  # a and not a
    assert len(functions) == 3**4 + 1 == 82
