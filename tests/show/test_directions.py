"""Words from right to left stay where they are written, so that the numbers beside them keep their order; one is not many."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

import treewright as tw
from treewright.errors import isolated, visible

WORD = re.compile("[\u0590-\u08ff]")
ALONE = re.compile("\u2068[^\u2068\u2069]*\u2069")


def model() -> tuple[tw.CARTClassifier, pd.DataFrame]:
    X = pd.DataFrame({"عمر": [1.0, 2.0, 3.0, 4.0], "מין": ["כן", "לא", "לא", "כן"]})
    return tw.CARTClassifier().fit(X, ["שלום עולם", "b", "b", "שלום עולם"]), X


def test_every_form_keeps_them_to_themselves() -> None:
    est, X = model()
    found = est.explain(X.iloc[[0]])
    rules = est.tree_.to_rules()
    of_rules = rules.explain(X.iloc[[0]])
    forms = [est.tree_.to_text(), rules.to_text(), est.tree_.to_svg(), found.to_text(), of_rules.to_text(), repr(est.tree_.root)]
    forms += [*found._repr_mimebundle_().values(), *of_rules._repr_mimebundle_().values()]
    forms += [rules._repr_mimebundle_()["text/html"], est.tree_._repr_mimebundle_()["text/html"]]
    for form in forms:
        assert WORD.search(form)
        assert not WORD.search(ALONE.sub("", form)), form
        assert "\\u206" not in form


def test_rules_are_read_back() -> None:
    est, _ = model()
    rules = est.tree_.to_rules()
    assert "\u2068" in rules.to_text() and "\u2068" not in rules.to_text(full=True)
    for text in (rules.to_text(), rules.to_text(full=True)):
        read = rules.parse(text)
        assert [(rule.when[0].levels, rule.says) for rule in read] == [(rule.when[0].levels, rule.says) for rule in rules]


def test_marks_of_others_are_still_shown() -> None:
    assert visible("\u2068abc\u2069\u202eעמר") == "\\u2068abc\\u2069\\u202eעמר"
    assert isolated(visible(isolated("a עמר 5"))) == "a \u2068עמר\u2069 5"


def test_one_is_not_many() -> None:
    one = tw.CARTClassifier().fit([[0.0], [1.0]], ["a", "a"]).tree_
    assert repr(one) == "<Tree: 1 node, 1 leaf, depth 0>"
    assert "1 node, 1 leaf, depth 0, 2 rows" in one.to_svg()
    two = tw.CARTClassifier().fit(np.arange(4.0)[:, None], ["a", "b", "b", "b"])
    assert re.search(r"1 of 4 rows", two.explain([[0.0]]).to_text())
    assert "… 1 more rule" not in two.tree_._repr_mimebundle_()["text/html"]
    deeper = tw.CARTClassifier().fit(np.arange(4.0)[:, None], ["a", "b", "a", "b"]).tree_
    said = deeper.to_text(max_depth=1)
    assert [int(n) for n in re.findall(r"… (\d+) more nodes?", said)] == [deeper.n_nodes - 3]
    assert not re.search(
        r"\b1 (rows|leaves|nodes|classes|rules|columns)\b", said + deeper.to_svg() + two.tree_.to_dot(max_depth=0)
    )
