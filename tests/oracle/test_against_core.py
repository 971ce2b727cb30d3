"""The core against the oracle: every combination of docs/parts.md that is not refused, and each refusal."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings

from .combinations import Combination, all_combinations, cases, check, is_allowed, name
from .frames import fit, weights
from .model import Column, Options, Table
from .reference import Problem
from .registry import CLASS_CRITERIA, CRITERIA
from .tables import make_loss, make_options, make_table, problems

tw = pytest.importorskip("treewright")

CASES_PER_COMBINATION = 6
ALLOWED = [combination for combination in all_combinations() if is_allowed(combination)]
REFUSED = [combination for combination in all_combinations() if not is_allowed(combination)]


@pytest.mark.parametrize("combination", ALLOWED, ids=name)
def test_combination(combination: Combination) -> None:
    unsure = sum(check(tw, table, options) > 0 for table, options in cases(combination, CASES_PER_COMBINATION))
    # Otherwise the test would say nothing.
    assert unsure < CASES_PER_COMBINATION


@pytest.mark.parametrize("combination", REFUSED, ids=name)
def test_refused_combination(combination: Combination) -> None:
    criterion, missing, numeric, discretise, nominal = combination
    classes = criterion in CLASS_CRITERIA
    table = Table(
        (Column("n", (1.0, 2.0, 3.0, 4.0)), Column("s", (0, 1, 0, 1), ("a", "b"))),
        (0, 1, 1, 0) if classes else (0.5, 1.0, 2.0, 2.5),
        (1,) * 4,
        ("c0", "c1") if classes else (),
    )
    options = Options(
        criterion=criterion,
        missing=missing,
        numeric=numeric,
        discretise=discretise or "equal_width",
        nominal=nominal,
    )
    with pytest.raises(ValueError):
        fit(tw, table, options)


NUMBERS = Table((Column("n", (1.0, 2.0, 3.0, 4.0)),), (0.5, 1.0, 2.0, 2.5), (1,) * 4)
CLASSES = Table(NUMBERS.columns, (0, 1, 1, 0), (1,) * 4, ("c0", "c1"))


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
def test_class_criterion_refuses_a_numeric_target(criterion: str) -> None:
    with pytest.raises(ValueError):
        fit(tw, NUMBERS, Options(criterion=criterion))


def test_variance_refuses_classes() -> None:
    with pytest.raises(ValueError):
        fit(tw, CLASSES, Options(criterion="variance"))


def test_significance_refuses_a_numeric_target() -> None:
    with pytest.raises(TypeError):  # the regressor has no such parameter
        fit(tw, NUMBERS, Options(criterion="variance", significance=0.05))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_refuse_names_the_column(criterion: str) -> None:
    holes = Table(
        (NUMBERS.columns[0], Column("leaky", (1.0, None, 2.0, 3.0))),
        CLASSES.target if criterion in CLASS_CRITERIA else NUMBERS.target,
        (1,) * 4,
        CLASSES.classes if criterion in CLASS_CRITERIA else (),
    )
    loss = make_loss(Random(0), 2) if criterion == "risk" else None
    with pytest.raises(ValueError, match="leaky"):
        fit(tw, holes, Options(criterion=criterion, missing="refuse", loss=loss))


# --- traps that the random tables meet too seldom


@pytest.mark.parametrize("criterion", ["info_gain", "gini", "risk", "twoing"])
@pytest.mark.parametrize("missing", ["learned", "fraction", "majority"])
def test_more_than_eight_levels(criterion: str, missing: str) -> None:
    """Beyond 8 levels at a node and two classes the subsets come from orderings."""
    for seed in range(8):
        source = Random(f"levels-{seed}")
        table = make_table(source, many_levels=True, max_rows=30, max_columns=2)
        options = make_options(source, table, criterion=criterion, numeric="threshold", nominal="subset", missing=missing)
        check(tw, table, options)


@pytest.mark.parametrize("criterion", ["info_gain", "gain_ratio", "gini"])
def test_mdlp_with_a_clear_signal(criterion: str) -> None:
    """On random small tables MDLP rarely cuts; here it does, into two to four intervals."""
    for seed in range(8):
        source = Random(f"mdlp-{seed}")
        n, k = source.randint(16, 30), source.randint(2, 4)
        xs = sorted(round(source.uniform(0, 10), 2) for _ in range(n))
        target = tuple(min(k - 1, i * k // n) for i in range(n))
        noise = tuple(None if source.random() < 0.1 else float(source.randrange(4)) for _ in range(n))
        labels = tuple(f"c{i}" for i in range(k))
        table = Table((Column("noise", noise), Column("signal", tuple(xs))), target, (1,) * n, labels)
        options = Options(criterion=criterion, numeric="discretised", discretise="mdlp", missing="learned")
        assert Problem(table, options).edges[1]
        check(tw, table, options)


@pytest.mark.parametrize("relation", ["<=", "<"])
@pytest.mark.parametrize("at", ["midpoint", "observed"])
@pytest.mark.parametrize("numeric", ["threshold", "ternary"])
@pytest.mark.parametrize(
    "values",
    [
        (-1.7e308, 1.7e308, 0.0),
        (1.7e308, 1.6e308, -1.0),
        (0.0, 5e-324, 1e-323),
        (1.0, math.nextafter(1.0, 2.0), math.nextafter(1.0, 0.0)),
        (2.0**53, 2.0**53 + 2, -(2.0**53)),
    ],
    ids=["overflow", "large", "subnormal", "neighbours", "integers"],
)
def test_thresholds_at_the_edges_of_floats(values: tuple[float, ...], numeric: str, at: str, relation: str) -> None:
    table = Table((Column("n", values * 2),), (0, 1, 2, 0, 1, 2), (1,) * 6, ("c0", "c1", "c2"))
    check(tw, table, Options(criterion="gini", numeric=numeric, threshold_at=at, relation=relation))


def test_ties_follow_declared_order() -> None:
    """Equal columns: the first; equal classes: the lowest declared, here not the lowest in the alphabet."""
    x = (0.0, 0.0, 1.0, 1.0)
    table = Table((Column("b", x), Column("a", x)), (0, 1, 0, 1), (1,) * 4, ("zebra", "ant"))
    root = fit(tw, table, Options(criterion="gini")).tree_.root
    assert root.split.column == "b"
    assert root.gain == 0.0
    assert [node.prediction for node in (root, *root.children)] == ["zebra"] * 3


def test_rows_of_weight_zero_do_not_exist() -> None:
    for seed in range(10):
        source = Random(f"zero-{seed}")
        table = make_table(source, max_rows=12)
        silent = tuple(0 if source.random() < 0.3 else weight for weight in table.weights)
        if not any(silent):
            continue
        zero = Table(table.columns, table.target, silent, table.classes)
        check(tw, zero, Options(criterion="gini", nominal="multiway"))


@pytest.mark.parametrize("missing", ["learned", "own", "majority", "most_common"])
def test_weights_that_sum_to_one_grow_the_same_tree(missing: str) -> None:
    """`min_samples_leaf <= 1` and `min_samples_split <= 2` restrict nothing."""
    for seed in range(6):
        table = make_table(Random(f"scale-{seed}"), max_rows=12)
        options = Options(criterion="gini", missing=missing)
        one = fit(tw, table, options).tree_
        # A power of two, so that every figure is scaled exactly.
        two = fit(tw, table, options, weights(table) / 1024).tree_
        todo = [(one.root, two.root)]
        while todo:
            a, b = todo.pop()
            assert len(a.children) == len(b.children)
            assert math.isclose(a.weight, b.weight * 1024, rel_tol=1e-9)
            if a.split is not None:
                assert (a.split.column, a.split.family, a.split.cuts) == (b.split.column, b.split.family, b.split.cuts)
            todo += zip(a.children, b.children, strict=True)


# --- hypothesis: any combination, shrunk when it fails

FREELY = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], database=None)


@FREELY
@given(problem=problems(classes=True, stopping=False))
def test_any_classification(problem: tuple[Table, Options]) -> None:
    check(tw, *problem)


@FREELY
@given(problem=problems(classes=True, stopping=True))
def test_any_classification_with_stopping_rules(problem: tuple[Table, Options]) -> None:
    check(tw, *problem)


@FREELY
@given(problem=problems(classes=False, stopping=True))
def test_any_regression(problem: tuple[Table, Options]) -> None:
    check(tw, *problem)
