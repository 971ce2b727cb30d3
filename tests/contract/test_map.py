"""The map of the house in docs/architecture.md names every room and every file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
MAP = PAGE.split("```")[1]
WORDS = set(re.findall(r"[A-Za-z0-9_]+", MAP))
PREFIXES = tuple(re.findall(r"([A-Za-z0-9_]+)\*", MAP))
FILES = sorted(
    path
    for folder, endings in (("src/core", (".hpp", ".cpp")), ("src/treewright", (".py",)))
    for path in (ROOT / folder).rglob("*")
    if path.suffix in endings and path.stem != "__init__" and "page" not in path.parts
)
ROOMS = sorted({path.parent.relative_to(ROOT / "src") for path in FILES})


@pytest.mark.parametrize("room", ROOMS, ids=str)
def test_every_room_is_on_the_map(room: Path) -> None:
    assert f"{room.name}/" in MAP or len(room.parts) == 1, f"docs/architecture.md does not name {room}/"


def test_every_file_is_on_the_map() -> None:
    lost = [path for path in FILES if path.stem not in WORDS and not path.stem.startswith(PREFIXES)]
    lost = [path for path in lost if path.stem not in ("__main__",)]
    # A criterion and a pruner are named by their rooms: what they are called is in the registry.
    lost = [path for path in lost if not {"criteria", "prune"} & set(path.parts[:-1])]
    assert not lost, "docs/architecture.md does not name " + ", ".join(str(path.relative_to(ROOT)) for path in lost)
    assert len(FILES) > 300
