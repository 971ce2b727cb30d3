"""Pages that are opened in Chromium."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import treewright as tw

Open = Callable[..., Any]


@pytest.fixture
def opened(chromium: Any, tmp_path: Path) -> Iterator[Open]:
    """Writes the page of a model and opens it; its requests and errors are kept on the page object."""
    contexts = []

    def open_(
        model: Any,
        *rows: Any,
        fragment: str = "",
        scheme: str = "light",
        size: tuple[int, int] = (1280, 800),
        motion: str = "reduce",
        **options: Any,
    ) -> Any:
        path = tmp_path / "page.html"
        if isinstance(model, bytes):
            path.write_bytes(model)
        else:
            model.explore(path, *rows, **options)
        context = chromium.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme=scheme,
            reduced_motion=motion,
            permissions=["clipboard-read", "clipboard-write"],
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.requests, page.failed = [], []
        page.on("request", lambda request: page.requests.append(request.url))
        page.on("pageerror", lambda error: page.failed.append(str(error)))
        page.on("console", lambda message: page.failed.append(message.text) if message.type == "error" else None)
        page.on("dialog", lambda dialog: (page.failed.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.goto(f"{path.as_uri()}{fragment}")
        page.wait_for_selector("[data-ready], [role=alert]")
        return page

    yield open_
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def iris() -> Any:
    data = tw.datasets.load_iris()
    return tw.CARTClassifier(keep_candidates=True).fit(data.X, data.y), data
