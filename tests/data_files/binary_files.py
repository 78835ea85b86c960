"""Write small files in binary formats for tests: Excel workbooks and Parquet footers."""

from __future__ import annotations

import io
import zipfile
from typing import Any

_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_RELATIONS = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
DATE_STYLE = 1


def excel(rows: list[list[Any]], **parts: bytes) -> bytes:
    """Return a workbook with one sheet. ``parts`` replaces files of the archive, by short names.

    A cell is a text (stored as a shared text), a number, a bool, None, or ``("date", number)``.
    """
    texts: list[str] = []
    lines = []
    for number, row in enumerate(rows, 1):
        cells = "".join(
            _cell(value, texts, f"{_letters(i)}{number}") for i, value in enumerate(row)
        )
        lines.append(f'<row r="{number}">{cells}</row>')
    shared = "".join(f"<si><t>{text}</t></si>" for text in texts)
    files = {
        "workbook": (
            "xl/workbook.xml",
            f'<workbook {_MAIN} {_RELATIONS}><sheets><sheet name="S" sheetId="1" r:id="rId7"/>'
            "</sheets></workbook>",
        ),
        "rels": (
            "xl/_rels/workbook.xml.rels",
            '<Relationships><Relationship Id="rId7" Target="worksheets/first.xml"/>'
            "</Relationships>",
        ),
        "styles": (
            "xl/styles.xml",
            f'<styleSheet {_MAIN}><numFmts><numFmt numFmtId="170" formatCode="yyyy&quot;年&quot;"/>'
            '</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>'
            '<xf numFmtId="170"/></cellXfs></styleSheet>',
        ),
        "shared": ("xl/sharedStrings.xml", f"<sst {_MAIN}>{shared}</sst>"),
        "sheet": (
            "xl/worksheets/first.xml",
            f"<worksheet {_MAIN}><sheetData>{''.join(lines)}</sheetData></worksheet>",
        ),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (path, text) in files.items():
            archive.writestr(path, parts.get(name, text.encode()))
    return buffer.getvalue()


def _cell(value: Any, texts: list[str], address: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c r="{address}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, tuple):
        return f'<c r="{address}" s="{DATE_STYLE}"><v>{value[1]}</v></c>'
    if isinstance(value, str):
        texts.append(value)
        return f'<c r="{address}" t="s"><v>{len(texts) - 1}</v></c>'
    return f'<c r="{address}"><v>{value}</v></c>'


def _letters(index: int) -> str:
    return chr(65 + index) if index < 26 else _letters(index // 26 - 1) + _letters(index % 26)


def parquet(elements: list[dict[int, Any]], row_count: int, columns: int) -> bytes:
    """Return a Parquet file without data: only its footer.

    ``elements`` are the schema's elements without the root: the fields' values by number. An int is
    an int32, a text is binary, a dict is a structure, True is a bool.
    """
    root = {4: "schema", 5: columns}
    footer = _struct({1: 2, 2: [root, *elements], 3: ("i64", row_count), 4: []})
    return b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def _struct(fields: dict[int, Any]) -> bytes:
    out, last = b"", 0
    for number, value in sorted(fields.items()):
        kind, data = _encoded(value)
        delta = number - last
        out += bytes([delta << 4 | kind]) + data
        last = number
    return out + b"\0"


def _encoded(value: Any) -> tuple[int, bytes]:
    if isinstance(value, bool):
        return (1 if value else 2), b""
    if isinstance(value, int):
        return 5, _varint(value << 1 if value >= 0 else ~(value << 1))
    if isinstance(value, tuple):
        return 6, _varint(value[1] << 1)
    if isinstance(value, str):
        data = value.encode()
        return 8, _varint(len(data)) + data
    if isinstance(value, list):
        head = bytes([len(value) << 4 | 12]) if len(value) < 15 else b"\xfc" + _varint(len(value))
        return 9, head + b"".join(_encoded(item)[1] for item in value)
    return 12, _struct(value)


def _varint(value: int) -> bytes:
    out = b""
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])
