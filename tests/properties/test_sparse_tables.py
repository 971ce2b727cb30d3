"""Sparse tables of SciPy: the same models and answers as from all their cells, and never all cells at once."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import treewright as tw

FORMATS = ("csr", "csc", "coo", "lil")


def tables(seed, n_rows=60, n_columns=5, share=0.15, kind=float):
    """A table with few cells that are not 0, dense and sparse."""
    rng = np.random.default_rng(seed)
    cells = rng.integers(-3, 4, (n_rows, n_columns)) if kind is int else rng.normal(size=(n_rows, n_columns)).round(1)
    return np.where(rng.random(cells.shape) < share, cells, 0).astype(np.float64), rng


def same(ours, theirs, X, S):
    """Two estimators of the same model, asked about the same rows in two forms."""
    assert ours._model == theirs._model
    np.testing.assert_array_equal(ours.predict(S), theirs.predict(X))
    if hasattr(ours, "predict_proba"):
        np.testing.assert_array_equal(ours.predict_proba(S), theirs.predict_proba(X))


@given(st.integers(0, 2**32), st.sampled_from(FORMATS), st.sampled_from((0.02, 0.15, 0.6, 1.0)), st.sampled_from((int, float)))
def test_trees_of_sparse_tables_are_those_of_their_cells(seed, form, share, kind):
    X, rng = tables(seed, share=share, kind=kind)
    X[:, 1] += rng.random() < 0.3  # a column that is nowhere 0
    S = sparse.csr_array(X).asformat(form)
    y, numbers = rng.integers(0, 3, len(X)), rng.normal(size=len(X)).round(1)
    weights = rng.choice([0.0, 0.5, 1.0, 2.0], len(X)) + (np.arange(len(X)) == 0)
    for params in (
        {},
        {"criterion": "info_gain", "max_depth": 3},
        {"criterion": "twoing"},
        {"splitter": "random"},
        {"keep_candidates": True},
    ):
        same(tw.CARTClassifier(**params).fit(S, y), tw.CARTClassifier(**params).fit(X, y), X, S)
    same(tw.CARTClassifier().fit(S, y, weights), tw.CARTClassifier().fit(X, y, weights), X, S)
    for params in ({}, {"criterion": "absolute_error", "max_leaf_nodes": 4}):
        same(tw.CARTRegressor(**params).fit(S, numbers), tw.CARTRegressor(**params).fit(X, numbers), X, S)


@pytest.mark.parametrize("n_rows", [300, 40_000])
def test_large_and_small_frames(n_rows):
    X, rng = tables(5, n_rows, 12, 0.04)
    y = (X[:, 0] + X[:, 3] > 0).astype(int) + (rng.random(n_rows) < 0.1)
    S = sparse.csc_array(X)
    for jobs in (1, 2):
        same(tw.CARTClassifier(n_jobs=jobs).fit(S, y), tw.CARTClassifier().fit(X, y), X, S)
        same(tw.CARTRegressor(n_jobs=jobs).fit(S, X[:, 1] + y), tw.CARTRegressor().fit(X, X[:, 1] + y), X, S)


@pytest.mark.parametrize(
    "make",
    [
        lambda: tw.RandomForestClassifier(n_estimators=25, oob_score=True),
        lambda: tw.RandomForestClassifier(n_estimators=5, class_weight="balanced_subsample"),
        lambda: tw.ExtraTreesClassifier(n_estimators=5),
        lambda: tw.AdaBoostClassifier(n_estimators=5),
        lambda: tw.BaggingClassifier(n_estimators=3),
        lambda: tw.C45Classifier(),
        lambda: tw.REPTreeClassifier(),
        lambda: tw.RipperClassifier(),
        lambda: tw.PartClassifier(),
    ],
)
def test_every_kind_of_learner_takes_them(make):
    X, rng = tables(3, 200, 6, 0.2)
    S, y = sparse.csr_matrix(X), (X[:, 0] > 0) + (rng.random(200) < 0.2)
    ours, theirs = make().fit(S, y), make().fit(X, y)
    np.testing.assert_array_equal(ours.predict(S), theirs.predict(X))
    if hasattr(theirs, "oob_score_"):
        assert ours.oob_score_ == theirs.oob_score_
    S.data[:] = 0
    np.testing.assert_array_equal(ours.predict(S), theirs.predict(np.zeros_like(X)))


def test_pruning_and_further_answers():
    X, rng = tables(8, 200, 6, 0.2)
    S, y = sparse.csr_array(X), (X[:, 0] > 0) + (rng.random(200) < 0.2)
    ours, theirs = tw.CARTClassifier().fit(S, y), tw.CARTClassifier().fit(X, y)
    assert ours.prune(X=S, y=y, folds=5).tree_ == theirs.prune(X=X, y=y, folds=5).tree_
    assert ours.prune("reduced_error", S[::2], ~y[::2]).tree_ == theirs.prune("reduced_error", X[::2], ~y[::2]).tree_
    np.testing.assert_array_equal(ours.apply(S), theirs.apply(X))
    np.testing.assert_array_equal(ours.decision_path(S).toarray(), theirs.decision_path(X).toarray())
    np.testing.assert_array_equal(
        ours.cost_complexity_pruning_path(S, y).ccp_alphas, theirs.cost_complexity_pruning_path(X, y).ccp_alphas
    )
    several = np.c_[X[:, 0], -X[:, 1]]
    same(tw.CARTRegressor(max_depth=3).fit(S, several), tw.CARTRegressor(max_depth=3).fit(X, several), X, S)
    kept = [tw.CARTRegressor(max_depth=3, keep_targets=True).fit(table, X[:, 2]) for table in (S, X)]
    np.testing.assert_array_equal(kept[0].predict_quantiles(S), kept[1].predict_quantiles(X))


def test_missing_cells_stored_zeros_and_doubled_entries():
    X, rng = tables(2, 80, 4, 0.2)
    X[rng.random(X.shape) < 0.05] = np.nan
    y = rng.integers(0, 2, 80)
    S = sparse.csr_array(X)
    same(tw.CARTClassifier().fit(S, y), tw.CARTClassifier().fit(X, y), X, S)
    twice = sparse.coo_array((np.r_[S.data / 2, S.data / 2, 0.0], tuple(np.r_[at, at, 0] for at in S.nonzero())), shape=S.shape)
    assert tw.CARTClassifier().fit(twice, y).tree_ == tw.CARTClassifier().fit(X, y).tree_
    before = S.copy()
    tw.CARTClassifier().fit(S, y)
    assert (before != S).nnz == np.isnan(X).sum()  # the table is as it was


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        (lambda S: S.astype(complex), TypeError, "holds complex128: only numbers and truth values"),
        (lambda S: S * np.inf, ValueError, r"column 'x\d' holds infinity in row \d+"),
        (lambda S: S[:0], ValueError, "no rows"),
    ],
)
def test_what_is_refused(change, error, says):
    X, _ = tables(1)
    with np.errstate(invalid="ignore"), pytest.raises(error, match=says):
        tw.CARTClassifier().fit(change(sparse.csr_array(X)), np.arange(len(X)) % 2)


def test_levels_are_not_read_from_sparse_tables():
    X, _ = tables(1)
    with pytest.raises(ValueError, match="the columns of a sparse table are numbers"):
        tw.CARTClassifier(categorical_features=["x1"]).fit(sparse.csr_array(X), np.arange(len(X)) % 2)
    est = tw.CARTClassifier().fit(X, np.arange(len(X)) % 2)
    with pytest.raises(ValueError, match="3 features, but CARTClassifier is expecting 5"):
        est.predict(sparse.csr_array(X[:, :3]))


def test_in_pipelines():
    words = ["a red fox", "the red hen", "a blue fox", "the blue hen"] * 5
    text = make_pipeline(CountVectorizer(token_pattern=r"\w+"), tw.CARTClassifier()).fit(
        words, ["red", "red", "blue", "blue"] * 5
    )
    assert text.predict(["one red dog"]) == ["red"] and text[-1].get_n_leaves() == 2
    rows = [{"colour": c, "size": s} for c in ("red", "blue") for s in (1, 2, 3)]
    dicts = make_pipeline(DictVectorizer(), tw.TreeClassifier(max_depth=2)).fit(rows, ["small", "large", "large"] * 2)
    assert dicts.predict([{"colour": "green", "size": 1}]) == ["small"]
    levels = make_pipeline(OneHotEncoder(handle_unknown="ignore"), tw.RandomForestClassifier(n_estimators=20))
    assert levels.fit([["a"], ["b"], ["c"]] * 10, [0, 1, 1] * 10).predict([["a"], ["c"]]).tolist() == [0, 1]


def test_memory_is_that_of_what_is_stored():
    """20,000 x 50,000: all cells would take 8 GB as floats, 4 GB as ranks."""
    code = """
        import resource
        import numpy as np
        from scipy import sparse
        import treewright as tw
        rng = np.random.default_rng(0)
        S = sparse.random_array((20_000, 50_000), density=2e-4, format="csr", rng=rng)
        y = (np.asarray(S[:, :200].sum(axis=1)).ravel() > 0).astype(int)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        est = tw.CARTClassifier(max_depth=8).fit(S, y)
        est.predict(S[:2_000])
        print(est.get_n_leaves(), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
    """
    out = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=300, check=True)
    leaves, grown = map(float, out.stdout.split())
    assert leaves > 4 and grown < 700, grown


def test_settings_that_want_all_cells_say_so():
    S = sparse.random_array((40_000, 60_000), density=1e-5, format="csc", rng=np.random.default_rng(0))
    y = np.arange(40_000) % 2
    with pytest.raises(
        ValueError, match=r"X is sparse, and these settings look at all of its 2400000000 cells: choose fewer columns"
    ):
        tw.CARTClassifier(criterion="twoing", keep_candidates=True).fit(S, y)
    with pytest.raises(MemoryError, match="X is sparse, 40000 rows of 60000 columns, and this looks at all of its cells"):
        tw.RipperClassifier().fit(S, y)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_columns_and_neighbours_of_a_tree(kind):
    X, rng = tables(4, 200, 6, 0.2)
    S, y = sparse.csr_matrix(X).asformat(kind), (X[:, 0] > 0) ^ (rng.random(200) < 0.1)
    kept, wanted = (tw.TreeColumns().fit(table, y).transform(table) for table in (S, X))
    assert kept.format == kind
    assert np.array_equal(kept.toarray(), wanted)
    near, wanted = (tw.TreeNeighborsClassifier().fit(table, y).predict_proba(table) for table in (S, X))
    assert np.array_equal(near, wanted)
