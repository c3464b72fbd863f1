"""Products with P that the default solver needs, with its parts switched off one by one.

    PARTITA_DATA=... python benchmarks/solver_products.py

Medians over six starts, to the default tolerance; the mean objective reached stands beside them.
"""

from __future__ import annotations

import warnings

import numpy as np

from partita import SoF, SoftClustering
from partita.solvers import ProjectedGradient
from sets import load

SOLVERS = {
    "default": ProjectedGradient(),
    "decay .9": ProjectedGradient(decay=0.9),
    "no momentum": ProjectedGradient(accelerate=False),
}
CASES = {
    "iris, SoF": ("uci/iris.csv", lambda k, s: SoF(k, n_init=6, random_state=0, solver=s)),
    "glass, SoF": ("uci/glass.csv", lambda k, s: SoF(k, n_init=6, random_state=0, solver=s)),
    "ecoli, SoF": ("uci/ecoli.csv", lambda k, s: SoF(k, n_init=6, random_state=0, solver=s)),
    "digits, SoF": ("sklearn:load_digits", lambda k, s: SoF(k, n_init=6, random_state=0, solver=s)),
    "digits, SoftClustering": (
        "sklearn:load_digits",
        lambda k, s: SoftClustering(k, n_init=6, random_state=0, solver=s),
    ),
}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print("| case | " + " | ".join(f"{name}: products (objective)" for name in SOLVERS) + " |")
    print("|---|" + "---|" * len(SOLVERS))
    for case, (name, make) in CASES.items():
        X, _, k = load(name)
        cells = []
        for solver in SOLVERS.values():
            model = make(k, solver).fit(X)
            restarts = model.result_.restarts
            products = np.median([r.n_products for r in restarts]) / model.affinity_.products
            cells.append(f"{products:.0f} ({np.mean([r.objective for r in restarts]):.2f})")
        print(f"| {case} | " + " | ".join(cells) + " |", flush=True)
