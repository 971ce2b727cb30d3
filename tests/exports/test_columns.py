"""Programs that need the columns alone that the model looks at."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.exports.runners import c_library, javascript_answers, model_answers, onnx_answers, python_answers


def table(rows: int = 200) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(rows, 7)), columns=list("abcdefg"))
    X.loc[rng.random(rows) < 0.1, "c"] = np.nan
    numbers = X["c"].fillna(2) + 2 * (X["f"] > 0)
    return X, numbers.to_numpy(), (numbers > 1).to_numpy().astype(int)


def models() -> list[Any]:
    X, numbers, classes = table()
    return [
        tw.CARTClassifier(max_depth=3).fit(X, classes),
        tw.CARTRegressor(max_depth=3).fit(X, numbers),
        tw.TreeClassifier(missing="fraction", max_depth=2).fit(X, classes),
        tw.ObliqueTreeClassifier(max_terms=2, max_depth=2).fit(X[["b", "c", "f", "g"]], classes),
        tw.M5Regressor(min_samples_split=60).fit(X, numbers),
        tw.RandomForestClassifier(3, max_depth=1, random_state=0).fit(X, classes),
        tw.RipperClassifier().fit(X, classes),
    ]


@pytest.mark.parametrize("est", models(), ids=lambda est: type(est).__name__)
def test_programs_of_the_used_columns_answer_alike(est: Any) -> None:
    X, _, _ = table()
    X = X[est.feature_names_in_]
    program = est._program()
    used = [program.inputs[j].name for j in program.used]
    assert 0 < len(used) < X.shape[1], "the test needs a model that leaves a column out"
    module: dict[str, Any] = {}
    exec(est.to_python(columns="used"), module)
    said = [module["predict"](row) for row in X[used].to_numpy().tolist()]
    assert said == est.predict(X).tolist()
    assert [module["predict"](row) for row in X[used].to_dict("records")] == said
    with c_library(est.to_c(columns="used")) as lib:
        rows = np.ascontiguousarray(X[used].to_numpy())
        predict, numbers = lib.tree_predict, program.classes is None
        import ctypes

        predict.restype = ctypes.c_double if numbers else ctypes.c_int32
        answers = [predict(row.ctypes.data_as(ctypes.POINTER(ctypes.c_double))) for row in rows]
    said_in_c = answers if numbers else [program.classes[k].value for k in answers]
    assert said_in_c == said


def test_onnx_takes_a_matrix_of_the_used_columns() -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    X, _, classes = table()
    est = tw.CARTClassifier(max_depth=3).fit(X, classes)
    used = [est._program().inputs[j].name for j in est._program().used]
    session = onnxruntime.InferenceSession(est.to_onnx(columns="used").SerializeToString())
    assert session.get_inputs()[0].shape[1] == len(used) < X.shape[1]
    assert session.run(["prediction"], {"X": X[used].to_numpy()})[0].tolist() == est.predict(X).tolist()


def test_a_leaf_alone_keeps_a_column_and_others_are_refused_by_name() -> None:
    X, _, _ = table(20)
    est = tw.CARTClassifier().fit(X, ["a"] * 20)
    module: dict[str, Any] = {}
    exec(est.to_python(columns="used"), module)
    assert module["predict"]([1.0]) == "a"
    with pytest.raises(ValueError, match="columns 'some' is unknown"):
        est.to_c(columns="some")


@pytest.mark.parametrize("answers", [python_answers, javascript_answers, onnx_answers])
def test_all_columns_are_the_default(answers: Any) -> None:
    X, _, classes = table()
    est = tw.CARTClassifier(max_depth=2).fit(X, classes)
    answers(est, X).equal(model_answers(est, X))
