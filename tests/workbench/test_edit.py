"""A tree edited by hand: what each verb does, what is refused, what is saved, and what is made again."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold, cross_val_score

import treewright as tw
from treewright.errors import ModelFormatError, TreewrightWarning
from treewright.store.files import load_plain

TENNIS = tw.datasets.load_play_tennis()
IRIS = tw.datasets.load_iris()


def tennis(**parameters):
    return tw.ID3Classifier(**parameters).fit(TENNIS.X, TENNIS.y).edit(TENNIS.X, TENNIS.y)


def iris(depth=2, **how):
    return tw.CARTClassifier(max_depth=depth).fit(IRIS.X, IRIS.y).edit(IRIS.X, IRIS.y, **how)


def test_each_verb_gives_a_new_tree_and_leaves_the_old_one_as_it_was():
    model = tw.ID3Classifier().fit(TENNIS.X, TENNIS.y)
    text = model.tree_.to_text()
    edit = model.edit(TENNIS.X, TENNIS.y)
    trees = [edit.tree, edit.split(1, "wind"), edit.grow(0), edit.cut(3), edit.relabel(3, "no"), edit.merge(2, 3)]
    assert len(set(map(id, trees))) == len(trees)
    assert [tree.n_leaves for tree in trees] == [5, 5, 9, 8, 8, 7]
    assert model.tree_.to_text() == text
    assert trees[0] is model.tree_


def test_a_split_by_condition_counts_what_the_condition_counts():
    edit = iris()
    tree = edit.split(0, "petal width (cm) <= 0.8")
    below = np.asarray(IRIS.X["petal width (cm)"]) <= 0.8
    assert [child.weight for child in tree.root.children] == [below.sum(), (~below).sum()]
    assert tree.root.split is not None
    assert tree.root.split.cuts == (0.8,)
    gini = [1 - sum(share**2 for share in shares) for shares in ([1 / 3] * 3, [1.0], [0.5, 0.5])]
    assert tree.root.gain == pytest.approx(gini[0] - 2 / 3 * gini[2])
    assert tree.by_hand == {0: "split by hand"}


@pytest.mark.parametrize(
    ("text", "cuts", "relation"),
    [
        ("sepal length (cm) > 5.8", (5.8,), "<="),
        ("sepal length (cm) >= 5.8", (5.8,), "<"),
        ("5 < sepal length (cm) <= 6", (5.0, 6.0), "<="),
        ("5 <= sepal length (cm) < 6", (5.0, 6.0), "<"),
    ],
)
def test_conditions_are_cut_where_they_say(text, cuts, relation):
    split = iris().split(0, text).root.split
    assert (split.cuts, split.relation) == (cuts, relation)


def test_levels_go_where_they_are_told_to():
    edit = tennis()
    two = edit.split(0, "outlook", levels=["rain", "overcast"])
    assert [child.weight for child in two.root.children] == [9, 5]
    three = edit.split(0, "outlook", levels=[["rain"], ["sunny"], ["overcast"]])
    assert [child.weight for child in three.root.children] == [5, 5, 4]
    joined = edit.merge(1, 3)
    assert [child.weight for child in joined.root.children] == [9, 5]
    assert joined.root.split.levels == {"sunny": 1, "overcast": 0, "rain": 0}


def test_a_column_alone_is_split_where_the_estimator_would_split_it():
    alone = tw.C45Classifier().fit(TENNIS.X[["humidity"]], TENNIS.y).edit(TENNIS.X[["humidity"]], TENNIS.y)
    whole = tw.C45Classifier().fit(TENNIS.X, TENNIS.y).edit(TENNIS.X, TENNIS.y)
    assert whole.split(0, "humidity").root.gain == alone.split(0, "humidity").root.gain
    assert [child.value for child in whole.tree.root.children] == [child.value for child in alone.tree.root.children]


def test_the_split_that_was_there_comes_back_as_it_was():
    edit = iris()
    before = edit.tree
    edit.cut(2)
    again = edit.regrow(0)
    assert again.state()["cut_at"].tolist() == before.state()["cut_at"].tolist()
    assert tw.diff(again, before).same


def test_growing_a_level_at_a_time_is_growing_at_once():
    step, once = iris(1), iris(1)
    for _ in range(20):
        try:
            step.grow(0)
        except ValueError:
            break
    full = once.grow(0, None)
    assert tw.diff(step.tree, full).same
    assert tw.diff(full, tw.CARTClassifier().fit(IRIS.X, IRIS.y)).same


def test_alternatives_are_ranked_and_swapped_in():
    edit = iris()
    found = edit.alternatives(2)
    assert [each.merit for each in found] == sorted((each.merit for each in found), reverse=True)
    assert {each.column for each in found} <= set(IRIS.X.columns)
    swapped = edit.swap(2, 1)
    assert swapped.node(2).split.column == found[1].column
    assert swapped.node(2).gain == pytest.approx(found[1].gain)


def test_what_is_locked_stays():
    edit = iris(3)
    edit.lock(2)
    inside = edit.tree.node(2).children[0].id
    for refused in (
        lambda: edit.cut(2),
        lambda: edit.split(inside, "sepal length (cm)"),
        lambda: edit.cut(0),
        lambda: edit.regrow(0),
    ):
        with pytest.raises(ValueError, match="locked"):
            refused()
    assert edit.locked == [2]
    edit.unlock(2)
    edit.cut(2)
    assert edit.tree.n_leaves == 2


def test_undo_and_redo_go_back_and_forth():
    edit = iris()
    trees = [edit.tree, edit.cut(2), edit.split(2, "sepal width (cm)")]
    assert edit.undo() is trees[1]
    assert edit.undo() is trees[0]
    with pytest.raises(ValueError, match="nothing to undo"):
        edit.undo()
    assert edit.redo() is trees[1]
    edit.grow(0)
    with pytest.raises(ValueError, match="nothing to redo"):
        edit.redo()
    assert [entry["verb"] for entry in edit.edits] == ["cut", "grow"]


def test_scores_are_those_of_the_rows():
    rng = np.random.default_rng(0)
    held = rng.random(150) < 0.3
    X, y = IRIS.X[~held], IRIS.y[~held]
    model = tw.CARTClassifier(max_depth=3).fit(X, y)
    edit = model.edit(X, y, validation=(IRIS.X[held], IRIS.y[held]), folds=KFold(5))
    folds = cross_val_score(tw.CARTClassifier(max_depth=3), X, y, cv=KFold(5))
    sizes = [len(test) for _, test in KFold(5).split(X)]
    assert edit.scores.cross_validated.error == pytest.approx(1 - np.average(folds, weights=sizes))
    edit.cut(0)
    assert edit.scores.training == pytest.approx(1 - y.value_counts().max() / len(y))
    assert edit.scores.validation == pytest.approx(float(np.mean(IRIS.y[held] != edit.tree.root.prediction)))
    assert edit.scores.cross_validated.left_out == 0
    edit.undo()
    assert edit.scores.cross_validated.error == pytest.approx(1 - np.average(folds, weights=sizes))


def test_folds_in_which_an_edit_cannot_be_made_leave_it_out():
    edit = iris(2, folds=5)
    edit.split(2, "sepal length (cm)", at=7.8)  # one row is longer, which one fold does not have
    found = edit.scores.cross_validated
    assert found.left_out == 1
    assert "left out" in str(edit.scores)


def test_numbers_are_scored_by_the_root_of_the_mean_square():
    X = pd.DataFrame({"x": [0.0, 1, 2, 3]})
    edit = tw.CARTRegressor(max_depth=1).fit(X, [1.0, 1, 5, 7]).edit(X, [1.0, 1, 5, 7])
    assert edit.scores.training == pytest.approx(np.sqrt(0.5))
    edit.relabel(2, 7)
    assert edit.tree.predict(X).tolist() == [1, 1, 7, 7]
    assert edit.scores.training == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda e: e.split(0, "petal lenght"), "did you mean"),
        (lambda e: e.split(0, "petal width (cm) <= 100"), "would be empty"),
        (lambda e: e.split(0, "petal width (cm)", at=float("nan")), "finite"),
        (lambda e: e.split(0, "petal width (cm)", at=[2, 1]), "ascend"),
        (lambda e: e.split(0, "petal width (cm)", at=1, levels=["a"]), "one of them"),
        (lambda e: e.split(0, "petal width (cm)", levels=["a"]), "at="),
        (lambda e: e.split(99, "petal width (cm)"), "no node 99"),
        (lambda e: e.split(True, "petal width (cm)"), "no node True"),
        (lambda e: e.split(1, "petal width (cm)"), "one class"),
        (lambda e: e.split(0, 3), "name of a column"),
        (lambda e: e.cut(1), "leaf already"),
        (lambda e: e.relabel(0, "setosa"), "branches"),
        (lambda e: e.relabel(1, "tulip"), "unknown"),
        (lambda e: e.merge(1), "two or more"),
        (lambda e: e.merge(1, 3), "of one node"),
        (lambda e: e.merge(1, 2), "no leaf"),
        (lambda e: e.grow(1), "nothing grows"),
        (lambda e: e.grow(0, 0), "steps"),
        (lambda e: e.swap(0, 17), "alternatives"),
        (lambda e: e.regrow(0, criterion="info_gain"), "same"),
        (lambda e: e.regrow(0, depth=3), "no parameter"),
        (lambda e: e.regrow(0, max_depth=-1), "max_depth"),
        (lambda e: e.unlock(0), "not locked"),
    ],
)
def test_what_is_refused_says_why_and_changes_nothing(act, words):
    edit = iris()
    before = edit.tree
    with pytest.raises((ValueError, IndexError, TypeError), match=words):
        act(edit)
    assert edit.tree is before
    assert edit.edits == []


def test_rows_that_are_not_those_of_training_are_refused():
    model = tw.CARTClassifier().fit(IRIS.X, IRIS.y)
    with pytest.raises(ValueError, match="training rows"):
        model.edit(IRIS.X[:100], IRIS.y[:100])
    with pytest.raises(ValueError, match="training rows"):
        model.edit(IRIS.X[:149], IRIS.y[:149])


def test_trees_that_compute_their_answers_are_refused():
    X = pd.DataFrame({"x": np.arange(40.0)})
    model = tw.M5Regressor().fit(X, np.arange(40.0) ** 2)
    with pytest.raises(ValueError, match="compute"):
        model.edit(X, np.arange(40.0) ** 2)
    soft = tw.C45Classifier(soft=True).fit(IRIS.X, IRIS.y)
    with pytest.raises(ValueError, match="soft"):
        soft.edit(IRIS.X, IRIS.y)


def test_the_estimator_is_an_ordinary_one(tmp_path):
    edit = tennis()
    edit.split(1, "wind")
    edit.relabel(2, "no")
    edit.lock(1)
    model = edit.estimator()
    assert model.predict(TENNIS.X).tolist() == edit.tree.predict(TENNIS.X).tolist()
    assert model.get_params() == tw.ID3Classifier().get_params()
    assert "(split by hand)" in str(model.tree_)
    assert "(said by hand)" in str(model.tree_)
    assert "split by hand" in model.tree_.to_svg()
    assert "(split by hand)" in model.tree_.to_dot()
    model.save(tmp_path / "m.json")
    for again in (tw.load(tmp_path / "m.json"), pickle.loads(pickle.dumps(model))):
        assert again.tree_ == model.tree_
        assert again.edits_ == model.edits_
        assert again.tree_.by_hand == {1: "split by hand", 2: "said by hand"}
    assert not hasattr(clone(model).fit(TENNIS.X, TENNIS.y), "edits_")
    assert not hasattr(model.prune("limits", max_depth=1), "edits_")


def test_files_that_say_nonsense_of_hands_are_refused(tmp_path):
    edit = tennis()
    edit.split(1, "wind")
    edit.estimator().tree_.save(tmp_path / "m.json")
    text = (tmp_path / "m.json").read_text()
    for bad in ('{"99": "split by hand"}', '{"01": "split by hand"}', '{"1": "<script>"}'):
        (tmp_path / "bad.json").write_text(text.replace('{"1": "split by hand"}', bad))
        with pytest.raises(ModelFormatError, match="by_hand"):
            load_plain(str(tmp_path / "bad.json"), edited=True)


def test_a_log_makes_the_same_tree_again(tmp_path):
    edit = iris(3)
    edit.split(2, "sepal length (cm)", at=5.95)
    edit.grow(2)
    edit.relabel(1, "versicolor")
    model = edit.estimator()
    model.save(tmp_path / "m.json")
    again = tw.replay(tw.load(tmp_path / "m.json").edits_, IRIS.X, IRIS.y)
    assert again.left_out == ()
    again.estimator().save(tmp_path / "again.json")
    assert (tmp_path / "m.json").read_bytes() == (tmp_path / "again.json").read_bytes()


def test_a_log_that_began_with_a_pruned_tree_makes_the_same_tree_again():
    model = tw.CARTClassifier().fit(IRIS.X, IRIS.y).prune("limits", max_depth=2)
    edit = model.edit(IRIS.X, IRIS.y)
    edit.split(2, "sepal length (cm)", at=5.95)
    again = tw.replay(edit.log, IRIS.X, IRIS.y)
    assert again.tree == edit.tree
    more = again.estimator().edit(IRIS.X, IRIS.y)
    more.cut(2)
    assert tw.replay(more.log, IRIS.X, IRIS.y).tree == more.tree


def test_on_other_rows_the_log_tells_what_no_longer_applies():
    edit = tennis()
    edit.split(1, "wind")
    edit.relabel(2, "no")
    some = TENNIS.X["outlook"] != "overcast"
    again = tw.replay(edit.log, TENNIS.X[some].reset_index(drop=True), TENNIS.y[some].reset_index(drop=True))
    assert len(again.left_out) + len(again.edits) == 2
    assert again.left_out
    assert all(str(each) and each.why for each in again.left_out)


@pytest.mark.parametrize(
    "log",
    [
        [],
        [{"verb": "cut"}],
        "fit",
        [{"verb": "fit", "estimator": "os.system", "parameters": {}}],
        [{"verb": "fit", "estimator": "ID3Classifier", "parameters": {}}, {"verb": "explode", "path": [], "asked": []}],
        [{"verb": "fit", "estimator": "ID3Classifier", "parameters": {}}, {"verb": "cut", "path": ["x"], "asked": ["y"]}],
        [{"verb": "fit", "estimator": "ID3Classifier", "parameters": {}, "tree": "AAAA"}],
        [{"verb": "fit", "estimator": "RipperClassifier", "parameters": {}}],
    ],
)
def test_logs_that_are_none_are_refused(log):
    with pytest.raises(ValueError):
        tw.replay(log, TENNIS.X, TENNIS.y)


def test_entries_with_odd_values_are_left_out():
    log = [{"verb": "fit", "estimator": "ID3Classifier", "parameters": {}, "rows": 14, "table": ""}]
    log += [
        {"verb": "cut", "path": [], "asked": [], "where": "", "nonsense": 1},
        {"verb": "split", "path": [], "asked": [], "where": "", "column": None},
        {"verb": "relabel", "path": [], "asked": [], "where": "", "says": ["a"]},
        {"verb": "merge", "path": [], "asked": [], "where": "", "branches": "ab"},
        {"verb": "grow", "path": [], "asked": [], "where": "", "steps": "many"},
    ]
    assert len(tw.replay(log, TENNIS.X, TENNIS.y).left_out) == 5


def test_parameters_that_no_log_holds_are_asked_for():
    model = tw.TreeClassifier(criterion=lambda node, branches: float(branches[0].max()), max_depth=1).fit(IRIS.X, IRIS.y)
    edit = model.edit(IRIS.X, IRIS.y)
    edit.cut(0)
    with pytest.raises(ValueError, match="criterion"):
        tw.replay(edit.log, IRIS.X, IRIS.y)
    assert tw.replay(edit.log, IRIS.X, IRIS.y, estimator=model).tree == edit.tree


# -- first splits that are given -------------------------------------------------------------------------------------------


def test_forced_splits_come_first_and_the_tree_grows_below():
    forced = {"split": "sepal length (cm) <= 5.5", "below": [None, "petal width (cm)"]}
    model = tw.CARTClassifier(forced=forced, max_depth=3).fit(IRIS.X, IRIS.y)
    root = model.tree_.root
    assert root.split.cuts == (5.5,)
    assert root.children[1].split.column == "petal width (cm)"
    assert model.tree_.depth == 3
    assert set(model.tree_.by_hand.values()) == {"forced"}
    assert "(forced)" in str(model.tree_)
    below = IRIS.X["sepal length (cm)"] <= 5.5
    alone = tw.CARTClassifier(max_depth=2).fit(IRIS.X[below], IRIS.y[below]).tree_
    assert root.children[0].split == alone.root.split


def test_forced_splits_survive_cloning_files_and_folds(tmp_path):
    model = clone(tw.C45Classifier(forced="wind = strong")).fit(TENNIS.X, TENNIS.y)
    assert model.tree_.root.split.column == "wind"
    model.save(tmp_path / "m.json")
    again = tw.load(tmp_path / "m.json")
    assert (again.forced, again.tree_) == ("wind = strong", model.tree_)
    assert again.fit(TENNIS.X, TENNIS.y).tree_ == model.tree_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TreewrightWarning)
        path = tw.CARTClassifier(forced="sepal width (cm) <= 3").fit(IRIS.X, IRIS.y).pruning_path(IRIS.X, IRIS.y, folds=5)
    assert len(path) > 1


def test_forced_splits_of_weighted_rows_are_those_of_rows_written_twice():
    weights = np.where(np.arange(150) % 3 == 0, 2.0, 1.0)
    twice = np.repeat(np.arange(150), weights.astype(int))
    forced = {"split": "sepal width (cm) <= 3", "below": ["sepal length (cm)", None]}
    one = tw.CARTClassifier(forced=forced, max_depth=3).fit(IRIS.X, IRIS.y, sample_weight=weights)
    two = tw.CARTClassifier(forced=forced, max_depth=3).fit(IRIS.X.iloc[twice], IRIS.y.iloc[twice])
    assert one.tree_ == two.tree_


@pytest.mark.parametrize("bad", [3, {}, {"split": 3}, {"split": "wind", "under": []}, {"split": "wind", "below": 3}, ["wind"]])
def test_forced_splits_that_are_none_are_refused(bad):
    with pytest.raises(ValueError, match="forced"):
        tw.C45Classifier(forced=bad).fit(TENNIS.X, TENNIS.y)


def test_trees_of_bins_are_edited_at_any_value():
    edit = tw.CARTClassifier(max_bins=4, max_depth=2).fit(IRIS.X, IRIS.y).edit(IRIS.X, IRIS.y, folds=5)
    edit.split(0, "petal width (cm)", at=0.85)
    edit.grow(0)
    edit.regrow(1)
    assert edit.tree.root.split.cuts == (0.85,)
    assert edit.scores.cross_validated.left_out <= 5
    assert tw.replay(edit.log, IRIS.X, IRIS.y).tree == edit.tree
    with pytest.raises(ValueError, match="max_bins"):
        tw.CARTClassifier(forced="petal width (cm)", max_bins=4).fit(IRIS.X, IRIS.y)


def test_forced_splits_that_cannot_be_made_are_named():
    with pytest.raises(ValueError, match="forced split 'wind = calm'"):
        tw.C45Classifier(forced="wind = calm").fit(TENNIS.X, TENNIS.y)
    with pytest.raises(ValueError, match="max_leaf_nodes"):
        tw.CARTClassifier(forced="petal width (cm)", max_leaf_nodes=3).fit(IRIS.X, IRIS.y)


# -- every estimator of single trees ---------------------------------------------------------------------------------------

TREES = [
    ("BacktrackingTreeClassifier", {}),
    ("MemorisingTreeClassifier", {}),
    ("OmnivariateTreeClassifier", {"max_depth": 2}),
    ("OptimalTreeClassifier", {"max_depth": 2}),
    ("OptimalTreeRegressor", {"max_depth": 2}),
    ("ObliqueTreeClassifier", {"method": "lmdt", "max_depth": 2, "pruned": False}),
    ("ObliqueTreeRegressor", {"max_depth": 2, "pruned": False}),
    ("REPTreeRegressor", {}),
    ("QuestTreeClassifier", {}),
]


@pytest.mark.parametrize(("name", "parameters"), TREES, ids=[f"{name}-{at}" for at, (name, _) in enumerate(TREES)])
def test_every_tree_is_edited(name, parameters, tmp_path):
    X = IRIS.X.iloc[::5].round(0).astype(int).reset_index(drop=True)
    X["shade"] = np.where(np.arange(len(X)) % 2, "light", "dark")
    y = IRIS.y.iloc[::5].reset_index(drop=True)
    if name.endswith("Regressor"):
        y = X.pop("petal width (cm)").astype(float)
    if name == "MemorisingTreeClassifier":
        keep = ~X.duplicated()
        X, y = X[keep].astype(str), y[keep]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TreewrightWarning)
        model = getattr(tw, name)(**parameters).fit(X, y)
        edit = model.edit(X, y)
        edit.cut(0)
        edit.split(0, "shade", levels=["light"])
        edit.lock(1)
        edit.grow(0)
        edit.regrow(2)
        made = edit.estimator()
        again = tw.replay(edit.log, X, y)
    assert again.left_out == ()
    assert again.tree == edit.tree
    assert edit.tree.node(1).is_leaf
    made.save(tmp_path / "m.json")
    assert tw.load(tmp_path / "m.json").predict(X).tolist() == made.predict(X).tolist() == edit.tree.predict(X).tolist()
