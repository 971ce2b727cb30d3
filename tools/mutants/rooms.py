"""Where faults of a room are planted, and which tests should notice them: those nearest to it first."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Room(NamedTuple):
    """Files, as patterns under the top of the project, the tests of what they do, and files that are left out."""

    files: tuple[str, ...]
    tests: tuple[str, ...]
    without: tuple[str, ...] = ()


_CORE_TESTS = ("oracle", "papers", "properties", "rules", "contract", "peers")
_FIRST = {
    "forest": ("ensembles", "explain"),
    "optimal": ("oracle/test_optimal.py", "oracle/test_optimal_search.py", "oracle/test_optimality_gap.py"),
}
_PYTHON = {
    "adopt": ("peers/test_adopted_trees.py", "peers/test_adopted_forests.py", "peers/test_adopted_boosters.py", "store"),
    "cli": ("cli",),
    "course": ("papers/test_beyond_greedy.py", "papers/test_hypotheses.py", "oracle/test_smallest_trees.py",
               "properties/test_version_space.py", "reliability/test_searches.py"),
    "estimators": ("learn", "papers", "ensembles", "contract", "rules", "evaluate"),
    "evaluate": ("evaluate",),
    "explore": ("explore",),
    "export": ("exports", "model"),
    "inspect": ("explain", "papers/test_explain.py", "ensembles/test_forest_facts.py", "rules", "cli"),
    "learn": ("learn", "papers", "ensembles", "contract", "rules", "evaluate", "reliability/test_weights.py",
              "reliability/test_types.py"),
    "model": ("model", "rules", "explain", "properties/test_jumps.py", "exports/test_rules.py", "show",
              "properties/test_regions_and_words.py", "properties/test_answers.py", "ensembles",
              "peers/test_adopted_boosters.py"),
    "prune": ("papers/test_pruning.py", "oracle/test_pruning.py", "show/test_errors.py", "reliability/test_pruning.py",
              "contract/test_pruning_page.py", "oracle", "peers/test_cost_complexity.py", "peers/test_rpart.py"),
    "show": ("show", "papers/test_votes.py", "evaluate", "cli"),
    "store": ("store", "reliability/test_model_files.py", "reliability/test_refused_files.py",
              "properties/test_damaged_state.py"),
    "table": ("properties/test_encoding.py", "properties/test_frames.py", "properties/test_weights_in_rows.py",
              "reliability", "cli"),
}  # fmt: skip
# Scripts that say something; the others draw it, where a fault is a matter of looks.
_SAYING = ("bins", "boxes", "conditions", "derived", "ends", "joints", "layout", "linear", "model", "quality", "rows",
           "rule_list_layout", "search", "sentences", "size", "store", "upper_envelope", "votes", "whatif", "words")  # fmt: skip
_CORE = ("base", "criteria", "forest", "grow", "models", "optimal", "prune", "rules", "search", "stats", "table", "tree")


def rooms() -> dict[str, Room]:
    """Every room by its name; those of the core are called core/NAME, the scripts of the explorer's page ``page``.

    ``drawing`` is the rest of that page's scripts.
    """
    python = {name: Room((f"src/treewright/{name}/**/*.py",), _under(tests)) for name, tests in _PYTHON.items()}
    core = {
        f"core/{name}": Room((f"src/core/{name}/**/*.[ch]pp",), _under((*_FIRST.get(name, ()), *_CORE_TESTS))) for name in _CORE
    }
    page = tuple(f"src/treewright/explore/page/{name}.js" for name in _SAYING)
    drawing = Room(("src/treewright/explore/page/*.js",), _under(("explore",)), page)
    return (
        python
        | core
        | {"page": Room((*page, "src/treewright/export/predictor.js"), _under(("explore", "exports"))), "drawing": drawing}
    )


def _under(tests: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"tests/{each}" for each in tests)


def files_of(room: Room, top: Path) -> list[str]:
    """Paths of its files under the top of the project, in order."""
    found = {path.relative_to(top).as_posix() for pattern in room.files for path in top.glob(pattern)}
    return sorted(found.difference(room.without))
