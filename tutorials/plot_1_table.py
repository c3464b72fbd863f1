"""
A messy table
=============

Which of 178 wines are similar, according to a spreadsheet that nobody cleaned? One command
reads it, finds the clusters and reports what it did. All you need is a file and a terminal;
the Python code on this page only creates the file and shows the output of the terminal.
"""

# %%
# The file
# --------
# The wines and their 13 measurements come from scikit-learn. This page adds the usual
# problems: a title above the header, a line of units below it, semicolons, decimal commas,
# empty cells, a laboratory (chosen at random) and a row of totals. Where magnesium was not
# measured, the cell has -999.

import base64
import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

names = ["alcohol", "malic", "ash", "alkali", "Mg", "phenols", "flavan", "nonflavan"]
names += ["proanth", "colour", "hue", "OD", "proline"]
units = ["% vol", "g/l", "g/l", "meq/l", "mg/l", *["g/l"] * 4, "", "", "", "mg/l"]
decimals = [2, 2, 2, 1, 0, 2, 2, 2, 2, 2, 2, 2, 0]

rng = np.random.default_rng(0)
order = rng.permutation(178)
X, variety = load_wine().data[order], load_wine().target[order]
X[rng.random(X.shape) < 0.03] = np.nan
X[rng.choice(178, 9, replace=False), names.index("Mg")] = -999
laboratory = rng.choice(["Nord", "Süd", "West"], 178)


def row(name, values, laboratory=""):
    cells = zip(values, decimals, strict=True)
    words = ["" if np.isnan(x) else f"{x:.{n}f}".replace(".", ",") for x, n in cells]
    return ";".join([name, *words, laboratory])


ids = [f"W{n:03d}" for n in range(1, 179)]
lines = [
    "Keller 4" + ";" * 14,
    ";".join(["Nr", *names, "lab"]),
    ";".join(["", *units, ""]),
]
lines += [row(*one) for one in zip(ids, X, laboratory, strict=True)]
lines += [row("Summe", np.nansum(X, axis=0))]

folder = Path(tempfile.mkdtemp())
(folder / "wine.csv").write_text("\n".join(lines), encoding="cp1252")
print(*lines[:6], "...", *lines[-2:], sep="\n")

# %%
# One command
# -----------
# Type ``partita fit`` and the name of the file. No options are needed.


def terminal(*words):
    """Run a command in the folder of the file, and show its output."""
    print("$", *words)
    command = [sys.executable, "-X", "utf8", "-m", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=True)
    print(done.stdout.decode())


terminal("partita", "fit", "wine.csv")

# %%
# How to read it
# --------------
# The first three sentences give the result, its uncertainty, and its weakest points. The
# table has a row for each cluster, and the lines below it give the values by which each
# cluster differs from the others. Precision and recall are measured on items held out.
#
# The notes describe how the file was read. Title, units and totals are left out, commas are
# decimal marks, ``Nr`` names the items, and empty cells are filled from similar rows. Two
# notes ask for a decision that the file does not determine. Does -999 mean missing? The
# other values of ``Mg`` suggest so, and the option ``--na -999`` declares it. Is ``lab`` a
# property of a wine? Here it is not, and ``--drop lab`` leaves it out.

terminal("partita", "fit", "wine.csv", "--na", "-999", "--drop", "lab", "-o", "better")

# %%
# The map
# -------
# The folder ``better`` has the memberships, the model, all results as JSON, and the report,
# ``report.html``, with an interactive map. This is the static picture of the map that the
# report shows where scripts are disabled. The left half shows the clusters, the right half
# how ambiguous each item is.

page = (folder / "better" / "report.html").read_text(encoding="utf-8")
picture = re.search(r'id="picture-partition" src="data:image/png;base64,([^"]+)', page)
figure, ax = plt.subplots(figsize=(11, 4.9), layout="constrained")
ax.imshow(plt.imread(io.BytesIO(base64.b64decode(picture[1]))))
ax.set_axis_off()
plt.show()

# %%
# What to doubt
# -------------
# The number of clusters is in doubt. Its probability is in the third sentence and below the
# table, and it is far from one. The values that were filled in are guesses, and so is the
# decision about ``lab``.
#
# Results
# -------
# The varieties of these wines are known, and were not used above. ``partita score`` now
# compares both results with them. An adjusted Rand index of 1 means perfect agreement, and
# 0 is expected by chance.

known = [
    "id,label",
    *(f"{name},{kind}" for name, kind in zip(ids, variety, strict=True)),
]
(folder / "varieties.csv").write_text("\n".join(known), encoding="utf-8")
terminal("partita", "score", "wine-partita/memberships.csv", "varieties.csv")
terminal("partita", "score", "better/memberships.csv", "varieties.csv")

# %%
# Both results have the three varieties, except for a few wines: here the problems of the
# file did little harm. This cannot be relied on, and the number three was not certain: with
# all cells complete, the same fit gives three clusters a probability below one half.

import warnings

from partita import SoftClustering
from partita.errors import UnsureWarning

with warnings.catch_warnings():
    warnings.simplefilter("ignore", UnsureWarning)  # shown below as well
    complete = SoftClustering(random_state=0).fit(load_wine(as_frame=True).data)
complete

# %%
# Where next
# ----------
# :doc:`/input-formats` describes what a file may contain, :doc:`/command-line` every option,
# :doc:`/explain` the rules that distinguish clusters, and :doc:`plot_6_number` what to do
# if the number of clusters is in doubt.
