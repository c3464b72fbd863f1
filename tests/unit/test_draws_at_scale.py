"""Draws held as labels: whatever holds them and however the work is cut, the answer is that of the N x N matrix."""

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from partita import SoF
from partita.affinity import DrawsAffinity, LowRankAffinity, draws, label_blocks, label_products
from partita.affinity.label_blocks import LabelBlocks
from partita.affinity.norm_estimate import estimated_squared_norm
from partita.errors import InputError, MemoryLimitError
from partita.kernels import agreement
from partita.kernels.threads import limit_threads
from partita.metrics import adjusted_rand_index
from partita.solvers.spectral import leading_eigenvectors
from synthetic import draws_around

# Sums of a few hundred numbers of about one: rounding is below 1e-13.
ROUNDING = 1e-12


@pytest.fixture
def by_labels(monkeypatch):
    """Take the way of large inputs at any size: labels, compiled, and P never formed."""
    monkeypatch.setattr(draws, "COMPILED_FROM", 0)
    monkeypatch.setattr(draws, "FORMED_UP_TO", 0)
    return monkeypatch


def similarity(labels, weights=None):
    """The posterior similarity matrix, pair by pair."""
    labels = np.asarray(labels)
    v = np.ones(len(labels)) if weights is None else np.asarray(weights)
    return sum(share * (row[:, None] == row) for share, row in zip(v / v.sum(), labels))


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=ROUNDING, atol=ROUNDING * max(1.0, np.abs(expected).max()))


def agrees(P, matrix, rng):
    """Everything an affinity offers, against the matrix."""
    n = len(matrix)
    for width in (1, 4, 7, 33, 70):
        W = rng.normal(size=(n, width))
        close(P @ W, matrix @ W)
    index = rng.integers(0, n, 5)
    close(P.rows(index), matrix[index])
    close(P.to_dense(), matrix)
    i, j = rng.integers(0, n, (2, 40))
    close(P.entries(i, j), matrix[i, j])
    close(P.row_sums(), matrix.sum(axis=1))
    np.testing.assert_array_equal(P.diagonal(), np.ones(n))
    f = rng.random(n) + 0.5
    scaled = P.scaled(f)
    close(scaled @ W, (f[:, None] * matrix * f) @ W)
    close(scaled.rows(index), (f[:, None] * matrix * f)[index])
    close(scaled.entries(i, j), (f[:, None] * matrix * f)[i, j])
    assert P.squared_norm_is_exact
    assert P.squared_norm() == pytest.approx((matrix**2).sum(), rel=ROUNDING)
    assert P.squared_norm(f) == pytest.approx(f @ matrix**2 @ f, rel=ROUNDING)
    assert scaled.squared_norm(f) == pytest.approx(f**3 @ matrix**2 @ f**3, rel=ROUNDING)


# What holds the labels


class Store:
    """Something that is neither in memory nor NumPy: rows come when they are asked for, and few at a time."""

    def __init__(self, labels, most=np.inf, chunks=None):
        self._labels, self.most, self.asked = labels, most, []
        self.shape, self.dtype = labels.shape, labels.dtype
        if chunks is not None:
            self.chunks = chunks

    def __getitem__(self, rows):
        assert isinstance(rows, slice)
        part = self._labels[rows]
        assert len(part) <= self.most
        self.asked.append((rows.start, rows.start + len(part)))
        return part


def memory_mapped(labels, folder):
    np.save(folder / "draws.npy", labels)
    return np.load(folder / "draws.npy", mmap_mode="r")


def zarr_array(labels, folder):
    zarr = pytest.importorskip("zarr")
    array = zarr.open(str(folder / "draws.zarr"), mode="w", shape=labels.shape, dtype=labels.dtype, chunks=(3, 40))
    array[:] = labels
    return zarr.open(str(folder / "draws.zarr"), mode="r")


def dask_array(labels, _folder):
    return pytest.importorskip("dask.array").from_array(labels, chunks=(4, 50))


HOLDERS = {
    "in memory": lambda labels, _: labels,
    "columns first": lambda labels, _: np.asfortranarray(labels),
    "every other row": lambda labels, _: np.repeat(labels, 2, axis=0)[::2],
    "big-endian": lambda labels, _: labels.astype(labels.dtype.newbyteorder(">")),
    "list": lambda labels, _: labels.tolist(),
    "list of draws": lambda labels, _: list(labels),
    "memory-mapped": memory_mapped,
    "zarr": zarr_array,
    "dask": dask_array,
    "a store": lambda labels, _: Store(labels),
}


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "float64"])
@pytest.mark.parametrize("holder", HOLDERS)
def test_whatever_holds_the_labels_the_affinity_is_the_share_of_being_together(holder, dtype, by_labels, tmp_path):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 7, size=(11, 130)).astype(dtype)
    agrees(DrawsAffinity(HOLDERS[holder](labels, tmp_path)), similarity(labels), rng)
    v = rng.random(11)
    weighted = DrawsAffinity(HOLDERS[holder](labels, tmp_path), v)
    W = rng.normal(size=(130, 3))
    close(weighted @ W, similarity(labels, v) @ W)
    close(weighted.rows([3, 60]), similarity(labels, v)[[3, 60]])
    assert weighted.squared_norm() == pytest.approx((similarity(labels, v) ** 2).sum(), rel=ROUNDING)


@pytest.mark.parametrize(
    "labels",
    [
        np.array([["x", "x", "y", "z"], ["b", "a", "b", "a"]]),
        np.array([["x", 1, 1, "x"], ["b", "a", "b", "a"]], dtype=str),
        np.array([[-5, -5, 900, 7], [3, 3, 3, 3]]),
        np.array([[2**62, 2**62, -(2**62), 0], [1, 2, 3, 4]]),
        np.array([[2**64 - 1, 2**64 - 1, 0, 5], [9, 8, 7, 6]], dtype=np.uint64),
        np.array([[-128, 127, 127, -1], [0, 1, 1, 0]], dtype=np.int8),
        np.array([[True, False, True, True]]),
        np.array([[1.0, 2.0, -3.0, 1.0]]),
    ],
)
def test_any_labels_are_numbered_draw_by_draw(labels, by_labels):
    found = LabelBlocks(labels)
    for _, block in found:
        for b, row in enumerate(block):
            assert set(row) == set(range(found.n_clusters[b]))
            np.testing.assert_array_equal(row, np.unique(labels[b], return_inverse=True)[1])
    close(DrawsAffinity(labels).to_dense(), similarity(labels))


@pytest.mark.parametrize(("n_clusters", "dtype"), [(128, "int8"), (129, "int16"), (32768, "int16"), (32769, "int32")])
def test_labels_take_the_fewest_bytes_that_hold_them(n_clusters, dtype):
    labels = np.arange(n_clusters, dtype=np.int64)
    assert LabelBlocks(labels[None]).dtype == dtype
    assert LabelBlocks(labels[None] - 5).dtype == dtype  # numbered anew, the third draw the first to need the bytes
    few = np.zeros((3, n_clusters), dtype=np.int64) - 1
    few[2] += labels
    blocks = LabelBlocks(few)
    assert blocks.dtype == dtype
    np.testing.assert_array_equal(np.concatenate([block for _, block in blocks]), few - few.min(axis=1)[:, None])


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32])
def test_small_integers_from_zero_are_used_where_they_are(dtype, by_labels):
    labels = np.random.default_rng(0).integers(0, 9, size=(40, 1000)).astype(dtype)
    by_labels.setattr(label_blocks, "BLOCK_BYTES", 5 * 1000 * labels.itemsize)
    store = Store(labels, most=5)
    P = DrawsAffinity(store)
    W = np.random.default_rng(1).random((1000, 4))
    store.asked.clear()
    close(P @ W, similarity(labels) @ W)
    assert store.asked == [(low, low + 5) for low in range(0, 40, 5)]  # each label read once, and few at a time
    P.squared_norm()
    P.rows([1, 2])
    P.entries(np.array([1]), np.array([2]))


def test_a_store_is_read_in_its_own_chunks(by_labels):
    labels = np.random.default_rng(0).integers(0, 9, size=(40, 1000)).astype(np.int8)
    W = np.random.default_rng(1).random((1000, 4))
    for bytes_at_a_time, chunks, expected in ((7000, (3, 1000), 6), (1000, (8, 500), 8), (7000, ((10, 10, 20), 1), 20)):
        by_labels.setattr(label_blocks, "BLOCK_BYTES", bytes_at_a_time)
        store = Store(labels, chunks=chunks)
        P = DrawsAffinity(store)
        store.asked.clear()
        close(P @ W, similarity(labels) @ W)
        assert max(high - low for low, high in store.asked) == expected


# How the work is cut


@pytest.mark.parametrize("seed", range(12))
def test_however_the_work_is_cut_nothing_is_lost_or_counted_twice(seed, by_labels):
    rng = np.random.default_rng(seed)
    for name, sizes in {
        "ITEMS_A_CELL": (1, 16),  # groups of several draws, or of one
        "GROUP_BYTES": (1 << 9, 1 << 15),
        "TABLE_BYTES": (1 << 10, 1 << 23),  # runs of a quad, or one run
        "ITEMS": (16, 1 << 14),  # parts of the items with tables of their own
        "ITEM_CHUNK": (32, 4096),
        "ROW_BLOCK": (16, 256),
    }.items():
        by_labels.setattr(label_products, name, sizes[rng.integers(2)])
    by_labels.setattr(label_blocks, "BLOCK_BYTES", int(rng.choice([400, 3000, 1 << 26])))
    n = int(rng.integers(1, 300))
    labels = rng.integers(0, rng.integers(1, 30), size=(int(rng.integers(1, 60)), n))
    labels = labels[:, rng.integers(0, n, n)] if seed % 2 else np.sort(labels, axis=1)
    v = None if seed % 3 else rng.random(len(labels))
    matrix = similarity(labels, v)
    agrees(DrawsAffinity(labels, v), matrix, rng)
    # Both ways to the norm, whichever is the cheaper here.
    blocks, w = LabelBlocks(labels), rng.random(n)
    shares = np.ones(len(labels)) if v is None else v
    for way in (label_products._by_rows, label_products._by_tables):
        assert way(blocks, shares / shares.sum(), w) == pytest.approx(w @ matrix**2 @ w, rel=ROUNDING)


def test_more_than_a_byte_of_draws_are_counted_whole(by_labels):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, size=(2 * agreement.BYTE + 3, 40))
    labels[:, :20] = 0  # together in all draws: a count beyond what a byte holds
    close(DrawsAffinity(labels).to_dense(), similarity(labels))


@pytest.mark.parametrize("width", [1, 5, 16, 40])
def test_the_bits_do_not_depend_on_the_number_of_threads(width, by_labels):
    rng = np.random.default_rng(0)
    by_labels.setattr(label_products, "ITEMS", 100)
    by_labels.setattr(label_products, "ITEM_CHUNK", 64)
    by_labels.setattr(label_products, "TABLE_BYTES", 1 << 14)
    P = DrawsAffinity(rng.integers(0, 6, size=(90, 900)), rng.random(90))
    W = rng.normal(size=(900, width))
    answers = []
    for threads in (1, 2, 3):
        with limit_threads(threads):
            answers.append((P @ W, P.rows(np.arange(50)), np.array(P.squared_norm())))
    for other in answers[1:]:
        for one, two in zip(answers[0], other):
            np.testing.assert_array_equal(one, two)


# Values


def test_equal_weights_give_whole_shares(by_labels):
    labels = np.random.default_rng(0).integers(0, 3, size=(10, 50))
    counts = (labels[:, :, None] == labels[:, None, :]).sum(axis=0)
    P = DrawsAffinity(labels)
    np.testing.assert_array_equal(P.to_dense(), counts / 10)
    assert P.kind == "probability"
    assert P.scaled(np.full(50, 2.0)).kind == "similarity"


@pytest.mark.parametrize("few_draws", [0, 50])
def test_hard_and_soft_draws_mix(few_draws, by_labels):
    by_labels.setattr(draws, "FEW_DRAWS", few_draws)
    rng = np.random.default_rng(0)
    soft = [rng.dirichlet(np.ones(k), size=60) for k in (2, 5)]
    hard = rng.integers(0, 4, size=(3, 60))
    v = np.array([1.0, 2.0, 0.5, 3.0, 0.0])
    given = [hard[0], soft[0], hard[1], soft[1], hard[2]]
    P = DrawsAffinity(given, v)
    v = v / v.sum()
    terms = [Q @ Q.T if Q.ndim == 2 else (Q[:, None] == Q).astype(float) for Q in given]
    matrix = sum(share * term for share, term in zip(v, terms))
    W, w, i = rng.normal(size=(60, 3)), rng.random(60), np.arange(60)
    close(P @ W, matrix @ W)
    close(P.to_dense(), matrix)
    close(P.diagonal(), matrix.diagonal())
    close(P.entries(i, i[::-1]), matrix[i, i[::-1]])
    assert P.squared_norm_is_exact
    assert P.squared_norm() == pytest.approx((matrix**2).sum(), rel=ROUNDING)
    assert P.squared_norm(w) == pytest.approx(w @ matrix**2 @ w, rel=ROUNDING)
    close((P.factor @ P.factor.T).toarray(), matrix)


@pytest.mark.parametrize("n_soft", [0, 2])
def test_eigenvectors_and_norm_of_a_few_draws_come_from_their_factor(n_soft, by_labels):
    rng = np.random.default_rng(n_soft)
    soft = rng.dirichlet(np.full(3, 0.3), size=(n_soft, 400))
    hard = draws_around(np.repeat(np.arange(4), 100), 9, 0.2)
    P = DrawsAffinity([*hard, *soft], rng.random(9 + n_soft))
    matrix, w = P.to_dense(), rng.random(400)
    by_labels.setattr(DrawsAffinity, "__matmul__", None)
    values, vectors = leading_eigenvectors(P.scaled(np.sqrt(w)), 4)
    expected = np.linalg.eigvalsh(np.sqrt(w)[:, None] * matrix * np.sqrt(w))[::-1][:4]
    close(values, expected)
    close(vectors.T @ vectors, np.eye(4))
    if n_soft:
        close(P.squared_norm(w), w @ matrix**2 @ w)
        assert P.squared_norm_is_exact


def test_the_long_factor_of_many_draws_is_not_made(by_labels):
    labels = draws_around(np.repeat([0, 1], 30), 51, 0.2)
    assert DrawsAffinity(labels).as_low_rank() is None
    assert DrawsAffinity(labels[:50]).as_low_rank() is not None
    assert DrawsAffinity([np.arange(600), np.arange(600)]).as_low_rank() is None


def test_the_factor_is_one_of_the_matrix():
    labels = np.random.default_rng(0).integers(0, 5, size=(7, 30))
    v = np.arange(1.0, 8.0)
    F = DrawsAffinity(labels, v).factor
    close((F @ F.T).toarray(), similarity(labels, v))
    assert F.nnz == 7 * 30


def test_many_draws_of_few_items_become_the_matrix():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, size=(200, 40))
    P = DrawsAffinity(labels)
    agrees(P, similarity(labels), rng)
    assert P.multiplications == 40**2
    assert DrawsAffinity(labels[:20]).multiplications == 2 * 20 * 40


def test_few_labels_need_no_compiler():
    code = (
        "import sys, numpy as np; from partita.affinity import DrawsAffinity; rng = np.random.default_rng(0);"
        "P = DrawsAffinity(rng.integers(0, 5, (20, 900)));"
        "P @ np.ones((900, 3)); P.squared_norm(); P.rows([0]); P.scaled(np.ones(900)).row_sums();"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# The norm


def posterior(rng, M, N, K=8):
    """Draws about a truth that some items are unsure of."""
    truth, doubt = rng.integers(0, K, N), rng.beta(1, 3, N)
    return draws_around(truth, M, doubt, K=K, seed=rng).astype(np.int8), truth


def test_the_estimated_norm_is_within_its_stated_error(by_labels):
    labels, _ = posterior(np.random.default_rng(0), 60, 3000)
    w = np.random.default_rng(1).random(3000)
    P = DrawsAffinity(labels)
    exact, weighted = P.squared_norm(), P.squared_norm(w)
    assert P.squared_norm_is_exact
    by_labels.setattr(draws, "EXACT_UP_TO", 1e3)
    P = DrawsAffinity(labels)
    assert not P.squared_norm_is_exact
    assert not P.scaled(w).squared_norm_is_exact
    # 0.4% is stated; a posterior is nearly of low rank, so that far less is left to chance.
    assert P.squared_norm() == pytest.approx(exact, rel=0.004)
    assert P.squared_norm(w) == pytest.approx(weighted, rel=0.004)
    assert P.squared_norm() == estimated_squared_norm(P)
    assert P.squared_norm() == P.squared_norm()


def test_the_norm_takes_the_cheaper_way(by_labels):
    calls = []
    for way in ("_by_rows", "_by_tables"):
        by_labels.setattr(label_products, way, lambda *_, way=way: calls.append(way) or 0.0)
    rng = np.random.default_rng(0)
    DrawsAffinity(rng.integers(0, 3, size=(500, 30))).squared_norm()  # N^2 M is far below M^2 N
    DrawsAffinity(rng.integers(0, 3, size=(2, 2000))).squared_norm()
    assert calls == ["_by_rows", "_by_tables"]


# Fits


def test_a_fit_from_draws_is_the_fit_from_their_matrix(by_labels):
    labels, truth = posterior(np.random.default_rng(0), 150, 400, K=4)
    start = np.random.default_rng(1).dirichlet(np.ones(4), 400)
    options = {"affinity": "precomputed", "start": start, "tol": 1e-7}
    held = SoF(4, **options).fit(DrawsAffinity(labels))
    formed = SoF(4, **options).fit(similarity(labels))
    np.testing.assert_allclose(held.membership_, formed.membership_, atol=1e-5)
    assert held.objective_ == pytest.approx(formed.objective_, rel=1e-6)
    assert adjusted_rand_index(held.labels_, truth) > 0.9


def test_a_fit_on_a_memory_mapped_file_takes_memory_for_a_block_of_it(tmp_path):
    M, N = 2_000, 50_000
    labels = np.lib.format.open_memmap(tmp_path / "draws.npy", mode="w+", dtype=np.int8, shape=(M, N))
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 6, N)
    for b in range(M):
        labels[b] = np.where(rng.random(N) < 0.2, rng.integers(0, 6, N), truth)
    labels.flush()
    mapped = np.load(tmp_path / "draws.npy", mmap_mode="c")
    model = SoF(6, affinity="precomputed", n_init=1, max_iter=6, random_state=0)
    model.fit(DrawsAffinity(mapped))  # kernels are compiled and loaded: under tracemalloc that is slow
    tracemalloc.start()
    model.fit(DrawsAffinity(mapped))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.membership_.shape == (N, 6)
    assert np.isfinite(model.objective_)
    # The factor that this used to be takes 16 bytes a label, 1.6 GB; labels themselves 0.1 GB. What remains is some
    # tens of arrays of N x 48 numbers (the probes of the norm), and no array of the draws.
    assert peak < 3e8


def test_a_copy_of_labels_that_would_not_fit_is_refused(monkeypatch):
    monkeypatch.setenv("PARTITA_MEMORY_LIMIT", "20000")
    labels = np.zeros((30, 1000), dtype=np.int64)
    with pytest.raises(MemoryLimitError, match="int8"):
        DrawsAffinity(labels)
    DrawsAffinity(labels.astype(np.int8))
    with pytest.raises(MemoryLimitError, match="30 draws"):
        DrawsAffinity(labels.astype(np.int8)).factor  # noqa: B018 - the property refuses


# Draws that lack items


@pytest.mark.parametrize("dtype", ["int8", "int64", "float64"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_of_draws_that_lack_items_those_count_that_have_both(dtype, weighted, seed):
    rng = np.random.default_rng(seed)
    M, N = 9, 40
    labels, there = rng.integers(0, 4, size=(M, N)), rng.random((M, N)) < 0.5
    there[0] |= ~there.any(axis=0)
    v = rng.random(M) if weighted else np.ones(M)
    both = sum(share * np.outer(o, o) for share, o in zip(v, there))
    together = sum(share * np.outer(o, o) * (z[:, None] == z) for share, o, z in zip(v, there, labels))
    expected = np.divide(together, both, out=np.zeros((N, N)), where=both > 0)
    given = labels.astype(dtype)
    given[~there] = np.nan if dtype == "float64" else -1
    P = DrawsAffinity(given, v, missing="unobserved")
    close(P.to_dense(), expected)
    W = rng.normal(size=(N, 3))
    close(P @ W, expected @ W)
    np.testing.assert_array_equal(P.diagonal(), np.ones(N))
    unseen = np.zeros((N, N), dtype=bool)
    if P.unobserved is not None:
        unseen[P.unobserved.first, P.unobserved.second] = True
    np.testing.assert_array_equal(unseen, both == 0)
    assert P.squared_norm() == pytest.approx((expected**2).sum(), rel=ROUNDING)
    # The fit is that of the matrix with holes.
    holes = np.where(both > 0, expected, np.nan)
    options = {"affinity": "precomputed", "start": rng.integers(0, 3, N), "max_iter": 30, "random_state": 0}
    fitted = SoF(3, **options).fit(P)
    np.testing.assert_allclose(
        fitted.membership_, SoF(3, missing="unobserved", **options).fit(holes).membership_, atol=1e-8
    )


def test_complete_draws_are_the_same_under_either_reading():
    labels = np.random.default_rng(0).integers(0, 4, size=(5, 30))
    one, other = DrawsAffinity(labels), DrawsAffinity(labels, missing="unobserved")
    assert other.unobserved is None
    close(other.to_dense(), one.to_dense())
    # Without being told, a negative number is a label like any other.
    close(DrawsAffinity(labels - 2).to_dense(), one.to_dense())


@pytest.mark.parametrize(
    ("given", "missing", "message"),
    [
        (np.array([[0, -1], [1, -1]]), "unobserved", "item 1 "),
        ([np.eye(2), np.array([0, 1])], "unobserved", "missing='unobserved'"),
        (np.array([[0, 1]]), "skip", "'error' or 'unobserved'"),
        (np.array([[0.0, np.nan]]), "error", "NaN"),
        (np.array([[0.5, np.nan]]), "unobserved", r"draws .*0\.5"),
        (np.array([[0j, 1j]]), "error", "complex"),
        (np.array([["a", 1]], dtype=object), "error", "'int' and 'str'"),
    ],
)
def test_what_cannot_be_read_is_named(given, missing, message):
    with pytest.raises(InputError, match=message):
        DrawsAffinity(given, missing=missing).to_dense()


def test_draws_that_lack_items_have_no_factor():
    P = DrawsAffinity(np.array([[0, -1, 0], [1, 1, 2]]), missing="unobserved")
    with pytest.raises(InputError, match="factor"):
        P.factor  # noqa: B018 - the property refuses


def test_low_rank_and_labels_agree_on_a_product_of_any_layout(by_labels):
    labels = np.random.default_rng(0).integers(0, 6, size=(30, 500))
    P, F = DrawsAffinity(labels), LowRankAffinity(DrawsAffinity(labels).factor)
    W = np.random.default_rng(1).normal(size=(500, 6))
    for given in (W, np.asfortranarray(W), W[:, ::2], np.repeat(W, 2, axis=0)[::2]):
        close(P @ given, F @ given)
