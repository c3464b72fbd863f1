"""
Embeddings
==========

Which topics are there in a collection of texts that nobody has sorted? The texts are
represented by vectors, and one call finds their topics, the number of topics, and the texts
whose topic is uncertain.
"""

# %%
# Texts and vectors
# -----------------
# The texts are the docstrings of SciPy's functions: over a thousand texts, written by
# people, and already on this machine. The vectors come from latent semantic analysis, that
# is, from the singular vectors of weighted word counts. This is an embedding, although not
# one computed by a neural network, since no package ships those. If you have your own
# embeddings, start at the fit.

import importlib
import inspect
import re
import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import completeness_score, homogeneity_score
from sklearn.preprocessing import normalize

from partita import SoftClustering
from partita.errors import UnsureWarning
from partita.metrics import adjusted_rand_index
from partita.plots import PartitionDisplay

modules = "fft integrate interpolate linalg ndimage optimize signal sparse spatial"
texts = {}
for module in [*modules.split(), "special", "stats"]:
    home = importlib.import_module(f"scipy.{module}")
    for name in sorted(home.__all__):
        text = inspect.getdoc(getattr(home, name)) or ""
        if callable(getattr(home, name)) and len(text) > 300:
            texts[f"{module}.{name}"] = re.sub("0x[0-9a-f]+", "", text)  # no addresses
names = np.array(list(texts))

weigh = TfidfVectorizer(stop_words="english", min_df=3, max_df=0.3, sublinear_tf=True)
counts = weigh.fit_transform(texts.values())
X = normalize(TruncatedSVD(50, random_state=0).fit_transform(counts))
print(f"{len(X):,} texts, vectors of {X.shape[1]} numbers and length one")

# %%
# One call
# --------
# Vectors of length one are nearest if their cosine is largest, so that no metric has to be
# chosen. If the number of clusters is uncertain, the fit gives a warning. Its content is
# also among the notes of the summary below, which a notebook shows for a fitted model.

with warnings.catch_warnings():
    warnings.simplefilter("ignore", UnsureWarning)
    model = SoftClustering(random_state=0).fit(X)
model

# %%
# How to read it
# --------------
# A cluster is easier to interpret by its words than by its vectors. The table lists the
# clusters whose labels are surest on average, each with the words that are more frequent in
# it than in the others, and with its most typical text.

words = np.array(weigh.get_feature_names_out())
sizes = np.bincount(model.labels_)
sure = np.bincount(model.labels_, model.certainty_) / sizes
print("texts  right  its words                   most typical")
for k in [k for k in np.argsort(-sure) if sizes[k] >= 10][:12]:
    inside = model.labels_ == k
    more = counts[inside].mean(axis=0) - counts[~inside].mean(axis=0)
    typical = np.flatnonzero(inside)[model.certainty_[inside].argmax()]
    top = ", ".join(words[np.asarray(more).ravel().argsort()[::-1][:2]])
    print(f"{sizes[k]:5}{sure[k]:7.0%}  {top:26.26}  {names[typical]}")

# %%
# The picture
# -----------
# Two of fifty dimensions cannot show all that the fit used: clusters that overlap in this
# picture may be far apart. The right half is more useful. It shows where the ambiguous
# texts are.

PartitionDisplay.from_estimator(model, X)
plt.show()

# %%
# What to doubt
# -------------
# The number of clusters is the first thing to doubt: no number is probable here, because
# topics can be divided finely or coarsely. ``at`` gives the clustering with another number
# without a new fit. The second is the labels of single texts. ``second_choice`` names the
# second most probable cluster of each; for these texts both are nearly as probable:

second = model.second_choice()
for i in np.argsort(second.evidence)[:5]:
    print(f"{names[i]:35} cluster {model.labels_[i]:2} or {second.cluster[i]:2}")

# %%
# Results
# -------
# SciPy sorts its functions into modules. This is one possible classification, made for
# programmers, and it was not used above. Homogeneity measures whether a cluster has texts
# of one module only, completeness whether the texts of a module are in one cluster; the
# adjusted Rand index combines both. k-means is given the number of modules. HDBSCAN
# estimates its own number, and the texts that it leaves out count as one cluster.

module = np.array([name.split(".")[0] for name in names])
K = len(set(module))
answers = {
    "Partita": model.labels_,
    f"Partita, at({K})": model.at(K).labels_,
    f"k-means, {K}": KMeans(K, n_init=10, random_state=0).fit_predict(X),
    "HDBSCAN": HDBSCAN(copy=True).fit_predict(X),
}
print(f"{'':18}{'clusters':>9}{'homogeneity':>13}{'completeness':>14}{'ARI':>7}")
for name, labels in answers.items():
    same, whole = homogeneity_score(module, labels), completeness_score(module, labels)
    ari = adjusted_rand_index(module, labels)
    print(f"{name:18}{len(set(labels)):9}{same:13.2f}{whole:14.2f}{ari:7.2f}")

# %%
# Many small clusters, each within one module, are homogeneous but not complete: windows and
# filters both belong to ``signal``, but are two topics. Whether this is better than the
# modules depends on the purpose of the clustering. ``at`` has fewer clusters than it was
# asked for, because clusters that would hold no text are removed.
#
# Where next
# ----------
# See :doc:`/choose-affinity` for vectors of other lengths and other metrics,
# :doc:`/scaling-out` for more than 20,000 vectors, and :doc:`plot_6_number` for the number
# of clusters.
