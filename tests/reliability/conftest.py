"""What tests of data files share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reliability.folder import Folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)
