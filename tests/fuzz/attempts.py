"""One attempt: a sample spoiled as a number says, written to a folder and given to its reader."""

import random
from pathlib import Path

import numpy as np
from corpus import samples
from mutations import spoiled
from readers import tried

__all__ = ["attempt", "written"]


def written(reader: str, number: int, home: Path) -> Path:
    """The path of a spoiled sample of `reader`, under `home`."""
    rng = random.Random(f"{reader} {number}")
    given = samples(reader)
    name, sample = rng.choice(given)
    sample = dict(sample)
    if reader == "model" and rng.random() < 0.4:
        sample = _other_arrays(name, sample, rng)
    else:
        others = [content for _, each in given for content in each.values()]
        for file in rng.sample(sorted(sample), 1):
            sample[file] = spoiled(sample[file], rng.getrandbits(62), others)
            if rng.random() < 0.02:
                del sample[file]
    for file, content in sample.items():
        (home / file).parent.mkdir(parents=True, exist_ok=True)
        (home / file).write_bytes(content)
    return home / name


def attempt(reader: str, number: int, home: Path) -> str:
    """What the reader did; see `readers.tried`."""
    return tried(reader, written(reader, number, home))


def _other_arrays(name, sample, rng):
    """A model whose two files agree, but whose arrays have other shapes, types or values."""
    import json

    from safetensors.numpy import load, save

    description = json.loads(sample[f"{name}/model.json"])
    arrays = load(sample[f"{name}/arrays.safetensors"])
    for _ in range(rng.choice([1, 1, 2])):
        key = rng.choice(sorted(arrays))
        changed = _changed(arrays[key], rng)
        if changed is None:
            del arrays[key]
        else:
            arrays[key] = np.ascontiguousarray(changed)
    description["arrays"] = {key: {"dtype": str(a.dtype), "shape": list(a.shape)} for key, a in arrays.items()}
    return {f"{name}/model.json": json.dumps(description).encode(), f"{name}/arrays.safetensors": save(arrays)}


def _changed(array, rng):
    match rng.randrange(9):
        case 0:
            return None
        case 1:
            return array.T
        case 2:
            return array[: max(0, len(array) - 1)] if array.ndim else array[None]
        case 3:
            return array.reshape(-1)
        case 4:
            return np.concatenate([array, array]) if array.ndim else array
        case 5:
            return array.astype(rng.choice(["int8", "float32", "bool", "uint64", "int64"]))
        case 6:
            return array[..., None]
        case _:
            out = array.copy().reshape(-1)
            if len(out):
                with np.errstate(all="ignore"):
                    out[rng.randrange(len(out))] = np.array(rng.choice([-1e9, 1e300, 5e8, -1, 0, 7])).astype(
                        array.dtype
                    )
            return out.reshape(array.shape)
