"""Run the reference programs and record their answers under tests/peers/recorded, with versions.

Each reference has a function here that records one kind of answer, or says why it cannot; the suite compares with the records, so
that it needs neither the programs nor Java or R. scikit-learn, which the suite has anyway, is compared with directly.
"""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tools import adopt, c45, j48, jrip, lmt, m5p, m5rules, part, reptree, rpart

RECORDED = Path(__file__).parent.parent / "tests" / "peers" / "recorded"
RECORDERS: dict[str, Callable[[], dict[str, Any] | str]] = {
    "adopted": adopt.record,
    "c45": c45.record,
    "j48": j48.record,
    "jrip": jrip.record,
    "lmt": lmt.record,
    "m5p": m5p.record,
    "m5rules": m5rules.record,
    "part": part.record,
    "reptree": reptree.record,
    "rpart": rpart.record,
}


def main() -> None:
    """Run every recorder."""
    for name, recorder in RECORDERS.items():
        answer = recorder()
        if isinstance(answer, str):
            print(answer)
            continue
        RECORDED.mkdir(parents=True, exist_ok=True)
        text = json.dumps(answer, separators=(",", ":"), sort_keys=True)
        # No time stamp inside, so that the same answers give the same file.
        (RECORDED / f"{name}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main()
