"""Reading the memories of nanobot and PCAI: each entry, and nothing half."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aiserver.plugins.memory.cli import import_export as memories
from aiserver.plugins.memory.cli.import_export import MemoryFile, MemoryText, read_memories
from aiserver.plugins.sessions.importers.base import UnreadableInput

DATA = Path(__file__).parent.parent / "data" / "memories"


def read(name: str) -> list[str]:
    file = read_memories(DATA / name)
    assert file.problems == []
    return [text for text, *_ in file.texts]


def test_entries_of_nanobot_are_read_without_its_template() -> None:
    assert read("nanobot/MEMORY.md") == [
        "Plots have titles in Chinese",
        "Prefers polars\nover pandas",
        "The sales table is joined on order_id.",
    ]


def test_entries_of_pcai_are_read_without_dates_and_categories() -> None:
    assert read("pcai/MEMORY.md") == ["圖表的標題用繁體中文。", "金額單位是萬元。"]
    assert read("pcai/knowledge.md") == [
        "我喜歡藍色",
        "更新每月的銷售報表",
        "以下是關鍵知識點：",
        "報表每週一更新",
        "資料庫是 PostgreSQL",
        "目前沒有背景任務。",  # directly above a line of hyphens
    ]
    [blue, _, weekly, database] = read("pcai/memory_store.json")
    assert (blue, weekly, database) == ("我喜歡藍色", "報表每週一更新", "資料庫是 PostgreSQL")


def test_pending_items_of_pcai_stay_pending() -> None:
    file = read_memories(DATA / "pcai" / "pending.json")
    assert file.texts == [("使用者喜歡喝咖啡", 1, True)]


SHAPES: list[tuple[Any, list[tuple[str, bool]]]] = [
    (["a", {"text": "b"}, {"Content": "c"}, {"memory": "d"}], [(x, False) for x in "abcd"]),
    ({"memories": ["a"]}, [("a", False)]),
    ({"pending_items": [{"content": "a"}]}, [("a", True)]),
    ({"x": {"content": "a"}, "y": {"content": "b"}}, [("a", False), ("b", False)]),
    ({"content": "- a\n- b"}, [("a", False), ("b", False)]),
    ([{"id": "pending_1", "content": "a"}, {"id": 3, "content": "b"}], [("a", True), ("b", False)]),
    ([], []),
]


@pytest.mark.parametrize(("content", "expected"), SHAPES)
def test_similar_json_is_read(content: Any, expected: list[tuple[str, bool]], tmp_path: Path):
    (tmp_path / "x.json").write_text(json.dumps(content))
    texts = read_memories(tmp_path / "x.json").texts
    assert [(text, is_pending) for text, _, is_pending in texts] == expected


def test_entries_that_cannot_be_read_are_listed(tmp_path: Path) -> None:
    content = ["a", 5, "half \ud83d", {"content": "# only a heading"}, "😀"]
    (tmp_path / "x.json").write_text(json.dumps(content))
    assert read_memories(tmp_path / "x.json") == MemoryFile(
        [MemoryText("a", 1), MemoryText("😀", 5)],
        [
            "entry 2: has no text",
            "entry 3: contains half of a character",
            "entry 4: has no text",
        ],
    )


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("x.md", "图表".encode("gbk"), "not UTF-8 text"),
        ("x.md", b"\xff\xfe\x00", "not UTF-8 text"),
        ("x.sqlite", b"SQLite format 3\x00\xff", "not UTF-8 text"),
        ("x.json", b'[{"content": "a"}', "not valid or complete JSON"),
        ("x.json", b"[" * 100_000, "nested too deeply"),
        ("x.json", b'{"messages": []}', "not a list of memories"),
        ("x.json", b'{"a": {"content": "x"}, "b": 1}', "not a list of memories"),
        ("x.json", b"[1, 2]", "not a list of memories"),
        ("x.json", b"7", "not a list of memories"),
    ],
)
def test_other_files_are_refused_with_the_reason(
    name: str, data: bytes, reason: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UnreadableInput, match=reason):
        read_memories(tmp_path / name)


def test_what_is_not_a_file_or_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UnreadableInput, match="no such file"):
        read_memories(tmp_path / "missing.md")
    with pytest.raises(UnreadableInput, match="is a folder"):
        read_memories(tmp_path)
    (tmp_path / "x.md").write_text("- a\n" * 30)
    monkeypatch.setattr(memories, "MAX_TEXT_LENGTH", 100)
    with pytest.raises(UnreadableInput, match="characters"):
        read_memories(tmp_path / "x.md")
    monkeypatch.setattr(memories, "MAX_FILE_BYTES", 50)
    with pytest.raises(UnreadableInput, match="larger than"):
        read_memories(tmp_path / "x.md")


def test_files_in_utf_16_and_with_a_mark_are_read(tmp_path: Path) -> None:
    for encoding in ("utf-16", "utf-8-sig"):
        (tmp_path / "x.md").write_text("- 图表用中文标题\n", encoding=encoding)
        assert [text for text, *_ in read_memories(tmp_path / "x.md").texts] == ["图表用中文标题"]
