"""Write small Excel workbooks for tests."""

from __future__ import annotations

import io
import zipfile
from typing import Any

_SCHEMAS = "http://schemas.openxmlformats.org"
_MAIN = f'xmlns="{_SCHEMAS}/spreadsheetml/2006/main"'
_OFFICE = f"{_SCHEMAS}/officeDocument/2006/relationships"
_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
PARTS = {
    "types": "[Content_Types].xml",
    "root": "_rels/.rels",
    "workbook": "xl/workbook.xml",
    "rels": "xl/_rels/workbook.xml.rels",
    "styles": "xl/styles.xml",
    "shared": "xl/sharedStrings.xml",
    "sheet": "xl/worksheets/sheet1.xml",
}


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
        "types": f'<Types xmlns="{_SCHEMAS}/package/2006/content-types">'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPES}.sheet.main+xml"/></Types>',
        "root": _relations({"rId1": ("officeDocument", "xl/workbook.xml")}),
        "workbook": f'<workbook {_MAIN} xmlns:r="{_OFFICE}">'
        '<sheets><sheet name="S" sheetId="1" r:id="rId7"/></sheets></workbook>',
        "rels": _relations(
            {
                "rId7": ("worksheet", "worksheets/sheet1.xml"),
                "rId8": ("styles", "styles.xml"),
                "rId9": ("sharedStrings", "sharedStrings.xml"),
            }
        ),
        "styles": f'<styleSheet {_MAIN}><numFmts><numFmt numFmtId="170" formatCode="yyyy&quot;年'
        '&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>'
        '<xf numFmtId="0"/><xf numFmtId="170"/></cellXfs></styleSheet>',
        "shared": f"<sst {_MAIN}>{shared}</sst>",
        "sheet": f"<worksheet {_MAIN}><sheetData>{''.join(lines)}</sheetData></worksheet>",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(PARTS[name], parts.get(name, text.encode()))
    return buffer.getvalue()


def _relations(targets: dict[str, tuple[str, str]]) -> str:
    items = "".join(
        f'<Relationship Id="{key}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for key, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{_SCHEMAS}/package/2006/relationships">{items}</Relationships>'


def _cell(value: Any, texts: list[str], address: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c r="{address}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, tuple):
        return f'<c r="{address}" s="1"><v>{value[1]}</v></c>'
    if isinstance(value, str):
        texts.append(value)
        return f'<c r="{address}" t="s"><v>{len(texts) - 1}</v></c>'
    return f'<c r="{address}"><v>{value}</v></c>'


def _letters(index: int) -> str:
    return chr(65 + index) if index < 26 else _letters(index // 26 - 1) + _letters(index % 26)
