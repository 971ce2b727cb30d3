"""Show that two states of the package make the same models, byte for byte.

`python tools/same_models.py FILE.json` fits every learner to the tables of a folder with whichever treewright can be imported and
writes a print of each model; `python tools/same_models.py --compare A.json B.json` tells which differ. `make same` does both.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"
Prints = dict[str, Any]


def print_of(learner: Any, table: Any) -> Prints:
    """The prints of one model, with what was warned of on the way; or the error of its fit."""
    from same import prints

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model, asked = learner.fit(table)
        except Exception as error:
            found: Prints = {"error": prints.said(error)}
        else:
            found = prints.taken(model, table, asked)
    found["warnings"] = list(dict.fromkeys(map(prints.said, caught)))
    return found


def fitted(folder: Path) -> Prints:
    """The prints of all models, by table and learner."""
    from same.learners import learners
    from same.tables import tables, thinned

    every, found = learners(), {}
    for table in tables(folder):
        begun, before = time.process_time(), len(found)
        for learner in every:
            if learner.takes(table):
                rows = table if learner.whole else thinned(table, learner.slow)
                found[f"{table.name}: {learner.name}{' on all rows' * learner.whole}"] = print_of(learner, rows)
        took = time.process_time() - begun
        print(f"{table.name}: {len(found) - before} models, {took:.1f} s", file=sys.stderr, flush=True)
    return found


def stored() -> Prints:
    """The prints of the model files of the tests, loaded and saved again; some are damaged on purpose."""
    from same import prints

    import treewright as tw

    found = {}
    tests = ROOT / "tests"
    for path in sorted([*(tests / "store" / "golden").glob("v*/*"), *(tests / "fuzz" / "corpus" / "model").glob("*")]):
        if not path.name.endswith(".answers.json"):
            found[str(path.relative_to(ROOT))] = {
                "file": prints.attempt(lambda path=path: prints.file_bytes(tw.load(path)), str(ROOT))
            }
    return found


def made(folder: Path) -> Prints:
    """Everything that is written to the file."""
    import treewright as tw

    home = str(Path(tw.__file__).parent)
    print(f"treewright of {home}", file=sys.stderr, flush=True)
    versions = {name: version(name) for name in ("numpy", "pandas", "pyarrow", "scikit-learn", "scipy")}
    with threadpool_limits(1):
        models = {**stored(), **fitted(folder)}
    return {"package": home, "versions": {"python": platform.python_version(), **versions}, "models": models}


def differences(old: Prints, new: Prints, left_out: list[str]) -> list[str]:
    """A line for every model that is not the same, and which of its prints differ."""
    lines = []
    for name in dict.fromkeys([*old, *new]):
        if name not in old or name not in new:
            lines.append(f"{name}: only in the {'first' if name in old else 'second'} file")
            continue
        one, two = old[name], new[name]
        changed = [part for part in dict.fromkeys([*one, *two]) if one.get(part) != two.get(part) and part not in left_out]
        if changed:
            words = [part for part in changed if not _is_hash(one.get(part)) or not _is_hash(two.get(part))]
            lines.append(f"{name}: {'; '.join(changed)}")
            lines += [f"    {part}: {one.get(part)} -> {two.get(part)}" for part in words]
    return lines


def _is_hash(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 64 and " " not in value


def compared(first: Path, second: Path, left_out: list[str]) -> int:
    """Print what differs between two files; 1 if anything does."""
    old, new = (json.loads(path.read_text()) for path in (first, second))
    if old["package"] == new["package"]:
        print(f"both were made by {old['package']}")
    if old["versions"] != new["versions"]:
        print(f"not the same packages: {old['versions']} and {new['versions']}")
    lines = differences(old["models"], new["models"], left_out)
    verdict = "not the same" if lines else "all the same"
    print("\n".join([*lines, f"{len(old['models'])} and {len(new['models'])} models: {verdict}"]))
    return 1 if lines else 0


def main() -> int:
    """Read the command line, and fit or compare."""
    parser = argparse.ArgumentParser(description="Show that two states of the package make the same models.")
    parser.add_argument("out", nargs="?", type=Path, metavar="FILE.json", help="where to write the prints")
    parser.add_argument("--data", type=Path, default=DATA, metavar="FOLDER", help="Parquet files (default: the shared tables)")
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("A.json", "B.json"), help="tell what differs between two files")
    parser.add_argument(
        "--except", dest="left_out", nargs="+", default=[], metavar="PRINT", help="prints that may differ: pickle"
    )
    given = parser.parse_args()
    if given.compare:
        return compared(*given.compare, given.left_out)
    if given.out is None:
        parser.error("FILE.json or --compare is needed")
    if not any(given.data.glob("*.parquet")):
        parser.error(f"--data {given.data}: there is no table")
    begun = time.process_time()
    found = made(given.data)
    given.out.write_text(json.dumps(found, indent=1) + "\n")
    failed = sum("error" in prints for prints in found["models"].values())
    print(f"{len(found['models'])} models, {failed} of them refused, {time.process_time() - begun:.0f} s of CPU", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
