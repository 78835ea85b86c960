"""Search in each store."""

from __future__ import annotations

from aiserver.models import SessionKey
from aiserver.plugins.search import SearchEngine
from aiserver.sessions.base import SessionManager
from aiserver.testing.records import in_loop, turn


def test_each_store_can_be_searched_and_keeps_owners_apart(store: SessionManager):
    """P9"""

    @in_loop
    async def searching():
        ann, bob = ("ann", "bob") if store.shared else ("", "bob")
        for owner, intent in ((ann, "读取数据文件"), (bob, "读取别的文件")):
            key = SessionKey("nb", "c1", owner)
            await store.save_interaction(key, turn(intent, "df = pd.read_csv('x')"))
        await store.save_interaction(SessionKey("nb2", "c1", ann), turn("draw", "df.plot()"))
        engine = SearchEngine(store)

        async def search_hits(query: str, owner: str = ann, notebook_id: str | None = None):
            page = await engine.search(query, owner=owner, notebook_id=notebook_id, patience=60.0)
            return [(hit.notebook_id, hit.turn_id, hit.intent) for hit in page.hits]

        assert await search_hits("文件") == [("nb", 1, "读取数据文件")]
        assert await search_hits("文件", bob) == [("nb", 1, "读取别的文件")]
        assert await search_hits("文件", "nobody") == []
        assert await search_hits("csv") == [("nb", 1, "读取数据文件")]
        assert await search_hits("plot", notebook_id="nb") == []
        assert await search_hits("plot", notebook_id="nb2") == [("nb2", 1, "draw")]
        await store.save_interaction(SessionKey("nb2", "c1", ann), turn("文件名", "x"))
        assert ("nb2", 2, "文件名") in await search_hits("文件")
        await store.delete(SessionKey("nb", "c1", ann))
        assert await search_hits("文件") == [("nb2", 2, "文件名")]
        await engine.close()
        await store.close()

    searching()
