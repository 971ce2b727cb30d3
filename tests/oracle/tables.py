"""Nasty small tables: ties, constants, missing cells, absent levels and classes, weights, extreme floats.

One generator serves both uses: seeded (quick, no shrinking) and under hypothesis, which supplies the random source.
"""

from __future__ import annotations

import math
from random import Random

from hypothesis import strategies as st

from .model import Column, Options, Table
from .registry import CLASS_CRITERIA, NOMINAL, NUMERIC, POLICIES

LEVEL_NAMES = ("pear", "fig", "apple", "plum", "kiwi", "date", "lime", "nut", "bean", "corn", "rye", "oat")


def _numbers(source: Random, n: int, target: list[int] | list[float]) -> list[float]:
    """A numeric column; each kind is a trap of its own."""
    kind = source.randrange(8)
    if kind == 0:
        return [float(source.randrange(3)) for _ in range(n)]  # heavy ties
    if kind == 1:
        return [7.25] * n  # nothing to cut
    if kind == 2:
        return [source.randrange(-6, 7) / 2 for _ in range(n)]
    if kind == 3:
        return [source.choice((0.0, -0.0, 5e-324, 1e-308, -1e-308, 3e-300)) for _ in range(n)]  # midpoints underflow
    if kind == 4:
        return [source.choice((1e300, -1e300, 1e15, 1e15 + 0.125, -2e9, 3.5)) for _ in range(n)]
    if kind == 5:
        one_up = math.nextafter(1.0, 2.0)
        # Neighbouring floats: the midpoint rounds to one of them.
        return [source.choice((1.0, one_up, math.nextafter(one_up, 2.0), 0.5)) for _ in range(n)]
    if kind == 6:
        return [round(source.uniform(-5, 5), 3) for _ in range(n)]
    return [float(value) + source.choice((0, 0, 0, 1, -2)) for value in target]  # follows the target, with noise


def _levels(source: Random, n: int, target: list[int] | list[float], many: bool) -> tuple[list[int], tuple[str, ...]]:
    declared = source.randint(9, 12) if many else source.randint(1, 5)
    # Some declared levels never occur, and not only the last ones.
    occurring = source.sample(range(declared), source.randint(min(declared, 9 if many else 1), declared))
    if source.random() < 0.3:
        ranks = {value: rank for rank, value in enumerate(sorted(set(target)))}
        cells = [occurring[ranks[value] % len(occurring)] for value in target]
    else:
        cells = [source.choice(occurring) for _ in range(n)]
    return cells, tuple(source.sample(LEVEL_NAMES, declared))


def make_table(
    source: Random,
    *,
    classes: bool = True,
    missing: bool = True,
    max_rows: int = 18,
    max_columns: int = 4,
    many_levels: bool = False,
) -> Table:
    n = source.randint(3, max_rows)
    target: list[int] | list[float]
    labels: tuple[str, ...] = ()
    if classes:
        k = source.randint(2, 4)
        occurring = k - 1 if k > 2 and source.random() < 0.15 else k  # a declared class without a row
        target = [source.randrange(occurring) for _ in range(n)]
        labels = tuple(f"c{i}" for i in range(k))
    else:
        scale, offset = source.choice((1.0, 1.0, 1e-6, 1e6)), source.choice((0.0, 0.0, -3.0, 1000.0))
        target = [(source.randrange(-4, 5) / 2 + offset) * scale for _ in range(n)]
    columns = []
    for index in range(source.randint(1, max_columns)):
        levels: tuple[str, ...] | None = None
        cells: list[float | int | None]
        if source.random() < 0.5 and not many_levels:
            cells = list(_numbers(source, n, target if classes else [round(source.random(), 1) for _ in range(n)]))
        else:
            chosen, levels = _levels(source, n, target, many_levels)
            cells = list(chosen)
        if missing:
            share = source.choice((0.0, 0.2, 0.2, 0.5, 1.0 if source.random() < 0.2 else 0.1))
            cells = [None if source.random() < share else cell for cell in cells]
        columns.append(Column(f"{'n' if levels is None else 's'}{index}", tuple(cells), levels))
    weights = (1,) * n if source.random() < 0.5 else tuple(source.randint(1, 3) for _ in range(n))
    return Table(tuple(columns), tuple(target), weights, labels)


def make_loss(source: Random, n_classes: int) -> tuple[tuple[float, ...], ...]:
    """Zero on the diagonal, small whole numbers elsewhere, so that expected losses tie and add exactly."""
    return tuple(
        tuple(0.0 if truth == said else float(source.randint(1, 4)) for said in range(n_classes)) for truth in range(n_classes)
    )


def make_stopping(source: Random, options: dict[str, object], *, classes: bool) -> None:
    """One or two rules that stop growth, or another chooser or threshold, drawn at random."""
    choices: list[tuple[str, tuple[object, ...]]] = [
        ("min_samples_leaf", (2, 3, 0.2)),
        ("min_samples_split", (4, 6, 0.5)),
        ("max_depth", (1, 2)),
        ("max_leaf_nodes", (2, 3, 4, 5)),
        ("min_impurity_decrease", (0.015, 0.055)),
        ("min_gain", (0.035, 0.105)),
        ("min_impurity", (0.325,)),
        ("chooser", ("above_average",)),
    ]
    if classes:
        choices += [("purity", (0.7, 0.85)), ("significance", (0.05, 0.3, 0.6))]
    for name, values in source.sample(choices, source.randint(1, 2)):
        options[name] = source.choice(values)


def make_options(
    source: Random,
    table: Table,
    *,
    criterion: str,
    numeric: str,
    nominal: str,
    missing: str,
    discretise: str = "equal_width",
    stopping: bool = False,
) -> Options:
    chosen: dict[str, object] = {
        "criterion": criterion,
        "numeric": numeric,
        "nominal": nominal,
        "missing": missing,
        "discretise": discretise,
        "bins": source.randint(2, 4),
        "threshold_at": source.choice(("midpoint", "observed")),
        "relation": source.choice(("<=", "<")),
    }
    if criterion in ("risk", "generalised_gini"):
        chosen["loss"] = make_loss(source, table.n_classes)
    if stopping:
        make_stopping(source, chosen, classes=bool(table.classes))
    return Options(**chosen)  # type: ignore[arg-type]


def seeded_table(seed: int, **traits: object) -> Table:
    return make_table(Random(seed), **traits)  # type: ignore[arg-type]


def tables(**traits: object) -> st.SearchStrategy[Table]:
    return st.randoms(use_true_random=False).map(lambda source: make_table(source, **traits))  # type: ignore[arg-type]


def allowed(criterion: str, numeric: str, nominal: str, missing: str, discretise: str) -> bool:
    """False for the combinations that docs/parts.md refuses, given a target that fits the criterion."""
    if missing == "surrogate" and (numeric != "threshold" or nominal == "multiway"):
        return False
    if criterion == "twoing":
        return numeric == "threshold" and nominal != "multiway" and missing != "own"
    if criterion == "variance":
        return missing != "most_common_in_class" and not (numeric == "discretised" and discretise == "mdlp")
    return True


@st.composite
def problems(draw: st.DrawFn, *, classes: bool, stopping: bool) -> tuple[Table, Options]:
    """A table with any allowed combination of parts."""
    criterion = draw(st.sampled_from(CLASS_CRITERIA)) if classes else "variance"
    missing = draw(
        st.sampled_from([policy for policy in POLICIES if policy != "refuse"]).filter(
            lambda policy: allowed(criterion, "threshold", "subset", policy, "equal_width")
        )
    )
    (numeric, discretise), nominal = draw(
        st.tuples(st.sampled_from(NUMERIC), st.sampled_from(NOMINAL)).filter(
            lambda drawn: allowed(criterion, drawn[0][0], drawn[1], missing, drawn[0][1])
        )
    )
    source = draw(st.randoms(use_true_random=False))
    table = make_table(source, classes=classes, max_rows=10, max_columns=3)
    options = make_options(
        source,
        table,
        criterion=criterion,
        numeric=numeric,
        nominal=nominal,
        missing=missing,
        discretise=discretise or "equal_width",
        stopping=stopping,
    )
    return table, options
