"""Forests give the answers and shares of the model to the last bit, in every language that says it holds them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.exports.made import DERIVED, INPUTS, drawn, drawn_rows, made
from tests.exports.runners import EVERY, RUNNERS, model_answers, onnx_answers
from tests.exports.test_divided import no_answers
from tests.properties.tables import make_case
from treewright.export.forest_program import joined
from treewright.model.combine import Combination, Mean, Median, Vote
from treewright.model.forest import Forest

WEIGHTS = (0.7, 1.3, 0.1, 2.0, 0.9)


class Grown:
    """A forest as the runners ask a fitted estimator."""

    def __init__(self, forest: Forest) -> None:
        self.forest = forest
        self.tree_ = SimpleNamespace(columns=forest.schema.columns, target=forest.target)
        if forest.target.classes is not None:
            self.classes_ = np.array(forest.target.classes)
            self.predict_proba = forest.predict_proba

    def __getattr__(self, name: str) -> Any:
        if name == "predict_proba":
            raise AttributeError(name)
        return getattr(self.forest, name)


def forest_of(learner: Callable[[], Any], combine: Combination, weights: tuple[float, ...] = WEIGHTS) -> Grown:
    """Members that were fitted with other weights each, all of the rows of one table."""
    case = make_case(3, 160)
    members = []
    for seed in range(len(weights)):
        est = learner()
        counts = np.random.default_rng(seed).integers(1, 5, 160)
        members.append(est.fit(case.X, case.target(est), sample_weight=counts)._model)
    return Grown(Forest(tuple(members), members[0].schema, members[0].target, weights, combine))


def asked(n: int = 80) -> pd.DataFrame:
    """Rows with missing cells and levels that training did not show."""
    rows = make_case(5, n).X
    rows["text"] = rows["text"].where(np.arange(n) % 7 != 0, "unseen")
    return rows


FORESTS: dict[str, Callable[[], Grown]] = {
    "shares": lambda: forest_of(lambda: tw.TreeClassifier(max_depth=5), Mean()),
    "equal shares": lambda: forest_of(lambda: tw.TreeClassifier(max_depth=5), Mean(), (1.0,) * 7),
    "votes": lambda: forest_of(lambda: tw.TreeClassifier(max_depth=3), Vote()),
    "surrogates": lambda: forest_of(lambda: tw.TreeClassifier(max_depth=3, missing="surrogate", nominal="subset"), Mean()),
    "many ways": lambda: forest_of(
        lambda: tw.TreeClassifier(max_depth=3, missing="own", nominal="multiway", numeric="ternary"), Mean()
    ),
    "numbers": lambda: forest_of(lambda: tw.TreeRegressor(max_depth=6), Mean()),
    "medians": lambda: forest_of(lambda: tw.TreeRegressor(max_depth=4), Median()),
    "medians of equals": lambda: forest_of(lambda: tw.TreeRegressor(max_depth=4), Median(), (1.0,) * 4),
    "rules": lambda: forest_of(lambda: tw.RipperClassifier(random_state=0), Vote()),
    "shares of rules": lambda: forest_of(lambda: tw.RipperClassifier(random_state=0), Mean()),
    "fractions": lambda: forest_of(lambda: tw.C45Classifier(max_depth=4), Mean()),
    "votes of fractions": lambda: forest_of(lambda: tw.C45Classifier(max_depth=4), Vote()),
    "fractions of numbers": lambda: forest_of(lambda: tw.TreeRegressor(max_depth=3, missing="spread"), Mean()),
    "soft thresholds": lambda: forest_of(lambda: tw.C45Classifier(soft=True), Mean()),
    "equations": lambda: forest_of(lambda: tw.M5Regressor(smoothing="none"), Mean()),
    "blended equations": lambda: forest_of(lambda: tw.M5Regressor(smoothing="blend", band=0.4, min_samples_split=60), Mean()),
    "scores": lambda: forest_of(lambda: tw.LogisticTreeClassifier(iterations=3), Mean()),
}
# What a language is not written for, and says so.
REFUSED = {
    "medians of equals": (("duckdb", "ansi", "sqlite", "postgresql", "onnx"), "the median of its members is not found there"),
    "medians": (("duckdb", "ansi", "sqlite", "postgresql", "onnx"), "the median of its members is not found there"),
    "scores": (("duckdb", "ansi", "sqlite", "postgresql", "onnx"), "its members have scores of classes"),
    "fractions": (("onnx",), r"rows with missing cells go to several leaves of one member: to_onnx\(complete=True\) holds it"),
    "votes of fractions": (("onnx",), "rows with missing cells go to several leaves of one member"),
    "fractions of numbers": (("onnx",), "rows with missing cells go to several leaves of one member"),
    "soft thresholds": (("onnx",), "rows go to several leaves of one member"),
    "blended equations": (("onnx",), "rows go to several leaves of one member"),
}
RENUMBERED = ("surrogates", "rules", "shares of rules")  # nodes of the program are not those of the members


@pytest.mark.parametrize("export", RUNNERS)
@pytest.mark.parametrize("kind", FORESTS)
def test_any_forest(export: str, kind: str) -> None:
    est, rows = FORESTS[kind](), asked()
    languages, why = REFUSED.get(kind, ((), ""))
    if export in languages:
        with pytest.raises(ValueError, match=f"(SQL|ONNX) cannot hold this forest: {why}.*; use to_python"):
            RUNNERS[export](est, rows)
        return
    said, expected = RUNNERS[export](est, rows), model_answers(est, rows)
    if kind in RENUMBERED:
        said.leaf = expected.leaf
    said.equal(expected)
    assert len({str(one) for one in expected.shares or expected.prediction}) > 2


@pytest.mark.parametrize("export", EVERY)
@pytest.mark.parametrize("several", [False, True])
def test_random_forests(export: str, several: bool) -> None:
    case = make_case(4, 200)
    if several:
        est: Any = tw.RandomForestRegressor(6, random_state=1)
        est.fit(case.X, np.stack([case.numbers, case.numbers**2 / 7], axis=1))
    else:
        est = tw.RandomForestClassifier(6, random_state=1).fit(case.X, case.classes)
    one, rows = Grown(est.forest_), asked()
    EVERY[export](one, rows).equal(model_answers(one, rows))


def drawn_forest(seed: int, combine: str, **options: Any) -> Any:
    """Programs of nodes that jump as they please, as members: the first of them has no soft thresholds."""
    soft = options.pop("soft", False)
    programs = [drawn(10 * seed + k, soft=soft and k > 0, **options) for k in range(3)]
    return made(joined(programs, (0.7, 1.1, 0.3), combine))


@pytest.mark.parametrize("export", [name for name in EVERY if name != "onnx"])
@pytest.mark.parametrize("combine", ["mean", "vote"])
@pytest.mark.parametrize("options", [{}, {"soft": True}, {"derived": DERIVED}, {"derived": DERIVED, "divides": False}], ids=str)
def test_members_of_any_nodes(export: str, combine: str, options: dict[str, Any]) -> None:
    for seed in range(3):
        one, rows = drawn_forest(seed, combine, **options), drawn_rows(seed)
        EVERY[export](one, rows).equal(model_answers(one, rows))


@pytest.mark.parametrize("combine", ["mean", "vote"])
@pytest.mark.parametrize("derived", [(), DERIVED], ids=["", "derived"])
def test_members_of_any_nodes_in_onnx(combine: str, derived: Any) -> None:
    for seed in range(4):
        one, rows = drawn_forest(seed, combine, divides=False, derived=derived), drawn_rows(seed)
        onnx_answers(one, rows).equal(model_answers(one, rows))


@pytest.mark.parametrize(
    ("export", "divides"),
    [*((name, divides) for name in ("c", "duckdb", "sqlite", "postgresql") for divides in (False, True)), ("onnx", False)],
)
def test_a_row_has_no_answer_if_a_member_has_none(export: str, divides: bool) -> None:
    found = 0
    for seed in range(4):
        one, rows = drawn_forest(seed, "mean", numbers=True, refusing=True, divides=divides), drawn_rows(seed)
        refused = one.refused(rows)
        whole = rows[~refused & ~one.refused(rows, leaf=True)].reset_index(drop=True)
        EVERY[export](one, whole).equal(model_answers(one, whole))
        said = no_answers(export, one, rows[refused].reset_index(drop=True))
        assert all(each is None or each != each for each in said)
        found += len(said)
    assert found > 20


@pytest.mark.parametrize("derived", [(), DERIVED], ids=["", "derived"])
def test_levels_that_a_member_refuses(derived: Any) -> None:
    """Rows of a level that is refused have no answer where a member asks for it; SQL looks at all columns if rows are divided."""
    inputs = tuple(replace(one, strict=one.by_level) for one in INPUTS)
    some = 0
    for seed in range(5):
        one, rows = drawn_forest(seed, "mean", numbers=True, inputs=inputs, derived=derived, divides=False), drawn_rows(seed)
        refused = one.refused(rows)
        some += int(refused.sum())
        whole = rows[rows["d"] != "x"].reset_index(drop=True)
        for export in ("duckdb", "sqlite", "onnx", "c"):
            RUNNERS[export](one, whole).equal(model_answers(one, whole))
        assert all(said is None for said in no_answers("sqlite", one, rows[refused]))
        assert np.isnan(np.array(no_answers("onnx", one, rows))).tolist() == refused.tolist()
    assert some > 10


def test_what_cannot_stand_beside_each_other_is_refused() -> None:
    case = make_case(3, 160)
    part = [tw.PartClassifier().fit(case.X, case.classes).ruleset_ for _ in range(2)]
    with pytest.raises(ValueError, match="member 0 of this forest is rules that take fractions of rows"):
        Forest(tuple(part), part[0].schema, part[0].target, (1.0, 1.0), Vote()).to_python()
    plain = make_case(3, 160, nominal=False)
    trees = [est.fit(plain.X, plain.classes).tree_ for est in (tw.CARTClassifier(), tw.LogisticTreeClassifier(iterations=2))]
    mixed = Forest((trees[0], trees[1]), trees[0].schema, trees[0].target, (1.0, 1.0), Mean())
    with pytest.raises(ValueError, match="member 1 of this forest computes its answers in another way than member 0"):
        mixed.to_c()
    with pytest.raises(ValueError, match="a forest has a leaf of every member, give='leaf' has no single answer"):
        FORESTS["shares"]().to_sql("duckdb", give="leaf")
    with pytest.raises(ValueError, match="members of a forest are added up here, and standard SQL cannot number rows"):
        FORESTS["shares"]().to_sql()


def test_onnx_of_complete_rows() -> None:
    est, rows = FORESTS["fractions"](), make_case(6, 200, holes=False).X
    said, expected = onnx_answers(est, rows, complete=True), model_answers(est, rows)
    answered = [i for i, leaves in enumerate(said.leaf) if min(leaves) >= 0]
    assert len(answered) > 20
    assert [said.prediction[i] for i in answered] == [expected.prediction[i] for i in answered]
    assert [said.shares[i] for i in answered] == [expected.shares[i] for i in answered]
