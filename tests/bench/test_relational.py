"""The group foil: its relations are what their names say, ours defines them, and a program that is named is given its files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench import contender, relational, run
from bench.cases import chosen
from bench.measure import measure

THEIRS = """FOIL 6.4
append(A,B,B) :- null(A)
append(A,B,C) :- components(A,D,E), components(C,D,F), append(E,B,F)

Time 0.1 secs
"""
STOPS = """append(A,B,C) :-
   null(A), B=C.
append(A,B,C) :-
   components(A,D,E), components(C,D,F),
   append(E,B,F).
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TW_BENCH_CACHE", str(tmp_path / "cache"))


def test_the_relations_are_what_their_names_say() -> None:
    graph = relational.world("reach")
    edges = graph.background["edge"]
    assert len(np.unique(edges, axis=0)) == 2_000
    assert (edges[:, 0] // 50 + 1 == edges[:, 1] // 50).all()
    follow = {tuple(edge) for edge in edges.tolist()}
    reached = set(follow)
    while new := {(a, d) for a, b in follow for d in graph.background["edge"][edges[:, 0] == b, 1].tolist()} - reached:
        reached |= new
        follow = new
    assert reached == set(map(tuple, graph.positive.tolist()))
    people = relational.world("ancestor")
    assert len(people.positive) == sum(depth * 2**depth for depth in range(10))
    supplied = relational.world("supplies20k")
    large = {tuple(row[:2]) for row in supplied.background["supplies"].tolist() if row[2] < 15}
    assert len(supplied.background["supplies"]) == 20_000
    assert large == set(map(tuple, supplied.positive.tolist()))
    assert supplied.negative is not None and not large & set(map(tuple, supplied.negative.tolist()))


@pytest.mark.parametrize(("name", "clauses"), [("ancestor", 2), ("supplies20k", 1)])
def test_ours_defines_them(name: str, clauses: int) -> None:
    found = measure("foil" if clauses == 2 else "foil_three_variables", name)
    assert (found.score, found.leaves) == (1.0, clauses)


def test_programs_that_nobody_names_have_a_line_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contender, "find_spec", lambda package: object())
    monkeypatch.setenv(relational.FOIL6, "/no/such/program")
    monkeypatch.delenv(relational.ALEPH, raising=False)
    said = run.plan(chosen(["foil-append-foil6", "foil-append-aleph"]), 1).splitlines()[1:]
    assert said[0].startswith("FOIL 6.4 is not installed ($TW_BENCH_FOIL6 must name the program), so these have no ratio")
    assert said[1].startswith("Aleph or SWI-Prolog is not installed ($TW_BENCH_ALEPH must name aleph.pl;")


def test_a_program_gets_the_relations_and_its_clauses_are_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in, seen = tmp_path / "foil6", tmp_path / "seen"
    stand_in.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$*\" > {seen}\ncat >> {seen}\ncat <<'END'\n{THEIRS}END\n")
    stand_in.chmod(0o755)
    monkeypatch.setenv(relational.FOIL6, str(stand_in))
    found = measure("foil6", "append")
    assert (found.score, found.leaves) == (1.0, 2)
    given = seen.read_text().splitlines()
    assert given[0] == "-n -v0 -m 20000000"
    assert given[1].startswith("list: l0, l1,") and given[2] == "element: e0, e1."
    assert given[4] == "append(list,list,list)" and given[5] == "l0,l0,l0"
    at = given.index("*components(list,element,list)")
    assert at == 5 + 321 + 1 and given[at + 1] == "l1,e0,l0"
    assert given[-3:] == ["*null(list)", "l0", "."]


def test_aleph_gets_modes_and_the_tuples_of_the_closed_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "aleph.pl").write_text("")
    swipl = tmp_path / "swipl"
    swipl.write_text(f"""#!/bin/sh
stem=$(echo "$3" | sed "s/.*read_all('\\([^']*\\)').*/\\1/")
cp "$stem.b" "$stem.f" "$stem.n" {tmp_path}
cat > "$stem.b.rules" <<'END'
{STOPS}END
""")
    swipl.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setenv(relational.ALEPH, str(tmp_path / "aleph.pl"))
    found = measure("aleph", "append")
    assert (found.score, found.leaves) == (1.0, 2)
    assert len((tmp_path / "given.f").read_text().splitlines()) == 321
    assert len((tmp_path / "given.n").read_text().splitlines()) == 63**3 - 321
    known = (tmp_path / "given.b").read_text()
    assert ":- modeh(*, append(+list, +list, +list))." in known
    assert ":- modeb(*, components(+list, -element, -list))." in known
    assert ":- determination(append/3, append/3)." in known and "components(l1,e0,l0)." in known
