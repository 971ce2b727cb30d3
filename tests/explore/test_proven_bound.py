"""The mark of what an exact search has proven, on the curve of errors: where the bound is, and never behind the handle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.explore.conftest import Open
from tests.explore.rows import well

# Where pixels of the mark's colour lie right of the handle: how many, and their middle as a share of the track's height.
MARKED = """() => {
  const canvas = document.querySelector('.track canvas'), ratio = canvas.width / canvas.clientWidth;
  const from = Math.ceil((canvas.clientWidth - 18 + 8) * ratio), width = canvas.width - from;
  const shown = document.createElement('canvas').getContext('2d');
  shown.fillStyle = getComputedStyle(document.querySelector('.tw')).getPropertyValue('--mark').trim();
  shown.fillRect(0, 0, 1, 1);
  const wanted = shown.getImageData(0, 0, 1, 1).data;
  const cells = canvas.getContext('2d').getImageData(from, 0, width, canvas.height).data;
  const rows = [];
  for (let k = 0; k < cells.length; k += 4) {
    const same = [0, 1, 2].every((c) => Math.abs(cells[k + c] - wanted[c]) < 12);
    if (same && cells[k + 3] > 200) rows.push(Math.floor(k / 4 / width));
  }
  return [rows.length, rows.reduce((a, b) => a + b, 0) / rows.length / ratio, canvas.clientHeight];
}"""


def noisy() -> tuple[pd.DataFrame, Any]:
    """Two columns that matter together, and a seventh of the labels wrong."""
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.uniform(-1, 1, (300, 3)), columns=list("abc"))
    return X, np.where((X.a * X.b > 0) != (rng.random(300) < 1 / 7), "p", "q")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_mark_stands_where_the_bound_is(opened: Open, scheme: str) -> None:
    X, y = noisy()
    model = tw.OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert model.optimal_ and model.lower_bound_ > 20
    page = opened(model, X, y, scheme=scheme)
    count, middle, height = page.evaluate(MARKED)
    training = page.evaluate("treewright.model.doc.path.training")
    assert count > 10
    assert training[0] == pytest.approx(model.lower_bound_ / 300, rel=1e-5)
    floor, top = height - 20, 14
    assert abs(middle - (floor - training[0] / max(training) * (floor - top))) < 1.5
    assert page.locator(".legend .proven").inner_text() == "proven: no tree within the limits has less"
    well(page)


@pytest.mark.parametrize("steps", [30, 1000])
def test_a_search_that_ended_early_says_what_is_open(opened: Open, steps: int) -> None:
    X, y = noisy()
    model = tw.OptimalTreeClassifier(max_depth=3, max_steps=steps).fit(X, y)
    assert not model.optimal_ and (model.lower_bound_ > 0) == (steps == 1000)
    page = opened(model, X, y)
    open_ = f"ended early; proven: none has less than {model.lower_bound_ / 3:.1f} %"
    assert page.locator(".legend .proven").inner_text() == (open_ if steps == 1000 else "ended early: nothing is proven yet")
    assert page.evaluate(MARKED)[0] > 10
    well(page)


def test_trees_that_were_not_searched_for_have_no_mark(opened: Open) -> None:
    X, y = noisy()
    page = opened(tw.CARTClassifier(max_depth=2).fit(X, y), X, y)
    assert page.locator(".legend .proven").count() == 0
    assert page.evaluate(MARKED)[0] == 0
    well(page)


def test_the_legend_stays_within_its_box(opened: Open) -> None:
    """With cross-validation it has six lines; the first and the last were once cut off."""
    X, y = noisy()
    page = opened(tw.OptimalTreeClassifier(max_depth=2).fit(X, y), X, y, folds=5)
    box, lines = page.evaluate(
        """() => { const ends = (e) => { const b = e.getBoundingClientRect(); return [b.top, b.bottom]; };
        return [ends(document.querySelector('.size')), [...document.querySelectorAll('.size .legend > *')].map(ends)]; }"""
    )
    assert len(lines) == 8
    assert min(top for top, _ in lines) >= box[0] and max(bottom for _, bottom in lines) <= box[1]
    well(page)


def test_a_greedy_tree_shows_its_gap(opened: Open) -> None:
    X, y = noisy()
    cart = tw.CARTClassifier(max_depth=2).fit(X, y)
    gap = tw.optimality_gap(cart, X, y, time_limit=None)
    assert gap.depth_proven and 0 < gap.depth_bound < gap.loss
    page = opened(cart, X, y, gap=gap)
    training = page.evaluate("treewright.model.doc.path.training")
    assert page.evaluate("treewright.model.doc.path.bound") == pytest.approx(gap.depth_bound / 300, rel=1e-5)
    assert training[0] == pytest.approx(gap.loss / 300, rel=1e-5)
    count, middle, height = page.evaluate(MARKED)
    assert count > 10 and abs(middle - (height - 20 - gap.depth_bound / 300 / max(training) * (height - 34))) < 1.5
    assert page.locator(".legend .proven").inner_text() == "proven: no tree as deep has less"
    well(page)


def test_a_gap_of_another_tree_is_refused() -> None:
    X, y = noisy()
    gap = tw.optimality_gap(tw.CARTClassifier(max_depth=1).fit(X, y), X, y, time_limit=None)
    with pytest.raises(ValueError, match=r"gap= is of a tree of 1 split that loses .*, this one has 3"):
        tw.CARTClassifier(max_depth=2).fit(X, y).explore("never.html", X, y, gap=gap)
    with pytest.raises(TypeError, match="not float"):
        tw.CARTClassifier(max_depth=2).fit(X, y).explore("never.html", X, y, gap=0.5)
    with pytest.raises(ValueError, match="gap= says how far a single tree is"):
        tw.RipperClassifier().fit(X, y).explore("never.html", X, y, gap=gap)
