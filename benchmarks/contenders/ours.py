"""AI Server's own stores, as contenders. The place of a store is its URL."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

from base import NOTEBOOK, Contender
from floors import replace
from turns import Turn

from aiserver.models import (
    AIResponse,
    NewTurn,
    Session,
    SessionKey,
    UserRequest,
    new_session,
    utc_now,
)
from aiserver.sessions.factory import create_session_manager
from aiserver.sessions.record.filenames import session_name
from aiserver.sessions.record.mutations import append_turn


class Ours(Contender):
    """Any of AI Server's stores."""

    async def open(self) -> None:
        self.store = create_session_manager(self.place)
        await self.store.start()

    async def close(self) -> None:
        await self.store.close()

    async def fill(self, cell: str, turns: list[Turn]) -> None:
        key = SessionKey(NOTEBOOK, cell)
        await self.store.merge_copy(key, to_session(key, turns))

    async def fill_many(self, notebook: str, sessions: int) -> None:
        small = Turn("读取 data.csv", "", "frame = pd.read_csv('data.csv')\n" * 20, "")
        keys = [SessionKey(notebook, f"cell-{number}") for number in range(sessions)]
        for start in range(0, sessions, 20):
            batch = keys[start : start + 20]
            await asyncio.gather(*(self.store.merge_copy(k, to_session(k, [small])) for k in batch))

    def prepare(self, turn: Turn) -> NewTurn:
        return new_turn(turn)

    async def save(self, cell: str, prepared: NewTurn) -> None:
        await self.store.save_interaction(SessionKey(NOTEBOOK, cell), prepared)

    async def load(self, cell: str) -> int:
        return len((await self.store.load_session(SessionKey(NOTEBOOK, cell))).interactions)

    async def history(self, cell: str, turns: int) -> int:
        key = SessionKey(NOTEBOOK, cell)
        return len(await self.store.get_history(key, max_messages=2 * turns))

    async def list(self, notebook: str) -> int:
        return (await self.store.list_sessions(notebook))[1]

    async def intents(self, cell: str) -> list[str]:
        session = await self.store.load_session(SessionKey(NOTEBOOK, cell))
        return [turn.user_request.intent for turn in session.interactions]


class Files(Ours):
    """The file store. Its ``floor`` writes the bytes of a session's file in the same process."""

    def floor(self, cell: str) -> Callable[[], None]:
        folder = Path(self.place.removeprefix("file://")) / ".aiserver_sessions"
        data = (folder / session_name(SessionKey(NOTEBOOK, cell))).read_bytes()
        return partial(replace, str(folder), "bare", data)


def new_turn(turn: Turn) -> NewTurn:
    """Return a turn in the form in which AI Server's store saves it."""
    return NewTurn(
        timestamp=utc_now(),
        user_request=UserRequest(intent=turn.intent, current_code=turn.code, language="python"),
        ai_response=AIResponse(
            suggestion=turn.answer, explanation=turn.explanation, status="success", error=None
        ),
        model="local:qwen2.5-coder-0.5b",
    )


def to_session(key: SessionKey, turns: list[Turn]) -> Session:
    """Return a session with these turns."""
    session = new_session(key)
    for turn in turns:
        append_turn(session, new_turn(turn))
    return session
