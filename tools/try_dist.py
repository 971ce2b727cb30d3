"""Install each distribution given as an argument in an empty virtual environment and grow a tree there."""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

TRY = """
import treewright as tw
tennis = tw.datasets.load_play_tennis()
tree = tw.ID3Classifier().fit(tennis.X, tennis.y).tree_
assert (tree.n_splits, tree.n_leaves) == (3, 5), tree
assert "predict" in tree.to_c() + tree.to_python() + tree.to_javascript()
tree.explore("page.html", tennis.X, tennis.y)
assert "default-src 'none'" in open("page.html", encoding="utf-8").read()
print(tw.__version__, tw.__file__)
"""

for dist in sys.argv[1:]:
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", Path(dist).resolve()], check=True)
        subprocess.run([python, "-c", TRY], check=True, cwd=folder)
        subprocess.run([python.parent / "treewright", "demo", "play-tennis"], check=True, cwd=folder)
        print(f"{dist}: installs and grows a tree")
