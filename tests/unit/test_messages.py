"""What the errors and warnings that people meet first say, word by word.

Every other test asserts the type of an error and the field that it names; wordings are held here alone. A message says
what was expected, what came, and what to do.
"""

import re
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from partita import (
    BayesianPartition,
    DPGaussianMixture,
    SoF,
    SoftClustering,
    SymNMF,
    load,
    save,
)
from partita.affinity import Builder, NeighborGraph, RelativeDistance, as_affinity, distances, from_edges
from partita.cli import main
from partita.cli.options import Metric
from partita.datasets import load_dataset
from partita.ensemble import Ensemble
from partita.errors import InputError, MemoryLimitError, MissingExtraError, ModelError, require
from partita.membership import Membership
from partita.metrics import purity
from partita.n_clusters import Criterion
from partita.nmf import nmf
from partita.partition import posterior_similarity
from partita.partition.losses import PartitionLoss
from partita.solvers import BaumEagon

X = np.random.default_rng(0).normal(size=(30, 2))
BLOCKS = np.kron(np.eye(2), np.ones((3, 3)))

METRICS = ", ".join(distances.METRICS)  # as this version of scikit-learn has them
# What a user adds is told in the same place.
CRITERIA = ", ".join(sorted(Criterion.registry))
BUILDERS = ", ".join(sorted(Builder.registry))
LOSSES = ", ".join(map(repr, PartitionLoss.registry))


def with_entry(matrix, i, j, value):
    matrix = np.array(matrix, dtype=float)
    matrix[i, j] = value
    return matrix


def of_matrix(P, affinity="precomputed", **options):
    return SoF(2, affinity=affinity, **options).fit(P)


# What to do about a model that cannot be read: its message has one of these (`test_io_models.py`).
ADVICE_ON_MODELS = ("save the model again", "pass ", "upgrade")
CALLS = {
    # ---------------------------------------------------------------- features
    "missing cell": (
        lambda: SoftClustering(2, affinity="neighbors", probabilities="fitted").fit(with_entry(X, 7, 1, np.nan)),
        InputError,
        "X[7, 1] is NaN: fill it in, drop the row, or pass missing='unobserved'",
    ),
    "infinite cell": (
        lambda: SoftClustering(2, affinity="neighbors", probabilities="fitted").fit(with_entry(X, 7, 1, np.inf)),
        InputError,
        "X[7, 1] is infinity: fill it in or drop the row",
    ),
    "one dimension": (
        lambda: DPGaussianMixture().fit(np.ones(5)),
        InputError,
        "X has shape (5,): expected N x d features. Reshape your data: X.reshape(-1, 1) is one feature of N items, "
        "X.reshape(1, -1) one item",
    ),
    "row of nothing": (
        lambda: SoF(2, missing="unobserved").fit(np.where(np.arange(30)[:, None] == 3, np.nan, X)),
        InputError,
        "X[3] has no observed value: drop this row",
    ),
    "unknown metric": (
        lambda: SoF(2, affinity=NeighborGraph(metric="cosin")).fit(X),
        InputError,
        f"metric='cosin': expected one of {METRICS}; did you mean 'cosine'?",
    ),
    "links for a mixture": (
        lambda: DPGaussianMixture().fit(sp.csr_array(BLOCKS)),
        InputError,
        "X is a sparse symmetric 6 x 6 matrix, as affinities or distances between items are: fit "
        "SoftClustering(affinity='precomputed') or (affinity='precomputed_distance') to it, or pass X.toarray() if its "
        "columns are features",
    ),
    "unit too large": (
        lambda: SoF(2).fit([[1e200, 0.0], [0.0, 1.0]]),
        InputError,
        "X[0, 0] = 1e+200 is too large for distances in double precision: express the features in another unit",
    ),
    "constant column": (
        lambda: DPGaussianMixture().fit(np.ones((5, 2))),
        InputError,
        "column 0 of X is constant (n_samples = 5), so that the default prior has no scale for it: drop the column, or "
        "give a prior with its mean and scale",
    ),
    "weights of others": (
        lambda: SoF(2).fit(X, sample_weight=np.ones(4)),
        InputError,
        "sample_weight has shape (4,), expected (30,): one weight for each item",
    ),
    "links that contradict": (
        lambda: SoF(2).fit(X, must_link=[[0, 1]], cannot_link=[[0, 1]]),
        InputError,
        "rows 0 and 1 cannot be linked, but must-links join them: drop one of the two constraints",
    ),
    "link of no row": (
        lambda: SoF(2).fit(X, must_link=[[0, 99]]),
        InputError,
        "must_link names row 99; rows are 0..29",
    ),
    # ---------------------------------------------------------------- matrices of pairs
    "not square": (
        lambda: of_matrix(np.ones((3, 4))),
        InputError,
        "affinity must be square (items x items), not of shape (3, 4)",
    ),
    "not symmetric": (
        lambda: of_matrix(with_entry(BLOCKS, 0, 1, 0.5)),
        InputError,
        "affinity is not symmetric: affinity[0, 1] = 0.5 and affinity[1, 0] = 1; pass symmetrize='mean', 'max' or "
        "'min' to say which one holds (command line: --symmetrize)",
    ),
    "triangle of affinities": (
        lambda: of_matrix(np.triu(BLOCKS)),
        InputError,
        "affinity has its upper triangle only, and zeros in the other: expected every pair in both; pass "
        "symmetrize='max', which mirrors it (command line: --symmetrize max)",
    ),
    "triangle of distances": (
        lambda: of_matrix(np.tril(1 - BLOCKS), "precomputed_distance"),
        InputError,
        "distances has its lower triangle only, and zeros in the other: expected every pair in both; pass "
        "symmetrize='max', which mirrors it (command line: --symmetrize max)",
    ),
    "negative affinity": (
        lambda: of_matrix(BLOCKS - 0.25),
        InputError,
        "affinity[0, 3] = -0.25 is negative (and 17 more): an affinity is nonnegative: shift it, as (1 + s) / 2 of "
        "cosines and correlations, or clip it",
    ),
    "missing affinity": (
        lambda: of_matrix(with_entry(BLOCKS, 2, 2, np.nan)),
        InputError,
        "affinity[2, 2] = nan is NaN: pass missing='unobserved' if the pair was not observed",
    ),
    "no affinity": (
        lambda: of_matrix(0 * BLOCKS),
        InputError,
        "affinity is all zero: there is no evidence that any two items belong together; check that the right matrix "
        "was given",
    ),
    "affinities for distances": (
        lambda: of_matrix(BLOCKS, "precomputed_distance"),
        InputError,
        "distances[0, 0] = 1: the distance of an item from itself must be 0; is this an affinity? Then say "
        "affinity='precomputed' (command line: --input affinity)",
    ),
    "distances both ways": (
        lambda: of_matrix(with_entry(1 - BLOCKS, 0, 3, 2.0), "precomputed_distance"),
        InputError,
        "distances is not symmetric: distances[0, 3] = 2 and distances[3, 0] = 1; pass symmetrize='mean', 'max' "
        "or 'min' to say which one holds (command line: --symmetrize)",
    ),
    "condensed distances": (
        lambda: of_matrix(np.array([1.0, 2.0, 2.0]), "precomputed_distance"),
        InputError,
        "distances must be square (items x items), not of shape (3,): those of pairs, as from "
        "scipy.spatial.distance.pdist, go through scipy.spatial.distance.squareform first",
    ),
    "symmetrize of features": (
        lambda: of_matrix(X, "relative", symmetrize="mean"),
        InputError,
        "symmetrize='mean' needs a precomputed affinity or distances, not 'relative'",
    ),
    "Affinity for features": (
        lambda: SoF(2).fit(as_affinity(BLOCKS)),
        InputError,
        "an Affinity was given: pass affinity='precomputed'",
    ),
    "negative edge": (
        lambda: from_edges([0, 1], [1, 2], [1.0, -2.0]),
        InputError,
        "edge 1 (1, 2) has weight -2; expected 0 or more",
    ),
    "no membership": (
        lambda: Membership([[0.5, 0.5], [0.7, 0.2]]),
        InputError,
        "row 1 of the membership is not on the simplex: [0.7, 0.2]",
    ),
    # ---------------------------------------------------------------- parameters
    "K beyond N": (
        lambda: SoftClustering(5, affinity="neighbors", probabilities="fitted").fit(X[:3]),
        InputError,
        "n_clusters=5 is larger than the number of distinct items, 3 (n_samples = 3; command line: --k); ask for at "
        "most 3 clusters",
    ),
    "K beyond one": (
        lambda: SoftClustering(2, affinity="neighbors", probabilities="fitted").fit(np.ones((5, 2))),
        InputError,
        "n_clusters=2 is larger than the number of distinct items, 1 (n_samples = 5; command line: --k); ask for at "
        "most 1 cluster",
    ),
    "K of a factorization beyond N": (
        lambda: nmf(BLOCKS, 9),
        InputError,
        "n_clusters=9: expected a number from 1 to the number of items, 6",
    ),
    "unknown criterion": (
        lambda: SoftClustering("gravity", affinity="neighbors", probabilities="fitted").fit(X),
        ValueError,
        "The 'n_clusters' parameter of SoftClustering must be an int in the range [1, inf), 'auto' or the name of a "
        f"criterion ({CRITERIA}), an instance of 'tuple' or an instance of 'list'. Got 'gravity' instead.",
    ),
    "unknown builder": (
        lambda: SoF(2, affinity="gravity").fit(X),
        ValueError,
        "The 'affinity' parameter of SoF must be 'precomputed_distance' or the name of a builder "
        f"({BUILDERS}) or an instance of 'partita.affinity.evidence.Builder'. Got 'gravity' instead.",
    ),
    "name for a solver": (
        lambda: SoF(2, solver="projected-gradient").fit(X),
        ValueError,
        "The 'solver' parameter of SoF must be None or an instance of 'partita.solvers.base.Solver'. Got "
        "'projected-gradient' instead.",
    ),
    "solver of other factors": (
        lambda: SymNMF(2, solver=BaumEagon()).fit(X),
        InputError,
        "solver 'baum-eagon' works on simplex factors, and those of objective 'symnmf' are nonnegative; use "
        "coordinate-descent or copositive-update or projected-gradient or projected-newton or subspace",
    ),
    "unknown start": (
        lambda: SoF(2, start="gravity").fit(X),
        InputError,
        "start='gravity': expected one of 'dirichlet', 'kmeans', 'spectral', or an array",
    ),
    "unknown method": (
        lambda: Ensemble(methods=("gravity",)),
        InputError,
        "unknown method 'gravity': expected one of ['components', 'density', 'genie', 'graph', 'linkage', 'mixture', "
        "'modularity', 'mutual', 'spectral', 'walks']",
    ),
    "no tolerance": (
        lambda: SoftClustering(2, tol=-1, affinity="neighbors", probabilities="fitted").fit(X),
        ValueError,
        "The 'tol' parameter of SoftClustering must be a float in the range [0.0, inf). Got -1 instead.",
    ),
    "no threads": (
        lambda: SoF(2, n_jobs=0).fit(X),
        InputError,
        "n_jobs=0 has no meaning; expected None, a positive number, or -1 for every core",
    ),
    "option of a builder": (lambda: NeighborGraph(n_neighbors=0), InputError, "n_neighbors=0: expected at least 1"),
    "word for a number": (
        lambda: RelativeDistance(scale="wide"),
        InputError,
        "scale='wide': expected a positive number or 'balanced'",
    ),
    # ---------------------------------------------------------------- draws
    "unknown loss": (
        lambda: BayesianPartition("VI").fit([[0, 0, 1]]),
        InputError,
        f"loss='VI' is unknown: expected one of {LOSSES}; did you mean 'vi'?",
    ),
    "unknown sampler": (
        lambda: DPGaussianMixture("gibbs").fit(X),
        InputError,
        "unknown sampler 'gibbs': expected one of ['auxiliary', 'collapsed', 'slice']",
    ),
    "similarity for draws": (
        lambda: BayesianPartition().fit(np.eye(4)),
        InputError,
        "draws are a symmetric 4 x 4 matrix in [0, 1] with ones on its diagonal, which looks like a similarity matrix: "
        "pass the draws themselves (M x N labels); from the matrix alone there are min_binder, max_pear, min_vi, "
        "medvedovic, best_cut and search_partition with similarity=..., and expected_loss_from_similarity; if they are "
        "draws after all, pass the labels as integers",
    ),
    "draws with gaps": (
        lambda: BayesianPartition().fit([[0, np.nan, 1]]),
        InputError,
        "draws hold NaN: expected a label for each item, integers or strings; where NaN says that a draw lacks an "
        "item, pass missing='unobserved'",
    ),
    "draws of numbers": (
        lambda: BayesianPartition().fit([[0, 0.5, 1]]),
        InputError,
        "draws hold 0.5, which is no whole number: labels are integers or strings; were features or a similarity "
        "passed in place of draws?",
    ),
    "one partition for draws": (
        lambda: BayesianPartition().fit([0, 0, 1]),
        InputError,
        "draws must be M x N labels, a row for each draw; they have 1 dimension. One partition alone is [labels], a "
        "single row; were the labels of the estimate and the draws swapped?",
    ),
    "unit of no entropy": (
        lambda: BayesianPartition("binder", unit="nats").fit([[0, 0, 1]]),
        InputError,
        "loss='binder' has no unit: it is not an entropy but a share; leave out unit='nats'",
    ),
    # ---------------------------------------------------------------- what comes after a fit
    "not fitted": (
        lambda: SoF(2).predict(X),
        NotFittedError,
        "This SoF instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator.",
    ),
    "other features": (
        lambda: SoF(2, n_init=1, random_state=0).fit(X).predict(np.ones((2, 3))),
        ValueError,
        "X has 3 features, but SoF is expecting 2 features as input.",
    ),
    "labels of others": (
        lambda: purity([0, 1], [0, 1, 1]),
        InputError,
        "labels has 2 items and truth has 3; pass the same items in the same order",
    ),
    "model that is not there": (
        lambda: load("nowhere"),
        ModelError,
        "nowhere does not exist; pass an output folder of partita fit, or its model/",
    ),
    "model in the way": (
        lambda: save(SoF(2, n_init=1, random_state=0).fit(X), "."),
        InputError,
        ". already exists; pass the name of a new folder",
    ),
    "set that is not there": (
        lambda: load_dataset("glass", home="nowhere"),
        InputError,
        f"Glass identification is not at {Path('nowhere/uci/glass.csv')}; pass home=..., name the folder of the sets "
        "by PARTITA_DATA, or get it: partita.datasets.fetch_dataset('glass') downloads it from "
        "https://archive.ics.uci.edu/ml/machine-learning-databases/glass/glass.data",
    ),
    "extra that is missing": (
        lambda: require("no_such_package", extra="plot", purpose="a picture"),
        MissingExtraError,
        "a picture needs no_such_package, which is not installed: python -m pip install 'partita[plot]'",
    ),
}


@pytest.mark.parametrize("case", CALLS)
def test_an_error_says_what_came_and_what_to_do(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call, kind, message = CALLS[case]
    with pytest.raises(kind) as raised:
        call()
    holds(str(raised.value), message)


TOO_LARGE = {
    "features": (
        lambda: SoF(2).fit(np.arange(2000.0)[:, None]),
        "the affinity of every pair of 2,000 items needs 64.0 MB of memory and 1.0 MB are available; use a neighbour "
        "graph: affinity='neighbors' (command line: --affinity neighbors)",
    ),
    "affinity": (
        lambda: as_affinity([[0.0] * 2000] * 2000),
        "a dense 2,000 x 2,000 affinity needs 32.0 MB of memory and 1.0 MB are available; pass a scipy.sparse matrix, "
        "or use a neighbour graph (affinity='neighbors')",
    ),
    "draws": (
        lambda: posterior_similarity(np.zeros((2, 20_000), dtype=np.int8)),
        "a similarity matrix of 20,000 x 20,000 items needs 4.8 GB of memory and 1.0 MB are available; work on the "
        "draws themselves: partita.affinity.DrawsAffinity",
    ),
}


@pytest.mark.parametrize("case", TOO_LARGE)
def test_what_does_not_fit_into_memory_names_the_sparse_way(case, monkeypatch):
    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", "1000000")
    call, message = TOO_LARGE[case]
    with pytest.raises(MemoryLimitError) as raised:
        call()
    holds(str(raised.value), message)


WARNINGS = {
    "no convergence": (
        lambda: SoF(3, max_iter=1, tol=1e-12, n_init=1, random_state=0).fit(X),
        re.compile(
            r"the best restart stopped at max_iter with optimality \d\.\de-\d\d above tol=1e-12 after 1 iterations; "
            r"raise max_iter or max_seconds, or accept it"
        ),
    ),
    "chains that disagree": (
        lambda: BayesianPartition(random_state=0).fit(
            np.repeat([np.arange(12) // 6, np.arange(12) % 2], 40, axis=0), chain=np.repeat([0, 1], 40)
        ),
        re.compile(
            r"the chains disagree: chains 0 and 1 differ by 1\.00 in the probability that items 0 and 1 are together "
            r"\(0\.\d\d is what chance allows\); the distance to a central draw stays the same within each half of a "
            r"chain, and differs between them; do not pool them: run longer, start from elsewhere, or look at the modes"
        ),
    ),
}


@pytest.mark.parametrize("case", WARNINGS)
def test_a_warning_says_what_to_do(case):
    call, message = WARNINGS[case]
    with pytest.warns(ConvergenceWarning) as told:
        call()
    holds(str(told[0].message), message)


EXPECTED_K = "expected a whole number of clusters, bounds as in 2-12, auto, or a criterion as in --k eigengap"
TABLE = "a,b\n0,1\n1,0\n5,5\n6,5\n"
SCALE = ("2", "3", "4", "5 - yes")
FIT = ("fit", "t.csv", "--k", "2")
COMMANDS = {
    "no such file": (TABLE, ("fit", "nowhere.csv", "--k", "2"), "nowhere.csv does not exist; check the path"),
    "misspelt file": (TABLE, ("fit", "tt.csv", "--k", "2"), "tt.csv does not exist; did you mean 't.csv'?"),
    "folder for a file": (TABLE, ("fit", "out", "--k", "2"), "out is a folder; pass a file in it"),
    "output exists": (
        TABLE,
        (*FIT, "--out", "out"),
        "out already exists; pass --force to replace it, or choose another folder with --out",
    ),
    "empty file": ("", FIT, "t.csv is empty (0 bytes); expected at least one row"),
    "file of a mark alone": ("\ufeff", FIT, "t.csv is empty; expected at least one row"),
    "file of blank lines": ("\n\n", FIT, "t.csv is empty; expected at least one row"),
    "header alone": ("a,b\n", FIT, "t.csv has a header and no rows; expected at least one row of data"),
    "ragged rows": (
        "a,b\n0,1\n1\n5,5\n",
        FIT,
        "t.csv, line 3: expected 2 cells as in the first row, found 1; fill in or take out cells (a cell that contains "
        "',' needs quotes)",
    ),
    "missing cell": (
        "a,b\n0,1\n1,nan\n5,5\n",
        (*FIT, "--affinity", "neighbors"),
        "t.csv: 1 cell is missing (empty or NaN): line 3, column 'b'; fill it in, leave out this row, or pass "
        "--missing unobserved",
    ),
    "text column": (
        "a,b\n0,x\n1,x\n5,z\n",
        (*FIT, "--affinity", "neighbors"),
        "t.csv: column 'b' should hold numbers, 3 of 3 cells are text, the first in line 2: 'x'; if it names the items "
        "pass --id-column b, if it holds the true classes pass --label-column b, otherwise --drop b, use --affinity "
        "ensemble, or code it as numbers",
    ),
    "truth among the features": (
        "a,label\n0,1\n1,0\n5,5\n",
        FIT,
        "t.csv: column 'label' looks like the truth and would leak in as a feature; pass --label-column label or "
        "--drop label, or, if it is a feature, name the features with --columns",
    ),
    "column of dates": (
        "a,when\n1,2024-01-05\n2,2024-01-07\n9,2024-02-01\n",
        (*FIT, "--columns", "a,when"),
        "column 'when' of t.csv holds dates, as '2024-01-05': leave the column out, or replace them by numbers that "
        "matter, such as the days since a date or the hour of the day, or make the column one of categories (a frame: "
        "its type; command line: --categories)",
    ),
    "words at the ends of a scale": (
        "a,b\n" + "".join(f"{SCALE[i % 4]},{SCALE[(i + 1) % 4]}\n" for i in range(40)),
        FIT,
        "t.csv: column 'a' should hold numbers, 10 of 40 cells are text, the first in line 5: '5 - yes' (text is also "
        "in 'b'); pass --categories a,b if the columns hold categories, or write the number alone where it has words",
    ),
    "grams among kilograms": (
        "a,weight\n" + "".join(f"{i % 9},{i * 1.5:g} {'kg' if i % 3 else 'g'}\n" for i in range(1, 40)),
        (*FIT, "--columns", "a,weight"),
        "column 'weight' of t.csv holds numbers in units 'g' and 'kg': write them all in one",
    ),
    "triangle for features": (
        "a,b,c,d,e\n0,0,0,0,0\n1,0,0,0,0\n2,3,0,0,0\n4,5,6,0,0\n7,8,9,1,0\n",
        FIT,
        "t.csv holds one triangle of a square matrix, and the other is zeros or empty: write both, and pass --input "
        "distances or --input affinity; or pass --input features if its columns are features",
    ),
    "unknown column": (
        TABLE,
        (*FIT, "--label-column", "species"),
        "t.csv has no column 'species' for --label-column; it has a, b",
    ),
    "repeated names": (
        "a,a,b\n1,2,3\n4,5,6\n",
        (*FIT, "--columns", "a"),
        "t.csv: --columns a may be any of 2 columns of that name; give each its own name in the file",
    ),
    "nothing left": (
        TABLE,
        (*FIT, "--drop", "*"),
        "t.csv: no column is left as a feature after --drop '*'; expected at least one",
    ),
    "mark that is in no line": (
        "a,b\n1,2\n3,4\n",
        (*FIT, "--delimiter", ";"),
        "t.csv: the mark of --delimiter is not in it; its cells seem to be separated by commas",
    ),
    "wrong encoding": (
        "a,b\n1,2\n3,4\n",
        (*FIT, "--encoding", "utf-16"),
        "t.csv has a single line when it is read as utf-16, and its bytes are utf-8; correct --encoding",
    ),
    "unknown encoding": (
        TABLE,
        (*FIT, "--encoding", "klingon"),
        "--encoding klingon: expected the name of an encoding, such as utf-8, cp1252 or utf-16",
    ),
    "links": (
        "from,to\na,b\nb,c\n",
        FIT,
        "t.csv: the columns from and to look like the links of a graph, which `partita fit` reads with --input edges; "
        "if they are features, name them: --columns from,to",
    ),
    "links by what they hold": (
        "left,right,match\n" + "".join(f"r{i},r{(i * 7 + 3) % 30},0.{i % 9 + 1}\n" for i in range(30)),
        FIT,
        "t.csv: the columns left and right look like the links of a graph, which `partita fit` reads with --input "
        "edges; if they are features, name them: --columns left,right,match",
    ),
    "links with distances": (
        "from,to,distance\na,b,3\nb,c,1\n",
        (*FIT, "--input", "edges"),
        "t.csv: column 'distance' holds distances by its name, and there is none of weights, larger for items that are "
        "more alike: write 1 / (1 + distance) in a column called weight, or pass the matrix of all distances with "
        "--input distances; without that column every pair has weight 1",
    ),
    "negative weight": (
        "source,target,weight\na,b,-1\nb,c,1\n",
        (*FIT, "--input", "edges"),
        "t.csv, line 2: the weight of 'a' and 'b' is -1; weights should be finite and not negative; correct or leave "
        "out this row",
    ),
    "word for missing": (
        "a,b\n0,1\n*,0\n5,5\n",
        FIT,
        "t.csv: column 'a' should hold numbers, 1 of 3 cells is text, the first in line 3: '*'; correct that cell, or "
        "pass --na '*' if that means missing",
    ),
    "another file": (TABLE, ("fit", "nofile.csv", "--k", "2"), "nofile.csv does not exist; check the path"),
    "two items of one name": (
        "n,a\nx,1\nx,2\ny,3\n",
        (*FIT, "--id-column", "n"),
        "t.csv: id 'x' of column 'n' stands in line 2 and in line 3; give every item its own id, or leave out "
        "--id-column",
    ),
    "no clusters": (TABLE, ("fit", "t.csv", "--k", "0"), "--k 0: at least one cluster is needed"),
    "word for K": (
        TABLE,
        ("fit", "t.csv", "--k", "many"),
        f"--k many: {EXPECTED_K}; the other criteria are {', '.join(sorted({*Criterion.registry} - {'eigengap'}))}",
    ),
    "fraction for K": (TABLE, ("fit", "t.csv", "-k", "3.0"), f"--k 3.0: {EXPECTED_K}; did you mean '3'?"),
    "capital for K": (TABLE, ("fit", "t.csv", "-k", "Auto"), f"--k Auto: {EXPECTED_K}; did you mean 'auto'?"),
    "bounds turned round": (
        TABLE,
        ("fit", "t.csv", "-k", "5-2"),
        "--k 5-2: expected bounds of at least 1, the smaller first, as in 2-12",
    ),
    "metric misspelt": (
        TABLE,
        (*FIT, "--metric", "cosin"),
        f"--metric cosin: expected one of {', '.join(get_args(Metric))}; did you mean 'cosine'?",
    ),
    "limits and words among numbers": (
        "n,a,b\nw,0,1\nx,<0.5,3\ny,n.d.,2\nz,5,5\n",
        (*FIT, "--na", "-9"),
        "t.csv: column 'a' should hold numbers, 2 of 4 cells are text, the first in line 3: '<0.5'; write the number "
        "that is to stand for '<0.5', or pass --na '-9,<0.5,n.d.' if these mean missing",
    ),
    "limits with a decimal comma": (
        "n;a;b\nw;0,5;1\nx;<0,5;3\ny;1,5;2\nz;5,5;5\n",
        FIT,
        "t.csv: column 'a' should hold numbers, 1 of 4 cells is text, the first in line 3: '<0,5'; write the number "
        "that is to stand for '<0,5', or pass --na '\"<0,5\"' if that means missing",
    ),
    "words among codes": (
        "n,falls risk,b\nw,0,1\nx,3+,3\ny,3+,2\nz,1,5\nu,2,7\n",
        FIT,
        "t.csv: column 'falls risk' should hold numbers, 2 of 5 cells are text, the first in line 3: '3+'; pass "
        "--categories 'falls risk' if the column holds categories, or pass --na 3+ if that means missing",
    ),
    "row without a value": (
        "n,a,b\nw,0,1\nx,1,0\ny,,\nz,5,5\n",
        (*FIT, "--affinity", "neighbors", "--missing", "unobserved"),
        "t.csv: line 4 has no value: leave it out, or fill cells in",
    ),
    "triangle of a file": (
        "0\n1,0\n2,3,0\n",
        (*FIT, "--input", "distances"),
        "t.csv holds the lower triangle of a matrix (its first rows have 1 and 2 cells): expected the distances of "
        "every pair of items, as many cells in each row as there are rows; write the whole square (R: as.matrix(d); "
        "SciPy: squareform)",
    ),
    "upper triangle of a file": (
        "1,2,3\n4,5\n6\n",
        (*FIT, "--input", "distances"),
        "t.csv holds the upper triangle of a matrix (its first rows have 3 and 2 cells): expected the distances of "
        "every pair of items, as many cells in each row as there are rows; write the whole square (R: as.matrix(d); "
        "SciPy: squareform)",
    ),
    "triangle with empty cells": (
        "0,4,2\n,0,3\n,,0\n",
        (*FIT, "--input", "distances"),
        "t.csv holds the upper triangle of a matrix, and its other cells are empty: expected the distances of every "
        "pair of items in both; write the whole square (R: as.matrix(d); SciPy: squareform)",
    ),
    "lower triangle with empty cells": (
        "0,,\n1,0,\n2,3,0\n",
        (*FIT, "--input", "distances"),
        "t.csv holds the lower triangle of a matrix (its first rows have 1 and 2 cells): expected the distances of "
        "every pair of items, as many cells in each row as there are rows; write the whole square (R: as.matrix(d); "
        "SciPy: squareform)",
    ),
    "affinity that is not square": (
        "0,1,2\n1,0,3\n",
        (*FIT, "--input", "affinity"),
        "t.csv: affinity should be a square matrix, one row and one column per item; it is 2 x 3; for a table of "
        "features pass --input features",
    ),
    "pair of two weights": (
        "a,b,1\nb,a,2\n",
        (*FIT, "--input", "edges"),
        "t.csv: the pair 'a', 'b' weighs 1 in line 1 and 2 in line 2; give each pair one weight (the direction does "
        "not count), or pass symmetrize='mean', 'max' or 'min' (command line: --symmetrize mean, max or min)",
    ),
    "column of labels": (
        "a,b\n1,2\n",
        ("score", "t.csv", "t.csv", "--found-column", "a"),
        "t.csv: expected a column 'label', or one column only; it has a, b; call the column with the labels 'label', "
        "or say which it is with --label-column NAME",
    ),
    "chains that do not fit": (
        "1,1,2\n1,1,1\n",
        ("partition", "t.csv", "--chains", "3"),
        "--chains 3: 2 draws cannot be 3 chains of one length: expected a number that divides 2",
    ),
    "unknown model": (
        TABLE,
        (*FIT, "--model", "spektral"),
        "--model spektral: expected one of soft, sof, baum-eagon, symnmf, copositive, kernel-kmeans, spectral, scams; "
        "did you mean 'spectral'?",
    ),
    "word for a number": (TABLE, (*FIT, "--seed", "many"), "--seed many: expected a whole number from 0 to 4294967295"),
    "number out of range": (TABLE, (*FIT, "--n-init", "0"), "--n-init 0: expected a whole number of at least 1"),
    "word of two": (TABLE, (*FIT, "--missing", "no"), "--missing no: expected error or unobserved"),
    "unknown solver": (
        TABLE,
        (*FIT, "--solver", "magic"),
        "--solver magic: expected one of baum-eagon, block-coordinate, coordinate-descent, copositive-update, "
        "eigenvectors, exponentiated-gradient, kernel-kmeans, penalty, projected-gradient, projected-newton, subspace",
    ),
    "unknown affinity": (
        TABLE,
        (*FIT, "--affinity", "magic"),
        "--affinity magic: expected one of ensemble, landmarks, local-metric, lrr, neighbors, nystrom, "
        "random-features, relative, ssc, ssc-omp",
    ),
    "option that says nothing": (
        "1,1\n1,1\n",
        (*FIT, "--input", "affinity", "--metric", "cosine"),
        "--metric builds an affinity, and --input affinity already is one",
    ),
    "unknown loss": (
        "1,1,2\n1,1,1\n",
        ("partition", "t.csv", "--loss", "VI"),
        f"--loss VI: expected one of {', '.join(sorted(PartitionLoss.registry))}; did you mean 'vi'?",
    ),
    "draw with a gap": (
        "1,1,2\n1,,2\n",
        ("partition", "t.csv"),
        "t.csv, line 2: draw 1 has no label for item 1: every draw labels every item; if it lacks the item, say "
        "missing='unobserved' (command line: --missing unobserved)",
    ),
}


@pytest.mark.parametrize("case", COMMANDS)
def test_a_command_says_in_one_line_what_is_wrong(case, tmp_path, monkeypatch, capsys):
    content, arguments, message = COMMANDS[case]
    assert said_by(tmp_path, monkeypatch, capsys, content, arguments) == f"partita: error: {message}\n"


def test_missing_cells_of_new_items_are_not_answered_with_an_option_of_another_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    save(SoF(2, n_init=1, random_state=0).fit(X), "model")
    arguments = ("predict", "model", "t.csv", "--out", "new.csv")
    assert said_by(tmp_path, monkeypatch, capsys, "a,b\n0,1\n1,\n", arguments) == (
        "partita: error: t.csv: 1 cell is missing (empty or NaN): line 3, column 'b'; fill it in, or leave out this "
        "row: the model was fitted on complete rows (partita fit --missing unobserved makes one that takes missing "
        "cells)\n"
    )


def test_one_cluster_is_not_told_in_the_plural(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(TABLE)
    with pytest.raises(SystemExit):
        main(["fit", "t.csv", "-k", "1", "--affinity", "neighbors"])
    assert "4 items are one cluster.\n" in capsys.readouterr().out


USAGE = {
    "unknown option": (
        (*FIT, "--flavour", "red"),
        "There is no option --flavour; --help-all lists those that there are.",
    ),
    "option misspelt": ((*FIT, "--symetrize", "mean"), "There is no option --symetrize; did you mean --symmetrize?"),
    "option by meaning": (("fit", "t.csv", "--n-clusters", "2"), "There is no option --n-clusters; did you mean --k?"),
    "option like none": (
        ("partition", "t.csv", "--burnin", "5"),
        "There is no option --burnin; --help-all lists those that there are.",
    ),
    "output by meaning": ((*FIT, "--output", "o"), "There is no option --output; did you mean --out?"),
    "no file": (("fit", "--k", "2"), "Missing argument 'FILE'."),
    "unknown command": (("cluster", "t.csv"), "No such command 'cluster'."),
}


@pytest.mark.parametrize("case", USAGE)
def test_a_command_that_is_misspelt_names_the_help(case, tmp_path, monkeypatch, capsys):
    arguments, message = USAGE[case]
    said = said_by(tmp_path, monkeypatch, capsys, TABLE, arguments)
    assert said.endswith(f"Error: {message}\n")
    assert "--help' for help." in said


def test_a_second_file_of_draws_is_answered_with_how_chains_are_joined(tmp_path, monkeypatch, capsys):
    said = said_by(tmp_path, monkeypatch, capsys, TABLE, ("partition", "t.csv", "u.csv"))
    assert said.endswith(
        "u.csv): join the files of several chains into one, with a column called chain, or one after the other with "
        "--chains\n"
    )


def said_by(folder, monkeypatch, capsys, content, arguments):
    """What a command writes to stderr, beside a table and a folder `out`, and that it ends as for a wrong input."""
    monkeypatch.chdir(folder)
    (folder / "t.csv").write_text(content)
    (folder / "out").mkdir()
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert ended.value.code == 2
    return capsys.readouterr().err


def holds(said, message):
    assert message.fullmatch(said) if isinstance(message, re.Pattern) else said == message, said
