"""What moves: a tree that is cut back, a row that falls; and nothing where people ask for less motion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treewright as tw
from tests.explore.conftest import Open
from tests.explore.rows import well
from tests.explore.test_looks import until

# How large the first text of the close-up is, frame by frame, and where round marks of one colour do.
WATCHED = """(() => {
  const text = CanvasRenderingContext2D.prototype.fillText, arc = CanvasRenderingContext2D.prototype.arc;
  const fill = CanvasRenderingContext2D.prototype.fill;
  window.scales = []; window.balls = []; let last = null;
  const question = treewright.model.question(0);
  CanvasRenderingContext2D.prototype.fillText = function (words, x, y) {
    const at = this.getTransform();
    const close = this.canvas.parentElement?.className === 'close';
    if (words === question && close) window.scales.push(at.a);
    return text.apply(this, arguments);
  };
  CanvasRenderingContext2D.prototype.arc = function (x, y, r) { last = [x, y, r]; return arc.apply(this, arguments); };
  CanvasRenderingContext2D.prototype.fill = function () {
    if (this.fillStyle === treewright.app.theme.mark && last) window.balls.push([...last, performance.now()]);
    last = null;
    return fill.apply(this, arguments);
  };
})()"""


@pytest.fixture(scope="module")
def grown() -> Any:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(800, 3))
    y = np.where(X[:, 0] > 0, np.where(X[:, 1] > 0.3, "a", "b"), np.where(X[:, 2] > -0.2, "a", "c"))
    y = np.where(rng.random(800) < 0.1, "b", y)
    return tw.CARTClassifier(min_samples_leaf=10).fit(X, y), X, y


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_tree_moves_as_it_is_cut_back(opened: Open, grown: Any, motion: str) -> None:
    model, X, y = grown
    page = opened(model, X, y, motion=motion)
    page.evaluate("treewright.app.resize(0)")
    page.evaluate("treewright.app.openAll(0)")
    page.wait_for_timeout(600)
    before = page.evaluate("treewright.app.closeUp.view().k")
    page.evaluate(WATCHED)
    page.evaluate("treewright.app.resize(treewright.model.steps - 3)")
    page.wait_for_timeout(900)
    after = page.evaluate("treewright.app.closeUp.view().k")
    assert after > before * 1.1
    between = [k for k in page.evaluate("window.scales") if before * 1.001 < k < after * 0.999]
    assert between == sorted(between) and bool(between) == (motion == "no-preference")
    well(page)


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_row_falls_through_the_tree(opened: Open, grown: Any, motion: str) -> None:
    model, X, y = grown
    page = opened(model, X, y, motion=motion)
    row = X[5].tolist()
    page.evaluate("row => treewright.app.follow(row)", row)
    page.evaluate(WATCHED)
    steps = page.evaluate(
        "new Promise(done => { const seen = []; treewright.app.play(); seen.push(treewright.app.store.state.reach);"
        "treewright.app.store.on(['reach'], ({ reach }) => { seen.push(reach === Infinity ? -1 : reach);"
        "if (reach === Infinity) done(seen); }); setTimeout(done, 20000, seen); })"
    )
    (leaf,) = model.apply(np.array([row]))
    depth = model.tree_.node(leaf).depth
    assert steps == [*range(depth), -1]  # one question after the other
    until(page, "window.balls.length > 0")
    path = [node.id for node in next(path for path in model.tree_.paths() if path[-1].id == leaf)]
    places = [page.evaluate(f"(() => {{ const p = treewright.app.closeUp.placeOf({id}); return [p.x, p.y]; }})()") for id in path]
    balls = [(x, y_) for x, y_, _, _ in page.evaluate("window.balls")]
    at_cards = [ball for ball in balls if any(np.allclose(ball, place, atol=0.5) for place in places)]
    assert (len(at_cards) == len(balls)) == (motion == "reduce")
    reached = [k for k, place in enumerate(places) if any(np.allclose(ball, place, atol=0.5) for ball in balls)]
    assert reached == list(range(len(places)))
    well(page)


def test_a_row_that_falls_is_stopped_by_another(opened: Open, grown: Any) -> None:
    model, X, y = grown
    page = opened(model, X, y, motion="no-preference")
    page.get_by_role("tab", name="Row").click()
    page.get_by_role("button", name="play: let the row fall through the tree (p)").click()
    assert page.evaluate("treewright.app.store.state.reach") == 0
    page.get_by_role("button", name="a random row (r)").click()
    assert page.evaluate("treewright.app.store.state.reach === Infinity")
    page.keyboard.press("p")
    page.evaluate("treewright.app.follow(null)")
    page.wait_for_timeout(1500)
    well(page)
