"""No damaged state crashes or hangs: a ValueError, or a tree that answers. In child processes, which may crash."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from treewright import _core


@pytest.mark.parametrize("seed", [0])
def test_damaged_states_are_refused_or_harmless(seed: int) -> None:
    script = Path(__file__).with_name("damage.py")
    run = subprocess.run([sys.executable, str(script), str(seed), "2"], capture_output=True, text=True, timeout=150, check=False)
    assert run.returncode == 0, f"ended with {run.returncode}: {run.stderr[-2000:]}"
    word, tried, _ = run.stdout.split()
    assert word == "survived"
    assert int(tried) > 1000


def _by_levels() -> tuple[_core.Tree, _core.TableInput]:
    table = _core.TableInput(6)
    table.add_nominal(np.array([0, 1, 2] * 2, np.int32), 3, "c")
    table.set_classes(np.array([0, 1, 1] * 2, np.int32), 2)
    return _core.grow(table, _core.GrowSettings()), table


def test_a_split_by_levels_lists_some() -> None:
    """Without any, readers of its pool would find none at all."""
    state = dict(_by_levels()[0].state())
    for name in ("level", "level_branch", "level_begin"):
        state[name] = np.empty(0, np.asarray(state[name]).dtype)
    with pytest.raises(ValueError, match="divides by levels and lists none"):
        _core.Tree.from_state(state)


def test_nodes_are_described_by_a_criterion_of_their_target() -> None:
    tree, table = _by_levels()
    with pytest.raises(ValueError, match="'variance' is not for the target"):
        _core.described_anew(tree, table, "variance")
    with pytest.raises(ValueError, match="'variance' is not for the target"):
        _core.prune("error_based", tree, {"criterion": "variance"}, _core.Costs([], [], "variance"), rows=table, anew=True)
    with pytest.raises(ValueError, match="'pessimistic' does not describe nodes anew"):
        _core.prune("pessimistic", tree, {}, _core.Costs([], [], "variance"), rows=table, anew=True)
    with pytest.raises(ValueError, match="an option is a number"):
        _core.prune("pessimistic", tree, {"x": [1]}, _core.Costs([], [], "variance"))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("surrogate_below", 2, "a surrogate sends rows to a branch that is not there"),
        ("surrogate_at", np.nan, "a surrogate does not fit its column"),
        ("surrogate_low", np.nan, "a surrogate does not fit its column"),
        ("surrogate_high", np.nan, "a surrogate does not fit its column"),
        ("cut_at", np.inf, "a cut is not a number"),
        ("cut_below", np.nan, "a cut is not a number"),
        ("cut_above", np.nan, "a cut is not a number"),
    ],
)
def test_each_number_of_a_split_is_looked_at(name: str, value: float, message: str) -> None:
    X = np.array([[0.0, 1.0], [1.0, 2.0], [np.nan, 1.0], [3.0, 4.0], [4.0, 5.0], [5.0, 4.5]])
    state = dict(tw.CARTClassifier(missing="surrogate").fit(X, [0, 0, 0, 1, 1, 1]).tree_.state())
    assert len(state[name]) > 0
    state[name] = np.array(state[name])
    state[name][0] = value
    with pytest.raises(ValueError, match=message):
        _core.Tree.from_state(state)
