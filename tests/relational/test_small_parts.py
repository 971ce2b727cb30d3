"""Small parts of clauses: names of tables in SQL, the order of weighed literals."""

from __future__ import annotations

import treewright as tw


def test_relations_of_one_name_are_tables_of_their_own() -> None:
    written = tw.Clauses.parse("p(x) :- q(x, y), q(x).").to_sql()
    assert '"q/2"' in written and '"q/1"' in written
    alone = tw.Clauses.parse("p(x) :- q(x, y).").to_sql()
    assert "q/2" not in alone


def test_weighed_literals_are_ranked_by_their_gain() -> None:
    parent = [("a", "b"), ("b", "c"), ("a", "d"), ("c", "e")]
    foil = tw.Foil(trace=True).fit({"parent": parent, "old": [("a",), ("b",)], "grand": [("a", "c"), ("b", "e")]}, "grand")
    for state in foil.trace_:
        gains = [one.gain for one in state.ranked()]
        assert gains == sorted(gains, reverse=True) and len(gains) == len(state.literals)
    assert len({one.gain for state in foil.trace_ for one in state.literals}) > 2
