"""docs/reliability.md says how far learners agree with the programs they follow: what the tests of this room assert, counted."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.peers import test_c45_record as c45
from tests.peers import test_c45rules as c45rules
from tests.peers import test_j48 as j48
from tests.peers import test_lmt as lmt
from tests.peers import test_m5p as m5p
from tests.peers import test_m5rules as m5rules
from tests.peers import test_reptree as reptree
from tests.peers import test_rpart as rpart
from tests.peers import test_rpart_xval as rpart_xval
from tests.peers.c45_records import recorded as c45_recorded
from tests.peers.weka_records import recorded

DOCS = Path(__file__).parents[2] / "docs"
SECTION = (
    (DOCS / "reliability.md").read_text(encoding="utf-8").split("## Agreement with the reference programs")[1].split("\n## ")[0]
)
Row = tuple[str, str, str, int, int, int]


def rows_of_the_page(columns: int) -> list[list[str]]:
    """The cells of the table with this many columns, without its head."""
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in SECTION.splitlines() if line.startswith("|")]
    return [line for line in lines if len(line) == columns and not set(line[0]) <= {"-"} and line[0] != "learner"]


def row(learner: str, program: str, what: str, keys: Iterable[Any], tied: Iterable[Any], different: Iterable[Any] = ()) -> Row:
    """What is compared, by its keys (a table, or a table and options); which of these are tied and which differ."""
    every, ties, others = set(keys), set(tied), set(different)
    assert ties | others <= every and not ties & others
    tables = len({key if isinstance(key, str) else key[0] for key in every})
    compared = f"{len(every)} {what} of {tables} tables" if what else f"{tables} tables"
    return learner, program, compared, len(every) - len(ties | others), len(ties), len(others)


def listed(variants: dict[str, str]) -> set[tuple[str, str]]:
    """Tables with the options that are named beside them, apart."""
    return {(name, variant) for name, named in variants.items() for variant in named.split()}


def pairs(answers: dict[str, dict[str, Any]], options: Iterable[str]) -> list[tuple[str, str]]:
    return [(name, variant) for name, own in answers.items() for variant in own if variant in options]


def only(pairs: Iterable[tuple[str, str]], variant: str) -> set[tuple[str, str]]:
    return {pair for pair in pairs if pair[1] == variant}


def jrip() -> dict[str, tuple[int, int]]:
    """Errors on ten folds, ours and JRip's, by the table in docs/rules.md, which ``test_jrip`` compares with what is learned."""
    line = r"^\| ([\w.-]+) \| \d+ \| (\d+) \| (\d+) \| [\d.]+ \| [\d.]+ \|$"
    return {
        name: (int(mine), int(theirs)) for name, mine, theirs in re.findall(line, (DOCS / "rules.md").read_text("utf-8"), re.M)
    }


def counted() -> list[Row]:
    release_8, folds = c45_recorded(), "errors on ten folds"
    c45_tied, c45_pairs = listed(c45.TIED), pairs(c45_recorded(), c45.GROUPED)
    j48_pairs = pairs(j48.recorded()["trees"], j48.OPTIONS)
    part = recorded("part")["tables"]
    reptree_pairs = pairs(reptree.recorded()["trees"], reptree.OPTIONS)
    reptree_different = {pair for pair, why in reptree.ALLOWED.items() if why == reptree.PARTS}
    rpart_pairs = [(name, variant) for name, own in rpart.recorded()["trees"].items() for variant in own]
    grown = {(name, variant) for name, variant in rpart_pairs if rpart_xval.has_errors(name, variant)}
    own, groups, rules, unpruned = "`C45Classifier`", "`C45Classifier(grouped=True)`", "`C45RulesClassifier`", "`pruned=False`"
    return [
        row(
            own, "C4.5 release 8", "trees", only(c45_pairs, "default"), only(c45_tied, "default"), only(c45.DIFFERENT, "default")
        ),
        row(groups, "C4.5 `-s`", "trees", only(c45_pairs, "groups"), only(c45_tied, "groups"), only(c45.DIFFERENT, "groups")),
        row(own, f"C4.5, {folds}", "", release_8, c45.FOLDS_BY_ROUNDING),
        row(rules, "C4.5rules release 8", "lists", release_8, c45rules.RULES_BY_ROUNDING, c45rules.RULES_DIFFER),
        row(rules, f"C4.5rules, {folds}", "", release_8, c45rules.FOLDS_BY_ROUNDING, c45rules.RULES_DIFFER),
        row('`C45Classifier(variant="j48")`', "WEKA 3.9.7 J48", "trees", j48_pairs, (), j48.ALLOWED),
        row(f"the same, {unpruned}", "J48 `-U`", "trees", only(j48_pairs, "unpruned"), (), only(j48.ALLOWED, "unpruned")),
        row("`PartClassifier`", "WEKA 3.9.7 PART", "lists", [(name, v) for name in part for v in part[name]["rules"]], ()),
        row("`PartClassifier`", f"PART, {folds}", "", part, ()),
        row(
            "`RipperClassifier`", f"WEKA 3.9.7 JRip, {folds}", "", jrip(), (), {name for name, (a, b) in jrip().items() if a != b}
        ),
        row(
            "`REPTreeClassifier`, `REPTreeRegressor`",
            "WEKA 3.9.7 REPTree",
            "trees",
            reptree_pairs,
            reptree.TIED | (reptree.ALLOWED.keys() - reptree_different),
            reptree_different,
        ),
        row("`LogisticTreeClassifier`", "WEKA 3.9.7 LMT", "trees", lmt.NAMES, (), lmt.OWN_FOLDS),
        row("`M5Regressor`", "WEKA 3.9.7 M5P", "trees", pairs(recorded("m5p")["answers"], m5p.OPTIONS), m5p.ALLOWED),
        row(
            "`M5RulesRegressor`",
            "WEKA 3.9.7 M5Rules",
            "lists",
            pairs(recorded("m5rules")["answers"], m5p.OPTIONS),
            m5rules.ALLOWED,
        ),
        row('CART, `recipe="rpart"`', "rpart 4.1.19", "trees", rpart_pairs, listed(rpart.TIED), rpart.ALLOWED),
        row(
            "`cp_table(X, y, folds=…)`",
            "rpart, `xval` as a vector",
            "complexity tables",
            grown,
            listed(rpart_xval.TIED),
            rpart_xval.DIFFERENT,
        ),
    ]


def test_the_page_counts_what_is_asserted() -> None:
    said = [(*line[:3], *map(int, line[3:])) for line in rows_of_the_page(6)]
    assert said == counted()


def test_every_difference_is_named() -> None:
    """By table, in italics, beside its learner."""
    named = {(learner, name) for learner, where, _ in rows_of_the_page(3) for name in re.findall(r"\*([\w.-]+)\*", where)}
    different = {
        "C4.5": {name for name, _ in c45.DIFFERENT},
        "C4.5rules": {*c45rules.RULES_DIFFER},
        "REPTree": {name for (name, _), why in reptree.ALLOWED.items() if why == reptree.PARTS},
        "LMT": {*lmt.OWN_FOLDS},
        "rpart": {name for name, _ in [*rpart.ALLOWED, *rpart_xval.DIFFERENT]},
    }
    assert named == {(learner, name) for learner, names in different.items() for name in names}
    assert not j48.ALLOWED


def test_the_page_counts_tables_of_fewer_and_more_errors_than_jrip() -> None:
    signs = [(mine > theirs) - (mine < theirs) for mine, theirs in jrip().values()]
    said = re.search(r"fewer than JRip's on (\d+) tables, as many on (\d+) and more on (\d+)", SECTION)
    assert said is not None
    assert [int(n) for n in said.groups()] == [signs.count(-1), signs.count(0), signs.count(1)]
