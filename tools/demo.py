"""A tree and its rules on the table every textbook starts with, a CART tree on iris, and a page to explore it in."""

from pathlib import Path

import treewright as tw

tennis = tw.datasets.load_play_tennis()
model = tw.ID3Classifier(keep_candidates=True).fit(tennis.X, tennis.y)
print(f"treewright {tw.__version__}: ID3 on play-tennis, {len(tennis.y)} rows\n")
print(model.tree_.to_text())
print("\nwhy outlook? the gain of every column at the root, in bits:")
for candidate in sorted(model.tree_.root.candidates, key=lambda c: -c.gain):
    print(f"  {candidate.column:12} {candidate.gain:.3f}{'  <- chosen' if candidate.chosen else ''}")
print("\nthe same tree as rules:")
print(model.tree_.to_rules())

iris = tw.datasets.load_iris()
cart = tw.CARTClassifier(max_leaf_nodes=4).fit(iris.X, iris.y)
print(f"\nCART on iris, four leaves, {cart.score(iris.X, iris.y):.1%} of the training rows right\n")
print(cart.tree_.to_text())

page = Path("iris.html").resolve()
whole = tw.CARTClassifier(keep_candidates=True).fit(iris.X, iris.y)
whole.explore(page, iris.X, iris.y, folds=10)
print(f"\nopen it in a browser and prune it by its slider: {page}")
