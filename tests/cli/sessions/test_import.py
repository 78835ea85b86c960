"""``sessions import``: idempotent, with a dry run and a report; the source is not changed."""

from __future__ import annotations

import asyncio
import json
import shutil
import zipfile
from pathlib import Path

import pytest

from aiserver.plugins.sessions.importers import detect
from aiserver.plugins.sessions.importers.base import InputFile, ReadResult, UnreadableInput
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.testing.records import EXAMPLE_FILE, log_entry, turn

from ..conftest import IMPORTS, Run, configure, stored, tree


def test_importing_twice_changes_nothing_and_the_source_is_only_read(run: Run, work: Path):
    """P25: a second import changes no byte, and a dry run writes nothing."""
    source = work / "old"
    shutil.copytree(IMPORTS, source)
    (source / "README.md").unlink()
    before = tree(source)
    dry = run("import", source, "--dry-run")
    assert dry.status == 0, dry.err
    assert "nothing was written" in dry.out
    assert not (work / ".aiserver_sessions").exists()
    first = run("import", source)
    assert first.status == 0, first.err
    assert first.out.splitlines()[:-1] == dry.out.splitlines()[:-2]
    assert tree(source) == before
    imported = tree(work / ".aiserver_sessions")
    again = run("import", source)
    assert again.status == 0
    assert "new        0 histories" in again.out
    assert "added      0 requests, 0 events" in again.out
    assert tree(work / ".aiserver_sessions") == imported
    assert tree(source) == before
    dry_again = run("import", source, "--dry-run")
    assert "added      0 requests, 0 events" in dry_again.out


def test_importing_a_longer_chat_again_adds_its_new_turns(run: Run, work: Path):
    file = work / "cli_1.jsonl"
    lines = [
        {"_type": "metadata", "key": "cli:1", "created_at": "2026-01-01T10:00:00"},
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "```\nx\n```"},
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    run("import", file)
    lines[0]["updated_at"] = "2026-02-02T10:00:00"
    lines += [{"role": "user", "content": "b"}, {"role": "assistant", "content": "c"}]
    file.write_text("\n".join(map(json.dumps, lines)))
    done = run("import", file)
    assert "extended   1 histories" in done.out and "added      1 requests" in done.out
    (session,) = stored(work).values()
    assert [each.user_request.intent for each in session.interactions] == ["a", "b"]


def test_importing_a_longer_chat_without_times_again_adds_its_new_turns(run: Run, work: Path):
    """PCAI stores only the time of the last update."""
    file = work / "telegram_1.json"
    data = {"id": "telegram_1", "last_update": "2026-02-14T09:30:00+08:00"}
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    file.write_text(json.dumps({**data, "messages": messages}))
    run("import", file)
    data["last_update"] = "2026-02-15T10:00:00+08:00"
    file.write_text(json.dumps({**data, "messages": messages * 2}))
    for added in (1, 0):
        assert f"added      {added} requests" in run("import", file).out
    (session,) = stored(work).values()
    assert [each.timestamp[:10] for each in session.interactions] == ["2026-02-14", "2026-02-15"]


def test_unreadable_files_are_reported_and_the_others_imported(run: Run, work: Path):
    """P22"""
    source = work / "old"
    source.mkdir()
    good = next(IMPORTS.glob("nanobot-*/*.jsonl"))
    shutil.copy(good, source / "good.jsonl")
    (source / "broken.json").write_bytes(b'{"id": 3, "messages": [')
    (source / "notes.json").write_text('{"a": 1}')
    done = run("import", source)
    assert done.status == 1
    assert "broken.json: not valid or complete JSON" in done.err
    assert "notes.json: unknown format" in done.err
    assert "skipped    2, see above" in done.out
    assert len(stored(work)) == 1


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_file_in_utf_16_does_not_affect_the_others(run: Run, work: Path, encoding: str):
    """P22: PowerShell writes it. A line break has two bytes."""
    source = work / "old"
    source.mkdir()
    shutil.copy(next(IMPORTS.glob("nanobot-*/*.jsonl")), source / "good.jsonl")
    lines = ['\ufeff{"role": "user", "content": "画图"}', '{"role": "assistant", "content": "ok"}']
    (source / "other.jsonl").write_bytes("\n".join(lines).encode(encoding))
    done = run("import", source)
    assert done.status == 0, done.err
    assert len(stored(work)) == 2


def test_a_hostile_archive_neither_stops_the_import_nor_controls_the_terminal(run: Run, work: Path):
    """The archive has a damaged LZMA entry, and control characters in an entry's name."""
    manifest = json.dumps({"kind": "aiserver-backup", "version": 1, "owners": [""]})
    session = EXAMPLE_FILE.read_bytes()
    with zipfile.ZipFile(work / "bad.zip", "w", zipfile.ZIP_LZMA) as zipped:
        zipped.writestr("manifest.json", manifest, zipfile.ZIP_STORED)
        zipped.writestr("0/foo/\x1b]0;owned\x07\u202e.json", b"x", zipfile.ZIP_STORED)
        zipped.writestr("0/sessions/nb_c1.json", session)
    data = bytearray((work / "bad.zip").read_bytes())
    start = data.index(b"0/sessions/nb_c1.json") + 60
    data[start : start + 40] = bytes(40)
    (work / "bad.zip").write_bytes(data)
    chat = next(IMPORTS.glob("nanobot-*/*.jsonl"))
    done = run("import", "bad.zip", chat)
    assert done.status == 1
    assert "0/sessions/nb_c1.json: damaged" in done.err
    assert "0/foo/" in done.err and not {"\x1b", "\x07", "\u202e"} & set(done.err)
    assert len(stored(work)) == 1, "the chat was not imported"


@pytest.mark.parametrize("owners", [5, [1], [["a"], {"b": 1}], None])
def test_a_backup_with_invalid_owners_is_reported(run: Run, work: Path, owners: object):
    manifest = json.dumps({"kind": "aiserver-backup", "version": 1, "owners": owners})
    with zipfile.ZipFile(work / "bad.zip", "w") as zipped:
        zipped.writestr("manifest.json", manifest)
        zipped.writestr("0/sessions/nb_c1.json", b"{}")
    done = run("import", "bad.zip")
    assert done.status == 1
    assert "bad.zip: incomplete AI Server backup" in done.err


def test_a_missing_source_is_an_error(run: Run, work: Path):
    done = run("import", work / "nothing")
    assert done.status == 1 and "No file or folder" in done.err


def test_a_chat_is_attached_to_a_notebook_and_a_cell(run: Run, work: Path):
    notebook = work / "book.ipynb"
    notebook.write_text(json.dumps({"metadata": {"aiserver": {"notebook_id": "book"}}}))
    chat = next(IMPORTS.glob("*chat*/bank*.chat"))
    done = run("import", chat, "--notebook", notebook, "--cell", "cell-1")
    assert done.status == 0, done.err
    (name,) = stored(work)
    assert name == "book_cell-1.json"
    assert run("import", chat, "--notebook", notebook).status == 0
    assert {session.meta.notebook_id for session in stored(work).values()} == {"book"}


def test_histories_are_not_imported_into_the_original_of_a_copy(run: Run, work: Path):
    """P28"""
    content = json.dumps({"metadata": {"aiserver": {"notebook_id": "book"}}})
    for name in ("book.ipynb", "copy.ipynb"):
        (work / name).write_text(content)
    store = FileSessionManager(root=str(work))
    asyncio.run(store.append_notebook_log("book", [log_entry(path="book.ipynb")]))
    chat = next(IMPORTS.glob("*chat*/bank*.chat"))
    done = run("import", chat, "--notebook", "copy.ipynb")
    assert done.status == 1 and "“copy.ipynb” is a copy of “book.ipynb”" in done.err
    assert not stored(work)


def test_histories_of_many_cells_are_not_attached_to_one_cell(run: Run, work: Path):
    notebook = work / "book.ipynb"
    notebook.write_text(json.dumps({"metadata": {"aiserver": {"notebook_id": "book"}}}))
    history = IMPORTS / "verdant" / "houses_kc.ipyhistory"
    done = run("import", history, "--notebook", notebook, "--cell", "cell-1")
    assert done.status == 1 and "contains the histories of 25 cells" in done.err
    assert not stored(work)


def test_a_notebook_without_an_id_is_an_error(run: Run, work: Path):
    (work / "book.ipynb").write_text('{"metadata": {}}')
    chat = next(IMPORTS.glob("*chat*/bank*.chat"))
    done = run("import", chat, "--notebook", "book.ipynb")
    assert done.status == 1 and "has no notebook ID yet" in done.err
    done = run("import", chat, "--cell", "x")
    assert done.status == 1 and "requires --notebook" in done.err


def test_the_format_can_be_given(run: Run, work: Path):
    (work / "values.json").write_text('{"a": 1}')
    assert run("import", "values.json").status == 1
    assert run("import", "values.json", "--format", "agentscope").status == 0


def test_a_verdant_history_uses_the_id_of_the_notebook_next_to_it(run: Run, work: Path):
    shutil.copy(IMPORTS / "verdant" / "houses_kc.ipyhistory", work)
    notebook = json.loads((IMPORTS / "verdant" / "houses_kc.ipynb").read_bytes())
    notebook["metadata"]["aiserver"] = {"notebook_id": "houses"}
    (work / "houses_kc.ipynb").write_text(json.dumps(notebook))
    assert run("import", "houses_kc.ipyhistory").status == 0
    assert all(name.startswith("houses_") for name in stored(work))


def test_import_writes_to_the_configured_store(run: Run, work: Path):
    configured = work.parent / "configured"
    configured.mkdir()
    configure(work, FileSessionManager={"root": str(configured)})
    chat = next(IMPORTS.glob("*chat*/bank*.chat"))
    assert run("import", chat).status == 0
    assert stored(configured) and not (work / ".aiserver_sessions").exists()


def test_a_store_option_overrides_the_configuration(run: Run, work: Path):
    configure(work, FileSessionManager={"root": str(work / "other")})
    chat = next(IMPORTS.glob("*chat*/bank*.chat"))
    target = work / "here" / "of all"
    for store in (target.as_uri(), str(target), f"{target}/.aiserver_sessions"):
        assert run("import", chat, "--store", store).status == 0
        assert len(stored(target)) == 1
    assert not (work / "other").exists()


def test_our_own_sessions_are_imported_unchanged(run: Run, work: Path):
    """A saved session has no secrets left, so a word in it that looks like a key stays."""
    shutil.copy(EXAMPLE_FILE, work / "s.json")
    assert run("import", "s.json").status == 0
    (file,) = (work / ".aiserver_sessions").glob("*.json")
    imported, original = json.loads(file.read_bytes()), json.loads((work / "s.json").read_bytes())
    assert imported == original


def test_imports_of_different_owners_are_separate(run: Run, work: Path):
    chat = next(IMPORTS.glob("*chat*/bank*.chat"))
    run("import", chat, "--owner", "alice")
    assert "No histories" in run("list").out
    assert len(run("list", "--owner", "alice").out.splitlines()) == 2  # with the header


@pytest.mark.parametrize("name", ["nanobot", "chat", "pcai", "agentscope", "aiserver"])
def test_no_importer_crashes_on_damaged_files(name: str):
    """P22: each file has flipped bits."""
    files = {
        "nanobot": next(IMPORTS.glob("nanobot-*/*.jsonl")),
        "chat": next(IMPORTS.glob("*chat*/*.chat")),
        "pcai": next(IMPORTS.glob("pcai/*")),
        "agentscope": next(IMPORTS.glob("agentscope/*/*.jsonl")),
        "aiserver": EXAMPLE_FILE,
    }
    data = files[name].read_bytes()
    for offset in range(0, len(data), max(1, len(data) // 200)):
        flipped = data[:offset] + bytes([data[offset] ^ 0x12]) + data[offset + 1 :]
        try:
            result = detect.read(InputFile(files[name], flipped), name)
        except UnreadableInput:
            continue
        assert isinstance(result, ReadResult)


def test_an_import_into_an_existing_session_keeps_its_turns(run: Run, work: Path):
    """The existing turns keep their order and come first."""
    import asyncio

    from aiserver.models import SessionKey
    from aiserver.sessions.file.manager import FileSessionManager

    notebook = work / "book.ipynb"
    notebook.write_text(json.dumps({"metadata": {"aiserver": {"notebook_id": "book"}}}))

    async def ask() -> None:
        store = FileSessionManager(root=str(work))
        await store.save_interaction(SessionKey("book", "cell-1"), turn("mine"))
        await store.close()

    asyncio.run(ask())
    chat = next(IMPORTS.glob("*chat*/bank*.chat"))
    assert run("import", chat, "--notebook", notebook, "--cell", "cell-1").status == 0
    (session,) = stored(work).values()
    assert session.interactions[0].user_request.intent == "mine"
    assert len(session.interactions) == 16
    assert [each.turn_id for each in session.interactions] == list(range(1, 17))


def test_files_of_the_predecessor_are_imported_without_their_secrets(run: Run, work: Path):
    """P16: the predecessor stored texts without redacting them."""
    source = work / "old"
    shutil.copytree(Path(__file__).parents[2] / "data" / "predecessor", source)
    (source / "README.md").unlink()
    key = "sk-proj-abcdefghij0123456789ABCDEFGHIJ"
    (file, *_) = sorted(source.glob("*.json"))
    content = json.loads(file.read_bytes())
    content["interactions"][0]["ai_response"]["suggestion"] = f"openai.api_key = '{key}'"
    file.write_text(json.dumps(content))
    done = run("import", source)
    assert done.status == 0, done.err
    assert len(stored(work)) == len(list(source.iterdir()))
    assert key.encode() not in b"".join(tree(work / ".aiserver_sessions").values())
    for file in source.glob("*.json"):
        turns = json.loads(file.read_bytes())["interactions"]
        imported = stored(work)[file.name].interactions
        intents = [turn["user_request"]["intent"] for turn in turns]
        assert [each.user_request.intent for each in imported] == intents
        assert all("summary" in each.to_dict()["ai_response"] for each in imported)
    before = tree(work / ".aiserver_sessions")
    assert "added      0 requests" in run("import", source).out
    assert tree(work / ".aiserver_sessions") == before


def test_importing_a_folder_of_sessions_suggests_copy(run: Run, work: Path):
    """An import of the session files would leave the blobs behind."""
    shutil.copy(next(IMPORTS.glob("nanobot-*/*.jsonl")), work / "chat.jsonl")
    assert run("import", ".").status == 0
    assert run("import", ".").status == 0  # its own folder is no source
    shutil.copytree(work / ".aiserver_sessions", work / "theirs" / ".aiserver_sessions")
    done = run("import", ".")
    assert done.status == 1 and "sessions copy --from" in done.err
    done = run("import", "theirs/.aiserver_sessions")
    assert done.status == 1 and "sessions copy --from" in done.err
