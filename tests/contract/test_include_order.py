"""The rooms of the core include each other one way only."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src"
LINE = ["base", "table", "stats", "tree", "search", "grow"]
SIDE_BY_SIDE = ["models", "prune", "rules", "forest", "optimal", "relational", "oblique", "soft"]
# Rooms inside rooms: they share the place of the room they are in.
SUB_ROOMS = [
    "criteria/binned",
    "criteria/drawn",
    "criteria/plain_only",
    "criteria/vectors",
    "grow/binned",
    "grow/drawn",
    "grow/plain",
    "grow/shortcuts",
    "grow/sorted",
]
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def allowed(room: str) -> set[str]:
    """Rooms that files of a room may include: itself and those to the left of it."""
    if room in LINE:
        return set(LINE[: LINE.index(room) + 1])
    if room in SIDE_BY_SIDE:
        return {*LINE, room}
    if room == "criteria":
        return {*LINE, *SIDE_BY_SIDE, "criteria"}
    if room == "bind":
        return {*LINE, *SIDE_BY_SIDE, "bind"}
    raise AssertionError(f"{room} is a new room: say here where it stands")


def offenders(room: str, file: str, text: str) -> list[str]:
    """Includes of a file that point to the right, or to no room at all."""
    out = []
    for included in INCLUDE.findall(text):
        to, _, rest = included.partition("/")
        if not rest:
            out.append(f'{file}: "{included}" names no room')
        elif to not in allowed(room):
            out.append(f'{file}: {room} may not include {to} ("{included}")')
    return out


def sources() -> list[tuple[str, Path]]:
    """Every source file with its room."""
    files = [*(SOURCE / "core").rglob("*"), *(SOURCE / "bind").rglob("*")]
    kept = [path for path in files if path.suffix in (".hpp", ".cpp", ".h", ".cc", ".inl")]
    return [
        ("bind" if SOURCE / "bind" in path.parents else path.relative_to(SOURCE / "core").parts[0], path) for path in sorted(kept)
    ]


def test_includes_go_one_way() -> None:
    found = []
    for room, path in sources():
        file = path.relative_to(SOURCE).as_posix()
        found += offenders(room, file, path.read_text(encoding="utf-8"))
    assert not found, "\n" + "\n".join(found)


def test_every_included_file_exists() -> None:
    total, lost = 0, []
    for _, path in sources():
        for included in INCLUDE.findall(path.read_text(encoding="utf-8")):
            total += 1
            if not any((root / included).is_file() for root in (SOURCE / "core", SOURCE)):
                lost.append(f"{path.relative_to(SOURCE).as_posix()}: {included}")
    assert not lost, "\n" + "\n".join(lost)
    assert total > 50  # otherwise nothing was read


def test_rooms_are_known() -> None:
    for room, path in sources():
        inside = path.parent.relative_to(SOURCE / "core").as_posix() if room != "bind" else "bind"
        assert inside in (room, *SUB_ROOMS), f"{inside} is a new room: say here where it stands"
        assert allowed(room)


def test_includes_have_no_cycle() -> None:
    graph = {
        path.relative_to(SOURCE if room == "bind" else SOURCE / "core").as_posix(): INCLUDE.findall(
            path.read_text(encoding="utf-8")
        )
        for room, path in sources()
    }
    done: set[str] = set()

    def visit(file: str, above: tuple[str, ...]) -> None:
        assert file not in above, " -> ".join((*above, file))
        if file not in done:
            for included in graph.get(file, ()):
                visit(included, (*above, file))
            done.add(file)

    for file in graph:
        visit(file, ())
    assert done >= set(graph)
    assert len(graph) > 20


@pytest.mark.parametrize(
    ("room", "included", "fine"),
    [
        ("base", "base/types.hpp", True),
        ("base", "table/table.hpp", False),
        ("tree", "search/search.hpp", False),
        ("search", "tree/split.hpp", True),
        ("search", "grow/grower.hpp", False),
        ("grow", "criteria/gini.hpp", False),
        ("prune", "rules/rule.hpp", False),
        ("prune", "tree/tree.hpp", True),
        ("forest", "grow/grower.hpp", True),
        ("optimal", "grow/limits.hpp", True),
        ("optimal", "prune/plan.hpp", False),
        ("criteria", "search/search.hpp", True),
        ("criteria", "criteria/gini.hpp", True),
        ("bind", "grow/grower.hpp", True),
        ("bind", "criteria/gini.hpp", False),
        ("grow", "bind/arrays.hpp", False),
        ("grow", "grower.hpp", False),
    ],
)
def test_the_reader_sees_offenders(room: str, included: str, fine: bool) -> None:
    text = f'#pragma once\n#include <vector>\n  #  include "{included}"\n'
    assert (offenders(room, "x.hpp", text) == []) == fine


def test_texts_and_lists_come_in_through_our_own_casters() -> None:
    """nanobind's end the process where memory runs out, and two definitions of one caster are undefined."""
    for path in (SOURCE / "bind").glob("*.?pp"):
        assert not re.search(r"#include <nanobind/stl/(string|vector)\.h>", path.read_text()), (
            f'{path.name}: use "bind/casters.hpp"'
        )
