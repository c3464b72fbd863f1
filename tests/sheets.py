"""Spreadsheets written by hand, as small as .xlsx and .ods may be: no package that writes them is needed for a test."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from html import escape
from pathlib import Path
from typing import Any

Rows = Sequence[Sequence[Any]]

CONTENT = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Override PartName="/xl/workbook.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>'
)
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
# Style 1 is a date.
STYLES = (
    f'<styleSheet xmlns="{MAIN}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/>'
    "</cellXfs></styleSheet>"
)


def write_xlsx(path: Path, sheets: Mapping[str, Rows]) -> Path:
    """Write sheets of numbers, words, truth values, dates and empty cells (None)."""
    names = list(sheets)
    listed = "".join(f'<sheet name="{escape(n)}" sheetId="{k}" r:id="r{k}"/>' for k, n in enumerate(names, start=1))
    relations = "".join(
        f'<Relationship Id="r{k}" Type="{RELATION}/worksheet" Target="worksheets/sheet{k}.xml"/>'
        for k in range(1, len(names) + 1)
    )
    relations += f'<Relationship Id="r0" Type="{RELATION}/styles" Target="styles.xml"/>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("[Content_Types].xml", CONTENT)
        root = f'<Relationship Id="r1" Type="{RELATION}/officeDocument" Target="xl/workbook.xml"/>'
        book.writestr("_rels/.rels", f'<Relationships xmlns="{PACKAGE}">{root}</Relationships>')
        book.writestr(
            "xl/workbook.xml", f'<workbook xmlns="{MAIN}" xmlns:r="{RELATION}"><sheets>{listed}</sheets></workbook>'
        )
        book.writestr("xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{PACKAGE}">{relations}</Relationships>')
        book.writestr("xl/styles.xml", STYLES)
        for k, rows in enumerate(sheets.values(), start=1):
            body = "".join(_xlsx_row(at, row) for at, row in enumerate(rows, start=1))
            book.writestr(
                f"xl/worksheets/sheet{k}.xml", f'<worksheet xmlns="{MAIN}"><sheetData>{body}</sheetData></worksheet>'
            )
    return path


def _xlsx_row(at: int, row: Sequence[Any]) -> str:
    cells = "".join(_xlsx_cell(f"{chr(65 + k)}{at}", value) for k, value in enumerate(row) if value is not None)
    return f'<row r="{at}">{cells}</row>'


def _xlsx_cell(place: str, value: Any) -> str:
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, date):
        return f'<c r="{place}" s="1"><v>{(value - date(1899, 12, 30)) / timedelta(days=1):.0f}</v></c>'
    if isinstance(value, (int, float)):
        return f'<c r="{place}"><v>{value!r}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{escape(str(value))}</t></is></c>'


def write_ods(path: Path, sheets: Mapping[str, Rows]) -> Path:
    """Write sheets as `write_xlsx` does."""
    spaces = {
        "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
        "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
        "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    }
    known = " ".join(f'xmlns:{name}="{uri}"' for name, uri in spaces.items())
    tables = "".join(
        f'<table:table table:name="{escape(name)}">'
        + "".join(f"<table:table-row>{''.join(map(_ods_cell, row))}</table:table-row>" for row in rows)
        + "</table:table>"
        for name, rows in sheets.items()
    )
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        book.writestr(
            "content.xml",
            f'<office:document-content {known} office:version="1.2"><office:body><office:spreadsheet>{tables}'
            "</office:spreadsheet></office:body></office:document-content>",
        )
        book.writestr(
            "META-INF/manifest.xml",
            '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" />',
        )
    return path


def _ods_cell(value: Any) -> str:
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, bool):
        given = f'office:value-type="boolean" office:boolean-value="{str(value).lower()}"'
    elif isinstance(value, date):
        given = f'office:value-type="date" office:date-value="{value.isoformat()}"'
    elif isinstance(value, (int, float)):
        given = f'office:value-type="float" office:value="{value!r}"'
    else:
        given = 'office:value-type="string"'
    return f"<table:table-cell {given}><text:p>{escape(str(value))}</text:p></table:table-cell>"


WRITERS = {".xlsx": write_xlsx, ".ods": write_ods}
