"""Files as people have them through the commands: what is found is said and kept, and predict reads new files alike."""

import gzip
import io
import json
import zipfile

import numpy as np
import pytest

from optional import optional
from partita.io import load, read_memberships
from sheets import WRITERS, write_xlsx
from synthetic import gaussians

QUICK = ("--k", 2, "--affinity", "relative", "--force")


def items(n=30):
    """Two groups in two numbers, and names."""
    X = gaussians(np.repeat([0, 1], n // 2), [[0, 0], [50, 50]])
    return [f"item {k}" for k in range(n)], X.round(2)


def german(names, X):
    cells = [(f"{a:.2f}".replace(".", ","), f"{b:.2f}".replace(".", ",")) for a, b in X]
    rows = [f"{name};1.1.2024;{size};{price} €" for name, (size, price) in zip(names, cells)]
    return "\n".join(["Auszug;;;", "Posten;Tag;Größe;Preis", *rows]) + "\n"


def test_a_fit_of_an_export_says_what_it_found_and_predict_reads_another_format(call, tmp_path):
    optional("python_calamine").CalamineWorkbook  # noqa: B018
    names, X = items()
    (tmp_path / "export.csv").write_bytes(german(names, X).encode("cp1252"))
    done = call("fit", "export.csv", *QUICK)
    assert done.code == 0, done.err
    result = json.loads((tmp_path / "export-partita/result.json").read_text())
    said = ("cp1252", "semicolons", "above the header", "decimal mark", "signs of money", "'Posten' names", "dates")
    for words in said:
        assert any(words in note for note in result["notes"]), words
        assert words in done.out
    fitted = read_memberships(tmp_path / "export-partita/memberships.csv")
    assert fitted.ids == names
    rows = [["Preis", "Größe", "Posten", "Notiz"], *([b, a, name, "x"] for name, (a, b) in zip(names[:4], X.tolist()))]
    write_xlsx(tmp_path / "new.xlsx", {"one": rows})
    told = call("predict", "export-partita", "new.xlsx", "--out", "new.csv")
    assert told.code == 0, told.err
    assert "'Notiz'" in told.err
    found = read_memberships(tmp_path / "new.csv")
    assert found.ids == names[:4]
    assert found.labels.tolist() == fitted.labels[:4].tolist()


def test_one_new_item_is_read_with_the_decimal_mark_of_the_fit(call, tmp_path):
    _, X = items()
    (tmp_path / "t.txt").write_text("a\tb\n" + "".join(f"{a:.3f}\t{b:.2f}\n" for a, b in X).replace(".", ","))
    assert call("fit", "t.txt", *QUICK, "--quiet").code == 0
    (tmp_path / "one.txt").write_text("name\ta\tb\nx\t50,123\t49,871\n")
    assert call("predict", "t-partita", "one.txt", "--out", "one.csv", "--quiet").code == 0
    fitted = read_memberships(tmp_path / "t-partita/memberships.csv")
    assert read_memberships(tmp_path / "one.csv").labels[0] == fitted.labels[-1]


@pytest.mark.parametrize(
    ("unit", "code", "said"),
    [("mm", 0, ""), ("cm", 2, "'size' from cm to mm"), ("", 0, "'size' (mm in the fit, none here)")],
)
def test_units_of_new_items_are_held_against_those_of_the_fit(call, tmp_path, unit, code, said):
    _, X = items()
    for name, own in (("t.csv", "mm"), ("new.csv", unit)):
        (tmp_path / name).write_text("size,price\n" + "".join(f"{a:.2f} {own},{b:.2f} EUR\n" for a, b in X))
    assert call("fit", "t.csv", *QUICK, "--quiet").code == 0
    done = call("predict", "t-partita", "new.csv", "--out", "p.csv")
    assert done.code == code, done.err
    assert said in done.err
    assert ("not said alike" in done.err) == (not unit)


def test_columns_of_one_name_are_chosen_by_the_names_that_tell_them_apart(call, tmp_path):
    _, X = items()
    (tmp_path / "t.csv").write_text("a,a,b\n" + "".join(f"{a},{b},{a}\n" for a, b in X))
    done = call("fit", "t.csv", *QUICK, "--columns", "a")
    assert done.code == 2
    assert "--columns a" in done.err
    assert call("fit", "t.csv", *QUICK, "--drop", "a.2", "--quiet").code == 0
    assert call("predict", "t-partita", "t.csv", "--out", "new.csv", "--quiet").code == 0


def test_cells_that_mean_missing_do_so_in_new_files_too(call, tmp_path):
    _, X = items()
    rows = X.tolist()
    rows[3][1] = -999
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in rows))
    assert "line 5, column 'b' is -999" in call("fit", "t.csv", *QUICK).err  # before the fit
    given = ("--na", "-999", "--missing", "unobserved")
    assert call("fit", "t.csv", *QUICK, *given, "--quiet").code == 0
    done = call("predict", "t-partita", "t.csv", "--out", "p.csv")
    assert done.code == 0, done.err
    assert "by --na -999" in done.err
    assert "1 cell was read as missing" in done.err


def test_standard_input_is_a_file(call, tmp_path, monkeypatch):
    names, X = items()
    text = german(names, X).encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert call("fit", "-", *QUICK, "--quiet").code == 0
    (tmp_path / "t.csv").write_bytes(text)
    assert call("fit", "t.csv", *QUICK, "--quiet").code == 0
    one, other = (tmp_path / f"{name}-partita/memberships.csv" for name in ("stdin", "t"))
    assert one.read_bytes() == other.read_bytes()
    refused = call("verify", "stdin-partita")
    assert refused.code == 2
    assert "standard input" in refused.err
    assert "--file" in refused.err
    assert call("verify", "stdin-partita", "--file", "t.csv", "--quiet").code == 0


def given(monkeypatch, content):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))


@pytest.mark.parametrize("name", ["t.xlsx", "t.ods", "t.zip", "t.csv.gz", "t.npy", "t.npz", "t.parquet"])
def test_standard_input_is_read_by_the_format_that_it_has(call, tmp_path, monkeypatch, name):
    _, X = items()
    table = [["a", "b"], *X.tolist()]
    text = "\n".join(",".join(map(str, row)) for row in table).encode()
    file = tmp_path / name
    match file.suffix:
        case ".xlsx" | ".ods":
            optional("python_calamine").CalamineWorkbook  # noqa: B018
            WRITERS[file.suffix](file, {"one": table})
        case ".zip":
            with zipfile.ZipFile(file, "w") as packed:
                packed.writestr("t.csv", text)
        case ".gz":
            file.write_bytes(gzip.compress(text))
        case ".npy":
            np.save(file, X)
        case ".npz":
            np.savez(file, X=X)
        case ".parquet":
            optional("pyarrow.parquet").write_table(optional("pyarrow").table({"a": X[:, 0], "b": X[:, 1]}), file)
    given(monkeypatch, file.read_bytes())
    done = call("fit", "-", *QUICK)
    assert done.code == 0, done.err
    (tmp_path / "plain.csv").write_bytes(text)
    assert call("fit", "plain.csv", *QUICK, "--quiet").code == 0
    one, other = (read_memberships(tmp_path / f"{name}-partita/memberships.csv").labels for name in ("stdin", "plain"))
    assert one.tolist() == other.tolist()


@pytest.mark.parametrize("content", [b"PK\x03\x04nothing", b"\x00\x01\x02\x03", b"a,b\n1,2\n3\n", b"", b"PAR1xx"])
def test_an_error_in_standard_input_does_not_name_another_file(call, monkeypatch, content):
    given(monkeypatch, content)
    done = call("fit", "-", *QUICK)
    assert done.code == 2
    assert "standard input" in done.err
    assert "stdin" not in done.err


def test_predict_says_which_cells_it_filled(call, tmp_path):
    _, X = items()
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in X))
    assert call("fit", "t.csv", "-k", 2, "--quiet").code == 0
    (tmp_path / "new.csv").write_text("n,a,b\nx,50,\ny,,\nz,1,2\n")
    done = call("predict", "t-partita", "new.csv", "--out", "p.csv")
    assert done.code == 0, done.err
    assert "3 cells are missing (b 2, a 1)" in done.err
    assert "line 3" in done.err


def test_predict_says_which_categories_are_coded_in_another_way(call, tmp_path):
    _, X = items()
    rows = [f"{a},{'yes' if b > 25 else 'no'}\n" for a, b in X]
    (tmp_path / "t.csv").write_text("".join(["a,kids\n", *rows]))
    assert call("fit", "t.csv", "-k", 2, "--quiet").code == 0
    for yes, no in (("1", "0"), ("1.0 x", "0.0 x")):
        (tmp_path / "new.csv").write_text("".join(["a,kids\n", *rows]).replace("yes", yes).replace("no", no))
        done = call("predict", "t-partita", "new.csv", "--out", "p.csv", "--force")
        assert done.code == 0, done.err
        assert f"kids {len(X)}, as '0'" in done.err
        assert "'no', 'yes'" in done.err
        assert "not said alike" not in done.err
        assert "Warning" not in done.err


@pytest.mark.parametrize("n", [1, 2])
def test_a_table_of_so_few_rows_that_nothing_can_be_learned_is_said(call, tmp_path, n):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n"[: 4 + 4 * n])
    done = call("fit", "t.csv", "--affinity", "relative", "-k", 1)
    assert done.code == 0, done.err
    assert f"from {n} item" in done.out


def test_columns_are_chosen_by_name_and_pattern(call, tmp_path):
    _, X = items()
    (tmp_path / "t.csv").write_text("pixel_1,pixel_2,size\n" + "".join(f"{a},{b},{a}\n" for a, b in X))
    for options, columns in ((("--drop", "pixel_*"), ["size"]), (("--columns", "size,pixel_1"), ["size", "pixel_1"])):
        assert call("fit", "t.csv", *QUICK, *options, "--quiet").code == 0
        assert load(tmp_path / "t-partita")._columns == columns
    done = call("fit", "t.csv", *QUICK, "--drop", "piksel_1")
    assert done.code == 2
    assert "did you mean 'pixel_1'?" in done.err


def test_predict_reads_the_columns_that_the_fit_was_told_are_categories(call, tmp_path):
    names, _ = items()
    rows = "".join(f"{k % 2 * 9 + k / 50},{k % 2 * 5}%\n" for k in range(len(names)))
    (tmp_path / "t.csv").write_text(f"a,share\n{rows}")
    done = call("fit", "t.csv", "--k", 2, "--categories", "share", "--quiet")
    assert done.code == 0, done.err
    done = call("predict", "t-partita", "t.csv", "--out", "new.csv", "--json")
    assert done.code == 0, done.err
    assert not any("share" in note for note in json.loads(done.out)["notes"])
    fitted = read_memberships(tmp_path / "t-partita/memberships.csv")
    assert read_memberships(tmp_path / "new.csv").labels.tolist() == fitted.labels.tolist()


@pytest.mark.parametrize("option", ["--drop", "--columns", "--na", "--categories"])
def test_options_of_features_are_refused_for_other_input(call, tmp_path, option):
    (tmp_path / "e.csv").write_text("source,target\na,b\n")
    done = call("fit", "e.csv", "--input", "edges", option, "a", "--k", 1)
    assert done.code == 2
    assert option in done.err
