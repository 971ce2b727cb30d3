"""Lists of rules, exported: the same rule decides, and the same answer is given, in every language."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from tests.exports.runners import RUNNERS, model_answers
from tests.properties.tables import make_case, modest

LEARNERS = {"ripper": tw.RipperClassifier, "irep": tw.IrepClassifier, "c45rules": tw.C45RulesClassifier}


class RuleModel:
    """A fitted rule learner whose leaves are the nodes that answer, as programs number them."""

    def __init__(self, est: Any) -> None:
        self._est = est
        self.tree_ = SimpleNamespace(columns=est.ruleset_.schema.columns, target=est.ruleset_.target)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._est, name)

    def apply(self, X: Any) -> Any:
        program = self._est._program()
        nodes = np.array([*(answer for _, answer in program.rules), program.size - 1])
        return nodes[self._est.apply(X)]


@pytest.mark.parametrize("export", RUNNERS)
@modest(6)
@given(seed=st.integers(0, 10**6), learner=st.sampled_from(sorted(LEARNERS)))
def test_any_list(export: str, seed: int, learner: str) -> None:
    case = make_case(seed, 60)
    est = RuleModel(LEARNERS[learner]().fit(case.X, case.classes))
    rows = make_case(seed + 1, 80).X
    rows["text"] = rows["text"].where(np.arange(80) % 7 != 0, "unseen")
    said, expected = RUNNERS[export](est, rows), model_answers(est, rows)
    said.equal(expected)


@pytest.mark.parametrize("export", RUNNERS)
@pytest.mark.parametrize("missing", ["learned", "majority", "own"])
def test_conditions_that_a_missing_cell_satisfies(export: str, missing: str) -> None:
    case = make_case(4, 100)
    est = tw.CARTClassifier(missing=missing, max_depth=3).fit(case.X, case.classes)
    found = est.tree_.to_rules()
    assert any(condition.missing for rule in found for condition in rule.when)
    short = tw.RuleSet(found.rules[:-1], found.schema, found.target, True, tw.Rule((), found[-1].says))
    learned = tw.RipperClassifier().fit(case.X, case.classes)
    learned.ruleset_ = short.scored(case.X, case.classes)
    model = RuleModel(learned)
    rows = make_case(5, 80).X
    RUNNERS[export](model, rows).equal(model_answers(model, rows))


@pytest.mark.parametrize("export", RUNNERS)
@modest(4)
@given(seed=st.integers(0, 10**6), smoothing=st.sampled_from(["none", "m5"]))
def test_any_list_of_equations(export: str, seed: int, smoothing: str) -> None:
    case = make_case(seed, 80)
    est = RuleModel(tw.M5RulesRegressor(smoothing=smoothing).fit(case.X, case.numbers))
    rows = make_case(seed + 1, 80).X
    rows["text"] = rows["text"].where(np.arange(80) % 7 != 0, "unseen")
    RUNNERS[export](est, rows).equal(model_answers(est, rows))


def test_equations_of_rules_are_computed() -> None:
    x = np.arange(60.0)
    est = tw.M5RulesRegressor().fit(x[:, None], np.where(x < 30, x, 90 - 2 * x))
    assert any(answer.terms for answer in est._program().answers)


@pytest.mark.parametrize("export", RUNNERS)
@modest(8)
@given(seed=st.integers(0, 10**6))
def test_any_list_of_rules_that_take_parts(export: str, seed: int) -> None:
    case = make_case(seed, 90)
    est = RuleModel(tw.PartClassifier().fit(case.X, case.classes))
    rows = make_case(seed + 1, 90).X
    rows["text"] = rows["text"].where(np.arange(90) % 7 != 0, "unseen")
    RUNNERS[export](est, rows).equal(model_answers(est, rows))


def test_sql_is_one_case_per_rule() -> None:
    data = tw.datasets.load_play_tennis()
    est = tw.C45RulesClassifier().fit(data.X, data.y)
    text = est.to_sql()
    assert text.count("WHEN") >= len(est.ruleset_)
    assert "RECURSIVE" not in text
    assert est.ruleset_.to_sql() == text


def test_a_level_that_is_refused_has_no_answer() -> None:
    import duckdb

    data = tw.datasets.load_play_tennis()
    est = tw.RipperClassifier(unseen="error", random_state=1).fit(data.X, data.y)
    assert est.ruleset_.used
    column = next(name for name in est.ruleset_.used)
    rows = data.X.copy()
    rows[column] = rows[column].astype(object)
    rows.loc[0, column] = "never seen"
    with duckdb.connect() as db:
        db.register("rows", rows)
        said = [row[-1] for row in db.execute(est.to_sql("duckdb")).fetchall()]
    assert said[0] is None
    assert said[1:] == est.predict(data.X).tolist()[1:]


def test_what_no_program_can_say_is_refused() -> None:
    case = make_case(0, 80)
    tree = tw.CARTClassifier(max_depth=3).fit(case.X, case.classes).tree_
    with pytest.raises(ValueError, match="these rules vote"):
        tree.to_rules().to_c()
