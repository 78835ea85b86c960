"""The data files in the messages for a request: for which models, and in which thread."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from aiserver.generation.allowed_parts import Options
from aiserver.generation.compose import compose
from aiserver.generation.past_turns import PastTurns
from aiserver.loaded_plugins import Plugins
from aiserver.plugins.data_files import context as file_context
from aiserver.plugins.data_files.plugin import DataFilesPlugin
from aiserver.plugins.data_files.reader import DataFiles
from aiserver.plugins.memory.manager import MemoryManager
from aiserver.plugins.memory.plugin import MemoryPlugin
from aiserver.plugins.memory.recall import Recall
from aiserver.plugins.memory.stores.base import KeyValueMemoryStore
from aiserver.prompts.context import as_text
from aiserver.prompts.prompt_input import FileProfile
from aiserver.requests import Context, GenerateBody, LineRange, Mention, WarmUpBody
from aiserver.sessions.memory import InMemorySessionManager

from ..attacks.test_prompt_and_data import Words

CELL = {"notebook_id": "nb", "cell_id": "c1", "notebook_path": "n.ipynb"}
REQUEST = GenerateBody(**CELL, intent="plot a.csv")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.csv").write_text("city,n\nOslo,1\nRome,2\nBonn,3\nKiel,4\n")
    return tmp_path


def with_files(files: DataFiles) -> Options:
    plugin = DataFilesPlugin()
    plugin.files = files
    return Options(gather=Plugins([plugin]).context)


async def text_of(model: Words, body: WarmUpBody, files: DataFiles) -> str:
    composed = await compose(model, body, PastTurns(), with_files(files))
    return "\n".join(text for _, text in as_text(composed.messages))


@pytest.mark.parametrize("style", ["compact", "full"])
async def test_only_a_model_on_this_machine_gets_examples(folder: Path, style: str) -> None:
    """P15: at most three values of each column of texts."""
    files = DataFiles(str(folder))
    local = await text_of(Words(style, True), REQUEST, files)
    assert all(value in local for value in ("'Oslo'", "'Rome'", "'Bonn'"))
    assert "Kiel" not in local
    remote = await text_of(Words(style, False), REQUEST, files)
    assert "'city'" in remote
    assert not any(value in remote for value in ("'Rome'", "Bonn", "Kiel"))


async def test_the_description_comes_never_back_as_a_comment_in_code(folder: Path) -> None:
    """A small model imitates the code that it reads, so the description isn't in a code block."""
    composed = await compose(
        Words("compact", True), REQUEST, PastTurns(), with_files(DataFiles(str(folder)))
    )
    for role, text in as_text(composed.messages):
        assert ("'city'" in text and "Bonn" in text) == ("a.csv" in text)
        if "a.csv" in text:
            assert role == "user" and "```" not in text and "#" not in text


async def test_a_warm_up_reads_the_file_that_the_cell_names(folder: Path) -> None:
    body = WarmUpBody(**CELL, source="pd.read_csv('a.csv')")
    assert "'city'" in await text_of(Words("full", True), body, DataFiles(str(folder)))


class SlowFiles(DataFiles):
    """Records the threads that read and search, and can be slow like a distant disk."""

    def __init__(self, folder: Path, seconds: float = 0) -> None:
        super().__init__(str(folder))
        self.seconds = seconds
        self.threads: list[threading.Thread] = []
        self.search_threads: list[threading.Thread] = []

    def mentions(self, notebook_path: str | None, texts: Iterable[str]) -> list[list[str]]:
        self.search_threads.append(threading.current_thread())
        return super().mentions(notebook_path, texts)

    def describe(
        self, notebook_path: str, mentions: Iterable[list[str]], examples: int = 0
    ) -> list[FileProfile]:
        self.threads.append(threading.current_thread())
        time.sleep(self.seconds)
        return super().describe(notebook_path, mentions, examples)


async def test_files_are_read_in_a_thread_and_only_if_some_are_named(folder: Path) -> None:
    files = SlowFiles(folder)
    await text_of(Words("full", True), REQUEST, files)
    [thread] = files.threads
    assert thread is not threading.main_thread()
    other = GenerateBody(**CELL, intent="plot the data")
    await text_of(Words("full", True), other, files)
    assert len(files.threads) == 1
    assert len(files.search_threads) == 2
    assert threading.main_thread() not in files.search_threads


async def test_a_slow_disk_does_not_hold_up_the_request(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_context, "_TIMEOUT", 0.05)
    text = await asyncio.wait_for(
        text_of(Words("full", True), REQUEST, SlowFiles(folder, seconds=1)), 0.8
    )
    assert text.endswith("plot a.csv") and "'city'" not in text


async def test_of_mentioned_files_only_texts_below_the_root_are_read(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    texts = {"sub/说明.md": "用蓝色", "sub/.env": "canary", "../outside.txt": "canary"}
    for path, text in texts.items():
        (root / path).write_text(text, "gb18030")
    (root / "sub" / "picture.txt").write_bytes(b"\x00\x01\x02\xff")
    (root / "sub" / "link.txt").symlink_to(tmp_path / "outside.txt")
    paths = ["说明.md", "../../outside.txt", ".env", "picture.txt", "link.txt", "missing.py"]
    for path in paths:
        mention = Mention(kind="file", name=f"@{path}", file=path)
        cell = CELL | {"notebook_path": "sub/n.ipynb"}
        body = GenerateBody(**cell, intent=f"@{path}", context=Context(mentions=[mention]))
        text = await text_of(Words("full", True), body, DataFiles(str(root)))
        assert "canary" not in text
        assert ("(a file that doesn't exist, isn't text, or wasn't read)" in text) == (
            path != "说明.md"
        )
        assert ("用蓝色" in text) == (path == "说明.md")


@pytest.mark.parametrize("style", ["compact", "full"])
async def test_a_model_on_this_machine_gets_the_output_of_a_mentioned_cell(style: str) -> None:
    mention = Mention(kind="cell", name="@cell3", source="n", output="forty", error="E: x")
    body = GenerateBody(**CELL, intent="as in @cell3", context=Context(mentions=[mention]))
    text = await text_of(Words(style, True), body, DataFiles(None))
    assert "Output of @cell3:" in text and "forty\nE: x" in text
    remote = await text_of(Words(style, False), body, DataFiles(None))
    assert "forty" not in remote and "E: x" in remote


@pytest.mark.parametrize("style", ["compact", "full"])
async def test_a_model_on_this_machine_gets_the_value_of_a_mentioned_variable(style: str) -> None:
    """P15: a remote model gets it only if the person has chosen it."""
    for on_this_machine, shared in ((True, False), (False, True), (False, False)):
        mention = Mention(kind="variable", name="@limit", output="0.375", shared=shared)
        body = GenerateBody(**CELL, intent="above @limit", context=Context(mentions=[mention]))
        text = await text_of(Words(style, on_this_machine), body, DataFiles(None))
        assert text.count("limit = 0.375") == (on_this_machine or shared)
        assert ("0.375" in text) == (on_this_machine or shared)


async def test_a_mentioned_data_file_that_cannot_be_read_is_named(folder: Path) -> None:
    paths = ["missing.csv", "a,b.csv", "a.csv"]
    mentions = [Mention(kind="file", name=f"@{path}", file=path) for path in paths]
    body = GenerateBody(**CELL, intent="plot them", context=Context(mentions=mentions))
    for on_this_machine in (True, False):
        text = await text_of(Words("full", on_this_machine), body, DataFiles(str(folder)))
        assert text.count("wasn't read)") == 2 and "'a.csv': CSV file" in text


async def test_a_secret_in_a_cell_magic_is_hidden_from_a_remote_model() -> None:
    """P5: the lines with cell magics are put above the selected lines."""
    source = "%%sql postgresql://bob:hunter2pass@host/db\nselect a\nfrom t\nwhere b"
    context = Context(selection=LineRange(first=3, last=4))
    body = GenerateBody(**CELL, intent="shorter", source=source, context=context)
    for style in ("compact", "full"):
        text = await text_of(Words(style, False), body, DataFiles(None))
        assert "from t\nwhere b" in text and "hunter2pass" not in text


@pytest.mark.parametrize(
    ("texts", "intent", "sent"),
    [
        (["Plots are drawn with seaborn", "Sums are in cents"], "plot a.csv", ["seaborn"]),
        (["Plots are drawn with seaborn", "Sums are in cents"], "the first row", []),
        (["Plots are drawn with seaborn"], "the first row", ["seaborn"]),  # all that there is
    ],
)
async def test_a_small_model_gets_only_an_entry_about_the_subject(
    texts: list[str], intent: str, sent: list[str]
) -> None:
    """Of several entries; a large model gets all that fit."""
    manager = MemoryManager(KeyValueMemoryStore(InMemorySessionManager()), None)
    for text in texts:
        await manager.add("person", text)
    plugin = MemoryPlugin()
    plugin.manager, plugin.recall = manager, Recall(packages=[])
    body = GenerateBody(**CELL, intent=intent)
    options = Options(gather=Plugins([plugin]).context)
    try:
        small = await compose(Words("compact", True), body, PastTurns(), options)
        large = await compose(Words("full", True), body, PastTurns(), options)
    finally:
        await plugin.stop()
    last = as_text(small.messages)[-1][1]
    assert [word for word in ("seaborn", "cents") if word in last] == sent
    items = [item for item in small.items if item.kind == "memory" and not item.is_included]
    assert sum(item.count for item in items) == len(texts) - len(sent)
    assert all(text in str(as_text(large.messages)) for text in texts)
