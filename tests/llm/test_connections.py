"""Storage of keys and choices, and the addresses to which keys are sent."""

from __future__ import annotations

import errno
import json
import os
import stat
from pathlib import Path
from typing import Any

import keyring
import pytest

from aiserver import errors
from aiserver.llm.credentials import secret_store as secretstore
from aiserver.llm.credentials.connections import Connections
from aiserver.llm.credentials.private_file import PrivateFile
from aiserver.llm.policy import Access, ModelPolicy
from aiserver.llm.providers import PROVIDERS, blank_key_variable
from aiserver.llm.registry import ModelRegistry
from aiserver.plugins.local_models import weights

from ..keyring_backend import Keyring, Locked

KEY = "canary-key-0c5e"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    for name in ("OPENAI_API_KEY", "OPENAI_API_BASE", "OPENAI_BASE_URL", "MISTRAL_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TEST_KEYRING", str(tmp_path / "keyring.json"))
    before = keyring.get_keyring()
    keyring.set_keyring(keyring.backends.fail.Keyring())  # as on a server without a desktop
    yield
    keyring.set_keyring(before)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "aiserver"


def connections(folder: Path, company: str | None = None) -> Connections:
    policy = ModelPolicy("openai:theirs", {"base_url": company}) if company else ModelPolicy()
    return Connections(folder, lambda: policy)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
async def test_without_a_keyring_keys_are_in_a_private_file(folder: Path, umask: int):
    """P7: under any umask."""
    before = os.umask(umask)
    try:
        await connections(folder).save("openai", KEY, None)
    finally:
        os.umask(before)
    assert mode(folder) == 0o700
    assert mode(folder / ".keys.json") == mode(folder / "settings.json") == 0o600
    assert json.loads((folder / ".keys.json").read_text()) == {"openai": KEY}
    assert KEY not in (folder / "settings.json").read_text()
    saved = connections(folder)
    assert saved.get("openai").key_source == "file"
    assert await saved.access("openai") == Access("https://api.openai.com/v1", KEY)


async def test_with_a_keyring_no_file_holds_a_key(folder: Path, tmp_path: Path):
    keyring.set_keyring(Keyring())
    saved = connections(folder)
    await saved.save("openai", KEY, None)
    assert saved.get("openai").key_source == "keyring"
    assert not (folder / ".keys.json").exists()
    assert all(KEY not in path.read_text() for path in folder.iterdir() if path.is_file())
    assert (await connections(folder).access("openai")).key == KEY
    await saved.remove("openai")
    assert json.loads((tmp_path / "keyring.json").read_text()) == {}
    assert saved.get("openai").key_source is None


async def test_a_key_moves_into_the_keyring_once_there_is_one(folder: Path):
    saved = connections(folder)
    await saved.save("openai", KEY, None)
    keyring.set_keyring(Keyring())
    await saved.save("openai", KEY, None)
    assert saved.get("openai").key_source == "keyring"
    assert KEY not in (folder / ".keys.json").read_text()


async def test_a_keyring_that_refuses_gives_way_to_the_file(folder: Path):
    """P8: and its error message isn't passed on."""
    keyring.set_keyring(Locked())
    saved = connections(folder)
    await saved.save("openai", KEY, None)
    assert saved.get("openai").key_source == "file"


async def test_a_keyring_that_was_locked_since_is_reported(folder: Path):
    keyring.set_keyring(Keyring())
    saved = connections(folder)
    await saved.save("openai", KEY, None)
    keyring.set_keyring(Locked())
    with pytest.raises(errors.ModelKeyMissing, match="Unlock"):
        await saved.access("openai")


async def test_a_late_result_of_a_slow_keyring_is_undone(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """P8: a key that went to the file doesn't turn up in the keyring as well."""
    import threading

    release, stored_late, deleted = threading.Event(), threading.Event(), threading.Event()

    class Slow(Keyring):
        def set_password(self, *args: str) -> None:
            release.wait(30)
            super().set_password(*args)
            stored_late.set()

        def delete_password(self, *args: str) -> None:
            super().delete_password(*args)
            deleted.set()

    monkeypatch.setattr(secretstore, "PATIENCE", 0.1)
    keyring.set_keyring(Slow())
    saved = connections(folder)
    await saved.save("openai", KEY, None)
    assert saved.get("openai").key_source == "file"
    release.set()
    assert stored_late.wait(30) and deleted.wait(30)
    assert json.loads((tmp_path / "keyring.json").read_text()) == {}
    assert (await saved.access("openai")).key == KEY


@pytest.mark.parametrize("refusal", [RuntimeError("locked"), None], ids=["refuses", "does nothing"])
async def test_a_key_counts_as_removed_only_once_it_is_deleted(
    folder: Path, tmp_path: Path, refusal
):
    """P8"""

    class Tight(Keyring):
        def delete_password(self, *args: str) -> None:
            if refusal:
                raise refusal

    keyring.set_keyring(Tight())
    saved = connections(folder)
    await saved.save("openai", KEY, None)
    with pytest.raises(errors.StorageError, match="keychain"):
        await saved.remove("openai")
    assert saved.get("openai").key_source == "keyring"  # it is still shown as connected
    keyring.set_keyring(Keyring())
    await saved.remove("openai")
    assert saved.get("openai").key_source is None
    assert json.loads((tmp_path / "keyring.json").read_text()) == {}


async def test_a_new_key_is_accepted_while_the_keyring_is_locked(folder: Path, tmp_path: Path):
    """P8: and what was left in the keyring goes with the new one, once it opens."""
    keyring.set_keyring(Keyring())
    saved = connections(folder)
    await saved.save("openai", "an-old-key", None)
    keyring.set_keyring(Locked())
    await saved.save("openai", KEY, None)
    assert (saved.get("openai").key_source, (await saved.access("openai")).key) == ("file", KEY)
    keyring.set_keyring(Keyring())
    await saved.remove("openai")
    assert json.loads((tmp_path / "keyring.json").read_text()) == {}
    assert KEY not in (folder / ".keys.json").read_text()


async def test_planted_links_are_not_followed(folder: Path, tmp_path: Path):
    """P6: neither to read what another has written, nor to write where another wants it."""
    folder.mkdir()
    target = tmp_path / "elsewhere.json"
    target.write_text(json.dumps({"model": "openai:theirs", "openai": "theirs"}))
    for name in ("settings.json", ".keys.json"):
        (folder / name).symlink_to(target)
    saved = connections(folder)
    assert saved.choice is None
    await saved.save("openai", KEY, None)
    saved.choose("openai:mine")
    assert "mine" not in target.read_text() and KEY not in target.read_text()
    assert not (folder / ".keys.json").is_symlink()
    assert (await saved.access("openai")).key == KEY


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'"x"', b"\xff\xfe", b'{"providers": [1]}'])
async def test_a_damaged_file_counts_as_empty_and_is_quarantined(folder: Path, content: bytes):
    """P22: with its bytes, and under a new name each time."""
    folder.mkdir()
    for name in ("settings.json", ".keys.json"):
        (folder / name).write_bytes(content)
    saved = connections(folder)
    assert saved.choice is None and saved.get("openai").key_source is None
    await saved.save("openai", KEY, None)
    saved.choose("openai:x")
    assert (saved.choice, (await saved.access("openai")).key) == ("openai:x", KEY)
    damaged = content != b'{"providers": [1]}'  # that one can be read, and is written anew
    for name in ("settings.json", ".keys.json"):
        asides = [path.read_bytes() for path in folder.glob(f"{name}.corrupt-*")]
        assert asides == [content] * damaged
    (folder / "settings.json").write_bytes(b"{again")
    saved.choose("openai:y")
    assert (folder / f"settings.json.corrupt-{1 + damaged}").read_bytes() == b"{again"


@pytest.mark.parametrize("number", [errno.EIO, errno.EMFILE, errno.EACCES])
async def test_an_unreadable_file_is_not_overwritten(
    folder: Path, monkeypatch: pytest.MonkeyPatch, number: int
):
    """P20: one failed read costs neither the keys nor the settings."""
    saved = connections(folder)
    await saved.save("openai", KEY, None)
    saved.choose("openai:before")
    files = [folder / "settings.json", folder / ".keys.json"]
    before = [path.read_bytes() for path in files]
    real = os.open

    def broken(path: Any, flags: int, *rest: int, **more: int) -> int:
        if path in files and not flags & os.O_CREAT:
            raise OSError(number, os.strerror(number))
        return real(path, flags, *rest, **more)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", broken)
        assert saved.choice is None
        for change in (lambda: saved.choose("openai:after"), lambda: _put(folder)):
            with pytest.raises(errors.StorageError):
                change()
    assert [path.read_bytes() for path in files] == before
    assert (saved.choice, (await saved.access("openai")).key) == ("openai:before", KEY)


async def test_temporary_files_of_killed_writers_are_swept(folder: Path):
    """P21: its temporary file may hold a key."""
    saved = connections(folder)
    await saved.save("openai", KEY, None)
    for left in (folder / f".keys.json.{'0a' * 8}.tmp", folder / f"settings.json.{'0a' * 8}.tmp"):
        left.write_text(KEY)
    mine = folder / ".keys.json.mine.tmp"
    mine.write_text("not of that form")
    await saved.remove("openai")
    files = {path for path in folder.iterdir() if path.name != ".lock"}
    assert files == {folder / ".keys.json", folder / "settings.json", mine}


async def test_temporary_files_are_swept_at_the_start(folder: Path):
    """P21: without a save, and without creating anything if there is nothing."""
    models = ModelRegistry(data_dir=str(folder))
    await models.sweep()
    assert not folder.exists()
    await models.connections.save("openai", KEY, None)
    left = folder / f".keys.json.{'0a' * 8}.tmp"
    left.write_text(KEY)
    await ModelRegistry(data_dir=str(folder)).sweep()
    assert not left.exists()
    assert (await models.connections.access("openai")).key == KEY
    left.mkdir()  # can't be unlinked, and stands in nobody's way
    await models.sweep()


@pytest.mark.parametrize("before", [0o755, 0o777, 0o500])
def test_an_existing_folder_becomes_private(folder: Path, before: int):
    """P7"""
    folder.mkdir()
    folder.chmod(before)
    _put(folder)
    assert mode(folder) == 0o700


def test_weights_that_come_first_leave_the_folder_private(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """P7: keys come into it later."""
    monkeypatch.delenv("AISERVER_MODEL_DIR", raising=False)
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    weights.make_folder(weights.folder())
    assert weights.folder().is_dir() and mode(folder) == 0o700


def _put(folder: Path) -> None:
    with PrivateFile(folder / ".keys.json").change() as data:
        data["mistralai"] = KEY


def test_a_named_pipe_in_its_place_blocks_nothing(folder: Path):
    """P6"""
    folder.mkdir()
    os.mkfifo(folder / ".keys.json")
    assert PrivateFile(folder / ".keys.json").read() == {}
    _put(folder)
    assert PrivateFile(folder / ".keys.json").read() == {"mistralai": KEY}


def test_an_error_names_another_process_that_changes_the_settings(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("aiserver.llm.credentials.private_file._PATIENCE", 0)
    with (
        PrivateFile(folder / ".keys.json").change(),
        pytest.raises(errors.StorageError, match="Another process"),
    ):
        _put(folder)
    assert PrivateFile(folder / ".keys.json").read() == {}


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
async def test_a_full_disk_preserves_the_old_content(
    folder: Path, monkeypatch: pytest.MonkeyPatch, number: int
):
    """P20"""
    saved = connections(folder)
    saved.choose("openai:before")

    def full(*args: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(errors.StorageFull, match="the settings could not be saved"):
        saved.choose("openai:after")
    assert saved.choice == "openai:before"
    assert [path.name for path in folder.iterdir() if "tmp" in path.name] == []


def test_changes_of_many_processes_are_all_saved(folder: Path):
    """P23"""
    import subprocess
    import sys

    code = (
        "import sys; from pathlib import Path\n"
        "from aiserver.llm.credentials.private_file import PrivateFile\n"
        "for n in range(20):\n"
        "    with PrivateFile(Path(sys.argv[1])).change() as data: data[f'{sys.argv[2]}-{n}'] = n"
    )
    path = folder / "settings.json"
    processes = [subprocess.Popen([sys.executable, "-c", code, path, name]) for name in "abc"]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    assert len(PrivateFile(path).read()) == 60


async def test_keys_are_only_sent_to_their_address(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """P8: a key goes to no address that it was not meant for."""
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-environment")
    saved = connections(folder)
    assert await saved.access("openai") == Access("https://api.openai.com/v1", "of-the-environment")
    # The administrator's address takes the environment's key: both are the administrator's.
    company = "https://models.company.example/v1"
    assert await connections(folder, company).access("openai") == Access(
        company, "of-the-environment"
    )
    # A key saved without an address goes where the provider is for all …
    await saved.save("openai", KEY, None)
    assert await saved.access("openai") == Access("https://api.openai.com/v1", KEY)
    assert (await connections(folder, company).access("openai")).address == company
    # … an address saved gets the key saved with it, or none.
    await saved.save("openai", KEY, "https://proxy.example/v1/")
    assert await connections(folder, company).access("openai") == Access(
        "https://proxy.example/v1", KEY
    )
    await saved.save("openai", None, "http://127.0.0.1:9999/v1")
    assert await saved.access("openai") == Access("http://127.0.0.1:9999/v1", None)
    await saved.remove("openai")
    assert (await saved.access("openai")).key == "of-the-environment"


@pytest.mark.parametrize(
    ("provider", "key", "address", "field"),
    [
        ("openai", None, None, "key"),
        ("openai", "  ", None, "key"),
        ("openai", None, "https://api.example", "key"),
        ("openai", "two words", None, "key"),
        ("openai", "line\nbreak", None, "key"),
        ("openai", "ключ", None, "key"),
        ("openai_compatible", KEY, None, "address"),
        ("openai_compatible", None, "ftp://x", "address"),
        ("openai_compatible", None, "models.example/v1", "address"),
        ("openai_compatible", None, "https://me:secret@models.example", "address"),
        ("openai_compatible", None, "https://models.example/v1?key=1", "address"),
        ("openai_compatible", None, "http://[::1", "address"),
        ("openai_compatible", None, "http://x:port", "address"),
    ],
)
async def test_invalid_input_is_refused_by_field(folder, provider, key, address, field):
    with pytest.raises(errors.InvalidRequest) as caught:
        await connections(folder).save(provider, key, address)
    assert caught.value.message.startswith(f"{field}: ")
    assert "secret" not in caught.value.message and KEY not in caught.value.message
    assert not folder.exists()


async def test_unknown_providers_are_not_found(folder: Path):
    for call in (connections(folder).save("evil", KEY, None), connections(folder).remove("evil")):
        with pytest.raises(errors.NotFound):
            await call


async def test_a_blank_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file with a key may be empty, and a key may end in a line break."""
    for provider in PROVIDERS.values():
        for name in provider.key_variables:
            monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", " \n")
    assert blank_key_variable() == "OPENAI_API_KEY"
    assert PROVIDERS["openai"].key_in_environment() is None
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary\u00a0\r\n")
    assert blank_key_variable() is None
    assert PROVIDERS["openai"].key_in_environment() == "sk-canary"
