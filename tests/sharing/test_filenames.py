"""Names of exported files, for any name of the notebook in its log."""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aiserver.plugins.export.filenames import LIMIT, file_name

DEVICES = {"con", "prn", "aux", "nul", "com1", "com¹", "lpt9", "conin$"}


@pytest.mark.parametrize(
    ("notebook", "name"),
    [
        ("sales.ipynb", "sales-replay.html"),
        ("销售 2026.ipynb", "销售 2026-replay.html"),
        (".ipynb", "notebook-replay.html"),
        ("", "notebook-replay.html"),
        ("\x1b[31mred\x1b[0m.ipynb", "red-replay.html"),
        ("\x1b]0;title\x07a.ipynb", "a-replay.html"),
        ("a\0b\r\n.ipynb", "ab-replay.html"),
        ("..\\..\\x.ipynb", "x-replay.html"),
        ("../../etc/passwd", "passwd-replay.html"),
        ("C:\\x:stream", "x_stream-replay.html"),
        ("....hidden.ipynb", "hidden-replay.html"),
        ("-rf.ipynb", "rf-replay.html"),
        ("a\u202elmth.ipynb", "almth-replay.html"),
        ("NUL.txt", "_NUL.txt-replay.html"),
        ("con .x", "_con .x-replay.html"),
        ("console.x", "console.x-replay.html"),
        ("a\ud83d.ipynb", "a-replay.html"),
        ("x" * 300, "x" * (LIMIT - len("-replay.html")) + "-replay.html"),
    ],
)
def test_file_names_are_sanitized(notebook: str, name: str) -> None:
    """P11"""
    assert file_name(notebook, "-replay.html") == name


@given(st.text(max_size=400))
@example("数" * 300)
@example("lpt9. ")
@example("aux\u200b.c")
def test_any_name_becomes_a_valid_file_name(notebook: str) -> None:
    """P11"""
    name = file_name(notebook, "-replay.ipynb")
    assert name.endswith("-replay.ipynb") and len(name.encode()) <= LIMIT + 1
    assert PurePosixPath(name).name == PureWindowsPath(name).name == name
    assert name[0] not in " .-"
    assert name.partition(".")[0].strip().lower() not in DEVICES
    kinds = {unicodedata.category(sign) for sign in name}
    assert not kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"}
