"""The frontier: every learner of the registry is measured or left out with a reason, and the choice is the rule's."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.evaluate.test_tune import noisy
from treewright.evaluate.frontiers import choose, task_of, unseen_score
from treewright.evaluate.variants import LIMITS, learners_of
from treewright.learn import LEARNERS
from treewright.learn.cart import CARTClassifierLearner
from treewright.learn.optimal import OptimalTreeRegressorLearner


def table(n: int = 150) -> tuple[pd.DataFrame, np.ndarray]:
    X, y = noisy(n)
    X["a"] = X["a"].fillna(0.0)
    return X, y


@pytest.fixture(scope="module")
def found() -> tw.Frontier:
    return tw.frontier(*table(), folds=3)


def test_every_learner_is_there_or_named(found: tw.Frontier) -> None:
    told = {point.learner for point in found.points} | {name for name, _ in found.left_out} | {found.ceiling.learner}
    assert told == set(learners_of(True))
    assert {f"{name}Classifier" for name in told} == {name for name in LEARNERS if name.endswith("Classifier")}
    assert {"CART", "C45", "Ripper", "Part", "LogisticTree"} <= {point.learner for point in found.points}
    assert all(reason for _, reason in found.left_out)
    for name in ("CART", "C45", "Ripper"):
        assert len([point for point in found.points if point.learner == name]) > 2


def test_scores_are_those_of_compare(found: tw.Frontier) -> None:
    X, y = table()
    for point in (found.chosen, found.best, found.ceiling, *found.points[::9]):
        scored = tw.compare([point.estimator], X, y, folds=3, repeats=1).models[0]
        assert scored.scores.tolist() == point.scores.tolist()
        assert (scored.mean, scored.se, scored.size) == (point.mean, point.se, point.counts)
        assert {**type(point.estimator)().get_params(), **point.params} == point.estimator.get_params()
    assert found.chosen.estimator.fit(X, y).predict(X).shape == y.shape


def test_the_choice_is_the_smallest_within_one_standard_error(found: tw.Frontier) -> None:
    assert found.best.mean == max(point.mean for point in found.points)
    good = [point for point in found.points if point.mean >= found.best.mean - found.best.se - 1e-12]
    assert found.chosen.size == min(point.size for point in good) and found.chosen in good
    steps = found.steps
    for point in found.points:
        beaten = any(other.mean >= point.mean and other.size <= point.size for other in found.points if other is not point)
        assert point in steps or beaten
    assert all(a.size < b.size and a.mean < b.mean for a, b in pairwise(steps))
    assert found.best in steps
    assert [point.size for point in found.points] == sorted(point.size for point in found.points)


def test_choosing_by_hand() -> None:
    scores = np.array([[0.5, 0.5, 0.5], [0.8, 0.7, 0.9], [0.9, 0.7, 0.95], [0.9, 0.7, 0.95]])
    sizes = np.array([1.0, 3.0, 9.0, 5.0])
    mean, var = 2.55 / 3, np.var([0.9, 0.7, 0.95], ddof=1)
    assert mean - np.sqrt((1 / 3 + 1 / 2) * var) < 0.8
    assert choose(scores, sizes, 0.5) == (3, 1)
    assert choose(scores, sizes, -1 / 3) == (3, 3)  # no error at all: of equals the smaller
    # Without the first fold models 2 and 3 score 0.825 ± …, and so on: the second model is chosen each time.
    assert unseen_score(scores, sizes, 0.5) == pytest.approx(np.mean([0.8, 0.7, 0.9]))
    assert np.isnan(unseen_score(scores[:, :2], sizes, 0.5))


def test_the_score_of_the_choice_is_of_folds_it_was_not_made_by() -> None:
    """Of many models that all guess, the best looks good; what was chosen without a fold does not."""
    rng = np.random.default_rng(0)
    scores = rng.normal(0.5, 0.1, (200, 10))
    sizes = np.ones(200)
    best, _ = choose(scores, sizes, 1 / 9)
    assert scores[best].mean() > 0.57
    assert unseen_score(scores, sizes, 1 / 9) == pytest.approx(0.5, abs=0.05)


def test_any_number_of_threads() -> None:
    X, y = table(80)
    one, many = (tw.frontier(X, y, folds=3, learners=["CART", "RipperClassifier"], n_jobs=jobs) for jobs in (None, 3))
    assert one.to_html() == many.to_html() and one.to_text() == many.to_text()
    assert {point.learner for point in one.points} == {"CART", "Ripper"}


def test_numbers() -> None:
    X, _ = table(100)
    y = X["a"] * 2 + np.abs(X["b"])
    found = tw.frontier(X, y, folds=3)
    assert found.scoring == "R²" and {point.learner for point in found.points} == {
        "CART",
        "M5",
        "M5Rules",
        "ObliqueTree",
        "OptimalTree",
        "REPTree",
        "SoftTree",
    }
    assert any("terms" in point.counts for point in found.points)
    again = tw.frontier(X, y, folds=3, learners=["M5"], scoring="neg_mean_absolute_error")
    assert again.scoring == "neg_mean_absolute_error" and again.best.mean < 0


@pytest.mark.parametrize(
    ("y", "task"),
    [
        (["a", "b"], "classes"),
        ([True, False], "classes"),
        ([1, 2, 3], "classes"),
        (list(range(40)), "numbers"),
        ([0.5, 1.0], "numbers"),
        (pd.Series([1.5, 2.5], dtype="category"), "classes"),
    ],
)
def test_what_a_target_is(y: Any, task: str) -> None:
    assert task_of(None, y) == task


def test_a_budget_of_fits_is_kept_and_told() -> None:
    X, y = table(80)
    full = tw.frontier(X, y, folds=3, learners=["CART", "C45"])
    few = tw.frontier(X, y, folds=3, learners=["CART", "C45"], max_fits=14)
    assert few.n_fits == 12 and full.n_fits > 40
    assert {"C45", "CART"} <= {point.name for point in few.points} <= {"C45", "CART", "C45 max_depth=2"}
    two = tw.frontier(X, y, folds=3, learners=["CART", "C45"], max_fits=6)
    assert [point.name for point in (*two.points, two.ceiling)] == ["C45", "RandomForest"]
    assert {point.name for point in few.points} <= {point.name for point in full.points}
    reasons = {why for _, why in few.left_out}
    assert "max_fits=14 was reached, a model takes 3 fits" in reasons
    assert "max_fits=14 was reached" in few.to_text() and "max_fits=14 was reached" in few.to_html()
    same = tw.frontier(X, y, folds=3, learners=["CART", "C45"], max_fits=14, n_jobs=2)
    assert same.to_html() == few.to_html()
    with pytest.raises(ValueError, match="no readable model could be measured; C45: max_fits=2 was reached"):
        tw.frontier(X, y, folds=3, max_fits=2)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_budget_of_seconds_is_kept_and_told(monkeypatch: pytest.MonkeyPatch, n_jobs: int) -> None:
    import treewright.evaluate.frontiers as module

    # The clock stands still until a search begins that would take hours; then the time is over.
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    search = OptimalTreeRegressorLearner.grow

    def begun(self: Any, *args: Any) -> Any:
        now[0] = 11.0
        return search(self, *args)

    monkeypatch.setattr(OptimalTreeRegressorLearner, "grow", begun)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1500, 12)), rng.normal(size=1500)
    few = tw.frontier(X, y, folds=3, learners=["REPTree", "OptimalTree", "CART"], budget=10.5, n_jobs=n_jobs)
    late = "the budget of 10.5 s was spent"
    assert [point.name for point in few.points] == ["CART"] and few.n_fits == 6
    assert ("OptimalTree", f"{late} while it was measured") in few.left_out
    assert {("REPTree", late), ("CART max_leaf_nodes=4", late)} <= set(few.left_out)
    assert few.ceiling is not None and few.ceiling.learner == "RandomForest"  # it was the second
    assert late in few.to_text()


def test_a_learner_that_refuses_the_table_is_no_error() -> None:
    X, y = noisy(100)  # with missing cells, which ID3 refuses
    found = tw.frontier(X, y, folds=3, learners=["ID3", "CART"])
    assert {point.learner for point in found.points} == {"CART"}
    (name, reason), *_ = [each for each in found.left_out if each[0] == "ID3"]
    assert name == "ID3" and "missing='refuse'" in reason and not reason.startswith("ValueError")
    assert "ID3: column 'a' has" in found.to_text()
    with pytest.raises(ValueError, match=r"no readable model could be measured; ID3: column 'a' has"):
        tw.frontier(X, y, folds=3, learners=["ID3"])


def test_a_new_learner_need_only_be_in_the_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    import treewright.learn as learn

    @dataclass(eq=False, repr=False)
    class NewParameters(CARTClassifierLearner.Parameters):
        """The same parameters."""

    class NewLearner(CARTClassifierLearner):
        name = "NewClassifier"
        Parameters = NewParameters

    class NewClassifier(tw.CARTClassifier):
        _learner_class = NewLearner

    import treewright.learn.cart as cart

    monkeypatch.setattr(cart, "NewLearner", NewLearner, raising=False)
    monkeypatch.setitem(learn.LEARNERS, "NewClassifier", "cart:NewLearner")
    monkeypatch.setitem(tw.__dict__, "NewClassifier", NewClassifier)
    X, y = table(80)
    found = tw.frontier(X, y, folds=3, learners=["New"])
    assert {point.learner for point in found.points} == {"New"} and len(found.points) > 3


def test_every_limit_is_a_parameter_of_a_learner() -> None:
    from dataclasses import fields

    from treewright.learn import learner_class

    own = {each.name for name in LEARNERS for each in fields(learner_class(name).Parameters)}
    assert set(LIMITS) <= own


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y: tw.frontier(X, y, task="class"), "task='class' is not allowed"),
        (lambda X, y: tw.frontier(X, y, learners=["CRAT"]), "learner 'CRAT' is unknown; did you mean 'CART'"),
        (lambda X, y: tw.frontier(X, y, learners=[]), "learners is empty: name at least one"),
        (lambda X, y: tw.frontier(X, y, max_fits=0), "max_fits=0 is not allowed"),
        (lambda X, y: tw.frontier(X, y, budget=0), "budget=0 is not allowed"),
        (lambda X, y: tw.frontier(X, y, folds=1), "folds=1 is not allowed"),
        (lambda X, y: tw.frontier(X, np.ones((60, 2))), "y has several columns"),
        (lambda X, y: tw.frontier(X, y[:7]), "X has 60 rows and y has 7"),
        (lambda X, y: tw.frontier(X, y, task="numbers"), "y"),
    ],
)
def test_wrong_requests_are_answered(call: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        call(*table(60))


def test_little_to_go_by() -> None:
    X, _ = table(40)
    same = tw.frontier(X, ["a"] * 40, folds=2, learners=["CART", "C45"])
    assert same.chosen.size == 1 and same.chosen.mean == 1.0 and np.isnan(same.unseen)
    assert "nan" not in same.to_text() and same.to_html() and "<svg" in same.to_svg()
    tiny = tw.frontier(
        [[1.0], [2.0], [3.0], [4.0]], [1e-7, 2e-7, 3e-7, 5e-7], folds=2, learners=["CART"], scoring="neg_max_error"
    )
    assert "e-" in tiny.to_text() and tiny.to_svg()


def test_text_frame_and_data(found: tw.Frontier) -> None:
    text = str(found)
    assert "is the smallest readable model within one standard error of the best" in text and "left out:" in text
    assert f"{found.chosen.name} (" in text and "The random forest, which nobody reads, has" in text
    frame = found.to_frame()
    assert len(frame) == len(found.points) + 1 and frame["chosen"].sum() == 1
    assert frame["frontier"].sum() == len(found.steps)
    data = json.loads(json.dumps(found.data(), allow_nan=False))
    assert data["chosen"] == found.chosen.name and len(data["models"]) == len(found.points)
    assert repr(found).startswith("<Frontier: ") and found._repr_mimebundle_()["image/svg+xml"] == found.to_svg()


def test_the_page_is_whole_and_loads_nothing(found: tw.Frontier, tmp_path: Any) -> None:
    path = tmp_path / "page.html"
    found.to_html(path, title="</title><script>x")
    page = path.read_text(encoding="utf-8")
    assert page == found.to_html(title="</title><script>x") and page.startswith("<!doctype html>")
    assert "<script" not in page and "default-src 'none'" in page and " style=" not in page
    assert not re.search(r"(src|href)=", page) and set(re.findall(r"https?://[^\"]*", page)) == {"http://www.w3.org/2000/svg"}
    for point in found.points:
        assert f"<title>{point.name}: accuracy " in page


def test_progress_is_shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import treewright.progress as progress

    clock = iter(np.arange(0.0, 1e6, 7.0))
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(clock)))
    X, y = table(60)
    tw.frontier(X, y, folds=2, learners=["CART"], verbose=True)
    told = capsys.readouterr().err
    assert "frontier, CART  100% of 18 fits" in told
    tw.frontier(X, y, folds=2, learners=["CART"])
    assert capsys.readouterr().err == ""


def test_a_plot(found: tw.Frontier) -> None:
    mpl = pytest.importorskip("matplotlib")
    mpl.use("agg")
    import matplotlib.pyplot as plt

    texts = {text.get_text() for text in found.plot().texts}
    assert {"random forest", "CART", "Ripper", "trees", "rules"} <= texts
    assert found.plot(plt.figure().add_subplot()).texts
    plt.close("all")
