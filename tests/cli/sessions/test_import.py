"""``sessions import``: idempotent, dry, with a report; the source stays as it is."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from aiserver.transfer.importers import detect
from aiserver.transfer.importers.base import Read, Source
from tests.sessions.records import turn

from ..conftest import IMPORTS, Run, configure, stored, tree


def test_everything_is_imported_once_and_the_source_is_untouched(run: Run, work: Path):
    """P25: a second import changes no byte; a dry run before writes nothing at all."""
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
    kept = tree(work / ".aiserver_sessions")
    again = run("import", source)
    assert again.status == 0
    assert "new        0 histories" in again.out
    assert "added      0 requests, 0 events" in again.out
    assert tree(work / ".aiserver_sessions") == kept
    assert tree(source) == before
    dry_again = run("import", source, "--dry-run")
    assert "added      0 requests, 0 events" in dry_again.out


def test_a_chat_that_has_grown_brings_what_is_new(run: Run, work: Path):
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
    assert [one.user_request.intent for one in session.interactions] == ["a", "b"]


def test_what_is_not_understood_is_said_with_its_reason_and_the_others_go_on(run: Run, work: Path):
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


def test_a_hostile_archive_ends_no_import_and_reaches_no_terminal(run: Run, work: Path):
    """A damaged LZMA entry, and control characters in an entry's name."""
    manifest = json.dumps({"kind": "aiserver-backup", "version": 1, "owners": [""]})
    session = (Path(__file__).parents[2] / "data" / "session-1.0.json").read_bytes()
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
    assert len(stored(work)) == 1, "the chat was taken all the same"


@pytest.mark.parametrize("owners", [5, [1], [["a"], {"b": 1}], None])
def test_a_backup_without_names_of_owners_ends_no_import(run: Run, work: Path, owners: object):
    manifest = json.dumps({"kind": "aiserver-backup", "version": 1, "owners": owners})
    with zipfile.ZipFile(work / "bad.zip", "w") as zipped:
        zipped.writestr("manifest.json", manifest)
        zipped.writestr("0/sessions/nb_c1.json", b"{}")
    done = run("import", "bad.zip")
    assert done.status == 1
    assert "bad.zip: incomplete AI Server backup" in done.err


def test_a_source_that_is_not_there_is_said(run: Run, work: Path):
    done = run("import", work / "nothing")
    assert done.status == 1 and "No file or folder" in done.err


def test_a_chat_is_put_with_a_notebook_and_a_cell(run: Run, work: Path):
    notebook = work / "book.ipynb"
    notebook.write_text(json.dumps({"metadata": {"aiserver": {"notebook_id": "book"}}}))
    chat = next(IMPORTS.glob("*chat*/bank*.chat"))
    done = run("import", chat, "--notebook", notebook, "--cell", "cell-1")
    assert done.status == 0, done.err
    (name,) = stored(work)
    assert name == "book_cell-1.json"
    assert run("import", chat, "--notebook", notebook).status == 0
    assert {session.meta.notebook_id for session in stored(work).values()} == {"book"}


def test_many_cells_are_not_thrown_into_one(run: Run, work: Path):
    notebook = work / "book.ipynb"
    notebook.write_text(json.dumps({"metadata": {"aiserver": {"notebook_id": "book"}}}))
    history = IMPORTS / "verdant" / "houses_kc.ipyhistory"
    done = run("import", history, "--notebook", notebook, "--cell", "cell-1")
    assert done.status == 1 and "contains the histories of 25 cells" in done.err
    assert not stored(work)


def test_a_notebook_without_an_id_is_said(run: Run, work: Path):
    (work / "book.ipynb").write_text('{"metadata": {}}')
    chat = next(IMPORTS.glob("*chat*/bank*.chat"))
    done = run("import", chat, "--notebook", "book.ipynb")
    assert done.status == 1 and "has no notebook ID yet" in done.err
    done = run("import", chat, "--cell", "x")
    assert done.status == 1 and "requires --notebook" in done.err


def test_the_format_can_be_said(run: Run, work: Path):
    (work / "values.json").write_text('{"a": 1}')
    assert run("import", "values.json").status == 1
    assert run("import", "values.json", "--format", "agentscope").status == 0


def test_verdant_takes_the_notebook_beside_it(run: Run, work: Path):
    shutil.copy(IMPORTS / "verdant" / "houses_kc.ipyhistory", work)
    notebook = json.loads((IMPORTS / "verdant" / "houses_kc.ipynb").read_bytes())
    notebook["metadata"]["aiserver"] = {"notebook_id": "houses"}
    (work / "houses_kc.ipynb").write_text(json.dumps(notebook))
    assert run("import", "houses_kc.ipyhistory").status == 0
    assert all(name.startswith("houses_") for name in stored(work))


def test_it_goes_where_the_server_s_configuration_says(run: Run, work: Path):
    elsewhere = work.parent / "elsewhere"
    elsewhere.mkdir()
    configure(work, FileSessionManager={"root": str(elsewhere)})
    chat = next(IMPORTS.glob("*chat*/bank*.chat"))
    assert run("import", chat).status == 0
    assert stored(elsewhere) and not (work / ".aiserver_sessions").exists()


def test_a_store_that_is_named_is_that_one_whatever_the_configuration_says(run: Run, work: Path):
    configure(work, FileSessionManager={"root": str(work / "other")})
    chat = next(IMPORTS.glob("*chat*/bank*.chat"))
    target = work / "here" / "of all"
    for store in (target.as_uri(), str(target), f"{target}/.aiserver_sessions"):
        assert run("import", chat, "--store", store).status == 0
        assert len(stored(target)) == 1
    assert not (work / "other").exists()


def test_what_we_kept_ourselves_is_taken_to_the_letter(run: Run, work: Path):
    """What went through a save has no secrets left; so a key-like word in it is somebody's text."""
    shutil.copy(Path(__file__).parents[2] / "data" / "session-1.0.json", work / "s.json")
    assert run("import", "s.json").status == 0
    (file,) = (work / ".aiserver_sessions").glob("*.json")
    ours, theirs = json.loads(file.read_bytes()), json.loads((work / "s.json").read_bytes())
    assert ours == theirs


def test_names_of_owners_keep_apart_what_is_imported(run: Run, work: Path):
    chat = next(IMPORTS.glob("*chat*/bank*.chat"))
    run("import", chat, "--owner", "alice")
    assert "No histories" in run("list").out
    assert len(run("list", "--owner", "alice").out.splitlines()) == 1


@pytest.mark.parametrize("name", ["nanobot", "chat", "pcai", "agentscope", "aiserver"])
def test_no_importer_fails_on_bytes_of_any_kind(name: str):
    """P22: flipped bits of a real file."""
    files = {
        "nanobot": next(IMPORTS.glob("nanobot-*/*.jsonl")),
        "chat": next(IMPORTS.glob("*chat*/*.chat")),
        "pcai": next(IMPORTS.glob("pcai/*")),
        "agentscope": next(IMPORTS.glob("agentscope/*/*.jsonl")),
        "aiserver": Path(__file__).parents[2] / "data" / "session-1.0.json",
    }
    data = files[name].read_bytes()
    for place in range(0, len(data), max(1, len(data) // 200)):
        flipped = data[:place] + bytes([data[place] ^ 0x12]) + data[place + 1 :]
        try:
            found = detect.read(Source(files[name], flipped), name)
        except detect.UnreadableSource:
            continue
        assert isinstance(found, Read)


def test_a_turn_of_ours_is_not_touched_by_an_import_beside_it(run: Run, work: Path):
    """A history that grew here keeps its order; what the import lacks of it stays."""
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
    assert [one.turn_id for one in session.interactions] == list(range(1, 17))


def test_the_predecessor_s_files_are_imported_without_their_secrets(run: Run, work: Path):
    """P16: they were kept before anything was taken out."""
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
        kept = stored(work)[file.name].interactions
        intents = [turn["user_request"]["intent"] for turn in turns]
        assert [one.user_request.intent for one in kept] == intents
        assert all("summary" in one.to_dict()["ai_response"] for one in kept)
    before = tree(work / ".aiserver_sessions")
    assert "added      0 requests" in run("import", source).out
    assert tree(work / ".aiserver_sessions") == before


def test_a_store_of_ours_below_is_named_and_not_taken_in_part(run: Run, work: Path):
    """Its large pieces lie beside the sessions: an import of the files would leave them behind."""
    shutil.copy(next(IMPORTS.glob("nanobot-*/*.jsonl")), work / "chat.jsonl")
    assert run("import", ".").status == 0
    assert run("import", ".").status == 0  # its own folder is no source
    shutil.copytree(work / ".aiserver_sessions", work / "theirs" / ".aiserver_sessions")
    done = run("import", ".")
    assert done.status == 1 and "sessions copy --from" in done.err
    done = run("import", "theirs/.aiserver_sessions")
    assert done.status == 1 and "sessions copy --from" in done.err
