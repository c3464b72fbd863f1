"""`partita predict`: memberships of new items from a saved model."""

from __future__ import annotations

import sys
import warnings
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from partita.cli.console import DONE, say
from partita.cli.inputs import names_of, reading_of
from partita.cli.manifest import read_manifest
from partita.cli.options import PredictOptions, ReadingOptions
from partita.cli.standard_input import readable
from partita.errors import InputError
from partita.estimators.base import FactorizationEstimator
from partita.estimators.mixed_table import lacking_names
from partita.estimators.new_doubt import DoubtOfNew, doubt_of_new
from partita.io import FeatureTable, LackingColumnsError, LinksError, Reading, load, read_features, write_memberships
from partita.io.bare_numbers import is_money
from partita.io.files import listed
from partita.io.matrices import read_sparse_rows
from partita.io.output import json_text
from partita.io.settings import fits
from partita.io.tables import NotNumbersError
from partita.membership import row_entropy, row_margin
from partita.paths import misplaced
from partita.wording import count, percent

__all__ = ["run_predict"]

# Purpose of models that give new items no memberships.
INSTEAD = {
    "BayesianPartition": (
        "which says of the items of its draws alone where they belong and cannot place new ones: sample draws that "
        "have the new items too and partition them, or fit the features with partita fit and predict with that"
    ),
    "DPGaussianMixture": (
        "which has densities and no memberships: partita.load(MODEL).score_samples(X) in Python gives the log density "
        "of new items; for memberships fit the features with partita fit"
    ),
}
# What to do about missing cells where the model was fitted without.
COMPLETE = (
    "fill {it} in, or leave out {rows}: the model was fitted on complete rows (partita fit --missing unobserved "
    "makes one that takes missing cells)"
)


def run_predict(options: PredictOptions) -> int:
    """Read, score and write; return the exit code."""
    from partita.report.headline import OUTLIER

    out = options.out
    estimator = load(options.model)
    if not isinstance(estimator, FactorizationEstimator):
        raise InputError(f"{options.model} holds a {type(estimator).__name__}, {INSTEAD[type(estimator).__name__]}")
    with readable(options.file) as file:
        ids, W, doubt, notes = _scored(options, estimator, file)
    labels = W.argmax(axis=1)
    write_memberships(out, ids, labels, W, row_entropy(W), row_margin(W), *(doubt or ()))
    for note in notes:
        say(f"note: {note}", quiet=options.quiet)
    sizes = np.bincount(labels, minlength=W.shape[1])
    if options.as_json:
        said = {"n_items": len(W), "n_clusters": W.shape[1], "sizes": sizes, "notes": notes, "files": [str(out)]}
        if doubt is not None:
            said["n_outliers"] = int((doubt.outlier > OUTLIER).sum())
        sys.stdout.write(json_text(said))
    scored = f"{count(len(W), 'item')} scored, sizes {sizes.tolist()}"
    if doubt is not None:
        sure, far = float(doubt.certainty.mean()), int((doubt.outlier > OUTLIER).sum())
        scored += (
            f"; {percent(sure)} of the labels are expected to be right, and {count(far, 'item')} probably in no cluster"
        )
    say(f"{scored}; written to {out}", quiet=options.quiet)
    return DONE


def _scored(
    options: PredictOptions, estimator: FactorizationEstimator, file: Path
) -> tuple[list[str], NDArray[np.float64], DoubtOfNew | None, list[str]]:
    """Names of new items, their memberships, doubt where the model can tell it, and notes."""
    sparse = read_sparse_rows(file) if estimator._knows_pairs else None
    if sparse is not None:
        return [str(i) for i in range(sparse.shape[0])], estimator.predict_proba(sparse), None, []
    table = _in_order_of_items(_read(options, estimator, file), estimator)
    notes = list(table.notes)
    if table.columns == _names(estimator) and table.left_out:
        notes.append(f"left out, since the model was not fitted on it: {listed(map(repr, table.left_out))}")
    if table.table is not None:
        notes += estimator.encoding_.notes(table.table)
    given = table.features if table.table is None else table.table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the notes say it
        beyond, W = estimator._beyond(given), estimator.predict_proba(given)
        doubt = doubt_of_new(estimator, given, W) if estimator._knows_doubt_of_new else None
    if far := int(beyond.sum()):
        first = table.ids[int(beyond.argmax())]
        lie = f"1 row ({first}) lies" if far == 1 else f"{far:,} rows (the first: {first}) lie"
        notes.append(
            f"{lie} outside the fitted items by more than half of their range in some column, and the probabilities "
            "say in which cluster, if in any: are the units those of the fit?"
        )
    return table.ids, W, doubt, notes


def _in_order_of_items(table: FeatureTable, estimator: FactorizationEstimator) -> FeatureTable:
    """The table, its columns in the order of the fitted items where both have names, and a note where that is another.

    Raises
    ------
    InputError
        For columns some of which are named after fitted items, and others not, or that lack an item.
    """
    if not estimator._knows_pairs or estimator.items_ is None:
        return table
    items = [str(name) for name in estimator.items_]
    if table.columns == items or set(items).isdisjoint(table.columns):
        return table
    place = {name: at for at, name in enumerate(table.columns)}
    lacking = next((name for name in items if name not in place), None)
    known = set(items)
    other = next((name for name in table.columns if name not in known), None)
    if lacking is not None or other is not None:
        wrong = f"no column is named {lacking!r}" if other is None else f"{other!r} is no fitted item"
        raise InputError(
            f"{table.path.name}: columns are named as fitted items are, but {wrong}; expected a column for each of the "
            f"{len(items):,} items of the fit (those of memberships.csv)"
        )
    note = "columns were put into the order of the fit by their names"
    features = table.features[:, [place[name] for name in items]]
    return replace(table, features=features, columns=items, notes=[*table.notes, note])


def _read(options: PredictOptions, estimator: FactorizationEstimator, file: Path) -> FeatureTable:
    """The columns of the fit, by their names and in its order, read as the file of the fit was."""
    given, found, categories = _recorded(options.model)
    given = {name: value for name, value in given.items() if value is not None and getattr(options, name) is None}
    of_other_files = misplaced(reading_of(replace(options, **given)), file.name)  # as the sheet, of a text
    given = {name: value for name, value in given.items() if name not in of_other_files}
    reading = replace(reading_of(replace(options, **given)), likely=found.get("decimal"), categories=categories)
    usual = None if options.id_column else found.get("id_column")
    if estimator._columns is None and not (found or options.id_column):
        with suppress(InputError):  # the model was saved by itself, and does not know of columns that name items
            usual = _features(options, estimator, file, reading, None, by_name=False).id_column
    table: FeatureTable | None = None
    if usual is not None:
        with suppress(InputError):  # the new file may have no such column, or name an item twice
            table = _features(options, estimator, file, reading, usual)
    table = table or _features(options, estimator, file, reading, options.id_column)
    if (units := found.get("units")) is not None:
        fitted, now = (_of_numbers(own, estimator) for own in (units, table.units))
        table.notes.extend(_notes_on_units(fitted, now, file.name))
    return _told(table, given)


def _of_numbers(units: dict[str, str], estimator: FactorizationEstimator) -> dict[str, str]:
    """The units of columns that the fit had as numbers, not as categories."""
    encoding = getattr(estimator, "encoding_", None)
    if encoding is None:
        return units
    categories = {name for name, own in zip(encoding.names or (), encoding.categories) if own}
    return {name: unit for name, unit in units.items() if name not in categories}


def _notes_on_units(fitted: dict[str, str], units: dict[str, str], source: str) -> list[str]:
    """Notes on columns whose numbers have a unit either here or in the fit.

    Raises
    ------
    InputError
        For a column in another unit.

    Examples
    --------
    >>> _notes_on_units({"length": "mm"}, {}, "new.csv")
    ["numbers were taken as they are where units are not said alike: 'length' (mm in the fit, none here)"]
    """
    if fitted == units:
        return []
    both = {name: (fitted.get(name), units.get(name)) for name in (*fitted, *units)}
    differ = {name: pair for name, pair in both.items() if pair[0] != pair[1]}
    other = [
        f"{name!r} from {now} to {was}" for name, (was, now) in differ.items() if was and now and not is_money(now)
    ]
    if other:
        raise InputError(f"{source}: columns in other units than those of the fit: convert {listed(other)}")
    said = [f"{name!r} ({was or 'none'} in the fit, {now or 'none'} here)" for name, (was, now) in differ.items()]
    return [f"numbers were taken as they are where units are not said alike: {listed(said)}"]


def _told(table: FeatureTable, given: dict[str, Any]) -> FeatureTable:
    """The table, with a note on the options of the fit that it was read by."""
    if given:
        said = ", ".join(f"--{name.replace('_', '-')} {value}" for name, value in given.items())
        table.notes.append(f"read as the file of the fit was, by {said}")
    return table


def _names(estimator: FactorizationEstimator) -> list[str] | None:
    """Names of the columns of the fit; None where they had none, or are the items."""
    if estimator._columns is not None or estimator._knows_pairs:
        columns: list[str] | None = estimator._columns
        return columns
    names = getattr(estimator, "feature_names_in_", None)
    if hasattr(estimator, "encoding_"):
        names = estimator.encoding_.names
    return None if names is None else [str(name) for name in names]


def _features(
    options: PredictOptions,
    estimator: FactorizationEstimator,
    file: Path,
    reading: Reading,
    id_column: str | None,
    *,
    by_name: bool = True,
) -> FeatureTable:
    columns = _names(estimator) if by_name else None
    try:
        return read_features(
            file,
            label_column=options.label_column,
            id_column=id_column,
            key=options.key,
            columns=columns,
            allow_missing=True if estimator.missing == "unobserved" else None,
            mixed=hasattr(estimator, "encoding_"),
            remedy=COMPLETE,
            reading=reading,
        )
    except LackingColumnsError as error:
        if estimator._columns is None and error.lacking == columns and not hasattr(estimator, "encoding_"):
            table = _features(options, estimator, file, reading, id_column, by_name=False)
            table.notes.append("columns were taken by their places, since none has a name of the fit")
            return table
        if columns and not error.has_header and error.lacking == columns and len(error.names) == len(columns):
            raise InputError(
                f"{options.file} has no names of columns, and the model was fitted on named ones "
                f"({listed(map(repr, columns))}): write the columns with these names, as .csv or .parquet"
            ) from error
        raise InputError(
            f"{options.file} lacks {len(error.lacking)} of the {len(columns or ())} columns the model was fitted on: "
            f"{lacking_names(error.lacking, [name for name in error.names if name not in (columns or ())])}"
        ) from error
    except LinksError as error:
        raise InputError(f"{error.found}, {_in_place_of_links(estimator)}") from error
    except NotNumbersError as error:
        if not estimator._knows_pairs:
            raise
        raise InputError(f"{options.file} holds words, {_in_place_of_links(estimator)}") from error


def _in_place_of_links(estimator: FactorizationEstimator) -> str:
    """What a model takes for new items, where a list of links came."""
    if not estimator._knows_pairs:
        return "and the model was fitted on features: rename them if they are features"
    held = "distances" if estimator._builder_.of_distances else "affinities (weights of links, 0 for none)"
    return (
        "and a model of pairs takes no list of them: write a table, or a sparse .mtx or .npz file, with a row for each "
        f"new item and a column for each fitted one, in the order of the fit (that of memberships.csv), of their {held}"
    )


def _recorded(model: Path) -> tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]:
    """What the manifest beside a model says of how the table of the fit was read: as given, as found out, and which
    columns were said to be of categories.
    """
    home = next((each for each in (model, model.parent) if (each / "manifest.json").is_file()), None)
    if home is None:
        return {}, {}, ()
    manifest = read_manifest(home)
    options = (manifest.get("replay") or {}).get("options") or {}
    kinds = get_type_hints(ReadingOptions)
    given = {name: options[name] for name in kinds if fits(options.get(name), kinds[name]) and name in options}
    categories = options.get("categories")
    told = names_of(categories if isinstance(categories, str) else None) or ()
    return given, manifest.get("input") or {}, tuple(told)
