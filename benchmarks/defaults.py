"""How the defaults of SoftClustering were chosen: the grid, mean accuracy over both families of sets.

    PARTITA_DATA=... python benchmarks/defaults.py

One setting for all sets at once; no setting is chosen for a set. Differences of .01-.03 are within noise.
"""

from __future__ import annotations

import itertools

import numpy as np

from partita import SoftClustering, metrics
from partita.affinity import NeighborGraph
from sets import REAL, development, load

if __name__ == "__main__":
    families = {"development": development(), "real tables": list(REAL)}
    print(
        "| neighbours | weights | steps | "
        + " | ".join(f"{f}, {s}" for f in families for s in ("free", "equal"))
        + " |"
    )
    print("|---|---|---|" + "---|" * 4)
    loaded = {name: load(name) for names in families.values() for name in names}
    for k, weights, steps in itertools.product((10, 15), ("gaussian", "laplacian"), (1, 4, 8, 16)):
        cells = []
        for names, sizes in itertools.product(families.values(), ("free", "equal")):
            scores = []
            for name in names:
                X, y, n_clusters = loaded[name]
                graph = NeighborGraph(n_neighbors=k, weights=weights)
                model = SoftClustering(
                    n_clusters, affinity=graph, steps=steps, sizes=sizes, probabilities="fitted"
                ).fit(X)
                scores.append(metrics.accuracy(model.labels_, y))
            cells.append(f"{np.mean(scores):.3f}")
        print(f"| {k} | {weights} | {steps} | " + " | ".join(cells) + " |", flush=True)
