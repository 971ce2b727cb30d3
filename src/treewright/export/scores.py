"""Scores of classes in SQL: the class alone can be told from them exactly; their shares need an exponential."""

from __future__ import annotations

from collections.abc import Sequence

from treewright.export.dialects import Dialect, joined
from treewright.export.program import Label

NO_SHARES = (
    "shares that are computed from scores need an exponential, which SQL engines round in ways of their own: "
    "ask for give='prediction', or use to_python, to_javascript or to_c"
)
_MOST = 1e300  # sums beyond it are cut by the model, too


def score_parts(scores: Sequence[str], dialect: Dialect, mark: str) -> list[str]:
    """The common table expressions that give ``bounded``: every row with its scores, as the model takes them."""
    told = ",\n  ".join(f"CAST({score} AS DOUBLE PRECISION) AS {mark}score{k}" for k, score in enumerate(scores))
    cut = ",\n  ".join(_cut(f"r.{mark}score{k}", dialect) + f" AS {mark}bounded{k}" for k in range(len(scores)))
    source = f"{mark}routed AS r LEFT JOIN {mark}said AS s ON s.leaf = r.{mark}leaf"
    keep = dialect.materialized
    return [
        f"{mark}scored AS {keep}(SELECT r.*,\n  {told}\n  FROM {source})",
        f"{mark}bounded AS {keep}(SELECT r.*,\n  {cut}\n  FROM {mark}scored AS r)",
    ]


def _cut(score: str, dialect: Dialect) -> str:
    most, least = dialect.number(_MOST), dialect.number(-_MOST)
    # Engines that know NaN take it for the largest of all; for the model it is 0.
    large = f"CASE WHEN 1 / {score} <= 1 THEN {most} ELSE {dialect.number(0)} END"
    return f"CASE WHEN {score} < {least} THEN {least} WHEN {score} > {most} THEN {large} ELSE {score} END"


def best_class(classes: Sequence[Label], dialect: Dialect, mark: str) -> str:
    """The first class whose score is the largest, but for rounding; none where a cell was refused."""
    scores = [f"r.{mark}bounded{k}" for k in range(len(classes))]
    none = joined("OR", [f"{score} IS NULL" for score in scores])
    most, slack = dialect.greatest(scores), dialect.number(-(2.0**-27))  # as the core has it
    said = [f"WHEN {score} - {most} >= {slack} THEN {dialect.label(label)}" for score, label in zip(scores, classes, strict=True)]
    return "\n  ".join([f"CASE WHEN {none} THEN NULL", *said]) + " END"
