"""A parameter that no fit can take is refused by its name, whatever was given for it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.learn import LEARNERS

X = np.random.default_rng(0).normal(size=(30, 2))
BAD: tuple[Any, ...] = (np.array([1, 2]), None, 5, "yes", [1], {}, np.nan, 10**30)


@pytest.mark.parametrize("name", sorted(LEARNERS))
def test_errors_name_the_parameter(name: str) -> None:
    kind = getattr(tw, name)
    y = X[:, 0] if name.endswith("Regressor") else (X[:, 0] > 0).astype(int)
    messages = []
    for parameter in kind().get_params(deep=False):
        for value in BAD:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    kind(**{parameter: value}).fit(X, y)
                except (ValueError, TypeError) as error:
                    messages.append((parameter, value, str(error)))
    assert len(messages) > 5
    assert [message for message in messages if message[0] not in message[2]] == []


@pytest.mark.parametrize("verbose", [0, 1, True, np.True_, 3])
def test_verbose_may_be_a_number(verbose: Any, tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    est = tw.CARTClassifier(verbose=verbose).fit(X, X[:, 0] > 0)
    est.save(tmp_path / "tree.json")
    assert tw.load(tmp_path / "tree.json").get_params()["verbose"] == verbose
