"""What a person does on the page of the workbench, and what is read there."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd

import treewright as tw


def large(rows: int = 20_000) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, levels, missing cells and two classes."""
    random = np.random.default_rng(7)
    frame = pd.DataFrame({f"x{j}": random.normal(size=rows).round(3) for j in range(6)})
    frame["town"] = random.choice(["Bonn", "Jena", "Kiel", "Ulm"], rows)
    frame["size"] = pd.Categorical(random.choice(["S", "M", "L"], rows), ["S", "M", "L"], ordered=True)
    y = np.where(frame.x0 + (frame.town == "Jena") + (frame["size"] == "L") + random.normal(size=rows) > 0.8, "yes", "no")
    frame.loc[random.random(rows) < 0.03, "x1"] = np.nan
    return frame, y


def iris(**parameters: Any) -> tuple[Any, Any, Any]:
    """A small tree with its rows."""
    data = tw.datasets.load_iris()
    return tw.CARTClassifier(**{"max_depth": 2, **parameters}).fit(data.X, data.y), data.X, data.y


def select(page: Any, node: int) -> None:
    """Select a node, and wait until its alternatives are there."""
    page.evaluate("id => workbench.inside().app.select(id)", node)
    page.wait_for_selector(".alternatives :is(ol, p:not(:text('…')))")


def settled(page: Any, bench: Any, version: int) -> None:
    """Wait until the page shows a state."""
    shows = "version => workbench.state.version === version && document.querySelector('[aria-busy]') === null"
    until(lambda: page.evaluate(shows, version), f"the page shows state {version}: {told(page)}")
    assert bench.session.version == version


def press(page: Any, bench: Any, name: str, exact: bool = True) -> None:
    """Press a button that makes an edit, and wait until the page shows what came of it."""
    version = bench.session.version
    page.get_by_role("button", name=name, exact=exact).first.click()
    settled(page, bench, version + 1)


def told(page: Any) -> str:
    """What the page says of what was asked for last."""
    return str(page.locator(".bar .told").inner_text())


def well(page: Any, bench: Any) -> None:
    """Nothing failed, and nothing was asked of anybody else."""
    assert page.failed == []
    home = bench.url.partition("#")[0]
    assert all(url.startswith((home, "blob:")) for url in page.requests)


def until(found: Any, what: str) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + 20
    while not found():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)
