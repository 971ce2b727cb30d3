"""A workbench that is opened in Chromium."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

Show = Callable[..., Any]


@pytest.fixture
def shown(chromium: Any) -> Iterator[Show]:
    """Opens a workbench in a window of its own; its requests and errors are kept on the page object."""
    contexts = []

    def show(
        bench: Any, scheme: str = "light", size: tuple[int, int] = (1280, 900), touch: bool = False, wrong: bool = False
    ) -> Any:
        context = chromium.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, reduced_motion="reduce", has_touch=touch
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.requests, page.failed = [], []
        page.on("request", lambda request: page.requests.append(request.url))
        page.on("pageerror", lambda error: page.failed.append(str(error)))
        # What the server refuses is told by the browser, too.
        page.on(
            "console",
            lambda said: page.failed.append(said.text) if said.type == "error" and "status of" not in said.text else None,
        )
        page.on("dialog", lambda dialog: (page.failed.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.goto(bench.url if not wrong else bench.url + "x")
        if not wrong:
            page.wait_for_selector("[data-loaded] [data-ready]")
        return page

    yield show
    for context in contexts:
        context.close()
