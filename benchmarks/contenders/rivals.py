"""Other projects' stores for conversations, as contenders. Each is used as its project documents.

A turn is saved as two messages, one from the user and one from the assistant. This module runs in a
separate Python environment with the packages of ``benchmarks/rivals.txt``.
"""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from base import Contender
from turns import Turn


def user_text(turn: Turn) -> str:
    """Return the user message of a turn."""
    return f"{turn.intent}\n\n{turn.code}"


def assistant_text(turn: Turn) -> str:
    """Return the assistant message of a turn."""
    return f"{turn.explanation}\n\n{turn.answer}"


def intent(text: str) -> str:
    """Return the intent in the text of a user message."""
    return text.split("\n")[0]


def to_messages(turns: list[Turn]) -> list[Any]:
    """Convert turns to LangChain's messages."""
    from langchain_core.messages import AIMessage, HumanMessage

    pairs = ((HumanMessage(user_text(turn)), AIMessage(assistant_text(turn))) for turn in turns)
    return [message for pair in pairs for message in pair]


class _LangChain(Contender):
    """A chat history of LangChain. Subclasses say which one."""

    def _history(self, cell: str) -> Any:
        raise NotImplementedError

    def prepare(self, turn: Turn) -> list[Any]:
        return to_messages([turn])

    async def save(self, cell: str, prepared: list[Any]) -> None:
        self._history(cell).add_messages(prepared)

    async def load(self, cell: str) -> int:
        return len(self._history(cell).messages) // 2

    async def history(self, cell: str, turns: int) -> int:
        return len(self._history(cell).messages[-2 * turns :]) // 2

    async def intents(self, cell: str) -> list[str]:
        messages = self._history(cell).messages
        return [intent(message.content) for message in messages if message.type == "human"]


class FileChat(_LangChain):
    """langchain-community's FileChatMessageHistory."""

    async def open(self) -> None:
        from langchain_community.chat_message_histories import FileChatMessageHistory

        self._kind = FileChatMessageHistory
        Path(self.place).mkdir(exist_ok=True)

    def _history(self, cell: str) -> Any:
        return self._kind(f"{self.place}/{cell}.json", encoding="utf-8", ensure_ascii=False)

    async def fill(self, cell: str, turns: list[Turn]) -> None:
        # Write the file directly, because adding the messages one by one takes minutes.
        from langchain_core.messages import messages_to_dict

        text = json.dumps(messages_to_dict(to_messages(turns)), ensure_ascii=False)
        Path(f"{self.place}/{cell}.json").write_text(text, encoding="utf-8")


class SQLChat(_LangChain):
    """langchain-community's SQLChatMessageHistory, on SQLite."""

    async def open(self) -> None:
        from langchain_community.chat_message_histories import SQLChatMessageHistory
        from sqlalchemy import create_engine

        self._kind = SQLChatMessageHistory
        self._engine = create_engine(f"sqlite:///{self.place}.db")
        self._cache: dict[str, Any] = {}

    def _history(self, cell: str) -> Any:
        if cell not in self._cache:
            self._cache[cell] = self._kind(cell, connection=self._engine)
        return self._cache[cell]

    async def fill(self, cell: str, turns: list[Turn]) -> None:
        self._history(cell).add_messages(to_messages(turns))


class LangGraph(Contender):
    """langgraph-checkpoint-sqlite's SqliteSaver. Each save writes all messages to a checkpoint."""

    async def open(self) -> None:
        from langgraph.checkpoint.sqlite import SqliteSaver

        self._saver = SqliteSaver(sqlite3.connect(f"{self.place}.db", check_same_thread=False))

    def _config(self, cell: str) -> dict[str, Any]:
        return {"configurable": {"thread_id": cell, "checkpoint_ns": ""}}

    def _read(self, cell: str) -> list[Any]:
        saved = self._saver.get_tuple(self._config(cell))
        return list(saved.checkpoint["channel_values"]["messages"]) if saved else []

    def _put(self, cell: str, messages: list[Any]) -> None:
        from langgraph.checkpoint.base import empty_checkpoint

        checkpoint = empty_checkpoint() | {
            "channel_values": {"messages": messages},
            "channel_versions": {"messages": len(messages)},
        }
        metadata = {"source": "loop", "step": len(messages), "parents": {}}
        self._saver.put(self._config(cell), checkpoint, metadata, {"messages": len(messages)})

    async def fill(self, cell: str, turns: list[Turn]) -> None:
        self._put(cell, to_messages(turns))

    def prepare(self, turn: Turn) -> list[Any]:
        return to_messages([turn])

    async def save(self, cell: str, prepared: list[Any]) -> None:
        self._put(cell, [*self._read(cell), *prepared])

    async def load(self, cell: str) -> int:
        return len(self._read(cell)) // 2

    async def history(self, cell: str, turns: int) -> int:
        return len(self._read(cell)[-2 * turns :]) // 2

    async def intents(self, cell: str) -> list[str]:
        return [intent(message.content) for message in self._read(cell) if message.type == "human"]


class Agents(Contender):
    """openai-agents' SQLiteSession."""

    async def open(self) -> None:
        from agents import SQLiteSession

        self._kind = SQLiteSession
        self._cache: dict[str, Any] = {}

    def _session(self, cell: str) -> Any:
        if cell not in self._cache:
            self._cache[cell] = self._kind(cell, f"{self.place}.db")
        return self._cache[cell]

    def _items(self, turns: list[Turn]) -> list[dict[str, str]]:
        pairs = (
            (
                {"role": "user", "content": user_text(turn)},
                {"role": "assistant", "content": assistant_text(turn)},
            )
            for turn in turns
        )
        return [item for pair in pairs for item in pair]

    async def fill(self, cell: str, turns: list[Turn]) -> None:
        await self._session(cell).add_items(self._items(turns))

    def prepare(self, turn: Turn) -> list[Any]:
        return self._items([turn])

    async def save(self, cell: str, prepared: list[Any]) -> None:
        await self._session(cell).add_items(prepared)

    async def load(self, cell: str) -> int:
        return len(await self._session(cell).get_items()) // 2

    async def history(self, cell: str, turns: int) -> int:
        return len(await self._session(cell).get_items(limit=2 * turns)) // 2

    async def intents(self, cell: str) -> list[str]:
        items = await self._session(cell).get_items()
        return [intent(item["content"]) for item in items if item["role"] == "user"]


class Nanobot(Contender):
    """nanobot-ai's SessionManager with ``fsync=True``."""

    async def open(self) -> None:
        from loguru import logger
        from nanobot.session.manager import SessionManager

        logger.remove()
        workspace, sessions = Path(self.place) / "workspace", Path(self.place) / "sessions"
        for folder in (workspace, sessions):
            folder.mkdir(parents=True, exist_ok=True)
        self._manager = SessionManager(workspace, sessions_root=sessions)

    async def fill(self, cell: str, turns: list[Turn]) -> None:
        session = self._manager.get_or_create(f"aiserver:{cell}")
        for turn in turns:
            self._add(session, turn)
        self._manager.save(session, fsync=True)

    async def fill_many(self, notebook: str, sessions: int) -> None:
        small_turn = Turn("读取 data.csv", "", "frame = pd.read_csv('data.csv')\n" * 20, "")
        for number in range(sessions):
            session = self._manager.get_or_create(f"{notebook}:{number}")
            self._add(session, small_turn)
            self._manager.save(session)

    async def save(self, cell: str, prepared: Turn) -> None:
        session = self._manager.get_or_create(f"aiserver:{cell}")
        self._add(session, prepared)
        self._manager.save(session, fsync=True)

    async def load(self, cell: str) -> int:
        self._manager.invalidate(f"aiserver:{cell}")
        return len(self._manager.get_or_create(f"aiserver:{cell}").messages) // 2

    async def history(self, cell: str, turns: int) -> int:
        session = self._manager.get_or_create(f"aiserver:{cell}")
        return len(session.get_history(max_messages=2 * turns)) // 2

    async def list(self, notebook: str) -> int:
        # nanobot can't list the sessions of one notebook, so this counts all sessions.
        return len(self._manager.list_sessions())

    async def intents(self, cell: str) -> list[str]:
        messages = self._manager.get_or_create(f"aiserver:{cell}").messages
        return [intent(message["content"]) for message in messages if message["role"] == "user"]

    def _add(self, session: Any, turn: Turn) -> None:
        session.add_message("user", user_text(turn))
        session.add_message("assistant", assistant_text(turn))
