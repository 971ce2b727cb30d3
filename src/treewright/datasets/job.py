"""A made regression table whose tree has exactly the five rules of Alpaydın's figure 9.6."""

from __future__ import annotations

from treewright.datasets.dataset import Dataset, columns_of, make

# age, years_in_job, x3, job_type, y. Ages 38 and 39, and among those over 38.5 the years 2 and 3, stand next to each
# other, so that midpoint thresholds are 38.5 and 2.5; x3 and the job types of the older group separate nothing.
_PEOPLE = """
    22  1  7  A  0.4
    29  4  2  A  0.4
    34  9  5  A  0.4
    38  2  8  A  0.4
    24  3  4  B  0.3
    31  1  9  B  0.3
    37  7  1  B  0.3
    23  2  6  C  0.2
    33  5  3  C  0.2
    38  8  7  C  0.2
    39  3  4  A  0.8
    42  6  8  B  0.8
    45  4  2  C  0.8
    51  9  6  A  0.8
    56  5  9  B  0.8
    60  7  1  C  0.8
    40  2  5  B  0.6
    44  1  7  A  0.6
    53  2  3  C  0.6
    59  1  8  B  0.6
"""


def load_age_job() -> Dataset:
    """Return 20 made-up people whose regression tree is exactly the rules R1 to R5 of a textbook figure.

    R1 `age > 38.5 and years_in_job > 2.5` 0.8; R2 `age > 38.5 and years_in_job <= 2.5` 0.6; `age <= 38.5` and
    R3 job type A 0.4, R4 job type B 0.3, R5 job type C 0.2. They cover 30, 20, 20, 15 and 15 % of the rows. A tree
    with one branch per job type has five leaves; the column `x3` is never used.
    """
    texts = columns_of("age years_in_job x3 job_type y", _PEOPLE)
    columns: dict[str, object] = {column: [int(cell or 0) for cell in texts[column]] for column in ("age", "years_in_job", "x3")}
    columns["job_type"] = texts["job_type"]
    columns["y"] = [float(cell or 0) for cell in texts["y"]]
    about = """Made to fit: E. Alpaydın (Introduction to Machine Learning, figure 9.6) prints only a hypothetical tree
        and its five rules. These 20 rows are invented so that the regression tree of the table is that tree."""
    return make("age_job", columns, {"job_type": ["A", "B", "C"]}, "y", about)
