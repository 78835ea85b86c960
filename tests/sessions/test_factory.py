"""One setting selects the store."""

from __future__ import annotations

import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from traitlets.config import Config

from aiserver.errors import SettingError
from aiserver.sessions.factory import ENTRY_POINT_GROUP, create_session_manager, hide_password
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.sessions.memory import InMemorySessionManager


def test_a_store_is_chosen_by_name_address_or_class(tmp_path: Path) -> None:
    assert isinstance(create_session_manager("memory://"), InMemorySessionManager)
    assert isinstance(create_session_manager("memory"), InMemorySessionManager)
    assert isinstance(create_session_manager(InMemorySessionManager), InMemorySessionManager)
    named = create_session_manager(
        "aiserver.sessions.file.FileSessionManager", start_dir=str(tmp_path)
    )
    assert isinstance(named, FileSessionManager)
    folder = tmp_path / "数据 和 100%"
    store = create_session_manager(folder.as_uri())
    assert isinstance(store, FileSessionManager)
    assert store.root == str(folder)


@pytest.mark.parametrize(
    "choice",
    [
        "",
        "nosql://x",
        "builtins.dict",
        "aiserver.nowhere.Manager",
        "aiserver.sessions.file.Nobody",
        "nothing",
        "file://elsewhere/share",
        "file:",
    ],
)
def test_unknown_stores_are_rejected(choice: str) -> None:
    with pytest.raises(SettingError):
        create_session_manager(choice)


def test_a_store_of_another_package_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "their_store.py").write_text(
        "from aiserver.sessions.memory import InMemorySessionManager\n"
        "class Theirs(InMemorySessionManager): pass\n"
    )
    info = tmp_path / "their_store-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-store\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        f"[{ENTRY_POINT_GROUP}]\n"
        "theirs = their_store:Theirs\nfile = their_store:Theirs\nno = json:dumps\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    store = create_session_manager("theirs+quick://somewhere")
    assert (type(store).__name__, store.url) == ("Theirs", "theirs+quick://somewhere")
    assert isinstance(create_session_manager(tmp_path.as_uri()), FileSessionManager), (
        "a built-in store was overridden"
    )
    with pytest.raises(SettingError, match="not a SessionManager"):
        create_session_manager("no")
    sys.modules.pop("their_store")


def test_each_of_our_stores_is_registered() -> None:
    names = {
        entry.name for entry in entry_points(group=ENTRY_POINT_GROUP) if "aiserver" in entry.module
    }
    databases = {"sqlite", "postgresql", "mysql", "mariadb", "redis", "rediss"}
    assert names == {"file", "memory"} | databases


def test_errors_contain_no_password() -> None:
    """P8"""
    url = "postgresql+psycopg://ada:p@ss:w0rd@db/histories"
    assert hide_password(url) == "postgresql+psycopg://ada:…@db/histories"
    with pytest.raises(SettingError) as caught:
        create_session_manager("nosql://ada:canary@db")
    assert "canary" not in caught.value.message


def test_a_missing_package_is_reported_with_its_install_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [name for name in sys.modules if name.startswith("aiserver.sessions.redis")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "redis", None)
    monkeypatch.setitem(sys.modules, "redis.asyncio", None)
    with pytest.raises(SettingError, match=r"pip install 'aiserver\[redis\]'"):
        create_session_manager("redis://localhost")


def test_a_url_overrides_the_configured_root(tmp_path: Path) -> None:
    config = Config({"FileSessionManager": {"root": str(tmp_path / "for all")}})
    store = create_session_manager((tmp_path / "this").as_uri(), config=config)
    assert isinstance(store, FileSessionManager)
    assert store.root == str(tmp_path / "this")
