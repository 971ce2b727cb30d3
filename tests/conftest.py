"""What all tests share: where the shared tables are, and that in continuous integration nothing is skipped for want of them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"

# Deterministic: the same examples on every run; a search for new ones is a deliberate act (HYPOTHESIS_PROFILE=search).
settings.register_profile(
    "suite", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))

CHROMIUM = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
NEEDED = ("shared tables", "recorded answers")


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of the shared tables; skips where it is not there."""
    if not (SHARED / "data").is_dir():
        pytest.skip("the shared tables are not here")
    return SHARED


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A real Chromium for the tests of pages, one for all; without it they are skipped, with a line that says so."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("Chromium is not here (Debian: chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not here")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=CHROMIUM)
        yield browser
        browser.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = sorted({str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr) for report in skipped})
    terminalreporter.write_line(f"{len(skipped)} tests skipped" + "".join(f"\n  {reason}" for reason in reasons))


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") != "true" or reporter is None or not SHARED.is_dir():
        return
    for report in reporter.stats.get("skipped", []):
        if any(word in str(report.longrepr) for word in NEEDED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
