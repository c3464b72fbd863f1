"""Records as JSON and arrays: what goes in comes out, and what is not as declared is refused by its name."""

import json
import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pytest

from alike import differences
from partita.errors import ModelError
from partita.io.codec import Null, Side, Under, decode, encode
from partita.partition.losses import Binder, PartitionLoss
from partita.shapes import floats, partitions, whole


@dataclass(frozen=True)
class Leaf:
    BY_NAME: ClassVar = True
    status: Literal["grown", "fallen"]
    veins: Annotated[Any, floats("N")]
    edge: Annotated[Any, floats(None)] = None


@dataclass(frozen=True)
class Oak:
    kind: Literal["oak"]
    acorns: int

    def check(self):
        if self.acorns > 100:
            raise ModelError("too many acorns")


@dataclass(frozen=True)
class Elm:
    kind: Literal["elm"]
    rings: Annotated[Any, whole("R", below="N")]


@dataclass(frozen=True)
class Wood:
    n: Annotated[int, Side("N")]
    names: tuple[str, ...] | None
    heights: dict[str, float]
    age: Annotated[float, Null(math.inf)]
    loss: PartitionLoss
    tree: Annotated[Oak | Elm, Under("tree.")]
    leaves: Annotated[tuple[Leaf, ...], Under("leaf.")]
    draws: Annotated[Any, partitions("M", "N")]
    others: Annotated[dict[str, Any], Under("other.")]
    later: str = "then"
    counts: Annotated[Any, floats("M")] = None


def wood(**changes):
    veins = np.arange(3.0)
    parts = {
        "n": 3,
        "names": ("a", "é"),
        "heights": {"low": math.nan, "high": -math.inf, "mean": 0.1},
        "age": math.inf,
        "loss": Binder(0.5),
        "tree": Elm("elm", np.array([0, 2])),
        "leaves": (Leaf("grown", veins), Leaf("fallen", veins.copy(), np.ones(1))),
        "draws": np.array([[0, 1, 0], [0, 0, 0]], dtype=np.int8),
        "others": {"x": np.eye(2)},
    }
    return Wood(**parts | changes)


def through_json(record):
    config, arrays = encode(record)
    return json.loads(json.dumps(config, allow_nan=False)), arrays


@pytest.mark.parametrize(
    "changes", [{}, {"names": None, "age": 3.0, "counts": np.ones(2), "later": "now"}, {"tree": Oak("oak", 7)}]
)
def test_a_record_comes_back_as_it_was(changes):
    record = wood(**changes)
    assert not differences(record, decode(Wood, *through_json(record)))


def test_an_array_that_occurs_twice_in_records_by_name_is_kept_once_and_is_one_again():
    config, arrays = through_json(wood())
    assert sorted(arrays) == ["draws", "leaf.leaves.0.veins", "leaf.leaves.1.edge", "other.x", "tree.rings"]
    first, second = decode(Wood, config, arrays).leaves
    assert first.veins is second.veins


def test_what_came_later_may_be_lacking_and_what_is_unknown_is_passed_over():
    config, arrays = through_json(wood())
    del config["later"]
    assert decode(Wood, config | {"unheard": 1}, arrays).later == "then"


@pytest.mark.parametrize("name", ["n", "names", "heights", "age", "loss", "tree", "leaves"])
def test_a_value_that_is_left_out_is_missed_and_one_of_another_type_is_refused(name):
    config, arrays = through_json(wood())
    with pytest.raises(ModelError, match=name):
        decode(Wood, config | {name: object()}, arrays)
    del config[name]
    with pytest.raises(ModelError, match=rf"\b{name} "):
        decode(Wood, config, arrays)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("draws", np.array([[0, 1]])),
        ("draws", np.array([[0, 2, 1]])),
        ("draws", np.array([[0.0, 1.0, 0.0]])),
        ("tree.rings", np.array([3])),
        ("tree.rings", np.array([-1])),
        ("leaf.leaves.0.veins", np.array([0.0, 1.0, np.nan])),
        ("leaf.leaves.0.veins", np.arange(3.0, dtype=np.float32)),
        ("leaf.leaves.1.edge", None),
        ("counts", np.ones(5)),
    ],
)
def test_an_array_that_is_not_as_declared_is_refused(name, array):
    config, arrays = through_json(wood())
    arrays = {key: value for key, value in (arrays | {name: array}).items() if value is not None}
    with pytest.raises(ModelError, match=f"array '{name}'"):
        decode(Wood, config, arrays)


@pytest.mark.parametrize(
    "tree", [{"kind": "oak", "acorns": 101}, {"kind": "oak", "acorns": -1}, {"kind": "ash"}, {"kind": []}, {}, "oak"]
)
def test_what_a_record_says_against_itself_and_other_kinds_are_refused(tree):
    config, arrays = through_json(wood())
    with pytest.raises(ModelError):
        decode(Wood, config | {"tree": tree}, arrays)
