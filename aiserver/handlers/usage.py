"""``usage`` and ``sessions/…/prompt``: tokens, costs, and the prompts of past turns."""

from __future__ import annotations

from ..errors import NotFound, UserText
from ..generation.receipts import read_prompt
from ..prompts.receipt import stored_items
from ..requests import UsageQuery
from ..surrogates import json_bytes
from ..usage.totals import time_of
from .base import AIServerHandler, guarded
from .generate import item_fields, prompt_fields


class TurnPromptHandler(AIServerHandler):
    """Returns the prompt of a turn."""

    @guarded("read")
    async def get(self, notebook_id: str, cell_id: str, turn_id: str) -> None:
        """Answer with the receipt of the turn and, if stored, its messages and its thoughts."""
        key = self.key(notebook_id, cell_id)
        session = await self.services.sessions.load_session(key)
        turn = next((turn for turn in session.interactions if turn.turn_id == int(turn_id)), None)
        if turn is None:
            raise NotFound(UserText("This request is not in the history."))
        prompt = await read_prompt(self.services.sessions, key, turn.prompt)
        answer = {
            "turnId": turn.turn_id,
            "model": turn.model,
            "thoughts": turn.ai_response.thoughts or "",
            **(prompt_fields(prompt) if prompt else {"messages": None, "hidden": 0, "masked": 0}),
            "items": [item_fields(item) for item in stored_items(turn.context or [])],
        }
        await self.finish_in_thread(lambda: answer)


class UsageHandler(AIServerHandler):
    """Sums the usage."""

    @guarded("read")
    async def get(self) -> None:
        """Answer with the sums of a notebook, or of all notebooks.

        With ``since``, other people's requests don't count.
        """
        query = self.query(UsageQuery)
        since = None if query.since is None else time_of(query.since)
        # The sums of a day are compared with a person's budget.
        user = self.user_name if since else ""
        totals = await self.services.usage.totals(query.notebook_id, since, user=user)
        await self.finish(json_bytes(totals.to_wire()))


class UsageTableHandler(AIServerHandler):
    """Lists the usage."""

    @guarded("read")
    async def get(self) -> None:
        """Answer with the table of all turns as CSV, in JSON, so that no browser shows it."""
        query = self.query(UsageQuery)
        content = await self.services.usage.table(query.notebook_id)
        await self.finish_in_thread(lambda: {"content": content})
