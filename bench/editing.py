"""Contenders of the group workbench: what the page asks of its server, and how fast it follows a hand in Chromium."""

from __future__ import annotations

import http.client
import json
import shutil
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.contender import Contender
from bench.showing import _CHROMIUM, _WINDOW
from bench.workloads import Workload

_LEAVES = 50
_REQUESTS = 200


def edited(workload: Workload, look: Callable[[Any], float]) -> Contender:
    """A tree of 50 leaves that is open in a workbench, and one figure of it."""
    import treewright as tw

    num, _, y = workload.train
    grown = tw.CARTClassifier(max_leaf_nodes=_LEAVES, n_jobs=1).fit(num, y)

    def told(model: Any) -> float:
        with model.workbench(num, y, folds=5, browser=False) as bench:
            return look(bench)

    return Contender(
        lambda num, nom, y: grown,
        lambda model, num, nom: np.asarray(model.predict(num)),
        lambda model: int(model.tree_.n_leaves),
        told=told,
    )


def alternatives(bench: Any) -> float:
    """The median CPU seconds of requests for the alternatives of the root, asked and answered in this process."""
    took = []
    for _ in range(_REQUESTS):
        begin = time.process_time()
        _ask(bench, "/api/alternatives", node=0)
        took.append(time.process_time() - begin)
    return statistics.median(took)


def scores(bench: Any) -> float:
    """CPU seconds until a tree with another split is judged by cross-validation, the folds' own trees grown before."""
    bench.session.scores()
    bench.edit.split(0, bench.tree.columns[1].name)
    begin = time.process_time()
    _ask(bench, "/api/scores")
    return time.process_time() - begin


def _ask(bench: Any, path: str, **asked: Any) -> Any:
    place, _, token = bench.url.partition("#")
    line = http.client.HTTPConnection(place.removeprefix("http://").rstrip("/"))
    line.request("POST", path, json.dumps(asked), {"X-Treewright-Token": token, "Content-Type": "application/json"})
    answer = line.getresponse()
    contents = answer.read()
    line.close()
    if answer.status != 200:
        raise RuntimeError(contents.decode())
    return json.loads(contents)


def ready(bench: Any) -> float:
    """Milliseconds from the address to a tree that can be edited; the least of three, because other work delays it."""
    return min(_shown(bench)[0] for _ in range(3))


def drag(bench: Any) -> float:
    """The time within which 95 % of the movements of a threshold are answered by the page, drawing included, in milliseconds."""
    return min(_shown(bench, _DRAG)[1] for _ in range(3))


_DRAG = """async () => {
  const wait = (ready) => new Promise((done) => {
    const look = () => (ready() ? done(ready()) : setTimeout(look, 10));
    look();
  });
  (await wait(() => document.querySelector(".candidate"))).click();
  const track = await wait(() => document.querySelector(".cut"));
  await new Promise((done) => setTimeout(done, 300));
  track.setPointerCapture = () => {};
  const box = track.getBoundingClientRect();
  const fire = (kind, x) => track.dispatchEvent(new PointerEvent(kind, { pointerId: 1, clientX: box.left + x, clientY: box.top + 50, bubbles: true }));
  fire("pointerdown", 10);
  const took = [];
  for (let i = 0; i < 300; i += 1) {
    const begin = performance.now();
    fire("pointermove", box.width * (0.5 + 0.45 * Math.sin(i / 9)));
    workbench.panel.current().paint();
    took.push(performance.now() - begin);
    if (i % 10 === 0) await new Promise(requestAnimationFrame);
  }
  fire("pointerup", 10);
  return took.sort((a, b) => a - b)[Math.floor(0.95 * took.length)];
}"""  # noqa: E501


def _shown(bench: Any, ask: str = "0") -> tuple[float, float]:
    """Milliseconds until the page is ready, and what it is then asked."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=_CHROMIUM)
        page = browser.new_page(viewport=_WINDOW)
        begin = time.perf_counter()
        page.goto(bench.url)
        page.wait_for_selector("[data-loaded] [data-ready]")
        took = 1000 * (time.perf_counter() - begin)
        found = float(page.evaluate(ask))
        browser.close()
        return took, found
