"""docs/parts.md and the core's registry name the same parts; what the page refuses is refused, the rest fits."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright import _core, parts

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "parts.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """The text below a heading."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"the page has no section {title!r}"
    return found[1]


def rows(title: str) -> list[list[str]]:
    """The cells of the table of a section, without its head."""
    lines = [line for line in section(title).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def first_names(title: str) -> list[str]:
    return [row[0].strip("`") for row in rows(title)]


def test_criteria_of_the_page_are_those_of_the_core() -> None:
    assert sorted(first_names("Criteria")) == sorted(parts.criteria())


def test_families_of_the_page_are_those_of_the_core() -> None:
    # "none" is a leaf's, "presence" is the candidate that missing cells add, "largest" compares scores of several columns.
    others = {"none", "presence", "largest"}
    assert others < set(_core.families())
    assert sorted(first_names("Split families")) == sorted(set(_core.families()) - others)
    assert "`presence`" in section("Missing cells")
    assert sorted(first_names("Split families")) == sorted(parts.families(numeric=True) + parts.families(numeric=False))
    for family, columns, _ in rows("Split families"):
        known = parts.families(numeric=True) if columns == "numeric" else parts.families(numeric=False)
        assert family.strip("`") in known


def test_missing_policies_of_the_page_are_those_of_the_core() -> None:
    assert sorted(first_names("Missing cells")) == sorted(parts.missing_policies())
    assert parts.missing_policies() == tuple(_core.missing_policies())


@pytest.mark.parametrize("name", [*parts.choosers(), *parts.DISCRETISERS])
def test_other_parts_are_named(name: str) -> None:
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize(
    "name",
    [
        "max_depth",
        "max_leaf_nodes",
        "min_samples_split",
        "min_samples_leaf",
        "min_impurity",
        "min_impurity_decrease",
        "min_gain",
        "purity",
        "significance",
    ],
)
def test_stopping_rules_are_named_and_exist(name: str) -> None:
    assert re.search(rf"`{name}\b", section("Stopping"))
    assert name in tw.TreeClassifier().get_params()


def test_docstring_names_every_part() -> None:
    said = tw.TreeClassifier.__doc__
    for name in (*parts.criteria(), *parts.families(numeric=True), *parts.families(numeric=False), *parts.missing_policies()):
        assert name in said or name in NUMBER_CRITERIA
    for name in NUMBER_CRITERIA:
        assert name in tw.TreeRegressor.__doc__
        assert name in tw.CARTRegressor.__doc__


N = 60
RANDOM = Random(4)
X = pd.DataFrame(
    {
        "n": [RANDOM.choice([None, *range(9)]) for _ in range(N)],
        "m": [RANDOM.random() for _ in range(N)],
        "s": [RANDOM.choice(["a", "b", "c", None]) for _ in range(N)],
    }
).astype({"n": float})
COMPLETE = X.fillna({"n": 4.0, "s": "a"})
LABELS = ["pqr"[int(m * 3)] if RANDOM.random() < 0.8 else "q" for m in X["m"]]
NUMBERS = [m * 10 + RANDOM.random() for m in X["m"]]

CLASS_CRITERIA = [name for name, part in parts.criteria().items() if part["classes"]]
NUMBER_CRITERIA = [name for name, part in parts.criteria().items() if not part["classes"]]

# One entry per row of the page's table, by the first words of its first cell: estimators that must be refused.
REFUSED: dict[str, list[Any]] = {
    "`variance`, `absolute_error`, `worst_case`, `poisson` with a class target": [
        *(tw.TreeClassifier(criterion=name) for name in NUMBER_CRITERIA),
        *(tw.CARTClassifier(criterion=name) for name in NUMBER_CRITERIA),
        *(tw.TreeRegressor(criterion=name) for name in CLASS_CRITERIA),
        *(tw.CARTRegressor(criterion=name) for name in CLASS_CRITERIA),
    ],
    "`twoing` with `multiway`": [
        tw.TreeClassifier(criterion="twoing", nominal="multiway"),
        tw.TreeClassifier(criterion="twoing", nominal="grouped", missing="fraction"),
        tw.TreeClassifier(criterion="twoing", recipe="id3", missing="fraction"),
        tw.TreeClassifier(criterion="twoing", numeric="ternary"),
        tw.TreeClassifier(criterion="twoing", numeric="discretised"),
        tw.TreeClassifier(criterion="twoing", missing="own"),
        tw.CARTClassifier(criterion="twoing", missing="own"),
    ],
    "`absolute_error`, `worst_case` with `multiway`": [
        tw.TreeRegressor(criterion="absolute_error", nominal="multiway"),
        tw.TreeRegressor(criterion="absolute_error", nominal="grouped", missing="majority"),
        tw.TreeRegressor(criterion="worst_case", nominal="one_vs_rest"),
        tw.TreeRegressor(criterion="worst_case", numeric="ternary"),
        tw.TreeRegressor(criterion="absolute_error", numeric="discretised"),
        *(tw.CARTRegressor(criterion="absolute_error", missing=missing) for missing in ("own", "fraction", "spread")),
    ],
    "`surrogate` with `ternary`": [
        tw.TreeClassifier(missing="surrogate", numeric="ternary"),
        tw.TreeClassifier(missing="surrogate", numeric="discretised"),
        tw.TreeRegressor(missing="surrogate", nominal="multiway"),
        tw.TreeClassifier(missing="surrogate", nominal="grouped"),
        tw.CARTRegressor(missing="surrogate", criterion="poisson"),
    ],
    "`priors`, `class_weight` or `loss` with `gain_ratio`": [
        tw.TreeClassifier(criterion="gain_ratio", priors=[0.5, 0.5]),
        tw.TreeClassifier(criterion="gain_ratio", class_weight="balanced"),
        tw.TreeClassifier(criterion="gain_over_rest", loss=[[0, 1], [2, 0]]),
    ],
    "`most_common_in_class` with a numeric target": [
        tw.TreeRegressor(missing="most_common_in_class"),
        tw.CARTRegressor(missing="most_common_in_class"),
    ],
    "`grouped` with a numeric target": [
        tw.TreeRegressor(nominal="grouped", missing="fraction"),
        tw.TreeClassifier(nominal="grouped"),
        tw.TreeClassifier(nominal="grouped", missing="own"),
        tw.TreeClassifier(nominal="grouped", missing="spread"),
    ],
    '`splitter="random"` with `ternary`': [
        tw.TreeClassifier(splitter="random", numeric="ternary"),
        tw.TreeClassifier(splitter="random", numeric="discretised"),
        tw.TreeClassifier(splitter="random", nominal="grouped", missing="fraction"),
    ],
    "`max_bins` with `splitter": [
        kind(max_bins=20, **params)
        for kind in (tw.TreeClassifier, tw.TreeRegressor)
        for params in (
            {"splitter": "random"},
            {"numeric": "discretised", "discretise": "equal_width"},
            {"threshold_at": "training"},
            {"keep_candidates": True},
            {"max_competitors": 2},
        )
    ],
    "`monotonic_cst` with three classes": [
        tw.TreeClassifier(monotonic_cst={"m": 1}),
        tw.RandomForestRegressor(2, monotonic_cst={"s": 1}),
        tw.TreeRegressor(monotonic_cst={"m": 1}, numeric="ternary"),
        tw.TreeRegressor(monotonic_cst={"m": 1}, numeric="discretised", discretise="equal_width"),
        *(tw.CARTRegressor(monotonic_cst={"m": -1}, missing=missing) for missing in ("fraction", "spread", "majority")),
    ],
    "`monotonic_cst`, `interaction_cst` with `surrogate`": [
        tw.CARTRegressor(monotonic_cst={"m": 1}, missing="surrogate"),
        tw.CARTClassifier(interaction_cst="pairwise", recipe="rpart"),
    ],
    "`significance` with a numeric target": [],  # regressors do not take it: see below
    "`mdlp` with a numeric target": [tw.TreeRegressor(numeric="discretised", discretise="mdlp")],
}


def target(estimator: Any) -> list[Any]:
    return NUMBERS if "Regressor" in type(estimator).__name__ else LABELS


def test_every_row_of_the_refused_table_is_tried() -> None:
    found = [row[0] for row in rows("Combinations that are refused")]
    assert len(found) == len(REFUSED)
    for said, tried in zip(found, REFUSED, strict=True):
        assert said.startswith(tried)


@pytest.mark.parametrize("estimator", list(itertools.chain(*REFUSED.values())), ids=repr)
def test_refused(estimator: Any) -> None:
    with pytest.raises(ValueError, match=r"criterion|most_common_in_class|mdlp|grouped|surrogate|splitter|max_bins|[Mm]onoton"):
        estimator.fit(X, target(estimator))
    assert not hasattr(estimator, "tree_")


@pytest.mark.parametrize("kind", [tw.TreeRegressor, tw.CARTRegressor])
@pytest.mark.parametrize("name", ["significance", "purity", "loss", "priors", "class_weight"])
def test_regressors_take_nothing_that_needs_classes(kind: Any, name: str) -> None:
    assert name not in kind().get_params()
    with pytest.raises(TypeError):
        kind(**{name: 0.05})
    with pytest.raises(ValueError, match=name):
        kind().set_params(**{name: 0.05})


def test_significance_is_refused_for_numbers_wherever_it_comes_from() -> None:
    class Curious(tw.TreeRegressor):
        """A regressor that offers what makes no sense for numbers."""

        def __init__(self, recipe: Any = "cart", *, significance: float | None = None) -> None:
            super().__init__(recipe)
            self.significance = significance

    with pytest.raises(ValueError, match="significance needs classes"):
        Curious(significance=0.05).fit(X, NUMBERS)
    assert Curious().fit(X, NUMBERS).get_depth() > 0


def allowed() -> list[Any]:
    """A sample of everything else, every part in it at least once."""
    random = Random(8)
    every = []
    for criterion, numeric, nominal, missing in itertools.product(
        parts.criteria(), parts.families(numeric=True), parts.families(numeric=False), parts.missing_policies()
    ):
        numbers = criterion in NUMBER_CRITERIA
        whole = criterion in ("absolute_error", "worst_case")
        if whole and (numeric != "threshold" or nominal != "subset" or missing in ("own", "fraction", "spread")):
            continue
        if numbers and missing == "most_common_in_class":
            continue
        if criterion == "twoing" and (numeric != "threshold" or nominal in ("multiway", "grouped") or missing == "own"):
            continue
        if missing == "surrogate" and (numeric != "threshold" or nominal in ("multiway", "grouped")):
            continue
        if missing == "surrogate" and criterion in ("absolute_error", "worst_case", "poisson"):
            continue
        if nominal == "grouped" and (numbers or missing in ("learned", "own", "spread")):
            continue
        kind = tw.TreeRegressor if numbers else tw.TreeClassifier
        chooser, place, relation = (random.choice(c) for c in (parts.choosers(), parts.PLACES, parts.RELATIONS))
        discretise = random.choice(parts.DISCRETISERS[1:] if numbers else parts.DISCRETISERS)
        every.append(
            kind(
                criterion=criterion,
                numeric=numeric,
                nominal=nominal,
                missing=missing,
                chooser=chooser,
                threshold_at=place,
                relation=relation,
                discretise=discretise,
                max_depth=4,
            )
        )
    random.shuffle(every)
    kept, seen = [], set()
    for estimator in every:
        values = {(name, value) for name, value in estimator.get_params().items() if isinstance(value, str)}
        if len(kept) < 60 or not values <= seen:
            kept.append(estimator)
            seen |= values
    return kept


def short(estimator: Any) -> str:
    given = estimator.get_params()
    return "-".join(str(given[name]) for name in ("criterion", "numeric", "nominal", "missing"))


@pytest.mark.parametrize("estimator", allowed(), ids=short)
def test_allowed(estimator: Any) -> None:
    table = COMPLETE if estimator.missing == "refuse" else X
    y = target(estimator)
    fitted = estimator.fit(table, y)
    assert fitted.tree_.root.weight == N
    assert len(fitted.predict(table)) == N
    assert fitted.get_depth() > 0 or estimator.numeric == "discretised"
    if y is LABELS:
        assert fitted.predict_proba(table).sum(axis=1) == pytest.approx(np.ones(N))


def test_the_sample_holds_every_part() -> None:
    for name, known in (
        ("criterion", parts.criteria()),
        ("numeric", parts.families(numeric=True)),
        ("nominal", parts.families(numeric=False)),
        ("missing", parts.missing_policies()),
        ("chooser", parts.choosers()),
        ("discretise", parts.DISCRETISERS),
    ):
        assert {getattr(estimator, name) for estimator in allowed()} == set(known)


@pytest.mark.parametrize("estimator", [tw.ID3Classifier(), tw.CARTClassifier(missing="refuse")], ids=repr)
def test_refuse_names_the_column_at_fit_and_at_predict(estimator: Any) -> None:
    with pytest.raises(ValueError, match=r"'n'|'s'"):
        estimator.fit(X, LABELS)
    estimator.fit(COMPLETE, LABELS)
    with pytest.raises(ValueError, match=r"'n'|'s'"):
        estimator.predict(X)
