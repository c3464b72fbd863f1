"""What parts of a fit reach without being handed it: keys, work that outlives a process, and words on how far it is."""

import dataclasses
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp

import partita.ensemble.graph
import partita.ensemble.modularity
import partita.n_clusters.stability
from partita import SoftClustering
from partita.affinity import MatchingPursuit, NeighborGraph, SparseSubspace
from partita.affinity.from_subspace import ssc, ssc_omp
from partita.errors import InputError
from partita.scope import Scope, key_of, lasting, opened, recalled, tell
from partita.solvers import Checkpoint
from synthetic import blobs, noisy_blocks


class Shelf:
    """Keeps parts in memory."""

    def __init__(self):
        self.parts, self.n_recalled = {}, 0

    def recall(self, key):
        self.n_recalled += key in self.parts
        return self.parts.get(key)

    def keep(self, key, tree, seconds):
        assert seconds >= 0
        self.parts[key] = tree


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.eye(2), np.eye(2) + 1e-300),
        (np.zeros((2, 3)), np.zeros((3, 2))),
        (np.zeros(2), np.zeros(2, dtype=np.float32)),
        (np.empty((0, 3)), np.empty((0, 4))),
        (sp.csr_array(np.eye(2)), sp.csr_array(np.eye(3))),
        ({"a": 1}, {"a": 2}),
        ([1, [2, 3]], [[1, 2], 3]),
        (1, True),
        (None, "None"),
    ],
)
def test_what_differs_has_another_key(one, other):
    assert key_of("x", one) == key_of("x", one)
    assert key_of("x", one) != key_of("x", other)


def test_a_view_has_the_key_of_its_copy():
    X = np.arange(12.0).reshape(3, 4)
    assert key_of(X.T) == key_of(X.T.copy()) == key_of(np.asfortranarray(X.T))


def test_without_a_scope_everything_is_made_and_nobody_is_told():
    tell("nothing", 1, 2)
    assert [lasting(lambda n=n: n, "n") for n in (1, 2)] == [1, 2]
    assert recalled("n") is None


def test_what_is_kept_is_made_once_and_what_has_no_key_each_time():
    made = []

    def make():
        made.append(sp.csr_array(np.diag([1.0, 0.0, 2.0])))
        return made[-1], len(made)

    with opened(Scope(kept=Shelf())):
        assert recalled("m", 1) is None
        first, again = lasting(make, "m", 1), lasting(make, "m", 1)
        assert recalled("m", 1)[1] == 1
        lasting(make, "m", make)
        lasting(make, "m", make)
    assert (first[1], again[1], len(made)) == (1, 1, 3)
    assert (first[0] != again[0]).nnz == 0
    assert again[0].shape == (3, 3)


def test_what_another_version_kept_is_made_again(monkeypatch):
    with opened(Scope(kept=Shelf())):
        assert lasting(lambda: 1, "m") == lasting(lambda: 2, "m") == 1
        monkeypatch.setattr("partita.scope._version", lambda: "0.0.1")
        assert recalled("m") is None
        assert lasting(lambda: 3, "m") == 3


def test_a_scope_ends_where_it_was_opened():
    said = []
    with opened(Scope(lambda *step: said.append(step))):
        tell("outer", 1, 4)
        with opened(Scope()):
            tell("inner", 2, 4)
        tell("outer", 3, 4)
    tell("after", 4, 4)
    assert said == [("outer", 1, 4), ("outer", 3, 4)]


class KilledError(Exception):
    """What stands for a kill within one process."""


def dying(monkeypatch, owner, name, after=np.inf):
    """Count the calls of a function, and die in the one after so many."""
    calls, before = [], getattr(owner, name)

    def counted(*arguments, **options):
        if len(calls) >= after:
            raise KilledError
        calls.append(name)
        return before(*arguments, **options)

    monkeypatch.setattr(owner, name, counted)
    return calls


POINTS = blobs(150, 5)[0]
BLOCKS = sp.csr_array(np.where(noisy_blocks(90, 3) > 0.75, 1.0, 0.0))
LINES = np.abs(np.random.default_rng(0).normal(size=(60, 1))) * np.eye(3)[np.arange(60) % 3]
WAYS = {
    "number of clusters": ({"n_clusters": "auto"}, POINTS, (partita.ensemble.modularity.Modularity, "cluster")),
    "draws": ({"n_clusters": 5}, POINTS, (partita.ensemble.modularity.Modularity, "cluster")),
    "graph, number": ({"n_clusters": "auto"}, BLOCKS, (partita.ensemble.graph.Graph, "cluster")),
    "graph, draws": ({"n_clusters": 3}, BLOCKS, (partita.ensemble.graph.Graph, "cluster")),
    "criteria": (
        {"n_clusters": "stability", "affinity": NeighborGraph()},
        POINTS,
        (partita.n_clusters.stability.Stability, "_judge"),
    ),
    "neighbours": (
        {"n_clusters": 5, "affinity": NeighborGraph()},
        POINTS,
        (partita.affinity.from_neighbors, "nearest"),
    ),
    "codes": ({"n_clusters": 3, "affinity": SparseSubspace()}, LINES, (ssc.Lasso, "codes")),
    "pursuit": ({"n_clusters": 3, "affinity": MatchingPursuit()}, LINES, (ssc_omp, "pursuit")),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_killed_fit_goes_on_from_the_evidence_it_had(way, tmp_path, monkeypatch):
    options, X, (owner, name) = WAYS[way]
    model = SoftClustering(random_state=0, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = model.fit(X)
        model.set_params(checkpoint=Checkpoint(tmp_path / "kept", seconds=0))
        with monkeypatch.context() as patched:
            calls = dying(patched, owner, name)
            dying(patched, partita.estimators.pipeline, "drive", after=0)
            with pytest.raises(KilledError):
                model.fit(X)
            n_calls = len(calls)
        assert n_calls > 0
        assert list((tmp_path / "kept").glob("made-*.safetensors"))
        calls = dying(monkeypatch, owner, name)
        again = model.fit(X)
    assert calls == []
    np.testing.assert_array_equal(again.membership_, whole.membership_)
    assert "intermediate result" in again.result_.notes[0]
    assert not (tmp_path / "kept").exists()


def test_a_fit_killed_among_its_draws_makes_the_missing_ones(tmp_path, monkeypatch):
    member = partita.ensemble.modularity.Modularity
    model = SoftClustering(random_state=0, checkpoint=Checkpoint(tmp_path / "kept", seconds=0))
    with monkeypatch.context() as patched:
        calls = dying(patched, member, "cluster")
        SoftClustering(random_state=0).fit(POINTS)
        n_whole = len(calls)
    with monkeypatch.context() as patched:
        dying(patched, member, "cluster", after=6)
        with pytest.raises(KilledError):
            model.fit(POINTS)
    calls = dying(monkeypatch, member, "cluster")
    model.fit(POINTS)
    assert 0 < len(calls) <= n_whole - 6


def test_a_metric_that_is_a_function_is_searched_again(tmp_path):
    graph = NeighborGraph(metric=lambda x, y: float(np.abs(x - y).sum()))
    options = {"n_clusters": 2, "affinity": graph, "random_state": 0}
    X = POINTS[:40]
    kept = SoftClustering(**options, checkpoint=Checkpoint(tmp_path / "kept", seconds=0, keep=True)).fit(X)
    assert not list((tmp_path / "kept").glob("made-*"))
    np.testing.assert_array_equal(kept.membership_, SoftClustering(**options).fit(X).membership_)


def test_other_items_do_not_get_what_was_kept(tmp_path, monkeypatch):
    member = partita.ensemble.modularity.Modularity
    model = SoftClustering(5, random_state=0, checkpoint=Checkpoint(tmp_path / "kept", seconds=0))
    with monkeypatch.context() as patched:
        dying(patched, partita.estimators.pipeline, "drive", after=0)
        with pytest.raises(KilledError):
            model.fit(POINTS)
    other = model.fit(np.cbrt(POINTS))  # cubes would lie along a line
    assert not any("of the evidence" in note for note in other.result_.notes)
    assert member.name in {draw.method for draw in other.ensemble_}


def test_a_fit_that_is_refused_leaves_no_parts(tmp_path, monkeypatch):
    model = SoftClustering(5, random_state=0, checkpoint=Checkpoint(tmp_path / "kept", seconds=0, keep=True))
    model.fit(POINTS)
    before = sorted(tmp_path.rglob("*"))
    assert any(file.name.startswith("made-") for file in before)
    with pytest.raises(InputError, match="affinity"):  # the folder is of the fit above
        model.fit(POINTS**3)
    assert sorted(tmp_path.rglob("*")) == before

    def refuse(*_, **__):
        made.extend((tmp_path / "new").glob("made-*"))
        raise InputError

    made: list = []
    monkeypatch.setattr(partita.estimators.pipeline, "drive", refuse)
    with pytest.raises(InputError):
        model.set_params(checkpoint=Checkpoint(tmp_path / "new", seconds=0)).fit(POINTS)
    assert made
    assert not (tmp_path / "new").exists()


def test_a_corrupt_part_is_named(tmp_path, monkeypatch):
    model = SoftClustering(5, random_state=0, checkpoint=Checkpoint(tmp_path / "kept", seconds=0))
    with monkeypatch.context() as patched:
        dying(patched, partita.estimators.pipeline, "drive", after=0)
        with pytest.raises(KilledError):
            model.fit(POINTS)
    for file in (tmp_path / "kept").glob("made-*"):
        file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(InputError, match="made-"):
        model.fit(POINTS)


def test_quick_parts_are_not_worth_a_file(tmp_path):
    with opened_checkpoint(tmp_path / "kept", seconds=60.0) as inside:
        inside.keep(b"quick", (np.eye(2),), 0.01)
        inside.keep(b"slow", (np.eye(2),), 5.0)
        assert inside.recall(b"quick") is None
        assert np.array_equal(inside.recall(b"slow")[0], np.eye(2))


def opened_checkpoint(folder, **options):
    from partita.solvers import opened as open_checkpoint

    return open_checkpoint(Checkpoint(folder, **options))


def test_a_dataclass_of_ours_can_be_kept(tmp_path):
    from partita.ensemble.draws import Said

    soft = Said.of(np.array([[0.9, 0.1], [0.9999, 0.0001]]))
    with opened_checkpoint(tmp_path / "kept", seconds=0.0) as inside:
        inside.keep(b"said", [soft], 1.0)
        (back,) = inside.recall(b"said")
    for field in dataclasses.fields(Said):
        np.testing.assert_equal(getattr(back, field.name), getattr(soft, field.name))
    np.testing.assert_array_equal(soft.membership, [[0.9, 0.1], [1.0, 0.0]])


def test_two_threads_that_made_the_same_write_it_once(tmp_path):
    with opened_checkpoint(tmp_path / "kept", seconds=0.0) as inside, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: inside.keep(b"same", (np.ones(200_000),), 1.0), range(40)))
        assert not inside.notes
        assert inside.recall(b"same")[0].sum() == 200_000
    assert not list((tmp_path / "kept").glob("*.partial"))
