"""P5: no file outside of the folder that Jupyter serves is opened, whatever name is given."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aiserver.plugins.data_files import folder
from aiserver.plugins.data_files.reader import DataFiles

from ..examples import examples

CANARY = "canary_outside"
PARTS = [
    *("..", ".", "", "a.csv", "sub", "b.csv", "inner", "out", "out.csv", "dir.csv", "pipe.csv"),
    *(".hidden", "secret.csv", "loop", "数据", "c.csv", "/", "~", "device.csv", "chain", "hid.csv"),
]
PATHS = st.lists(st.sampled_from(PARTS), max_size=6).map("/".join)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a served folder with all kinds of links, and files outside of it."""
    top = tmp_path_factory.mktemp("top")
    outside = top / "outside"
    root = top / "root"
    for path in (outside, root / "sub" / "inner", root / ".hidden", root / "数据"):
        path.mkdir(parents=True)
    for path in (outside / "secret.csv", top / "a.csv", root / ".hidden" / "b.csv"):
        path.write_text(f"{CANARY},x\n1,2\n")
    for path in (root / "a.csv", root / "sub" / "b.csv", root / "数据" / "c.csv"):
        path.write_text("inside,x\n1,2\n")
    (root / "dir.csv").mkdir()
    (root / "out").symlink_to(outside)
    (root / "out.csv").symlink_to("../outside/secret.csv")
    (root / "sub" / "chain").symlink_to("../out")
    (root / "loop").symlink_to("loop")
    (root / "inner").symlink_to("sub")
    (root / "hid.csv").symlink_to(".hidden/b.csv")
    (root / "device.csv").symlink_to("/dev/zero")
    (root / "out.sqlite").symlink_to("../outside/secret.csv")
    (root / "device.db").symlink_to("/dev/zero")
    os.mkfifo(root / "pipe.csv")
    os.mkfifo(root / "pipe.sqlite")
    return root


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Record the real paths of all files and folders that this thread opens."""
    paths: list[str] = []
    original, this_thread = os.open, threading.get_ident()

    def recording_open(path: Any, *arguments: Any, **more: Any) -> int:
        descriptor = original(path, *arguments, **more)
        if threading.get_ident() == this_thread:
            paths.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        return descriptor

    monkeypatch.setattr("aiserver.plugins.data_files.folder.os.open", recording_open)
    yield paths


def columns(root: Path, name: str, notebook: str = "n.ipynb") -> list[list[str]]:
    profiles = DataFiles(str(root)).describe(notebook, [[name]])
    return [[column.name for column in profile.table.columns] for profile in profiles]


@settings(max_examples=examples(400), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(notebook=PATHS, name=PATHS)
def test_nothing_outside_is_opened(root: Path, opened: list[str], notebook: str, name: str) -> None:
    """P5: neither through ``..``, absolute paths or links; and nothing that is hidden."""
    opened.clear()
    for found_columns in columns(root, name, notebook):
        assert found_columns == ["inside", "x"]
    for path in opened:
        relative = Path(path).relative_to(root)  # raises ValueError if it is outside
        assert not any(part.startswith(".") for part in relative.parts)
        assert Path(path).is_dir() or Path(path).name in ("a.csv", "b.csv", "c.csv")


@pytest.mark.parametrize(
    ("notebook", "name"),
    [
        ("n.ipynb", "a.csv"),
        ("n.ipynb", "./sub/../a.csv"),
        ("sub/n.ipynb", "b.csv"),
        ("sub/n.ipynb", "../数据/c.csv"),
        ("sub/inner/n.ipynb", "../../a.csv"),
        ("n.ipynb", "inner/b.csv"),  # through a link that stays inside
    ],
)
def test_a_file_inside_is_described_by_its_path_from_the_notebook(
    root: Path, notebook: str, name: str
) -> None:
    assert columns(root, name, notebook) == [["inside", "x"]]


@pytest.mark.parametrize(
    "name",
    [
        *("../a.csv", "sub/../../a.csv", "out.csv", "out/secret.csv", "sub/chain/secret.csv"),
        *("hid.csv", ".hidden/b.csv", "dir.csv", "pipe.csv", "device.csv", "loop/a.csv"),
        *("out.sqlite", "device.db", "pipe.sqlite"),
        *("none.csv", "a.csv/", "~/a.csv", "a.csv\0.csv", "file://a.csv", "x" * 5000 + ".csv"),
    ],
)
def test_everything_else_is_ignored(root: Path, name: str) -> None:
    """P5: a pipe or a device doesn't block the server either."""
    thread = threading.Thread(target=lambda: results.append(columns(root, name)), daemon=True)
    results: list[Any] = []
    thread.start()
    thread.join(5)
    expected: list[Any] = [["inside", "x"]] if name == "a.csv/" else []
    assert results == [expected]


def test_absolute_paths_are_ignored(root: Path) -> None:
    """P5"""
    assert columns(root, str(root / "a.csv")) == []


def test_a_link_that_changes_after_the_check_is_not_followed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P5: the folders are opened one by one, and none may be a link then."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "secret.csv").write_text("inside,x\n1,2\n")
    original = folder._open_parts

    def swapping(base: str, parts: list[str]) -> int:
        (tmp_path / "sub").rename(tmp_path / "old")
        (tmp_path / "sub").symlink_to(root.parent / "outside")
        return original(base, parts)

    monkeypatch.setattr(folder, "_open_parts", swapping)
    assert columns(tmp_path, "sub/secret.csv") == []


def test_without_a_folder_nothing_is_described() -> None:
    """Notebooks in a database, for example, have no folder."""
    files = DataFiles(None)
    assert files.mentions("n.ipynb", ["a.csv"]) == []
    assert files.describe("n.ipynb", [["a.csv"]]) == []
    assert DataFiles("/srv").mentions(None, ["a.csv"]) == []


def test_at_most_five_files_are_described_each_once(tmp_path: Path) -> None:
    for number in range(7):
        (tmp_path / f"{number}.csv").write_text("a\n1\n")
    mentions = [["0.csv"], ["./0.csv"], *([f"{number}.csv"] for number in range(1, 7))]
    profiles = DataFiles(str(tmp_path)).describe("n.ipynb", mentions)
    assert [profile.name for profile in profiles] == ["0.csv", *(f"{n}.csv" for n in range(1, 5))]


def test_the_longest_name_that_exists_is_meant(tmp_path: Path) -> None:
    (tmp_path / "数据").mkdir()
    for path in ("数据/销售.csv", "销售.csv"):
        (tmp_path / path).write_text("a\n1\n")
    files = DataFiles(str(tmp_path))
    profiles = files.describe("n.ipynb", files.mentions("n.ipynb", ["读取数据/销售.csv并画图"]))
    assert [profile.name for profile in profiles] == ["数据/销售.csv"]
