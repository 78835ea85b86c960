"""P45: the life of a proposal in every store, with restarts, moved clocks and several windows."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from aiserver.errors import (
    InvalidField,
    MemoryEntryChanged,
    MemoryTooLarge,
    MemoryUnreadable,
    NotFound,
    NotRemembered,
    ProposalNotFound,
    StorageFull,
)
from aiserver.models import SessionKey
from aiserver.plugins.memory import document, proposals
from aiserver.plugins.memory.entries import MemoryEntry, Scope, TurnSource
from aiserver.plugins.memory.manager import LIFETIME, MemoryManager
from aiserver.plugins.memory.notes.outline import Outline
from aiserver.plugins.memory.stores.base import MAX_MEMORY_BYTES, MemoryStore, check_size
from aiserver.plugins.memory.stores.file import FileMemoryStore
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.testing import MemoryBackend
from aiserver.testing.records import in_loop

from .backends import FileMemoryBackend, InMemoryBackend, bytes_of

SOURCE = TurnSource("nb-1", "cell-1", 3)
CANARY = "canary-4711 is the key"


class Project:
    """A project with memories, which several windows can open."""

    def __init__(self, backend: MemoryBackend, root: Path) -> None:
        self.backend = backend
        self.root = root
        self.now = 1_000_000.0
        root.mkdir(exist_ok=True)

    @property
    def file(self) -> Path:
        return self.root / ".aiserver_memory" / "MEMORY.md"

    def open(self, owner: str = "ada", person: MemoryStore | None = None) -> MemoryManager:
        """Return a new manager, as a restarted server or another one has it."""
        project = FileMemoryStore(self.file.parent, is_shared_by_git=True)
        return MemoryManager(
            person or self.backend.open(),
            project,
            owner=owner,
            project_name=str(self.root),
            now=lambda: self.now,
        )

    def content(self) -> bytes:
        """Return everything that is stored."""
        return self.backend.content() + bytes_of(self.root)

    async def texts(self) -> list[str]:
        return [listed.text for listed in await (await self.restart()).list_entries()]

    async def waiting(self) -> list[str]:
        return [proposal.text for proposal in await (await self.restart()).pending()]

    async def restart(self, owner: str = "ada") -> MemoryManager:
        """Return the manager of a restarted server."""
        window = self.open(owner)
        await window.sweep()
        return window


@pytest.fixture
def project(local_memory_backend: MemoryBackend, tmp_path: Path) -> Project:
    return Project(local_memory_backend, tmp_path / "project")


@pytest.fixture
def file_project(tmp_path: Path) -> Project:
    return Project(FileMemoryBackend(tmp_path / "person"), tmp_path / "project")


@pytest.mark.parametrize("scope", ["project", "person"])
@in_loop
async def test_a_confirmed_proposal_becomes_an_entry(project: Project, scope) -> None:
    """It survives restarts on the way, and only the confirmation writes a memory."""
    proposal = await project.open().propose("Use polars", scope, "request", SOURCE)
    assert not project.file.exists()
    assert await project.texts() == []
    [waiting] = await project.open().pending()
    assert waiting == proposal
    entry = await project.open().confirm(proposal.id)
    assert (entry.id, entry.text, entry.source) == (proposal.id, "Use polars", SOURCE)
    [listed] = await project.open().list_entries()
    assert listed == entry and (entry.scope, entry.review) == (scope, "used")
    assert await project.waiting() == []
    assert b"expires_at" not in project.content()
    assert project.file.exists() == (scope == "project")
    assert await project.open().confirm(proposal.id) == entry, "confirmed in another window"
    with pytest.raises(ProposalNotFound):
        await project.open().reject(proposal.id)


@in_loop
async def test_a_confirmation_may_change_the_text_the_scope_and_another_entry(
    project: Project,
) -> None:
    old = await project.open().add("project", "Use pandas")
    await project.open().add("project", "Titles in Chinese")
    proposal = await project.open().propose("Use polars", "person", "person", SOURCE)
    await project.open().confirm(
        proposal.id, text="Use polars everywhere", scope="project", replaces=old.id
    )
    listed = await project.open().list_entries()
    assert [(item.scope, item.text) for item in listed] == [
        ("project", "Titles in Chinese"),
        ("project", "Use polars everywhere"),
    ]
    assert await project.waiting() == []


@in_loop
async def test_a_rejected_proposal_leaves_no_trace(project: Project) -> None:
    other = await project.open().propose("Use polars", "person", "request", SOURCE)
    proposal = await project.open().propose(CANARY, "person", "request", SOURCE)
    assert b"canary-4711" in project.content()
    await project.open().reject(proposal.id)
    assert b"canary-4711" not in project.content()
    assert await project.waiting() == ["Use polars"]
    await project.open().reject(other.id)
    for text in (b"canary", b"polars", b"cell-1", proposal.id.encode()):
        assert text not in project.content()
    for act in (project.open().confirm, project.open().reject):
        with pytest.raises(ProposalNotFound):
            await act(proposal.id)
    assert await project.texts() == []


@in_loop
async def test_an_expired_proposal_leaves_no_trace(project: Project) -> None:
    proposal = await project.open().propose(CANARY, "person", "request", SOURCE)
    project.now += LIFETIME - 1
    assert await project.waiting() == [CANARY]
    project.now += 1
    for act in (project.open().confirm, project.open().reject):
        with pytest.raises(ProposalNotFound):
            await act(proposal.id)
    assert await project.waiting() == []
    assert b"canary-4711" not in project.content()
    assert await project.texts() == []


@in_loop
async def test_a_forgotten_entry_leaves_no_trace(project: Project) -> None:
    for scope in project.open().scopes:
        entry = await project.open().add(scope, CANARY)
        assert b"canary-4711" in project.content()
        assert (await project.open().forget(scope, entry.id)).text == CANARY
        for trace in (b"canary-4711", entry.id.encode(), entry.digest.encode()):
            assert trace not in project.content()
        with pytest.raises(NotFound):
            await project.open().forget(scope, entry.id)


@in_loop
async def test_a_changed_entry_leaves_no_trace_of_its_old_text(project: Project) -> None:
    for scope in project.open().scopes:
        entry = await project.open().add(scope, CANARY)
        with pytest.raises(MemoryEntryChanged):
            await project.open().change(scope, entry.id, "Use polars", "something else")
        changed = await project.open().change(scope, entry.id, "Use polars", CANARY)
        assert (changed.id, changed.text) == (entry.id, "Use polars")
        for trace in (b"canary-4711", entry.digest.encode()):
            assert trace not in project.content()
    assert [listed.review for listed in await project.open().list_entries()] == ["used", "used"]


@in_loop
async def test_two_windows_confirm_at_once(project: Project) -> None:
    for number in range(5):
        proposal = await project.open().propose(f"text {number}", "project", "request")
        windows = [project.open(), project.open()]
        texts = [f"one {number}", f"two {number}"]
        confirmations = [
            window.confirm(proposal.id, text=text)
            for window, text in zip(windows, texts, strict=True)
        ]
        first, second = await asyncio.gather(*confirmations)
        assert first == second, "both windows show what was written"
        assert first.text in texts
        assert [text for text in await project.texts() if text.endswith(f" {number}")] == [
            first.text
        ]
    assert await project.waiting() == []


@in_loop
async def test_a_confirmation_and_a_rejection_at_once(project: Project) -> None:
    """Exactly one of them succeeds, and after a rejection there is no entry."""
    for number in range(8):
        text = f"text {number}"
        proposal = await project.open().propose(text, "person", "request")
        acts = [project.open().confirm(proposal.id), project.open().reject(proposal.id)]
        order = acts if number % 2 else acts[::-1]
        done = await asyncio.gather(*order, return_exceptions=True)
        failures = [result for result in done if isinstance(result, BaseException)]
        assert [type(failure) for failure in failures] == [ProposalNotFound]
        is_rejected = None in done
        assert (text in await project.texts()) == (not is_rejected)
    assert await project.waiting() == []


class Interrupting(MemoryStore):
    """Runs an action of another window before the next write of a document."""

    def __init__(self, store: MemoryStore, name: str, act: Callable) -> None:
        super().__init__()
        self._store, self._name, self._act = store, name, act

    async def read(self, name, *, owner=""):
        return await self._store.read(name, owner=owner)

    async def replace(self, name, expected, new, *, owner=""):
        if name == self._name and self._act:
            act, self._act = self._act, None
            await act()
        return await self._store.replace(name, expected, new, owner=owner)


@in_loop
async def test_a_rejection_fails_if_another_window_confirms_first(project: Project) -> None:
    proposal = await project.open().propose("Use polars", "person", "request")

    async def confirm() -> None:
        await project.open().confirm(proposal.id)

    window = project.open(person=Interrupting(project.backend.open(), "proposals", confirm))
    with pytest.raises(ProposalNotFound):
        await window.reject(proposal.id)
    assert await project.texts() == ["Use polars"]


@in_loop
async def test_a_confirmation_fails_if_another_window_rejects_first(project: Project) -> None:
    proposal = await project.open().propose("Use polars", "person", "request")

    async def reject() -> None:
        await project.open().reject(proposal.id)

    window = project.open(person=Interrupting(project.backend.open(), "proposals", reject))
    with pytest.raises(ProposalNotFound):
        await window.confirm(proposal.id)
    assert await project.texts() == []


@in_loop
async def test_two_windows_propose_the_same_at_once(project: Project) -> None:
    windows = [project.open(), project.open()]
    first, second = await asyncio.gather(
        *(window.propose("Use polars", "person", "request") for window in windows)
    )
    assert first == second
    assert await project.waiting() == ["Use polars"]


@in_loop
async def test_owners_have_their_own_proposals_and_memories(project: Project) -> None:
    """P9: the memory of a project is a file of all who work on it; everything else isn't."""
    proposal = await project.open("ada").propose("Use polars", "person", "request")
    await project.open("ada").add("person", "Titles in Chinese")
    await project.open("ada").add("project", "The key is order_id")
    bob = project.open("bob")
    assert await bob.pending() == []
    [listed] = await bob.list_entries()
    assert (listed.text, listed.review) == ("The key is order_id", "new")
    for act in (bob.confirm, bob.reject):
        with pytest.raises(ProposalNotFound):
            await act(proposal.id)
    await bob.review([listed.digest], used=False)
    [listed] = await project.open("bob").list_entries()
    assert listed.review == "declined"
    reviews = [item.review for item in await project.open("ada").list_entries()]
    assert reviews == ["used", "used"]


@in_loop
async def test_a_proposal_for_a_project_waits_in_that_project(project: Project) -> None:
    """Its entry never gets into another project, even if the process is killed meanwhile."""
    other = Project(project.backend, project.root.with_name("other"))
    proposal = await project.open().propose("Use polars", "project", "request")
    same = await other.open().propose("Use polars", "project", "request")
    assert same.id != proposal.id
    personal = await other.open().propose("Titles in Chinese", "person", "request")
    assert await project.waiting() == ["Use polars", "Titles in Chinese"]
    for act in (other.open().confirm, other.open().reject):
        with pytest.raises(ProposalNotFound):
            await act(proposal.id)
    await killed_after_the_decision(project, proposal.id)
    assert await other.waiting() == ["Use polars", "Titles in Chinese"]
    assert not other.file.exists()
    assert await project.texts() == ["Use polars"]
    await project.open().confirm(personal.id, scope="project")
    assert await project.texts() == ["Use polars", "Titles in Chinese"]
    await other.open().reject(same.id)
    assert not other.file.exists()


async def killed_after_the_decision(project: Project, id_: str, owner: str = "ada") -> None:
    class Killed(BaseException):
        """Ends the confirmation like a kill."""

    async def kill() -> None:
        raise Killed

    window = project.open(owner)
    window._project = Interrupting(window._project, "memory", kill)
    with pytest.raises(Killed):
        await window.confirm(id_)


@in_loop
async def test_a_confirmation_is_finished_after_a_kill(project: Project) -> None:
    """P19: nobody can reject it meanwhile, and it doesn't expire."""
    proposal = await project.open().propose("Use polars", "project", "request", SOURCE)
    await killed_after_the_decision(project, proposal.id)
    with pytest.raises(ProposalNotFound):
        await project.open().reject(proposal.id)
    project.now += 2 * LIFETIME
    [listed] = await (await project.restart()).list_entries()
    assert (listed.id, listed.source) == (proposal.id, SOURCE)
    assert listed.review == "used"
    assert await project.waiting() == []
    assert b"expires_at" not in project.content()


@in_loop
async def test_a_forgotten_entry_never_comes_back(project: Project) -> None:
    """P45: its confirmation was interrupted between the entry and the end of the proposal."""
    proposal = await project.open().propose("Use polars", "project", "request")
    await killed_after_the_decision(project, proposal.id)
    entry = MemoryEntry(proposal.id, "Use polars", "2026-11-27")
    project.file.parent.mkdir(exist_ok=True)
    project.file.write_text(document.add("", entry), "utf-8")
    await project.open().forget("project", proposal.id)
    assert await project.texts() == []
    assert await project.waiting() == []


@in_loop
async def test_an_entry_that_cant_be_written_waits_again(project: Project) -> None:
    """P20: a full disk, or a memory that isn't text, changes nothing, and the person is told."""
    proposal = await project.open().propose("Use polars", "project", "request", SOURCE)

    async def fill_disk() -> None:
        raise StorageFull

    window = project.open()
    window._project = Interrupting(window._project, "memory", fill_disk)
    with pytest.raises(StorageFull):
        await window.confirm(proposal.id)
    assert await project.open().pending() == [proposal]
    project.file.parent.mkdir()
    project.file.write_bytes(b"- caf\xe9\n")
    with pytest.raises(MemoryUnreadable):
        await project.open().confirm(proposal.id)
    assert project.file.read_bytes() == b"- caf\xe9\n"
    assert await project.open().pending() == [proposal]
    project.file.unlink()
    assert (await project.open().confirm(proposal.id)).id == proposal.id
    assert await project.texts() == ["Use polars"]


@in_loop
async def test_a_killed_confirmation_that_cant_be_finished_blocks_nothing(
    project: Project,
) -> None:
    proposal = await project.open().propose("Use polars", "project", "request")
    await project.open().propose("Titles in Chinese", "person", "request")
    await killed_after_the_decision(project, proposal.id)
    project.file.parent.mkdir(exist_ok=True)
    project.file.write_bytes(b"- caf\xe9\n")
    assert sorted(await project.waiting()) == ["Titles in Chinese", "Use polars"]
    await project.open().reject(proposal.id)
    assert project.file.read_bytes() == b"- caf\xe9\n"


@in_loop
async def test_too_many_proposals_drop_the_oldest(file_project: Project) -> None:
    """P17: but never one that is being confirmed."""
    window = file_project.open()
    first = await window.propose("text 0", "project", "request")
    await killed_after_the_decision(file_project, first.id)
    store = file_project.backend.open()
    for number in range(1, proposals.MAX_PROPOSALS + 3):
        await window.propose(f"text {number}", "person", "request")
    stored = proposals.parse(await store.read("proposals", owner="ada"), file_project.now)
    assert [p.text for p in stored][:2] == ["text 0", "text 3"]
    assert len(stored) == proposals.MAX_PROPOSALS + 1
    assert await file_project.texts() == ["text 0"]


@in_loop
async def test_private_texts_are_never_stored(project: Project) -> None:
    """P16"""
    before = project.content()
    for text in ("read /home/ada/x.csv", "ask ada@example.com", 'password = "canary-hunter2"'):
        with pytest.raises(NotRemembered):
            await project.open().propose(text, "person", "request")
    assert project.content() == before
    proposal = await project.open().propose("Use polars", "person", "request")
    with pytest.raises(NotRemembered):
        await project.open().confirm(proposal.id, text='password = "canary-hunter2"')
    with pytest.raises(NotRemembered):
        await project.open().add("project", 'password = "canary-hunter2"')
    assert b"canary" not in project.content()
    assert await project.waiting() == ["Use polars"]


@in_loop
async def test_without_files_there_is_no_project_memory(
    local_memory_backend: MemoryBackend,
) -> None:
    window = MemoryManager(local_memory_backend.open(), None, owner="ada")
    assert window.scopes == ["person"]
    with pytest.raises(InvalidField):
        await window.propose("Use polars", "project", "request")
    proposal = await window.propose("Use polars", "person", "request")
    with pytest.raises(InvalidField):
        await window.confirm(proposal.id, scope="project")
    assert (await window.confirm(proposal.id)).text == "Use polars"


@in_loop
async def test_what_comes_from_deleted_histories_is_erased(
    memory_backend: MemoryBackend, tmp_path: Path
) -> None:
    """In all projects; entries, other notebooks, and the choices about notes stay."""
    other_project = Project(memory_backend, tmp_path / "other")
    project = Project(memory_backend, tmp_path / "project")
    memory = project.open()
    entry = await memory.confirm((await memory.propose("Use polars", "project", "request")).id)
    await memory.propose(f"{CANARY} 1", "person", "request", SOURCE)
    await other_project.open().propose(f"{CANARY} 2", "project", "request", SOURCE)
    await memory.propose(f"{CANARY} 3", "person", "request", TurnSource("nb-1", "older", 1))
    other = await memory.propose("Titles in Chinese", "person", "request", TurnSource("nb-2", "c"))
    for notebook_id, text in (("nb-1", CANARY), ("nb-2", "Sales"), ("unsent", CANARY)):
        await memory.notes.update(notebook_id, Outline(text))
    await memory.notes.set_used("unsent", is_used=False)

    sessions = InMemorySessionManager()
    for key in (SessionKey("nb-1", "cell-1", "ada"), SessionKey("unsent", "cell-1", "ada")):
        await memory.forget_histories(sessions, [key])

    assert await project.open().pending() == [other]
    assert await other_project.open().pending() == [other]
    assert await project.open().list_entries() == [entry]
    notes = project.open().notes
    assert await notes.get("nb-1") is None and await notes.get("nb-2")
    unsent = await notes.get("unsent")
    assert unsent and (unsent.text, unsent.used) == ("", False)
    assert b"canary" not in project.content()


@in_loop
async def test_what_an_earlier_version_counted_is_erased_and_what_it_proposed_can_be_decided(
    memory_backend: MemoryBackend, project: Project
) -> None:
    """P45"""
    store = project.backend.open()
    fields = {"id": "0123456789ab", "text": "Use seaborn", "scope": "person", "answer_count": 3}
    times = {"origin": "correction", "created_at": project.now, "expires_at": project.now + 9}
    stored = json.dumps({"proposals": [fields | times]}).encode()
    await store.replace("proposals", None, stored, owner="ada")
    await store.replace("corrections", None, b'{"canary": 1}', owner="ada")
    manager = await project.restart()
    assert b"canary" not in project.content()
    assert (await manager.confirm("0123456789ab")).text == "Use seaborn"


@in_loop
async def test_the_same_text_can_wait_for_both_memories(project: Project) -> None:
    scopes: list[Scope] = ["project", "person", "project"]
    waiting = [await project.open().propose("Use polars", scope, "request") for scope in scopes]
    assert [proposal.scope for proposal in waiting] == scopes
    assert await project.open().pending() == waiting[:2] and waiting[2] == waiting[0]


@pytest.mark.parametrize(
    "damaged",
    [
        b'{"proposals": [{"text": "canary',
        b'["canary"]',
        b'{"proposals": {"canary": 1}}',
        b"\xffcanary",
    ],
)
@in_loop
async def test_damaged_proposals_are_set_aside(file_project: Project, damaged: bytes) -> None:
    """P7: no request and no other proposal overwrites them."""
    store = file_project.backend.open()
    assert isinstance(store, FileMemoryStore)
    path = store.path("proposals", owner="ada")
    for number in (1, 2):
        await store.update("proposals", lambda _: damaged, owner="ada")
        assert await file_project.open().pending() == [] and path.read_bytes() == damaged
        await file_project.restart()  # as before each request
        assert path.with_name(f"proposals.json.corrupt-{number}").read_bytes() == damaged
        proposal = await file_project.open().propose("Use polars", "person", "request")
        assert await file_project.waiting() == ["Use polars"]
        await file_project.open().reject(proposal.id)
    assert file_project.content().count(damaged) == 2


@pytest.mark.parametrize("damaged", [b'{"/other": {"canary": true}', b'{"/other": ["canary"]}'])
@in_loop
async def test_damaged_reviews_are_set_aside(file_project: Project, damaged: bytes) -> None:
    """P7: the entries of projects are new again; the decisions of no project are overwritten."""
    store = file_project.backend.open()
    assert isinstance(store, FileMemoryStore)
    await file_project.open().add("project", "Use polars")
    path = store.path("reviews", owner="ada")
    path.write_bytes(damaged)
    assert [entry.review for entry in await file_project.open().list_entries()] == ["new"]
    await file_project.open().add("project", "Use seaborn")
    assert [entry.review for entry in await file_project.open().list_entries()] == ["new", "used"]
    assert path.with_name("reviews.json.corrupt-1").read_bytes() == damaged


@in_loop
async def test_a_store_without_files_leaves_damaged_documents(tmp_path: Path) -> None:
    """P7"""
    project = Project(InMemoryBackend(), tmp_path / "project")
    await project.backend.open().replace("proposals", None, b"canary", owner="ada")
    with pytest.raises(MemoryUnreadable):
        await project.open().propose("Use polars", "person", "request")
    assert await project.open().pending() == [] and project.content().count(b"canary") == 1


@in_loop
async def test_what_only_a_newer_version_can_read_is_preserved(project: Project) -> None:
    """P7: a proposal until it expires, and decisions."""
    store = project.backend.open()
    times = {"created_at": project.now, "expires_at": project.now + 9}
    fields = {"id": "0123456789ab", "text": "canary", "scope": "team", "origin": "team"} | times
    await store.replace(
        "proposals", None, json.dumps({"proposals": [fields]}).encode(), owner="ada"
    )
    decisions = {str(project.root): {"d" * 64: "later"}, "/other": {"e" * 64: True}}
    await store.replace("reviews", None, json.dumps(decisions).encode(), owner="ada")
    manager = await project.restart()
    await manager.reject((await manager.propose("Use polars", "person", "request")).id)
    await manager.forget("project", (await manager.add("project", "Use polars")).id)
    stored = json.loads(await store.read("proposals", owner="ada") or b"")
    assert stored == {"proposals": [fields]}
    assert json.loads(await store.read("reviews", owner="ada") or b"") == decisions
    project.now += 10
    await project.restart()
    assert await store.read("proposals", owner="ada") is None


def test_a_large_memory_of_an_earlier_version_may_become_shorter() -> None:
    large = b"x" * (MAX_MEMORY_BYTES + 9)
    check_size("memory", large, large[1:])
    with pytest.raises(MemoryTooLarge):
        check_size("memory", large, b"y" * len(large))
