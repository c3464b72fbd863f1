"""Tables as people have them: what is read, what is said of it, and that no number changes on the way."""

import re
import shlex
import zipfile
from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optional import optional
from partita import SoftClustering
from partita.ensemble import Ensemble
from partita.errors import InputError, MemoryLimitError, MissingExtraError
from partita.io import Reading, read_edges, read_features, read_labels, read_matrix, tables
from partita.io.bare_numbers import bare_number
from partita.io.text_layout import MARKS
from sheets import WRITERS, write_xlsx

EXPECTED = [[1.5, 20.25], [2.5, 30.75], [3.25, 1234.5]]


def write(folder, content, name="t.csv"):
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def read(folder, content, name="t.csv", **options):
    return read_features(write(folder, content, name), **options)


def told(table, *words):
    """Whether one note has all of these words."""
    return any(all(word in note for word in words) for note in table.notes)


# ---------------------------------------------------------------------------------------------- texts of any layout

LAYOUTS = {
    "semicolons and decimal commas": ("a;b\n1,5;20,25\n2,5;30,75\n3,25;1234,5\n", ["decimal mark", "--decimal ."]),
    "thousands among decimal commas": ("a;b\n1,5;20,25\n2,5;30,75\n3,25;1.234,5\n", ["thousands"]),
    "apostrophes": ("a;b\n1.5;20.25\n2.5;30.75\n3.25;1'234.5\n", ["thousands"]),
    "no-break spaces": ("a;b\n1,5;20,25\n2,5;30,75\n3,25;1\u202f234,5\n", ["thousands"]),
    "bars": ("a|b\n1.5|20.25\n2.5|30.75\n3.25|1234.5\n", ["pipes"]),
    "tabs in a csv": ("a\tb\n1.5\t20.25\n2.5\t30.75\n3.25\t1234.5\n", ["tabs"]),
    "Latin": ("größe;b\n1,5;20,25\n2,5;30,75\n3,25;1234,5\n".encode("cp1252"), ["cp1252"]),
    "UTF-16 with a mark": ("a\tb\n1,5\t20,25\n2,5\t30,75\n3,25\t1234,5\n".encode("utf-16"), ["utf-16"]),
    "UTF-16 without": ("a,b\n1.5,20.25\n2.5,30.75\n3.25,1234.5\n".encode("utf-16-be"), ["utf-16-be"]),
    "money and percent": ('a,b\n1.5%,$20.25\n2.5%,$30.75\n3.25%,"$1,234.50"\n', ["percent", "5%"]),
    "euros behind": ("a;b\n1,5;20,25 €\n2,5;30,75 €\n3,25;1.234,50 €\n", ["money"]),
    "comments": (
        "# made on a Monday\n% by us\na,b\n1.5,20.25\n# a pause\n2.5,30.75\n3.25,1234.5\n",
        ["3 lines of comment"],
    ),
    "header in a comment": ("# a,b\n1.5,20.25\n2.5,30.75\n3.25,1234.5\n", ["header"]),
    "header in a comment above semicolons": ("# a;b\n1,5;20,25\n2,5;30,75\n3,25;1234,5\n", ["header"]),
    "title": ("Our measurements\n\na,b\n1.5,20.25\n2.5,30.75\n3.25,1234.5\n", ["1 line above", "Our measurements"]),
    "titles with commas behind": (
        "Report,,\nof 2024,,\na,b,\n1.5,20.25,\n2.5,30.75,\n3.25,1234.5,\n",
        ["2 lines above"],
    ),
    "units": ("a,b\ncm,kg\n1.5,20.25\n2.5,30.75\n3.25,1234.5\n", ["cm, kg", "units"]),
    "commas at the end": ("a,b,\n1.5,20.25,\n2.5,30.75,\n3.25,1234.5,\n", ["1 empty column"]),
    "empty rows at the end": ("a,b\n1.5,20.25\n2.5,30.75\n3.25,1234.5\n,\n,\n", ["2 empty rows"]),
    "Excel's own word": ("sep=;\na;b\n1,5;20,25\n2,5;30,75\n3,25;1234,5\n", []),
    "negative in brackets is not here": ("a;b\n+1,5;20,25\n2,5;30,75\n3,25;1234,5\n", []),
    "blanks": ("a    b\n1.5  20.25\n2.5  30.75\n3.25 1234.5\n", ["spaces"]),
}


def test_empty_rows_between_others_are_no_items(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("name;x;kind\n" + "".join(f"n{k};{k}.5;{'ab'[k % 2]}\n" + ";;\n" * (k == 3) for k in range(12)))
    table = read_features(file, mixed=True)
    assert table.ids == [f"n{k}" for k in range(12)]
    assert any("1 empty row between" in note for note in table.notes)


@pytest.mark.parametrize("case", LAYOUTS)
def test_every_layout_gives_the_same_numbers_and_what_was_found_is_said(tmp_path, case):
    content, words = LAYOUTS[case]
    table = read(tmp_path, content)
    assert table.features.tolist() == EXPECTED
    assert [name.replace("größe", "a") for name in table.columns] == ["a", "b"]
    assert table.ids == ["0", "1", "2"]
    if words:
        assert told(table, *words), table.notes


@pytest.mark.parametrize("suffix", [".txt", ".dat", ".tab", ".tsv", ".csv"])
@pytest.mark.parametrize("mark", [mark for mark in MARKS if mark != " "])
def test_the_suffix_of_a_text_decides_nothing(tmp_path, suffix, mark):
    content = "a,b\n1.5,20.25\n2.5,30.75\n3.25,1234.5\n".replace(",", mark)
    assert read(tmp_path, content, f"t{suffix}").features.tolist() == EXPECTED


# Thousands are parted by nothing, by the mark that is no decimal one, by apostrophes and by no-break spaces.
marks = st.sampled_from([*MARKS]).filter(lambda mark: mark != " ")
encodings = st.sampled_from(["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le", "utf-16-be"])
numbers = st.integers(-(10**10), 10**10).map(lambda cents: cents / 100)


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(st.lists(numbers, min_size=3, max_size=3), min_size=2, max_size=6),
    mark=marks,
    decimal=st.sampled_from([".", ","]),
    group=st.sampled_from(["", "other", "'", "\u00a0"]),
    encoding=encodings,
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_a_table_reads_back_the_same_numbers_however_it_was_written(
    tmp_path_factory, rows, mark, decimal, group, encoding, end
):
    other = {".": ",", ",": "."}[decimal]
    parts = other if group == "other" else group

    def written(value):
        text = f"{value:,.2f}".replace(",", "G").replace(".", decimal).replace("G", parts)
        return f'"{text}"' if mark in text else text

    lines = [mark.join(["größe", "b", "c"]), *(mark.join(map(written, row)) for row in rows)]
    content = (end.join(lines) + end).encode(encoding)
    table = read(tmp_path_factory.mktemp("any"), content)
    assert table.features.tolist() == rows
    assert table.columns == ["größe", "b", "c"]


# -------------------------------------------------------------------------------------------- numbers of two meanings

DOUBTS = {
    "other columns have decimal commas": ("a;b\n1,234;1,5\n5,678;2,25\n", {}, [1.234, 5.678], "elsewhere"),
    "other columns have decimal points": ("a;b\n1,234;1.5\n5,678;2.25\n", {}, [1234, 5678], "elsewhere"),
    "points among decimal commas": ("a;b\n1.234;1,5\n5.678;2,25\n", {}, [1234, 5678], "elsewhere"),
    "semicolons part cells": ("a;b\n1,234;1\n5,678;2\n", {}, [1.234, 5.678], "no other column"),
    "commas part cells": ('a,b\n"1,234",1\n"5,678",2\n', {}, [1234, 5678], "no other column"),
    "small whole numbers beside": ("a;b\n1,234;1\n678;2\n", {}, [1234, 678], "no other column"),
    "points alone are decimal": ("a;b\n1.234;1\n5.678;2\n", {}, [1.234, 5.678], "no other column"),
    "said": ("a;b\n1,234;1,5\n5,678;2,25\n", {"decimal": ","}, [1.234, 5.678], None),
    "said otherwise": ("a;b\n1,234;1\n5,678;2\n", {"decimal": "."}, [1234, 5678], None),
    "as another file": ("a\tb\n1,234\t1\n5,678\t2\n", {"likely": ","}, [1.234, 5.678], "elsewhere"),
    "a zero before the mark": ("a;b\n0,234;1\n5,678;2\n", {}, [0.234, 5.678], None),
    "two marks": ("a;b\n1,234,567;1\n5,678;2\n", {}, [1234567, 5678], None),
}


@pytest.mark.parametrize("case", DOUBTS)
def test_a_number_of_two_meanings_is_decided_by_the_column_then_by_the_file_and_said(tmp_path, case):
    content, options, expected, why = DOUBTS[case]
    table = read(tmp_path, content, reading=Reading(**options))
    assert table.features[:, 0].tolist() == expected
    assert told(table, "'a'", "may be") is (why is not None)
    assert why is None or told(table, "may be", why, "--decimal")


def test_numbers_of_a_spreadsheet_are_never_in_doubt(tmp_path):
    optional("python_calamine").CalamineWorkbook  # noqa: B018
    rows = [["a", "b"], [1.234, "1,5"], [5.678, "2,25"]]
    table = read_features(write_xlsx(tmp_path / "t.xlsx", {"one": rows}))
    assert table.features.tolist() == [[1.234, 1.5], [5.678, 2.25]]


@pytest.mark.parametrize(
    ("cells", "unit"),
    [
        ("39.5 mm|40 mm||41 mm", "mm"),
        ("39,5mm|40mm||41mm", "mm"),
        ("39,5 °C|40 °C|-|41 °C", "°C"),
        ("39.5 kg/m²|40 kg/m²|NA|41 kg/m²", "kg/m²"),
        ("1,039.5 m|1,040 m|NA|1,041 m", "m"),
    ],
)
def test_a_unit_behind_all_numbers_of_a_column_is_left_out_and_said(tmp_path, cells, unit):
    rows = "".join(f"{cell};{k}\n" for k, cell in enumerate(cells.split("|")))
    table = read(tmp_path, f"a;b\n{rows}", mixed=True)
    column = table.features[:, 0]
    assert (column[~np.isnan(column)] % 1000).tolist() == [39.5, 40, 41]
    assert told(table, f"'{unit}' in 'a'")


@pytest.mark.parametrize("cells", ["12a,7a,12a,3a", "4WD,2WD,4WD,4WD", "001ab,002ab,001ab,003ab", "1 m,2 s,1 m,3 m"])
def test_numbers_within_words_are_words(tmp_path, cells):
    rows = "".join(f"{cell},{k % 3}\n" for k, cell in enumerate(cells.split(",")))
    assert read(tmp_path, f"a,b\n{rows}", mixed=True).table.columns[0].tolist() == cells.split(",")


@pytest.mark.parametrize("cells", ["$5,€6,$7,€6", "5%,0.12,7%,5%", "1.5,2.5,3.5 kg"])
def test_marks_that_differ_within_a_column_are_no_numbers(tmp_path, cells):
    rows = "".join(f"{cell};{k}\n" for k, cell in enumerate(cells.split(",")))
    with pytest.raises(InputError, match="column 'a'"):
        read(tmp_path, f"a;b\n{rows}")


def test_numbers_that_name_places_and_lines_are_no_measurements(tmp_path):
    rng = np.random.default_rng(0)
    rows = [f"{a:.3f},{rng.integers(1000, 99999)},{rng.integers(10**9, 10**10)},{b}" for a, b in rng.random((40, 2))]
    table = read(tmp_path, "\n".join(["size,Zip Code,phone,own_telephone", *rows]))
    assert table.columns == ["size", "own_telephone"]
    assert told(table, "'Zip Code', 'phone'", "codes")
    assert read(tmp_path, "\n".join(["zip", *[str(1000 + 3 * at % 91) for at in range(40)]])).columns == ["zip"]


# --------------------------------------------------------------------------------------------------- totals and notes


@pytest.mark.parametrize("cells", ["5-,1.5,7-,2", "(5),1.5,(7),2", "$5-,$1.5,$7-,$2"])
def test_brackets_and_a_minus_behind_make_negative_numbers(tmp_path, cells):
    rows = "".join(f"{cell},{k}\n" for k, cell in enumerate(cells.split(",")))
    table = read(tmp_path, f"a,b\n{rows}", mixed=True)
    assert table.features[:, 0].tolist() == [-5, 1.5, -7, 2]
    assert told(table, "negative", "'a'", "--categories a")
    for odd in ("-5-", "(5-)", "(-5)", "5--"):
        assert bare_number(odd) is None


def test_numbers_that_lack_the_percent_sign_of_the_others_are_read_like_them(tmp_path):
    cells = ["5%", "12", "7%", "0", "30%", "18"]
    table = read(tmp_path, "a;b\n" + "".join(f"{cell};{k}\n" for k, cell in enumerate(cells)), mixed=True)
    assert table.features[:, 0].tolist() == [5, 12, 7, 0, 30, 18]
    assert told(table, "2 cells, as '12'", "'a'", "sign %")


@pytest.mark.parametrize(("one", "other"), [("${}", "€{}"), ("{} lb", "{} kg")])
def test_numbers_that_are_written_in_several_ways_are_categories_and_said(tmp_path, one, other):
    rows = "".join(f"{(one, other)[k % 2].format(k % 10)},{k % 3}\n" for k in range(40))
    table = read(tmp_path, f"w,b\n{rows}", mixed=True)
    assert table.table.numeric == [False, True]
    assert told(table, "column 'w'", "not written alike", "--drop w")


def test_few_words_with_numbers_are_plain_categories(tmp_path):
    rows = "".join(f"{('1st', '2nd', '3rd')[k % 3]},{k}\n" for k in range(40))
    assert not told(read(tmp_path, f"w,b\n{rows}", mixed=True), "not written alike")


@pytest.mark.parametrize("end", ["", '"a,b",'])  # read as it stands, and cell by cell
def test_leading_zeros_are_said_to_be_codes(tmp_path, end):
    rows = "".join(
        f"{'02139' if k % 3 else '94110'},{k % 5},{'x,y'[: k % 2 or 3]!r}\n".replace("'", '"') for k in range(30)
    )
    table = read(tmp_path, f"zip,b,c\n{rows}", mixed=True)
    assert told(table, "'zip'", "leading zeros", "--categories zip")
    plain = read(tmp_path, "zip,b\n" + "".join(f"{'02139' if k % 3 else '94110'},{k % 5}\n" for k in range(30)))
    assert told(plain, "'zip'", "leading zeros", "--categories zip")
    decimals = read(tmp_path, "zip,b\n" + "".join(f"0.{k},{k % 5}\n" for k in range(30)))
    assert not told(decimals, "leading zeros")


def test_a_title_above_a_line_of_groups_is_left_out(tmp_path):
    body = "".join(f"p{k},{k}.5,{k % 7}.25,{k % 3}\n" for k in range(12))
    for title in ("Penguins 2009,,,\n,,,\n", "Penguins 2009\n\n", "Penguins 2009\n"):
        table = read(tmp_path, f"{title},Bill,,Body\nid,length,depth,mass\n{body}")
        assert (table.columns, len(table.features)) == (["length", "depth", "mass"], 12)
        assert told(table, "above the header", "Penguins 2009")


@pytest.mark.parametrize(
    "end", ["Mean,5.5,2.4\nSD,3.61,1.58\n", "Min,0,0.5\nMax,11,5\n", "Median,5.5,2.25\n", "Count,12,12\n"]
)
def test_rows_of_statistics_at_the_end_are_no_items(tmp_path, end):
    rows = "".join(f"s{k},{k},{k % 10 / 2 + 0.5}\n" for k in range(12))
    table = read(tmp_path, f"id,a,b\n{rows}{end}")
    assert table.ids == [f"s{k}" for k in range(12)]
    assert told(table, "sums or means", end.split(",")[0])


def test_items_that_share_a_word_with_statistics_are_items(tmp_path):
    states = ["AL", "AK", "SD", "TX", "WA", "SD"]
    rows = "".join(f"{state},{1 + k % 3},{k * k}\n" for k, state in enumerate(states))
    assert len(read(tmp_path, f"state,region,area\n{rows}", mixed=True).features) == 6
    ends = read(tmp_path, "name,a,b\nx,1,5\ny,2,6\nz,3,8\nMax,3,900\n")
    assert ends.ids == ["x", "y", "z", "Max"]
    sizes = ["min", "medium", "max", "average", "median", "count"]
    rows = "".join(f"{k},{sizes[k % 6]},{1 + k % 5}\n" for k in range(36))
    assert len(read(tmp_path, f"a,size,score\n{rows}", mixed=True).features) == 36


def test_subtotals_between_items_are_no_items(tmp_path):
    groups = [[10, 21, 33], [5, 16, 40, 2]]
    rows = [
        line
        for at, own in enumerate(groups)
        for line in (*(f"{at},s{v},{v}" for v in own), f"{at},Subtotal,{sum(own)}")
    ]
    table = read(
        tmp_path,
        "\n".join(["region,store,sales", *rows, f"all,Grand Total,{sum(map(sum, groups))}"]) + "\n",
        mixed=True,
    )
    assert table.ids == [f"s{v}" for own in groups for v in own]
    assert told(table, "lines 5, 10, 11", "Subtotal")
    wrong = [line.replace("Subtotal,64", "Subtotal,70") for line in rows]
    kept = read(tmp_path, "\n".join(["region,store,sales", *wrong]) + "\n", mixed=True)
    assert kept.ids.count("Subtotal") == 1  # the last one does sum up


@pytest.mark.parametrize("last", ["Total,,10.0,100", "Summe:,,10,", ",Grand total,10,100", "Average,,2.5,25"])
def test_a_row_of_totals_is_no_item(tmp_path, last):
    rows = ["store,town,a,b", "s1,x,1,10", "s2,x,2,20", "s3,y,3,30", "s4,y,4,40"]
    table = read(tmp_path, "\n".join([*rows, last]) + "\n", mixed=True)
    assert table.ids == ["s1", "s2", "s3", "s4"]
    assert told(table, "line 6", "sums or means", last.strip(",").split(",")[0])


@pytest.mark.parametrize("words", [False, True])
def test_sums_beside_a_blank_at_the_end_are_no_item_without_a_word_for_them(tmp_path, words):
    def ending_in(last, n=9, named="k"):
        rows = [f"{named},x,y", *(f"{7 * k % 10},{k},{k / 2}" for k in range(1, n + 1)), last]
        ends = [",w", *(f",{'uv'[k % 2]}" for k in range(n)), ","] if words else [""] * len(rows)
        return read(tmp_path, "".join(f"{row}{end}\n" for row, end in zip(rows, ends)), mixed=True)

    for last, named in ((",45.0,", "item_id"), (",45,2.5", "k"), (",45,22.50", "k")):
        found = ending_in(last, named=named)
        assert len(found.features) == 9
        assert told(found, "line 11", "sums or means", "--skip-rows 0")
    for last in (",45.1,", ",5,2.5", ",45,2.6", "1,45,2.5", ",0,", ",45.0,"):
        assert len(ending_in(last).features) == 10
    assert len(ending_in(",28,22", n=7).features) == 8


@pytest.mark.parametrize("last", ["1,,", "1,2,", "1,5,", "2,,"])
def test_numbers_that_are_sums_of_one_addend_or_alone_end_no_table(tmp_path, last):
    cells = np.random.default_rng(0).normal(size=(40, 3)).round(2)
    cells[:, :2] = 0.0
    cells[3, 0], cells[7, 1] = 1.0, 2.0
    if last == "1,5,":
        cells[:, 1] = 5.0  # the mean
    if last == "2,,":
        cells[5, 0] = 1.0
    rows = "".join(",".join(f"{cell:g}" for cell in row) + "\n" for row in cells)
    assert len(read(tmp_path, f"a,b,c\n{rows}{last}\n", mixed=True).features) == 41
    names = "".join(f"n{k},{row}\n" for k, row in enumerate(rows.split()))
    assert len(read(tmp_path, f"name,a,b,c\n{names},{last}\n", mixed=True).features) == 41 - (last == "2,,")


def test_an_item_called_total_that_sums_up_nothing_is_an_item(tmp_path):
    rows = ["firm,a,b", "Shell,1,10", "BP,2,20", "Eni,3,30", "Total,4,47"]
    assert read(tmp_path, "\n".join(rows) + "\n").ids == ["Shell", "BP", "Eni", "Total"]


@pytest.mark.parametrize(
    "rows", ["a,b,c\n1,2,3\n4,5,6\n7,8,9\n\n", "a,b\n1,2\n4,5\n7,8\n3,1\n", "a,b\n1,2\n4,5\n7,8\n\n"]
)
def test_lines_below_a_table_are_left_out(tmp_path, rows):
    table = read(tmp_path, rows + "Source: us\n")
    assert len(table.features) == rows.count("\n") - 1 - rows.count("\n\n")
    assert told(table, "line 6", "'Source: us'", "below the table")


def test_an_item_without_a_cell_is_an_item_of_two_columns(tmp_path):
    table = read(tmp_path, "name,a\nann,1\nbob,4\ncid,5\ndan,\n", mixed=True)
    assert table.ids == ["ann", "bob", "cid", "dan"]


ENDS = {
    "a footnote below an empty row": "Grand total,,10,100\n,,,\nSource: me,,,\n",
    "two footnotes": "Grand total,,10,100\n\nSource: me,,,\nSeen: in May,by me,,\n",
    "a footnote right below": "Grand total,,10,100\nSource: me,,,\n",
    "totals of two kinds": "Total,,10,100\nMean,,2.5,25\n,,,\nSource: me,,,\n",
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("n", [1, 1000])
def test_totals_above_empty_rows_and_footnotes_are_no_items(tmp_path, end, n):
    rows = ["store,day,a,b"]
    rows += [f"s{k},2024-01-0{1 + k % 4},{n * (1 + k % 4)},{10 * n * (1 + k % 4)}" for k in range(4 * n)]
    last = ENDS[end].replace("10,100", f"{10 * n * n},{100 * n * n}").replace("2.5,25", f"{2.5 * n},{25 * n}")
    table = read(tmp_path, "\n".join([*rows, last]), mixed=True)
    assert (len(table.features), table.columns) == (4 * n, ["a", "b"])
    assert told(table, "sums or means of others", "otal")
    assert told(table, "Source: me", "below the table")


def test_an_item_of_which_little_is_known_is_an_item(tmp_path):
    table = read(tmp_path, "name,a,b,c\nann,1,2,3\nbob,4,5,6\ncid,4,1,6\ndan,,,\n", mixed=True)
    assert table.ids == ["ann", "bob", "cid", "dan"]


HEADERS = {
    "groups with gaps": ("bill,,body,,place\nlen,dep,flipper,mass,island", "len,dep,flipper,mass,island"),
    "groups above each": ("bill,bill,body,body,place\nlen,dep,flipper,mass,island", "len,dep,flipper,mass,island"),
    "few groups": ("bill,,,,\nlen,dep,flipper,mass,island", "len,dep,flipper,mass,island"),
    "names that need their groups": (
        "bill,,body,,place\nlength,depth,length,depth,island",
        "bill length,bill depth,body length,body depth,place island",
    ),
    "few groups that are needed": (
        ",bill,,body,\nflipper,len,dep,len,island",
        "flipper,bill len,bill dep,body len,body island",
    ),
}


@pytest.mark.parametrize("case", HEADERS)
def test_of_two_lines_of_header_the_names_are_that_with_more_different_words(tmp_path, case):
    header, names = HEADERS[case]
    rows = "".join(f"{k}.5,{k % 4},{k % 3},{k % 5},{'uv'[k % 2]}\n" for k in range(20))
    table = read(tmp_path, f"{header}\n{rows}", mixed=True)
    assert table.columns == names.split(",")
    assert len(table.features) == 20


def test_words_of_the_first_item_below_a_header_with_gaps_are_no_names(tmp_path):
    table = read(tmp_path, "who,,place\nann,red,rome\nbob,blue,paris\ncid,red,rome\ndan,red,rome\n", mixed=True)
    assert table.ids == ["ann", "bob", "cid", "dan"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a;b\n1;2\n3\n", ["line 3", "expected 2", "found 1"]),
        ("t\n\na;b\n1;2\n3;4;5\n1;1\n", ["line 5", "found 3", "';'"]),
        ('a;b\n1;"2\n3;4\n', ["quotes"]),
        ("a;b\n", ["header"]),
        ("\ufeff", ["t.csv"]),
        (b"\xff\xfe", ["t.csv"]),
        ("a;b\n1,5;2\n2,5;x\n3,5;7\n", ["column 'b'", "line 3: 'x'", "--na"]),
    ],
)
def test_broken_tables_are_refused_with_the_place(tmp_path, content, words):
    with pytest.raises(InputError) as caught:
        read(tmp_path, content)
    assert all(word in str(caught.value) for word in words), caught.value


@pytest.mark.parametrize("cells", ["1,2,3", "1,red,3"])
def test_a_line_that_repeats_the_header_is_no_item(tmp_path, cells):
    rows = [*[cells] * 3, "a,b,c", *[cells] * 3]
    table = read(tmp_path, "\n".join(["a,b,c", *rows]), mixed=True)
    assert len(table.features) == 6
    assert told(table, "line 5", "repeats the header")


def test_a_word_of_an_unknown_mark_or_encoding_is_no_empty_table(tmp_path):
    for reading in (Reading(delimiter=";"), Reading(encoding="utf-16")):
        with pytest.raises(InputError, match=r"--(delimiter|encoding)"):
            read(tmp_path, "a,b\n1,2\n3,4\n", reading=reading)


@pytest.mark.parametrize(
    ("name", "words"),
    [("t.xls", "save it as .xlsx"), ("t.gml", "--input edges"), ("t.pdf", ".mtx")],
)
def test_a_format_that_is_not_read_says_what_to_do(tmp_path, name, words):
    with pytest.raises(InputError, match=re.escape(words)):
        read(tmp_path, "a,b\n1,2\n", name)


PLACES = {
    "a plain text": ("a,b\n1,2\n3,4\n5,\n", {}, "line 4"),
    "with a blank line": ("a,b\n\n1,2\n3,4\n5,\n", {}, "line 5"),
    "a messy text": ("Report\n\na;b\n1;2\n3;4\n5;\n", {}, "line 6"),
    "without a header": ("1,2\n3,4\n5,\n", {}, "line 3"),
    "text in a column": ("a,b\n1,2\n3,4\n5,x\n", {}, "line 4"),
    "an id twice": ("n,b\nann,2\nbob,4\nann,7\n", {"id_column": "n"}, "line 4"),
    "a label that lacks": ("n,b\nann,2\nbob,4\n,7\n", {"label_column": "n"}, "line 4"),
}


@pytest.mark.parametrize("case", PLACES)
def test_an_error_names_the_line_as_a_text_editor_shows_it(tmp_path, case):
    content, options, line = PLACES[case]
    with pytest.raises(InputError, match=rf"\b{line}\b"):
        read(tmp_path, content, **options)


def test_an_error_names_the_row_as_a_spreadsheet_shows_it(tmp_path):
    optional("python_calamine").CalamineWorkbook  # noqa: B018
    rows = [["a", "b"], [1, 2], [3, 4], [5, None], [6, 7]]
    for above, row in (([], "row 4"), ([["Report"], []], "row 6")):
        with pytest.raises(InputError, match=rf"\b{row}\b"):
            read_features(write_xlsx(tmp_path / "t.xlsx", {"one": [*above, *rows]}))


def test_notes_of_a_fit_name_the_lines_of_its_file(tmp_path):
    rows = [f"{k % 7},{k % 5}.5" for k in range(60)]
    rows[40], rows[7] = "3,99999", ","
    model = SoftClustering(2, affinity=Ensemble(methods=("mixture",), n_draws=1), random_state=0)
    notes = model.fit(read(tmp_path, "\n".join(["a,b", *rows]), mixed=True).table).result_.notes
    assert any("line 42" in note for note in notes)
    assert any("line 9" in note for note in notes)


@pytest.mark.parametrize("first", ["(5),2", "1'000,2", "$5,3"])
def test_a_first_row_of_numbers_that_python_does_not_read_is_an_item(tmp_path, first):
    table = read(tmp_path, f"{first}\n7,8\nNA,9\n5,4\n", mixed=True)
    assert (table.columns, len(table.features)) == (["column_0", "column_1"], 4)


def test_an_empty_first_row_is_no_header(tmp_path):
    table = read(tmp_path, ",\na,b\n1,u\n2,v\n3,u\n", mixed=True)
    assert (table.columns, len(table.features)) == (["a", "b"], 3)


def test_plain_text_is_not_looked_at_cell_by_cell(tmp_path, monkeypatch):
    from partita.io import containers, features

    def refuse(*_):
        raise AssertionError("a plain file was read cell by cell")

    monkeypatch.setattr(containers, "grid_of_text", refuse)
    monkeypatch.setattr(features, "grid_of_text", refuse)
    rows = "".join(f"{k}.5,{k % 7},{'xy'[k % 2]}\n" for k in range(5000))
    for name in ("t.csv", "t.txt"):
        assert read(tmp_path, f"a,b,species\n{rows}", name, label_column="species").features.shape == (5000, 2)


# ---------------------------------------------------------------------------------------- what is said of a file wins


def test_what_is_said_of_a_file_wins_over_what_is_found(tmp_path):
    titled = "Report\nx,y2\na,b\n1,2\n3,4\n"
    table = read(tmp_path, titled, reading=Reading(skip_rows=2))
    assert (table.columns, table.features.tolist()) == (["a", "b"], [[1, 2], [3, 4]])
    with pytest.raises(InputError, match="line 2"):
        read(tmp_path, "Report\na,b\n1,2\n3,4\n", reading=Reading(skip_rows=0))
    Latin2 = "ž;b\n1,5;2\n3;4\n".encode("iso8859-2")
    assert read(tmp_path, Latin2, reading=Reading(encoding="iso8859-2")).columns == ["ž", "b"]


@pytest.mark.parametrize(
    ("reading", "words"),
    [
        (Reading(delimiter="::"), "--delimiter '::'"),
        (Reading(encoding="klingon"), "--encoding klingon"),
        (Reading(sheet="one"), "t.csv: --sheet"),
        (Reading(encoding="ascii"), "byte 0xc3"),
        (Reading(drop=("c*",)), "'c\\*' .*--drop"),
    ],
)
def test_what_is_said_wrongly_is_refused(tmp_path, reading, words):
    with pytest.raises(InputError, match=words):
        read(tmp_path, "ä,b\n1,2\n3,4\n", reading=reading)


def test_columns_by_name_and_pattern(tmp_path):
    content = "pixel_1,pixel_2,size,label\n1,2,3,0\n4,5,6,1\n7,9,8,0\n"
    assert read(tmp_path, content, reading=Reading(drop=("pixel_*", "label"))).columns == ["size"]
    assert read(tmp_path, content, columns=["size", "pixel_*"]).columns == ["size", "pixel_1", "pixel_2"]
    assert read(tmp_path, content, columns=["label", "size"]).columns == ["label", "size"]
    with pytest.raises(InputError, match="--label-column label"):  # by a pattern nobody has named it
        read(tmp_path, content, columns=["*"])


def test_cells_that_mean_missing_are_said_and_counted(tmp_path):
    content = "a,b,c\n1,-999,u\n2,5,v\n-999,6,unknown\n4,n.d.,u\n5,9,v\n"
    table = read(tmp_path, content, mixed=True, reading=Reading(na=("-999", "unknown", "n.d.")))
    assert np.isnan(table.features[:, :2]).tolist() == [
        [False, True],
        [False, False],
        [True, False],
        [False, True],
        [False, False],
    ]
    assert table.table.columns[2].tolist() == ["u", "v", None, "u", "v"]
    assert told(table, "4 cells", "--na")
    numbers = read(tmp_path, "a,b\n1,-999\n2,5\n", allow_missing=True, reading=Reading(na=("-999",)))
    assert np.isnan(numbers.features).sum() == 1
    assert told(read(tmp_path, "a,b\n1,2\n2,5\n", reading=Reading(na=("-999",))), "no cell is -999")


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_what_means_missing_in_features_stands_in_labels_as_it_is(tmp_path, delimiter):
    content = "a,b,k\n1,2,-1\n3,-1,1\n5,6,1\n".replace(",", delimiter)
    table = read(tmp_path, content, label_column="k", allow_missing=True, reading=Reading(na=("-1",)))
    assert table.labels.tolist() == ["-1", "1", "1"]
    assert np.isnan(table.features).tolist() == [[False, False], [False, True], [False, False]]
    assert told(table, "1 cell was", "--na")


def test_marks_of_nothing_in_the_first_row_are_no_units_and_no_header(tmp_path):
    content = "name,a,b\nann,-,1\nbob,1,2\ncid,3,4\ndan,5,7\n"
    assert np.isnan(read(tmp_path, content, mixed=True).features[:, 0]).tolist() == [True, False, False, False]
    with pytest.raises(InputError, match="line 2 "):
        read(tmp_path, content.replace("-,1", "-,-"), allow_missing=True)
    assert read(tmp_path, "-,1.5\n2,3\n4,5\n", allow_missing=True).features.shape == (3, 2)


def test_a_line_break_in_the_last_row_is_no_gap_above_it(tmp_path):
    rows = "".join(f"{word},{word},{word},{word}\n" for word in ("low", "high", "low", "high"))
    table = read(tmp_path, f'q1,q2,q3,q4\n{rows}"low\nor high",,,\n', mixed=True)
    assert len(table.ids) == 5


def test_a_line_break_among_decimal_commas_is_told_with_its_place(tmp_path):
    with pytest.raises(InputError, match=r"'a' .*1 of 3 cells"):
        read(tmp_path, 'a;b\n"1,5\n2,5";2\n3,5;3\n4,5;5\n')


def test_names_that_differ_in_a_second_look_are_those_of_the_second(tmp_path):
    d = 9000  # more than are looked at to know the layout
    groups = ",".join(["", "left", *[""] * (d // 2 - 1), "right", *[""] * (d // 2 - 1)])
    names = ",".join(["sample", *(f"g{j}" for j in range(d))])
    rows = "".join(f"s{i}," + ",".join(f"{(i * j) % 7}.5" for j in range(d)) + "\n" for i in range(4))
    for options in ({"mixed": True}, {}):
        table = read(tmp_path, f"{groups}\n{names}\n{rows}", **options)
        assert table.columns[:2] == ["g0", "g1"]
        assert table.features.shape == (4, d)
    late = "größe,b\n".encode() + b"1.5,2.5\n" * 20_000 + b"\xa03,4\n"
    assert len(read(tmp_path, late).features) == 20_001


@pytest.mark.parametrize("cell", ["5%", "4 cm"])
def test_one_typed_cell_gives_no_unit_to_the_numbers_of_a_sheet(tmp_path, cell):
    optional("python_calamine").CalamineWorkbook  # noqa: B018
    rows = [["p", "q"], [0.05, 1.0], [0.06, 2.0], [cell, 3.0], [0.07, 4.0]]
    with pytest.raises(InputError, match=r"'p' .*1 of 4 cells .*row 4"):
        read_features(write_xlsx(tmp_path / "t.xlsx", {"one": rows}))


def test_the_lines_of_the_cells_that_are_shown_alone_are_looked_for(tmp_path, monkeypatch):
    looked = []
    line_of = tables._line_of
    monkeypatch.setattr(tables, "_line_of", lambda *given: looked.append(given) or line_of(*given))
    X = np.arange(40.0)[:, None] % 10 + np.zeros(20)
    X[3] = 1e6
    np.savetxt(tmp_path / "t.csv", X, delimiter=",", header=",".join(f"c{j}" for j in range(20)), comments="")
    assert told(read_features(tmp_path / "t.csv"), "15 more such cells")
    assert len(looked) == 5


@pytest.mark.parametrize("mark", ["-", "--", ".", "#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NAME?"])
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_marks_of_nothing_are_missing_in_a_column_of_numbers_and_said(tmp_path, mark, delimiter):
    content = f"a,b,c\n1.5,2,u\n{mark},5,{mark}\n2.5,6,{mark}\n3,7,u\n".replace(",", delimiter)
    table = read(tmp_path, content, mixed=True)
    assert np.isnan(table.features[:, 0]).tolist() == [False, True, False, False]
    assert table.table.columns[2].tolist() == ["u", mark, mark, "u"]  # beside words it is one
    assert told(table, f"1 cell of '{mark}'", "missing in column 'a'")
    assert not told(table, "'c'", "missing")
    with pytest.raises(InputError, match="line 3, column 'a'"):
        read(tmp_path, content, columns=["a", "b"])


def test_marks_of_nothing_in_a_sheet_are_missing(tmp_path):
    optional("python_calamine").CalamineWorkbook  # noqa: B018
    rows = [["a", "b"], [1, 2], ["-", 4], [5, 7]]
    table = read_features(write_xlsx(tmp_path / "t.xlsx", {"one": rows}), mixed=True)
    assert np.isnan(table.features[:, 0]).tolist() == [False, True, False]


@pytest.mark.parametrize("word", ["*", "missing", "not known"])
def test_a_word_that_may_mean_missing_is_quoted_for_a_shell(tmp_path, word):
    with pytest.raises(InputError) as caught:
        read(tmp_path, f"a,b\n1,2\n{word},5\n2,6\n", mixed=True)
    assert f"--na {shlex.quote(word)}" in str(caught.value)


# ---------------------------------------------------------------------------------------------- which columns are what

ROWS = ["ann,red,1,5,2024-01-05", "bob,blue,2,7,2024-01-06", "cid,red,3,6,2024-02-05", "dan,red,4,9,2024-03-05"]


def test_names_of_items_dates_and_categories_are_told_apart(tmp_path):
    table = read(tmp_path, "\n".join(["name,colour,nr,size,day", *ROWS]) + "\n", mixed=True)
    assert table.columns == ["colour", "size"]
    assert (table.ids, table.id_column) == (["ann", "bob", "cid", "dan"], "name")
    assert told(table, "'name' names the items")
    assert told(table, "'nr'", "left out")
    assert told(table, "'day'", "dates", "2024-01-05", "--categories day")


def test_an_id_column_that_is_named_is_that_and_other_names_are_left_out(tmp_path):
    content = "\n".join(["name,colour,nr,size,day", *ROWS]) + "\n"
    table = read(tmp_path, content, mixed=True, id_column="nr")
    assert (table.ids, table.columns) == (["1", "2", "3", "4"], ["colour", "size"])
    assert told(table, "'name'", "left out")


@pytest.mark.parametrize(
    "name",
    ["id", "PassengerId", "customer_id", "Unnamed: 0", "index", "no", "Nr.", "sample", "Sample No.", "Kundennummer"],
)
def test_whole_numbers_under_a_name_of_ids_are_no_feature(tmp_path, name):
    assert read(tmp_path, f"{name},a\n3,1\n5,2\n9,7\n").columns == ["a"]


@pytest.mark.parametrize(
    ("name", "cells"), [("humid", "356"), ("acid", "356"), ("humid", "335"), ("index", "531"), ("a", "123")]
)
def test_whole_numbers_that_may_be_measured_stay_features(tmp_path, name, cells):
    rows = "".join(f"{cell},{k % 2}\n" for k, cell in enumerate(cells))
    assert read(tmp_path, f"{name},b\n{rows}").columns == [name, "b"]


@pytest.mark.parametrize("name", ["id", "patient_id", "sampleId", "Subject"])
def test_ids_of_repeated_measurements_are_no_feature(tmp_path, name):
    rows = "".join(f"{100 + k // 2},{k % 7}.5,{k % 5}\n" for k in range(40))
    found = read(tmp_path, f"{name},a,b\n{rows}")
    assert found.columns == ["a", "b"]
    assert found.ids[:2] == ["0", "1"]  # numbers of rows
    assert told(found, f"'{name}' was left out", "--columns")
    assert read(tmp_path, f"{name},a,b\n{rows}", columns=["*"]).columns == [name, "a", "b"]
    assert read(tmp_path, f"{name}\n" + "".join(f"{k // 2}\n" for k in range(40))).columns == [name]


def test_ids_of_which_a_few_come_twice_are_no_category(tmp_path):
    rows = "".join(f"P{k % 45:03d},{k % 7}.5,{'uv'[k % 2]}\n" for k in range(50))
    found = read(tmp_path, f"code,a,b\n{rows}", mixed=True)
    assert found.columns == ["a", "b"]
    assert told(found, "'code' was left out", "5 come more than once ('P000', ")
    assert not told(found, "--categories")
    kept = read(tmp_path, f"code,a,b\n{rows}", mixed=True, reading=Reading(categories=("code",)))
    assert kept.columns == ["code", "a", "b"]
    many = "".join(f"P{k % 30:03d},{k % 7}.5\n" for k in range(50))
    assert told(read(tmp_path, f"town,a\n{many}", mixed=True), "30", "50", "--categories town")
    named = read(tmp_path, "name,code,a\n" + "".join(f"n{k},P{k % 45:03d},{k % 7}\n" for k in range(50)), mixed=True)
    assert told(named, "'code'", "--categories code")  # another column names the rows


def shuffled(values):
    return np.random.default_rng(0).permutation(list(values)).tolist()


IDS_OF_ROWS = [
    "subject",
    "patient",
    "record",
    "code",
    "no",
    "Nr.",
    "case",
    "customer",
    "user",
    "animal",
    "barcode",
    "obs",
]


@pytest.mark.parametrize("name", IDS_OF_ROWS)
def test_whole_numbers_each_once_under_a_name_of_rows_are_no_feature_in_any_order(tmp_path, name):
    rows = "".join(f"{value},{k % 3}\n" for k, value in enumerate(shuffled(range(1000, 4000, 100))))
    table = read(tmp_path, f"{name},a\n{rows}")
    assert (table.columns, table.id_column) == (["a"], name)
    assert told(table, f"'{name}' names the items")


def with_ids(name, values, blank=(), twice=()):
    cells = ["" if k in blank else values[k - 1] if k in twice else value for k, value in enumerate(values)]
    return f"{name},a,b\n" + "".join(f"{cell},{k % 7}.5,{k % 5}\n" for k, cell in enumerate(cells))


@pytest.mark.parametrize(
    ("blank", "twice", "words"), [([5], [], "1 cell is blank"), ([], [7], "1 comes more than once"), ([5, 8], [20], "")]
)
def test_ids_of_which_a_few_are_blank_or_come_twice_are_no_feature(tmp_path, blank, twice, words):
    branches = [value + 40_000 * (value % 3) for value in shuffled(range(10_001, 10_031))]
    for name, values in (("customer_id", branches), ("Kundennr", branches), ("Nr", range(1, 31)), ("lfd", range(30))):
        table = read(tmp_path, with_ids(name, values, blank, twice), mixed=True)
        assert (table.columns, table.id_column) == (["a", "b"], None)
        assert told(table, f"'{name}' was left out", words, "--columns")
    named = read(tmp_path, with_ids("name,nr", [f"n{k},{k}" for k in range(30)]).replace("n8,8", "n8,"), mixed=True)
    assert (named.columns, named.id_column) == (["a", "b"], "name")
    assert told(named, "'nr' was left out", "counts or names")


@pytest.mark.parametrize(
    "name_and_values",
    [
        ("number", [17 * k % 101 * 50 for k in range(30)]),
        ("n", [k * k for k in range(30)]),
        ("count", range(30, 0, -1)),
        ("no", [k // 2 for k in range(30)]),
    ],
)
def test_counts_of_which_a_few_come_twice_are_features(tmp_path, name_and_values):
    name, values = name_and_values
    table = read(tmp_path, "a,b," + with_ids(name, [f"{k % 3},{k % 4},{v}" for k, v in enumerate(values)], twice=[9]))
    assert name in table.columns


def test_ids_by_name_go_before_sentences_and_after_other_words(tmp_path):
    def ids(header, rows):
        return read(tmp_path, f"{header},a\n" + "".join(f"{row},{k % 3}\n" for k, row in enumerate(rows)), mixed=True)

    numbers, n = shuffled(range(100, 400, 10)), range(30)
    said = ids("customer_id,comment", [f"{numbers[k]},was here {k} times" for k in n])
    assert (said.columns, said.id_column) == (["a"], "customer_id")
    assert ids("comment,uuid", [f"was here {k} times,u{k}" for k in n]).id_column == "uuid"
    assert ids("customer_id,name", [f"{numbers[k]},n{k}" for k in n]).id_column == "name"
    assert ids("Nr,title", [f"{k},the {k}th time" for k in n]).id_column == "title"


def test_money_in_several_currencies_is_left_out_where_it_is_no_category(tmp_path):
    rows = "".join(f"{k}.50 {('USD', 'EUR')[k % 2]},{k % 3}\n" for k in range(40))
    table = read(tmp_path, f"revenue,b\n{rows}", mixed=True)
    assert (table.columns, table.id_column) == (["b"], None)
    assert told(table, "'revenue' was left out", "several currencies (USD, EUR)")
    again = read(tmp_path, f"revenue,b\n{rows.replace('30.50', '32.50')}", mixed=True)
    assert told(again, "several currencies")


@pytest.mark.parametrize("values", [range(1, 31), shuffled(range(501, 531)), [*range(1, 30), 32]])
def test_whole_numbers_without_a_gap_number_the_rows_under_any_name_unless_columns_are_named(tmp_path, values):
    rows = "".join(f"{value},{k % 3}\n" for k, value in enumerate(values))
    table = read(tmp_path, f"lfd,a\n{rows}")
    assert (table.columns, table.id_column) == (["a"], "lfd")
    assert told(table, "'lfd' names the items", "--columns")
    assert read(tmp_path, f"lfd,a\n{rows}", columns=["lfd", "a"]).columns == ["lfd", "a"]


@pytest.mark.parametrize("name", ["x", "lfd"])
def test_coordinates_and_columns_beside_which_there_is_nothing_are_features(tmp_path, name):
    rows = "".join(f"{k}{',' + str(k % 3) if name == 'x' else ''}\n" for k in range(30))
    assert read(tmp_path, f"{name}{',b' if name == 'x' else ''}\n{rows}").columns[0] == name


def test_whole_numbers_with_gaps_are_measured_and_a_note_is_made_where_they_go_up(tmp_path):
    values = shuffled(range(1000, 4000, 100))
    for cells, noted in ((values, False), (sorted(values), True)):
        table = read(tmp_path, "income,a\n" + "".join(f"{v},{k % 3}\n" for k, v in enumerate(cells)))
        assert table.columns == ["income", "a"]
        assert told(table, "'income' goes up", "--id-column income") is noted


def test_columns_that_may_hold_the_classes_are_said_and_the_truth_is_refused(tmp_path):
    rows = "".join(f"{k},{'uv'[k % 2]}\n" for k in range(20))
    assert told(read(tmp_path, f"a,species\n{rows}", mixed=True), "--label-column species")
    assert told(read(tmp_path, f"a,kind\n{rows}", mixed=True), "--label-column kind")
    between = rows.replace("\n", ",z\n")  # by its name, not by its place
    assert told(read(tmp_path, f"a,segment,b\n{between}", mixed=True), "--label-column segment")
    numbers = "".join(f"{k / 7},{k % 2},{k / 3}\n" for k in range(20))
    for name in ("topic", "Category", "intent", "target class", "y_true", "class-label", "dominant_topic"):
        table = read(tmp_path, f"a,{name},b\n{numbers}", mixed=True)
        assert told(table, "--label-column", name)
        assert name in table.columns
    for name in ("label", "Class", "target"):
        for delimiter in ",;":
            with pytest.raises(InputError, match="--label-column"):
                read(tmp_path, f"a,{name}\n{rows}".replace(",", delimiter), mixed=True)


@pytest.mark.parametrize(
    ("values", "asked"), [("0.7 1.4", True), ("71.5 80.2", False), ("1 2", False), ("-1.5 3", False)]
)
def test_numbers_around_one_that_are_called_weights_are_asked_about(tmp_path, values, asked):
    rows = "".join(f"{k},{values.split()[k % 2]}\n" for k in range(20))
    assert told(read(tmp_path, f"a,weight\n{rows}"), "--drop weight") == asked
    assert not told(read(tmp_path, f"a,share\n{rows}"), "--drop")


@pytest.mark.parametrize("name", ["Species", "cluster-id", "diagnosis"])
@pytest.mark.parametrize("values", ["012", ["ill", "well", "ill"]])
def test_columns_that_their_names_call_known_classes_are_left_out_and_said(tmp_path, name, values):
    rows = "".join(f"{k % 7}.5,{values[k % 3]},{k % 5}\n" for k in range(30))
    found = read(tmp_path, f"a,{name},b\n{rows}", mixed=True)
    assert found.columns == ["a", "b"]
    assert told(found, f"'{name}' was left out", f"--label-column {name}")
    assert read(tmp_path, f"a,{name},b\n{rows}", mixed=True, columns=["*"]).columns == ["a", name, "b"]
    assert read(tmp_path, f"a,{name},b\n{rows}", mixed=True, label_column=name).notes == []
    alone = "".join(f"{values[k % 3]}\n" for k in range(30))
    assert read(tmp_path, f"{name}\n{alone}", mixed=True).columns == [name]  # there is nothing else
    many = "".join(f"{k % 7}.5,{k % 13},{k % 5}\n" for k in range(30))
    assert read(tmp_path, f"a,{name},b\n{many}").columns == ["a", *([] if name == "cluster-id" else [name]), "b"]


@pytest.mark.parametrize("name", ["kind", "Type", "group-id"])
def test_few_whole_numbers_under_a_name_of_kinds_may_hold_the_classes(tmp_path, name):
    few = read(tmp_path, f"a,{name},b\n" + "".join(f"{k % 7}.5,{k % 3},{k % 5}\n" for k in range(30)))
    many = read(tmp_path, f"a,{name},b\n" + "".join(f"{k % 7}.5,{k % 13},{k % 5}\n" for k in range(30)))
    assert told(few, f"'{name}'", "--label-column")
    assert few.columns == ["a", name, "b"]
    assert many.notes == []


@pytest.mark.parametrize("beside", ["1", "red"])
def test_truth_values_are_a_category_beside_numbers_and_words_and_said(tmp_path, beside):
    table = read(
        tmp_path,
        "a,t,b\n" + "".join(f"{k},{'true' if k % 3 else 'False'},{beside}\n" for k in range(0, 60, 2)),
        mixed=True,
    )
    assert table.table.columns[1][:3].tolist() == ["False", "True", "True"]
    assert told(table, "'t'", "category")


def test_a_column_of_one_value_is_said(tmp_path):
    table = read(tmp_path, "".join(f"{k},5,u\n" for k in ["a", *range(0, 60, 2)]).replace("a,5,u", "a,b,c"), mixed=True)
    assert told(table, "'b', 'c'", "no difference")
    assert not told(table, "'a'", "no difference")


def test_a_table_without_a_feature_says_what_its_columns_are(tmp_path):
    with pytest.raises(InputError, match=r"'name' .*'day'"):
        read(tmp_path, "name,day\nann,1.1.2024\nbob,2.1.2024\ncid,3.1.2024\n", mixed=True)


def test_words_of_categories_are_refused_where_only_numbers_are_taken(tmp_path):
    with pytest.raises(InputError, match=r"column 'colour' .*'red'"):
        read(tmp_path, "\n".join(["name,colour,nr,size,day", *ROWS]) + "\n")


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_columns_of_one_name_are_told_apart_and_said(tmp_path, delimiter):
    content = "a,a,b\n1,2,3\n4,5,6\n7,9,9\n".replace(",", delimiter)
    table = read(tmp_path, content)
    assert (table.columns, table.features[0].tolist()) == (["a", "a.2", "b"], [1, 2, 3])
    assert told(table, "2 columns are called 'a'", "a.2")
    assert read(tmp_path, content, columns=["a", "a.2"]).columns == ["a", "a.2"]
    assert read(tmp_path, content, columns=["a*"]).columns == ["a", "a.2"]
    assert read(tmp_path, content, reading=Reading(drop=("a.2",))).columns == ["a", "b"]


AMBIGUOUS = [{"label_column": "a"}, {"id_column": "a"}, {"reading": Reading(drop=("a",))}]


@pytest.mark.parametrize("options", AMBIGUOUS)
def test_an_option_that_may_mean_several_columns_is_refused(tmp_path, options):
    with pytest.raises(InputError, match=r"--[a-z-]+ a\b"):
        read(tmp_path, "a,a,b\n1,2,3\n4,5,6\n7,9,9\n", **options)


def test_columns_of_one_name_are_refused_where_names_are_those_of_items(tmp_path):
    with pytest.raises(InputError, match="'ann'"):
        read_matrix(write(tmp_path, "ann,ann\n0,1\n1,0\n"))
    with pytest.raises(InputError, match="'weight'"):
        read_edges(write(tmp_path, "source,target,weight,weight\na,b,1,2\n"))


@pytest.mark.parametrize("names", ["source,target,weight", "From,To", "Source,Target,Type,Id", "u,v,weight"])
def test_a_list_of_links_is_no_table_of_features_unless_columns_are_named(tmp_path, names):
    width = names.count(",") + 1
    rows = "".join(",".join(f"{(k * step) % 7}" for step in range(1, width + 1)) + "\n" for k in range(30))
    with pytest.raises(InputError, match=f"{names.split(',')[0]} .*{names.split(',')[1]} .*--input edges"):
        read(tmp_path, f"{names}\n{rows}", mixed=True)
    table = read(tmp_path, f"{names}\n{rows}", columns=names.split(","))
    assert table.columns == names.split(",")


@pytest.mark.parametrize("names", ["u,v", "i,j", "from,to,price,size"])
def test_names_of_links_that_may_be_measured_are_features(tmp_path, names):
    width = names.count(",") + 1
    rows = "".join(",".join(f"{(k * step) % 7}" for step in range(1, width + 1)) + "\n" for k in range(30))
    assert read(tmp_path, f"{names}\n{rows}").columns == names.split(",")


# ------------------------------------------------------------------------------------------------ cells far from others


def test_numbers_that_may_mean_missing_and_slips_are_said_and_left(tmp_path):
    rng = np.random.default_rng(0)
    age, income = rng.integers(20, 70, 60), rng.integers(1000, 5000, 60)
    income[[3, 9, 30]], age[7] = -999, 650
    rows = "".join(f"{a},{i}\n" for a, i in zip(age, income))
    table = read(tmp_path, f"age,income\n{rows}")
    assert told(table, "'income' has 3 cells of -999", "--na -999")
    assert told(table, "line 9, column 'age' is 650", "not corrected")
    assert table.features.tolist() == np.column_stack([age, income]).tolist()


@pytest.mark.parametrize("value", [-9, -99, -999, -9999, 999, 9999, -1])
def test_one_cell_of_a_usual_sign_for_missing_is_asked_about(tmp_path, value):
    held = np.random.default_rng(0).integers(30, 50, 40).tolist()
    held[3] = value
    table = read(tmp_path, "a,b\n" + "".join(f"{cell},{k % 7}\n" for k, cell in enumerate(held)))
    assert told(table, "line 5, column 'a'", f"--na {value}")
    assert table.doubts == [note for note in table.notes if "--na" in note]


@pytest.mark.parametrize("value", [99, 700])
def test_another_cell_far_off_may_be_a_slip(tmp_path, value):
    held = np.random.default_rng(0).integers(30, 50, 40).tolist()
    held[3] = value
    table = read(tmp_path, "a,b\n" + "".join(f"{cell},{k % 7}\n" for k, cell in enumerate(held)))
    assert not told(table, "--na")


@pytest.mark.parametrize("kind", ["normal", "lognormal", "counts", "binary", "uniform", "pixels"])
def test_nothing_is_said_of_columns_as_they_are_measured(tmp_path, kind):
    rng = np.random.default_rng(0)
    made = {
        "normal": rng.normal(size=(500, 4)),
        "lognormal": rng.lognormal(size=(500, 4)),
        "counts": rng.poisson(0.05, (500, 4)) * 9,
        "binary": rng.random((500, 4)) < 0.03,
        "pixels": np.where(np.arange(500)[:, None] == [3, 44, 99, 8], 16, rng.random((500, 4)) < 0.1),
        "uniform": rng.integers(0, 100, (500, 4)),
    }[kind]
    rows = "\n".join(",".join(map(str, row)) for row in made.astype(float).tolist())
    assert read(tmp_path, f"a,b,c,d\n{rows}\n").notes == []


# ------------------------------------------------------------------------------------------- packed files, spreadsheets


def test_the_one_file_in_a_zip_is_read(tmp_path):
    file = tmp_path / "t.csv.zip"
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("folder/inside.csv", "a;b\n1,5;20,25\n2,5;30,75\n3,25;1234,5\n")
        packed.writestr("__MACOSX/._inside.csv", "x")
    assert read_features(file).features.tolist() == EXPECTED
    assert told(read_features(file), "'folder/inside.csv'")
    with zipfile.ZipFile(file, "a") as packed:
        packed.writestr("other.csv", "a\n1\n")
    with pytest.raises(InputError, match=r"holds 2 \(folder/inside.csv, other.csv\)"):
        read_features(file)
    with pytest.raises(InputError, match=r"u\.zip "):
        read(tmp_path, b"PK\x03\x04nothing", "u.zip")


TYPED = [["name", "a", "b", "seen", "day"]]
TYPED += [["u", 1.5, 20.25, True, date(2024, 1, 5)], ["v", 2.5, 30.75, False, date(2024, 1, 6)]]
TYPED += [["w", 3.25, 1234.5, True, date(2024, 1, 7)]]


@pytest.mark.parametrize("suffix", WRITERS)
def test_the_first_sheet_with_a_table_is_read_by_its_types(tmp_path, suffix):
    optional("python_calamine").CalamineWorkbook  # noqa: B018
    about = [["A note"], ["of two lines"]]
    file = WRITERS[suffix](tmp_path / f"t{suffix}", {"about": about, "data": [["Title"], [], *TYPED], "more": TYPED})
    table = read_features(file, mixed=True)
    assert table.columns == ["a", "b", "seen"]
    assert table.features[:, :2].tolist() == EXPECTED
    assert table.table.columns[2].tolist() == ["True", "False", "True"]
    assert table.ids == ["u", "v", "w"]
    assert told(table, "'data' was read", "'more'", "--sheet")
    assert told(table, "'seen'", "category")
    alone = WRITERS[suffix](tmp_path / f"u{suffix}", {"about": about, "data": TYPED})
    assert told(read_features(alone, mixed=True), "'data' was read", "'about' holds none")
    assert told(table, "'day'", "dates")
    other = read_features(file, mixed=True, reading=Reading(sheet="more"))
    assert other.features[:, :2].tolist() == EXPECTED
    below = read_features(file, reading=Reading(sheet="data", skip_rows=3))  # below the header
    assert len(below.features) == 3
    with pytest.raises(InputError, match="--delimiter"):
        read_features(file, reading=Reading(delimiter=";"))
    with pytest.raises(InputError, match=r"'mroe' .*--sheet.*'more'\?"):
        read_features(file, reading=Reading(sheet="mroe"))


def test_sheets_without_a_table_and_files_that_are_none(tmp_path):
    optional("python_calamine").CalamineWorkbook  # noqa: B018
    with pytest.raises(InputError, match=r"t\.xlsx .*\bone\b"):
        read_features(write_xlsx(tmp_path / "t.xlsx", {"one": [["a note"]]}))
    with pytest.raises(InputError, match=r"u\.xlsx "):
        read(tmp_path, b"PK\x03\x04nothing", "u.xlsx")


def test_an_empty_column_of_a_sheet_with_formulas_is_said_to_lack_their_results(tmp_path):
    optional("python_calamine").CalamineWorkbook  # noqa: B018
    plain = write_xlsx(tmp_path / "t.xlsx", {"one": [["a", "b", "c"], *([k % 7, k % 5, None] for k in range(30))]})
    assert not told(read_features(plain, mixed=True), "formulas")
    formula = {"xl/worksheets/sheet1.xml": ("</row>", '<c r="C9"><f>A9*2</f><v/></c></row>')}
    table = read_features(spoiled(plain, formula), mixed=True)
    assert told(table, "'c' is empty", "formulas")
    stored = {"xl/worksheets/sheet1.xml": ("<v/>", "<v>4</v>")}
    assert not told(read_features(spoiled(plain, stored), mixed=True), "formulas")


def test_spreadsheets_that_would_fill_memory_or_never_end_are_refused(tmp_path):
    optional("python_calamine").CalamineWorkbook  # noqa: B018
    cells = {"xl/worksheets/sheet1.xml": ('r="B2"', 'r="XFD1048576"')}
    file = spoiled(write_xlsx(tmp_path / "t.xlsx", {"one": [["a", "b"], [1, 2]]}), cells)
    with pytest.raises(MemoryLimitError, match="17,179,869,184 cells"):
        read_features(file)
    cut = {"content.xml": ("</office:spreadsheet></office:body></office:document-content>", "")}
    with pytest.raises(InputError, match=r"t\.ods "):
        read_features(spoiled(WRITERS[".ods"](tmp_path / "t.ods", {"one": [["a", "b"], [1, 2]]}), cut))


def spoiled(file, changes):
    """The same spreadsheet with other words in its parts."""
    with zipfile.ZipFile(file) as packed:
        parts = {name: packed.read(name).decode() for name in packed.namelist()}
    with zipfile.ZipFile(file, "w") as packed:
        for name, text in parts.items():
            packed.writestr(name, text.replace(*changes.get(name, ("", ""))))
    return file


def test_spreadsheets_without_calamine_name_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    with pytest.raises(MissingExtraError, match=r"partita\[spreadsheets\]"):
        read(tmp_path, b"PK", "t.xlsx")


def test_other_readers_take_such_tables_too(tmp_path):
    edges = read_edges(write(tmp_path, "source;target;weight\nann;bob;0,5\nbob;cid;1,25\n"))
    assert edges.weight.tolist() == [0.5, 1.25]
    labels = read_labels(write(tmp_path, "id\tlabel\nann\tgröße\nbob\tx\n".encode("utf-16"), "l.txt"))
    assert (labels.labels.tolist(), labels.ids) == (["größe", "x"], ["ann", "bob"])


def test_names_of_rows_as_r_writes_them(tmp_path):
    table = read(tmp_path, '"a" "b"\n"r 1" 1.5 20.25\n"r 2" 2.5 30.75\n"r 3" 3.25 1234.5\n', "t.txt")
    assert (table.columns, table.ids) == (["a", "b"], ["r 1", "r 2", "r 3"])
    assert table.features.tolist() == EXPECTED


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_column_called_by_a_hash_is_no_comment(tmp_path, mark):
    content = "#,x,w\n1,5,7\n2,3,4\n3,9,9\n".replace(",", mark)
    table = read(tmp_path, content)
    assert (table.columns, table.ids) == (["x", "w"], ["1", "2", "3"])


def test_points_between_thousands_are_not_said_to_be_commas(tmp_path):
    table = read(tmp_path, "a,b\n1.234.567,5\n12.000,25\n")
    assert table.features[:, 0].tolist() == [1234567.0, 12000.0]
    assert told(table, "thousands")
    assert not told(table, "comma")


def test_one_column_of_decimal_commas_in_a_csv_is_not_read_as_two(tmp_path):
    content = "height\n1,5\n2,5\n3,25\n"
    with pytest.raises(InputError, match="--delimiter"):
        read(tmp_path, content)
    assert read(tmp_path, content, reading=Reading(delimiter=";")).features[:, 0].tolist() == [1.5, 2.5, 3.25]
    assert read(tmp_path, content, reading=Reading(skip_rows=1)).features.shape == (3, 2)


@pytest.mark.parametrize("header", ["name,2001,2002,2003", "sample,400.5,410.5,420.5", "band,1990,2000,2010"])
def test_years_and_wavelengths_above_numbers_are_names_of_columns(tmp_path, header):
    table = read(tmp_path, f"{header}\na,1,2,3\nb,4,5,9\nc,5,5,5\n")
    assert (table.columns, table.ids, len(table.features)) == (header.split(",")[1:], ["a", "b", "c"], 3)


@pytest.mark.parametrize("first", ["a,1,2,3", "a,1.5,2,9", "a,2001,1999,2003"])
def test_numbers_that_are_like_those_below_are_data(tmp_path, first):
    table = read(tmp_path, f"{first}\nb,2,3,4\nc,5,5,5\n")
    assert table.ids == ["a", "b", "c"]


def test_a_frame_with_names_of_rows_and_columns_that_count_is_read_as_pandas_wrote_it(tmp_path):
    table = read(tmp_path, ",0,1,2\na,1.5,2,3\nb,2,3,7\nc,5,1,1\n")
    assert (table.columns, table.ids) == (["0", "1", "2"], ["a", "b", "c"])


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("a,revenue_per_customer,b", ["a", "revenue_per_customer", "b"]),
        ("a,number,b", ["a", "number", "b"]),
        ("depth,a,b", ["depth", "a", "b"]),
        ("year,a,b", ["year", "a", "b"]),
    ],
)
def test_measured_whole_numbers_are_features(tmp_path, header, columns):
    rng = np.random.default_rng(0)
    whole = np.arange(60) if header.startswith(("depth", "year")) else rng.permutation(9000)[:60]
    place = columns.index(next(name for name in columns if name not in "ab"))
    table = [np.round(rng.normal(size=60), 2) for _ in columns]
    table[place] = whole
    rows = "\n".join(",".join(map(str, row)) for row in zip(*table))
    assert read(tmp_path, f"{header}\n{rows}\n").columns == columns


def test_a_row_of_words_that_stands_twice_is_no_header(tmp_path):
    rows = "red,small,x\nblue,large,y\nred,small,x\nblue,small,x\nred,large,y\n"
    assert len(read(tmp_path, rows, mixed=True).ids) >= 4


def test_a_name_and_small_numbers_are_an_item(tmp_path):
    table = read(tmp_path, "Ann,1,2,3\nBob,4,9,7\nCid,5,1,2\nDan,8,9,1\n", mixed=True)
    assert len(table.ids) == 4


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("a,b,c\ncm,cm,cm\n1,2,3\n4,5,6\n7,8,8\n", 2),
        ("bill,,body\nlength,depth,length\n1,2,3\n4,5,6\n7,8,8\n", 2),
        ("a,b,c\n1,2,3\na,b,c\n4,5,6\n7,8,8\n", 3),
        ("Things,,\na,b,c\n1,2,3\n4,5,6\n", 2),
    ],
    ids=["units", "groups", "repeated header", "title"],
)
def test_skip_rows_keeps_a_line_that_is_guessed_to_be_no_row(tmp_path, content, line):
    assert told(read(tmp_path, content, mixed=True), "--skip-rows 0")
    with pytest.raises(InputError, match=f"line {line}:"):  # words among numbers
        read(tmp_path, content, mixed=True, reading=Reading(skip_rows=0))


def test_skip_rows_keeps_a_row_of_totals(tmp_path):
    content = "name,a,b\nann,1,2\nbob,3,4\ncid,5,6\nTotal,9,12\n"
    guessed = read(tmp_path, content, mixed=True)
    assert guessed.ids == ["ann", "bob", "cid"]
    assert told(guessed, "--skip-rows 0")
    assert read(tmp_path, content, mixed=True, reading=Reading(skip_rows=0)).ids[-1] == "Total"


# --------------------------------------------------------------------------------- columns that hold categories

CODED = "code,share,size,id\n" + "".join(f"{100 + k % 3},{k % 3}%,{k}.5 kg,{k % 3}\n" for k in range(12))


def test_columns_said_to_be_categories_keep_their_words(tmp_path):
    guessed = read(tmp_path, CODED, mixed=True)
    assert guessed.table.numeric == [True] * 3
    for column in ("share", "size"):
        assert told(guessed, f"'{column}'", f"--categories {column}")
    table = read(tmp_path, CODED, mixed=True, reading=Reading(categories=("co*", "share")))
    assert table.columns == ["code", "share", "size"]
    assert table.table.numeric == [False, False, True]
    assert table.table.columns[1].tolist()[:4] == ["0%", "1%", "2%", "0%"]
    np.testing.assert_array_equal(table.features[:, 2], np.arange(12) + 0.5)
    assert not told(table, "percent")


@pytest.mark.parametrize("name", ["t.csv", "t.xlsx", "t.parquet"])
def test_categories_of_every_format(tmp_path, name):
    rows = [["a", "zip", "b"], *([k + 0.5, 1000 + k % 2, None if k == 3 else k % 4] for k in range(8))]
    file = tmp_path / name
    if name.endswith("csv"):
        write(tmp_path, "\n".join(",".join("" if cell is None else str(cell) for cell in row) for row in rows))
    elif name.endswith("xlsx"):
        optional("python_calamine").CalamineWorkbook  # noqa: B018
        write_xlsx(file, {"one": rows})
    else:
        pa, parquet = optional("pyarrow"), optional("pyarrow.parquet")
        parquet.write_table(pa.table({head: list(column) for head, *column in zip(*rows)}), file)
    table = read_features(file, mixed=True, reading=Reading(categories=("zip", "b")))
    assert table.table.numeric == [True, False, False]
    assert table.table.columns[1].tolist()[:2] == ["1000", "1001"]
    assert table.table.columns[2].tolist()[2:5] == ["2", None, "0"]


def test_a_column_said_to_be_a_category_is_not_left_out(tmp_path):
    rows = "".join(f"{k % 3 / 2},{k % 2},{k}\n" for k in range(30))
    content = f"a,species,sample\n{rows}"
    assert read(tmp_path, content, mixed=True).columns == ["a"]
    assert read(tmp_path, content, mixed=True, reading=Reading(categories=("species",))).columns == ["a", "species"]


def test_categories_are_refused_where_no_column_is_meant_or_words_are_not_taken(tmp_path):
    with pytest.raises(InputError, match="'code'"):
        read(tmp_path, CODED, mixed=True, reading=Reading(categories=("kode",)))
    with pytest.raises(InputError, match="--categories code"):
        read(tmp_path, CODED, reading=Reading(categories=("code",)))


def test_a_word_for_a_total_alone_in_the_last_row_is_no_item(tmp_path):
    table = read(tmp_path, "a,b,c\n1,2,3\n4,5,7\n8,9,1\n2,2,2\nTotal,,\n", mixed=True)
    assert len(table.features) == 4
    assert told(table, "'Total'", "--skip-rows 0")


def test_rows_that_grow_by_one_cell_are_told_what_they_may_be(tmp_path):
    with pytest.raises(InputError, match="triangle"):
        read(tmp_path, "0\n1,0\n2,3,0\n")


def test_words_that_a_fit_has_not_seen_are_counted(tmp_path):
    from partita.estimators.encoding import Encoding

    fitted = read(tmp_path, "a,c\n" + "".join(f"{k},{'red' if k % 2 else 'blue'}\n" for k in range(8)), mixed=True)
    new = read(tmp_path, "a,c\n1,green\n2,red\n3,green\n,blue\n", mixed=True)
    notes = Encoding.of(fitted.table).notes(new.table)
    assert any("2 cells" in note and "c 2, as 'green'" in note for note in notes)
    assert any("1 cell" in note and "(a)" in note for note in notes)


# ------------------------------------------------------------------------------------------ codes, blanks, wrong names


@pytest.mark.parametrize(
    ("cells", "codes"),
    [
        ((80331, 50667, 20095), True),
        ((2001, 2002, 2010), False),  # years
        ((4000, 4100, 4200), False),  # steps of a measurement
        ((999, 4711, 4100), False),
    ],
)
def test_a_few_whole_numbers_of_equally_many_digits_are_asked_about(tmp_path, cells, codes):
    rows = "".join(f"{cells[k % 3]},{k / 7:.2f}\n" for k in range(40))
    table = read(tmp_path, f"place,x\n{rows}")
    assert told(table, "'place'", "--categories place") == codes
    assert table.features[0, 0] == cells[0]


def test_a_column_of_merged_cells_is_said_to_be_nearly_blank(tmp_path):
    rows = "".join(f"{f'ward {k}' if k % 10 == 0 else ''},{k % 7}\n" for k in range(40))
    table = read(tmp_path, f"ward,x\n{rows}", mixed=True)
    assert table.columns == ["x"]
    assert told(table, "'ward' was left out", "4 of its 40 cells", "merged")


def test_marks_are_not_said_to_make_no_difference(tmp_path):
    rows = "".join(f"{'x' if k % 3 else ''},a,{k % 7}\n" for k in range(40))
    table = read(tmp_path, f"tv,same,n\n{rows}", mixed=True)
    assert told(table, "'same'", "only one value")
    assert not told(table, "'tv'")


def test_a_text_may_begin_as_a_file_of_another_kind_does(tmp_path):
    assert read(tmp_path, "PAR1;x\n0,5;1\n1,5;2\n0,5;3\n").columns == ["PAR1", "x"]


@pytest.mark.parametrize(
    ("content", "ending"),
    [(b"PK\x03\x04", ".xlsx"), (b"PAR1", ".parquet"), (b"\x1f\x8b", ".csv.gz"), (b"\xd0\xcf\x11\xe0", ".xls")],
)
def test_a_file_with_the_wrong_ending_is_called_by_its_kind(tmp_path, content, ending):
    with pytest.raises(InputError, match=re.escape(ending)):
        read(tmp_path, content + bytes(range(200)))


@pytest.mark.parametrize(
    ("answers", "code", "told_of"),
    [((1, 2, 3, 4, 5), 9, True), ((0, 1), 8, True), ((1, 2, 4, 5), 9, False), ((1, 2, 3, 4, 5, 6, 7), 8, False)],
)
def test_eights_and_nines_behind_the_answers_of_a_scale_may_be_none(tmp_path, answers, code, told_of):
    rng = np.random.default_rng(0)
    cells = np.where(rng.random(200) < 0.05, code, rng.choice(answers, 200))
    table = read(tmp_path, "a,b\n" + "".join(f"{k / 7:.3f},{cell}\n" for k, cell in enumerate(cells)))
    assert told(table, "'b'", f"--na {code}") == told_of


def test_a_few_large_counts_are_no_answers_that_are_none(tmp_path):
    cells = [0] * 900 + [k % 8 for k in range(90)] + [9] * 4
    table = read(tmp_path, "a,b\n" + "".join(f"{k / 7:.3f},{cell}\n" for k, cell in enumerate(cells)))
    assert not told(table, "'b'", "--na")


@pytest.mark.parametrize(("name", "mean"), [("survey_weight", 1000), ("pweight", 0.4), ("wt", 1.0)])
def test_survey_weights_are_told_of(tmp_path, name, mean):
    x = np.random.default_rng(0).uniform(0.5, 1.5, (60, 2)) * (1.0, mean)
    table = read(tmp_path, f"a,{name}\n" + "".join(f"{a:.4f},{b:.4f}\n" for a, b in x), mixed=True)
    assert told(table, f"'{name}'", "how much each row counts")
