"""Learning from relations that takes long or gets large: Ctrl-C, progress, and the cap on tuples with its remedy."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import treewright as tw
from tests.cli.runs import SOURCE
from tests.relational.sets import family

# Relations that have nothing to do with one another: every clause is looked for long, and none is short.
NOISE = """
import numpy as np
def noise(n_target, n_other, n_constants):
    rng = np.random.default_rng(0)
    def drawn(n):
        return sorted({(f"c{a}", f"c{b}") for a, b in rng.integers(0, n_constants, (n, 2)).tolist()})
    return {"r": drawn(n_other), "s": drawn(n_other), "u": drawn(n_other), "t": drawn(n_target)}
"""
MINUTES = "noise(100, 120, 30)"
SECONDS: dict[str, Any] = {
    "max_tuples": 20_000,
    "coding_limit": False,
    "min_accuracy": 0.6,
    "max_depth": 1,
    "max_variables": 3,
    "reserves": 0,
}


def noise(*sizes: int) -> dict[str, Any]:
    space: dict[str, Any] = {}
    exec(NOISE, space)
    relations: dict[str, Any] = space["noise"](*sizes)
    return relations


INTERRUPTED = f"""{NOISE}
import treewright as tw
foil = tw.Foil().fit({{"p": [("a", "b"), ("b", "c")], "q": [("b", "a"), ("c", "b")]}}, "q")
foil.set_params(coding_limit=False, min_accuracy=0.6)
before = dict(vars(foil))
print("begins", flush=True)
try:
    foil.fit({MINUTES}, "t")
except KeyboardInterrupt:
    print("ended", vars(foil) == before, foil.min_accuracy, flush=True)
"""


def test_ctrl_c_ends_a_fit_and_what_was_learned_before_stays() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": SOURCE}
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "begins\n"
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        began = time.monotonic()
        assert child.communicate(timeout=60)[0] == "ended True 0.6\n"
        assert time.monotonic() - began < 30


def test_progress_is_told_as_tuples_get_covered(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    clock: Iterator[float] = iter(np.arange(0.0, 1e6, 7.0).tolist())
    monkeypatch.setattr("treewright.progress.time.monotonic", lambda: next(clock))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tw.TreewrightWarning)
        foil = tw.Foil(verbose=True, **SECONDS).fit(noise(700, 300, 40), "t")
        said = capsys.readouterr().err.splitlines()
        assert said
        for line in said:
            assert re.fullmatch(rf"foil t  \d+% of {foil.n_positive_} tuples  [\d.]+ s", line)
        silent = tw.Foil(**SECONDS).fit(noise(700, 300, 40), "t")
    assert capsys.readouterr().err == ""
    assert silent.clauses_ == foil.clauses_


def test_an_error_while_progress_is_told_ends_the_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: object, done: int, total: int) -> None:
        raise OSError("the terminal is gone")

    monkeypatch.setattr("treewright.progress.Bar.__call__", fails)
    foil = tw.Foil(verbose=True, coding_limit=False, min_accuracy=0.6)
    with pytest.raises(OSError, match="the terminal is gone"):
        foil.fit(noise(100, 120, 30), "t")
    assert not hasattr(foil, "clauses_")


@pytest.mark.parametrize("most", [150, 300, 350, 500, 960])
def test_a_closed_world_beyond_the_cap_names_a_share_that_fits(most: int) -> None:
    relations = {name: family()[name] for name in ("parent", "ancestor")}
    with pytest.raises(
        ValueError, match=f"ancestor/2 has 961 tuples .* more than max_tuples={most}: give negatives, draw"
    ) as caught:
        tw.Foil(max_tuples=most).fit(relations, "ancestor")
    share = re.search(r"negative_share=([\d.e-]+)\)", str(caught.value))
    assert share is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tw.TreewrightWarning)
        drawn = tw.Foil(max_tuples=most, negative_share=float(share[1])).fit(relations, "ancestor")
    assert 0 < drawn.n_positive_ + drawn.n_negative_ <= most


def test_no_share_is_named_where_not_one_negative_would_fit() -> None:
    relations = {name: family()[name] for name in ("parent", "ancestor")}
    with pytest.raises(ValueError, match=r"max_tuples=90: give negatives, or raise max_tuples$"):
        tw.Foil(max_tuples=90).fit(relations, "ancestor")


def test_given_tuples_beyond_the_cap_are_refused() -> None:
    relations = {name: family()[name] for name in ("parent", "ancestor")}
    wrong = [(child, parent) for parent, child in relations["parent"]]
    n = len(relations["ancestor"]) + len(wrong)
    with pytest.raises(ValueError, match=f"there are {n} tuples to learn from, more than max_tuples={n - 1}: raise max_tuples"):
        tw.Foil(max_tuples=n - 1).fit(relations, "ancestor", wrong)
    assert tw.Foil(max_tuples=n).fit(relations, "ancestor", wrong).n_negative_ == len(wrong)


def test_literals_beyond_the_cap_are_left_out_and_a_warning_says_so() -> None:
    # Each of 40 things is linked to 40 of 40, so that a step has 1,600 bindings; only those in the end are wanted.
    links = [(f"a{i}", f"b{j}") for i in range(40) for j in range(40)]
    relations = {"link": links, "wanted": [(f"a{i}",) for i in range(20)], "end": [(f"a{i}", f"b{i}") for i in range(20)]}
    other = [(f"a{i}",) for i in range(20, 40)]
    assert str(tw.Foil().fit(relations, "wanted", other).clauses_) == "wanted(A) :- end(A, B)."
    del relations["end"]
    relations["mark"] = [(f"b{i}",) for i in range(20)]
    with pytest.warns(tw.TreewrightWarning, match=r"more than max_tuples=500 bindings and w.* left out.*raise max_tuples"):
        few = tw.Foil(max_tuples=500).fit(relations, "wanted", other)
    assert len(few.clauses_) == 0 and few.n_covered_positive_ == 0


def test_what_follows_is_capped_too() -> None:
    chain = tw.Clauses.parse("reach(x, y) :- edge(x, y). reach(x, y) :- edge(x, z), reach(z, y).")
    edges = {"edge": [(i, i + 1) for i in range(60)]}
    assert len(chain.evaluate(edges, max_tuples=10_000)) == 60 * 61 // 2
    with pytest.raises(ValueError, match="max_tuples=300") as caught:
        chain.evaluate(edges, max_tuples=300)
    assert "raise max_tuples" in str(caught.value)


def test_a_wide_relation_of_one_type_has_more_arguments_than_are_looked_at() -> None:
    """Seven arguments of one type and seven variables: a hundred million lists. Few of them are tied at once, and it ends."""
    rng = np.random.default_rng(0)
    rows = sorted({tuple(f"c{cell}" for cell in row) for row in rng.integers(0, 9, (400, 7)).tolist()})
    wanted = [row for row in rows if row[1] == row[5]]
    others = [row for row in rows if row[1] != row[5]]
    foil = tw.Foil().fit({"wide": rows, "wanted": wanted}, "wanted", others)
    assert foil.n_weighed_ < 200_000
    assert foil.n_covered_positive_ == len(wanted) and foil.n_covered_negative_ == 0


@pytest.mark.parametrize("wide", [False, True])
def test_noise_ends_after_so_many_looks_with_the_clauses_so_far(wide: bool) -> None:
    if wide:
        rng = np.random.default_rng(0)
        rows = sorted({tuple(f"c{cell}" for cell in row) for row in rng.integers(0, 9, (400, 7)).tolist()})
        given: tuple[Any, ...] = ({"r": rows[::2], "t": rows[::3]}, "t", sorted(set(rows) - set(rows[::3])))
    else:
        given = (noise(100, 120, 30), "t")
    fewer = {"coding_limit": False, "min_accuracy": 0.6, "max_growth": 1000, "max_steps": 20_000_000}
    with pytest.warns(tw.TreewrightWarning, match="ended after max_steps=20000000 .* of .* tuples covered: raise max_steps"):
        first = tw.Foil(**fewer).fit(*given)
    assert first.n_covered_positive_ < first.n_positive_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tw.TreewrightWarning)
        assert tw.Foil(**fewer).fit(*given).clauses_ == first.clauses_
    with pytest.raises(ValueError, match="max_steps=0 is not allowed"):
        tw.Foil(max_steps=0).fit(*given)


def test_columns_are_not_compared_pair_by_pair() -> None:
    """Two thousand columns: with every pair compared (or, as it was, every three) this takes hours."""
    from treewright.table.relations import Relation
    from treewright.table.relations.types import infer_types

    n = 1_000
    wide = Relation("wide", tuple(f"c{i}" for i in range(n)), tuple([i, i + 1] if i % 2 else [f"t{i // 3}"] for i in range(n)))
    plain = Relation("plain", tuple(f"A{i}" for i in range(n)), tuple([i] for i in range(n)), named=False)
    kinds = infer_types((wide, plain), 0, {"c0": "own", "c998": "own"})
    assert sum(len(kind.places) for kind in kinds) == 2 * n
    own = next(kind for kind in kinds if kind.name == "own")
    assert own.places == [(0, 0), (0, 998), (0, 2), (0, 996)]
