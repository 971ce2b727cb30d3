"""P9: files of every version of the format stay here for ever; each must load, and predict what it predicted when it was made.

``python -m tests.store.test_golden`` writes those of the present version that are not there yet; it never touches the others.
"""

from __future__ import annotations

import json
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from tests.store.models import ESTIMATORS, fitted, fitted_without_tree, relational
from treewright.store.document import VERSION

GOLDEN = Path(__file__).parent / "golden"
FILES = sorted(path for path in GOLDEN.glob("v*/*.json*") if not path.name.endswith(".answers.json"))
PACKED = ("c45-mixed", "candidates")


@cache
def models() -> dict[str, tuple[Any, Any]]:
    return {**fitted(), **fitted_without_tree(), **relational()}


def answers(model: Any, X: Any) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tw.UnseenLevelWarning)
        if isinstance(model, (tw.Foil, tw.Clauses)):
            said = model.predict(*X) if isinstance(model, tw.Foil) else model.holds(*X)
            return {"text": model.to_text(scores=True).splitlines(), "holds": said.tolist()}
        if not hasattr(model, "predict"):
            return {"transform": [[float(cell).hex() for cell in row] for row in np.asarray(model.transform(X))]}
        out = {"predict": model.predict(X).tolist()}
        if hasattr(model, "apply"):
            out["apply"] = model.apply(X).tolist()
        if hasattr(model, "predict_proba"):
            out["predict_proba"] = [[float(share).hex() for share in row] for row in model.predict_proba(X)]
        else:
            out["predict"] = [float(value).hex() for value in np.ravel(out["predict"])]
    return out


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_P9_golden_files_load_and_say_what_they_said(path: Path) -> None:
    name = path.name.partition(".json")[0]
    model = tw.load(path)
    stored = json.loads((path.parent / f"{name}.answers.json").read_text())
    assert answers(model, models()[name][1]) == stored


def test_P9_the_present_version_has_golden_files() -> None:
    names = {path.name.partition(".json")[0] for path in FILES if path.parent.name == f"v{VERSION}"}
    assert names == set(models())
    kinds = {type(model).__name__ for model, _ in models().values()}
    assert kinds == {*ESTIMATORS, "TreeColumns", "Foil", "Clauses"}


@pytest.mark.parametrize("name", ["cart-mixed", "regressor-plain"])
def test_P11_the_same_tree_gives_the_bytes_of_the_golden_file(name: str, tmp_path: Path) -> None:
    folder = GOLDEN / f"v{VERSION}"
    tw.load(folder / f"{name}.json").tree_.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (folder / f"{name}.tree").read_bytes()


def main() -> None:
    folder = GOLDEN / f"v{VERSION}"
    folder.mkdir(exist_ok=True, parents=True)
    for name, (model, X) in models().items():
        path = folder / f"{name}.json{'.gz' if name in PACKED else ''}"
        if not path.exists():
            model.save(path)
            (folder / f"{name}.answers.json").write_text(json.dumps(answers(model, X)))
            print("wrote", path, np.ceil(path.stat().st_size / 1000), "kB")


if __name__ == "__main__":
    main()
