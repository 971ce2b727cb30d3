"""The group foil: relations to learn from, ours on them, and FOIL 6.4 and Aleph where somebody has them.

A table here holds the tuples of the relation to define, as codes of constants; what it is defined by is made from the name of the
table, before the clock starts. Tables of positive tuples alone are meant in a closed world.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import default_rng

from bench.contender import Contender
from bench.workloads import Array, Workload

# Tuples to be asked about after a fit in a closed world, of either kind.
_ASKED = 500
# How many tuples FOIL 6.4 may have; without it, it refuses more than 100,000.
_TUPLES = 20_000_000
# The variables of the environment that name programs which cannot be installed from anywhere.
FOIL6, ALEPH = "TW_BENCH_FOIL6", "TW_BENCH_ALEPH"


@dataclass(frozen=True)
class World:
    """Relations in codes: the one to define, its types, tuples that belong and (in an open world) tuples that do not.

    `background` has the codes of the others by name, `types` the type of every argument, and `sizes` the constants of a type.
    """

    target: str
    types: Mapping[str, tuple[str, ...]]
    sizes: dict[str, int]
    background: dict[str, Array]
    positive: Array
    negative: Array | None = None

    def others(self) -> Array:
        """All tuples of the closed world that do not belong."""
        sizes = [self.sizes[kind] for kind in self.types[self.target]]
        free = np.ones(sizes, bool)
        free[tuple(self.positive.T)] = False
        return np.argwhere(free)

    def names(self, codes: Array, relation: str) -> Array:
        """Tuples as text, as it would stand in a file: the first letter of the type and a number."""
        columns = [np.char.add(kind[0], column.astype(str)) for kind, column in zip(self.types[relation], codes.T, strict=True)]
        return np.column_stack(columns).astype(object)


def append() -> World:
    """All lists of two letters up to length 5, by their heads and tails, and which is which two joined."""
    words = [word for n in range(6) for word in product("ab", repeat=n)]
    code = {word: i for i, word in enumerate(words)}
    parts = [(code[word], "ab".index(word[0]), code[word[1:]]) for word in words if word]
    joined = [(code[a], code[b], code[a + b]) for a in words for b in words if a + b in code]
    types = {"append": ("list",) * 3, "components": ("list", "element", "list"), "null": ("list",)}
    background = {"components": np.array(parts), "null": np.array([[0]])}
    return World("append", types, {"list": len(words), "element": 2}, background, np.array(joined))


def ancestor() -> World:
    """A tree of 1,023 people, each with two children or none, and who descends from whom."""
    child = np.arange(1, 1023)
    pairs, above = [], child
    parent = np.column_stack([(child - 1) // 2, child])
    while len(above := (above - 1) // 2) and above.max() >= 0:
        pairs.append(np.column_stack([above, child])[above >= 0])
        child, above = child[above >= 0], above[above >= 0]
    types = {"ancestor": ("person",) * 2, "parent": ("person",) * 2}
    return World("ancestor", types, {"person": 1023}, {"parent": parent}, np.concatenate(pairs))


def reach(layers: int = 20, width: int = 50, n_edges: int = 2_000) -> World:
    """A layered graph of 1,000 nodes and 2,000 edges from one layer to the next: a fifth of the pairs is reachable."""
    rng, n = default_rng(22), layers * width
    edges: set[tuple[int, int]] = set()
    while len(edges) < n_edges:
        begin = int(rng.integers(0, n - width))
        edges.add((begin, (begin // width + 1) * width + int(rng.integers(0, width))))
    reached = np.zeros((n, n), bool)
    for begin, end in sorted(edges, reverse=True):
        reached[begin] |= reached[end]
        reached[begin, end] = True
    types = {"reach": ("node",) * 2, "edge": ("node",) * 2}
    return World("reach", types, {"node": n}, {"edge": np.array(sorted(edges))}, np.argwhere(reached))


def trade(n: int, homes: bool = True) -> World:
    """Who supplies what where, n rows; a pair is stocked where one of its rows is in one of the 15 large cities of 50.

    Suppliers and parts grow with the rows, cities do not. `homes` adds where every supplier lives, which tells nothing.
    """
    rng = default_rng(23)
    sizes = {"supplier": n // 10, "part": n // 20, "city": 50}
    rows = np.unique(np.column_stack([rng.integers(0, size, n + n // 8) for size in sizes.values()]), axis=0)
    rows = rows[np.sort(rng.choice(len(rows), n, replace=False))]
    pairs, pair = np.unique(rows[:, :2], axis=0, return_inverse=True)
    stocked = np.zeros(len(pairs), bool)
    np.logical_or.at(stocked, pair.ravel(), rows[:, 2] < 15)
    types: dict[str, tuple[str, ...]] = {
        "stocked": ("supplier", "part"),
        "supplies": ("supplier", "part", "city"),
        "large": ("city",),
    }
    background = {"supplies": rows, "large": np.arange(15)[:, None]}
    if homes:
        types["lives"] = ("supplier", "city")
        background["lives"] = np.column_stack([np.arange(sizes["supplier"]), rng.integers(0, 50, sizes["supplier"])])
    return World("stocked", types, sizes, background, pairs[stocked], pairs[~stocked])


WORLDS: dict[str, Callable[[], World]] = {
    "append": append,
    "ancestor": ancestor,
    "reach": reach,
    "trade20k": partial(trade, 20_000),
    "trade100k": partial(trade, 100_000),
    **{f"supplies{n // 1000}k": partial(trade, n, homes=False) for n in (20_000, 50_000, 100_000, 200_000)},
}


@cache
def world(name: str) -> World:
    """The relations of a table."""
    return WORLDS[name]()


def table(name: str) -> Workload:
    """The tuples to learn from, then some to be asked about: of an open world a fifth that was left out."""
    whole, rng = world(name), default_rng(24)
    given, asked = [whole.positive], [whole.positive[rng.integers(0, len(whole.positive), _ASKED)]]
    if whole.negative is None:
        others = whole.others()
        asked.append(others[rng.integers(0, len(others), _ASKED)])
        sides = np.repeat([1, 1, 0], [len(whole.positive), _ASKED, _ASKED])
        n_train = len(whole.positive)
    else:
        both = np.concatenate([whole.positive, whole.negative])
        order = rng.permutation(len(both))
        n_train = len(both) * 4 // 5
        given, asked = [both[order]], []
        sides = (order < len(whole.positive)).astype(int)
    codes = np.concatenate([*given, *asked]).astype(np.int32)
    return Workload(name, np.empty((len(codes), 0), np.float32), codes, sides.astype(np.int32), n_train)


TABLES: dict[str, Callable[[], Workload]] = {name: partial(table, name) for name in WORLDS}


def foil(workload: Workload, **settings: Any) -> Contender:
    """Our FOIL, on pandas frames of text that are made inside the clock; its leaves are its clauses."""
    import pandas as pd

    import treewright as tw

    whole = world(workload.name)

    def frame(codes: Array, relation: str) -> pd.DataFrame:
        return pd.DataFrame(whole.names(codes, relation), columns=[f"a{i}" for i in range(codes.shape[1])])

    types = {name: list(kinds) for name, kinds in whole.types.items()}

    def fit(num: Array, nom: Array, y: Array) -> Any:
        if len(y) < workload.n_train:  # a few of the tuples are another relation, perhaps one that is hard to find
            return tw.Foil().fit({"p": [("a", "b"), ("b", "c")], "q": [("b", "a"), ("c", "b")]}, "q")
        relations = {name: frame(codes, name) for name, codes in whole.background.items()}
        relations[whole.target] = frame(nom[y == 1], whole.target)
        negatives = None if whole.negative is None else frame(nom[y == 0], whole.target)
        return tw.Foil(types=types, **settings).fit(relations, whole.target, negatives)

    def predict(model: Any, num: Array, nom: Array) -> Array:
        if model.clauses_.name != whole.target:
            return np.zeros(len(nom), int)
        return np.asarray(model.predict(frame(nom, whole.target))).astype(int)

    return Contender(fit, predict, lambda model: len(model.clauses_))


def program(variable: str) -> str | None:
    """The file that a variable of the environment names, if it is there."""
    path = os.environ.get(variable, "")
    return path if Path(path).is_file() else None


def foil6(workload: Workload) -> Contender:
    """FOIL 6.4 (Quinlan) on a file that is written before the clock starts; its start and its reading are inside."""
    whole = world(workload.name)

    def rows(codes: Array, name: str) -> str:
        return "\n".join(map(",".join, whole.names(codes, name).tolist()))

    def text(nom: Array, y: Array) -> str:
        kinds = [f"{kind}: {', '.join(f'{kind[0]}{i}' for i in range(size))}." for kind, size in whole.sizes.items()]
        denied = "" if whole.negative is None else f";\n{rows(nom[y == 0], whole.target)}\n"
        head = f"{whole.target}({','.join(whole.types[whole.target])})"
        known = [f"*{name}({','.join(whole.types[name])})\n{rows(codes, name)}\n." for name, codes in whole.background.items()]
        return "\n".join([*kinds, "", f"{head}\n{rows(nom[y == 1], whole.target)}\n{denied}.", *known, ""])

    return _of_program(workload, text, lambda path: [str(program(FOIL6)), "-n", "-v0", "-m", str(_TUPLES)], piped=True)


def aleph(workload: Workload) -> Contender:
    """Aleph (Srinivasan) in SWI-Prolog, on files written before the clock starts, which list the negatives of a closed world."""
    whole = world(workload.name)

    def facts(codes: Array, name: str) -> str:
        return "".join(f"{name}({','.join(row)}).\n" for row in whole.names(codes, name).tolist())

    def text(nom: Array, y: Array) -> str:
        kinds, goal = whole.types, f"{whole.target}/{len(whole.types[whole.target])}"
        said = [f":- modeh(*, {whole.target}({', '.join(f'+{kind}' for kind in kinds[whole.target])}))."]
        for name, own in kinds.items():
            signs = [each for each in product("+-", repeat=len(own)) if "+" in each]
            modes = [", ".join(sign + kind for sign, kind in zip(each, own, strict=True)) for each in signs]
            said += [f":- modeb(*, {name}({mode}))." for mode in modes]
            said.append(f":- determination({goal}, {name}/{len(own)}).")
        return "\n".join([*said, *(facts(codes, name) for name, codes in whole.background.items())])

    def more(stem: Path, nom: Array, y: Array) -> None:
        stem.with_suffix(".f").write_text(facts(nom[y == 1], whole.target))
        stem.with_suffix(".n").write_text(facts(whole.others() if whole.negative is None else nom[y == 0], whole.target))

    def command(path: Path) -> list[str]:
        goal = f"consult('{program(ALEPH)}'), read_all('{path.with_suffix('')}'), induce, write_rules('{path}.rules'), halt"
        return ["swipl", "-q", "-g", goal, "-t", "halt(1)"]

    return _of_program(workload, text, command, more, told=".rules")


def _of_program(
    workload: Workload,
    text: Callable[[Array, Array], str],
    command: Callable[[Path], list[str]],
    more: Callable[[Path, Array, Array], None] | None = None,
    told: str = "",
    piped: bool = False,
) -> Contender:
    """A program that reads files and writes clauses, on standard output or in a file of that ending."""
    import treewright as tw

    whole = world(workload.name)
    path = Path(tempfile.mkdtemp()) / "given.b"
    _, nom, y = workload.train
    path.write_text(text(nom, y))
    if more is not None:
        more(path, nom, y)

    def fit(num: Array, nom: Array, y: Array) -> Any:
        if len(y) < workload.n_train:
            return None
        with path.open() as given:
            done = subprocess.run(command(path), stdin=given if piped else None, capture_output=True, text=True, check=True)
        said = Path(f"{path}{told}").read_text() if told else done.stdout
        # Aleph writes a literal a line and a stop at the end, FOIL a clause a line and no stop.
        found = re.findall(rf"^({whole.target}\([^:]*:-(?:[^.]*(?=\.$)|[^\n]*))", said, re.MULTILINE)
        return tw.Clauses.parse("".join(f"{clause}.\n" for clause in found))

    def predict(model: Any, num: Array, nom: Array) -> Array:
        if model is None:
            return np.zeros(len(nom), int)
        relations = {name: whole.names(codes, name).tolist() for name, codes in whole.background.items()}
        return model.holds(whole.names(nom, whole.target).tolist(), relations).astype(int)

    return Contender(fit, predict, lambda model: len(model))
