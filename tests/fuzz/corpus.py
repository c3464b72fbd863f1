"""Small real files of every kind that Partita reads, as bytes by name; a sample that is a folder has several."""

import importlib.util
import io
import json
import tempfile
import warnings
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp

from sheets import WRITERS

__all__ = ["samples"]

# The files of one sample, by their names.
Sample = dict[str, bytes]
# Name of the file or folder that a reader is given, and the sample.
Given = tuple[str, Sample]


@cache
def samples(reader: str) -> list[Given]:
    """Samples for a reader of `readers.READERS`."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = MAKERS[reader](Path(folder), np.random.default_rng(0))
        return [(name, files) for name, files in made if all(files.values())]  # none of a package that is not there


def _parquet(**columns) -> bytes:
    if not _installed("pyarrow"):
        return b""
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def _npz(packed=False, **arrays) -> bytes:
    out = io.BytesIO()
    (np.savez_compressed if packed else np.savez)(out, **arrays)
    return out.getvalue()


def _npy(array) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def _one(name: str, content: bytes) -> Given:
    return name, {name: content}


def _features(home, rng):
    import gzip

    X = rng.normal(size=(6, 3))
    text = b"height,width,kind\n1.5,2,a\n0.5,,b\n-3e2,4,c\n"
    numbers = "\n".join(",".join(map(repr, row)) for row in X.tolist()).encode()
    return [
        _one("a.csv", text),
        _one("b.csv", numbers),
        _one("c.tsv", text.replace(b",", b"\t")),
        _one("d.csv.gz", gzip.compress(numbers, mtime=0)),
        _one("e.npy", _npy(X)),
        _one("f.npy", _npy(np.asfortranarray(X.astype(">f4")))),
        _one("g.npz", _npz(X=X, kind=np.array(["a", "b"] * 3))),
        _one("h.npz", _npz(packed=True, only=np.arange(12).reshape(6, 2))),
        _one("i.parquet", _parquet(height=[1.5, 0.5, None], width=[2, 3, 4], kind=["a", "b", "c"])),
        _one("j.csv", "Titel;;\nHöhe;width;kind\n1,5;2 €;a\n0,5;;b\n-3;4 €;c\nSumme;6 €;\n".encode("cp1252")),
        _one("k.txt", "height\twidth\n1,5\t1.234\n-2,5\t5.678\n".encode("utf-16")),
        _one("l.csv.zip", _zip(text)),
        *_sheets(home),
    ]


def _zip(text) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr("inside.csv", text)
    return out.getvalue()


def _sheets(home):
    if not _installed("python_calamine"):
        return
    for suffix, write in WRITERS.items():
        file = write(home / f"m{suffix}", {"one": [["height", "width", "kind"], [1.5, 2, "a"], [None, 3, "b"]]})
        yield _one(file.name, file.read_bytes())


def _edges(home, rng):
    pairs = np.array([[0, 1, 0.5], [1, 2, 1.0], [2, 0, 0.25]])
    return [
        _one("a.csv", b"source,target,weight\nbob,ann,0.5\nann,cid,1\n"),
        _one("b.tsv", b"0\t1\n1\t2\n"),
        _one("c.npy", _npy(pairs)),
        _one("d.npz", _npz(source=np.array([0, 1]), target=np.array([1, 2]), weight=np.array([0.5, 1.0]))),
        _one("e.parquet", _parquet(source=[0, 1], target=[1, 2], weight=[0.5, 1.0])),
    ]


def _sparse_files(home, matrix):
    for form in ("csr", "csc", "coo", "bsr", "dia"):
        file = home / f"{form}.npz"
        sp.save_npz(file, sp.coo_array(matrix).asformat(form))
        yield _one(file.name, file.read_bytes())
    for name, given, field in (
        ("s.mtx", sp.coo_array(matrix), "real"),
        ("d.mtx", matrix, "real"),
        ("i.mtx", sp.coo_array(matrix), "pattern"),
    ):
        scipy.io.mmwrite(home / name, given, field=field)
        yield _one(name, (home / name).read_bytes())


def _affinities(home, rng):
    half = rng.random((4, 4))
    P = (half + half.T) / 2
    P[0, 1] = P[1, 0] = 0.0
    text = ",a,b\na,1,0.5\nb,0.5,1\n"
    return [
        _one("a.csv", text.encode()),
        _one("b.tsv", b"1\t0.5\n0.5\t1\n"),
        _one("c.npy", _npy(P)),
        _one("d.npz", _npz(P=P)),
        _one("e.parquet", _parquet(a=[1.0, 0.5], b=[0.5, 1.0])),
        *_sparse_files(home, P),
    ]


def _rows(home, rng):
    return [given for given in _sparse_files(home, rng.random((3, 4)).round(1)) if not given[0].startswith("dia")]


def _labels(home, rng):
    return [
        _one("a.csv", b"id,label\na,0\nb,1\n"),
        _one("b.tsv", b"setosa\nrosa\n"),
        _one("c.parquet", _parquet(id=["a", "b"], label=[0, 1])),
    ]


def _draws(home, rng):
    labels = rng.integers(0, 3, size=(5, 4))
    text = "\n".join(",".join(map(str, row)) for row in labels.tolist())
    found = [
        _one("a.csv", text.encode()),
        _one("b.csv", (".chain,.draw,x1,x2,x3,x4\n" + "\n".join(f"1,{i},1,2,1,2" for i in range(3))).encode()),
        _one("c.txt", b'"V1" "V2"\n"1" 1 1\n"2" 1 2\n'),
        _one("d.npy", _npy(labels.astype(np.int8))),
        _one("e.npy", _npy(labels.astype(float))),
        _one("f.npz", _npz(packed=True, draws=labels, chain=np.arange(5), item=np.array(list("abcd")))),
        _one("g.parquet", _parquet(x1=[1, 2], x2=[1, 1])),
        _one("h.parquet", _parquet(draw=[[1, 2, 1], [1, 1, 1]])),
    ]
    if _installed("rdata"):
        found += [_one("n.rds", _rds(labels)), _one("o.rds", _rds_packed(labels))]
    return [*found, *(_stores(home, labels) if _installed("zarr", "xarray", "h5netcdf") else ())]


def _installed(*packages):
    return all(importlib.util.find_spec(package) is not None for package in packages)


def _stores(home, labels):
    import xarray
    import zarr

    zarr.save_array(str(home / "i.zarr"), labels.astype(np.int16))
    group = zarr.open_group(str(home / "j.zarr"), mode="w")
    group["draws"], group["chain"] = labels, np.arange(5)
    for name in ("i.zarr", "j.zarr"):
        files = [file for file in (home / name).rglob("*") if file.is_file()]
        yield name, {f"{name}/{file.relative_to(home / name).as_posix()}": file.read_bytes() for file in files}
    with zarr.storage.ZipStore(home / "k.zarr.zip", mode="w") as store:
        zarr.save_array(store, labels)
    yield _one("k.zarr.zip", (home / "k.zarr.zip").read_bytes())
    dataset = xarray.Dataset({"labels": (("chain", "draw", "item"), labels[None])})
    dataset.to_netcdf(home / "l.nc", group="posterior", engine="h5netcdf")
    dataset.to_netcdf(home / "m.nc", engine="scipy")
    for name in ("l.nc", "m.nc"):
        yield _one(name, (home / name).read_bytes())


def _rds(labels) -> bytes:
    """An integer matrix as `saveRDS(compress=FALSE)` writes it (R internals, section 1.8): XDR, version 2."""
    n, m = labels.shape
    values = np.concatenate([labels.T.ravel()]).astype(">i4").tobytes()
    head = b"X\n" + np.array([2, 0x00030602, 0x00020300], ">i4").tobytes()
    body = np.array([0x0000020D, n * m], ">i4").tobytes() + values
    dim = (
        np.array([0x00000402, 1, 0x00040009, 3], ">i4").tobytes()
        + b"dim"
        + np.array([13, 2, n, m, 254], ">i4").tobytes()
    )
    return head + body + dim


def _rds_packed(labels) -> bytes:
    import gzip

    return gzip.compress(_rds(labels), mtime=0)


def _models(home, rng):
    """Models that differ in what they hold: evidence of three kinds, partitions of draws, densities of two kinds."""
    from partita import BayesianPartition, DPGaussianMixture, SoF, SoftClustering, save

    X = np.concatenate([rng.normal(0, 1, (15, 2)), rng.normal(8, 1, (15, 2))])
    P = np.kron(np.eye(2), np.ones((6, 6))) * 0.8 + 0.1
    made = {
        "relative": SoF(2, random_state=0, n_init=1).fit(X),
        "calibrated": SoftClustering(2, affinity="neighbors", random_state=0, probabilities="fitted").fit(X),
        "matrix": SoF(2, affinity="precomputed", random_state=0, n_init=1).fit(P),
    }
    draws = np.where(rng.random((24, 9)) < 0.2, rng.integers(0, 3, (24, 9)), np.arange(9) // 3)
    gaps = np.where(rng.random((24, 9)) < 0.1, -1, draws)
    short = {"n_chains": 2, "n_draws": 6, "burn_in": 2, "random_state": 0}
    made |= {
        "partition": BayesianPartition(random_state=0, n_init=1).fit(draws, chain=np.arange(24) // 12),
        "gaps": BayesianPartition("binder", missing="unobserved", random_state=0, n_init=1, starts=[draws[0]]).fit(
            gaps
        ),
        "conjugate": DPGaussianMixture(**short).fit(X),
        "components": DPGaussianMixture(prior="paper", **short).fit(X),
    }
    made["partition"].membership_  # noqa: B018 - it is saved where it has been asked for
    for name, estimator in made.items():
        save(estimator, home / name)
    return [
        (name, {f"{name}/{file.name}": file.read_bytes() for file in sorted((home / name).iterdir())}) for name in made
    ]


def _manifest(home, rng):
    from partita.io import sha256_of_file

    table = home / "table.csv"
    table.write_text("a,b\n1,2\n")
    digest, content = sha256_of_file(table), table.read_bytes()
    manifest = {
        "program": "partita",
        "schema_version": 1,
        "command": "fit",
        "input": {"name": "table.csv", "sha256": digest, "kind": "features"},
        "parameters": {"k": 2},
        "replay": {"options": {"file": "table.csv", "k": 2, "seed": 0}, "files": {"file": digest}},
        "seed": 0,
        "versions": {"partita": "0.1.0", "numpy": "2.0"},
        "files": {"table.csv": digest},
    }
    return [
        ("out", {"out/manifest.json": json.dumps(manifest).encode(), "out/table.csv": content, "table.csv": content})
    ]


def _checkpoint(home, rng):
    from partita.solvers.serialization import write_tree

    write_tree(home / "fit.safetensors", {"W": np.eye(3), "steps": (1, None), "name": "x", "T": np.ones((4, 2)).T})
    return [_one("fit.safetensors", (home / "fit.safetensors").read_bytes())]


def _cells(home, rng):
    line = {"key": "a", "fingerprint": "f", "made": {"version": "0", "seed": 0}, "seconds": 0.5, "found": {"x": 1.0}}
    return [
        _one("cells.jsonl", b"".join(json.dumps(line | {"fingerprint": f"f{i}"}).encode() + b"\n" for i in range(3)))
    ]


def _memberships(home, rng):
    return [_one("m.csv", b'id,label,p_0,p_1,entropy,margin\na,1,0.25,0.75,0.5,0.5\n"b,",0,1,0,0,1\n')]


def _links(home, rng):
    return [_one("l.csv", b"source,target\n0,1\n2,3\n"), _one("m.csv", b"0,1\n1,2\n")]


def _pair_weights(home, rng):
    return [_one("w.csv", b"source,target,weight\n0,1,0.5\n2,3,0\n")]


MAKERS = {
    "features": _features,
    "affinity": _affinities,
    "edges": _edges,
    "rows": _rows,
    "labels": _labels,
    "memberships": _memberships,
    "links": _links,
    "pair weights": _pair_weights,
    "draws": _draws,
    "model": _models,
    "manifest": _manifest,
    "checkpoint": _checkpoint,
    "cells": _cells,
}
