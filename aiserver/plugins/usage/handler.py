"""``usage``: sums of tokens and costs."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ...handlers.base import AIServerHandler, Encoded, guarded
from ...models import Id, Timestamp
from ...requests import Body
from .plugin import UsagePlugin
from .records import UsageTotals, time_of


class UsageTableQuery(Body):
    """The notebook whose usage is listed; without an id, that of all notebooks."""

    notebook_id: Id | None = None


class UsageQuery(UsageTableQuery):
    """The requests whose usage is summed."""

    since: Annotated[Timestamp, Field(json_schema_extra={"format": "date-time"})] | None = None
    """If given, only the person's own requests at this time or later count."""


class UsageHandler(AIServerHandler):
    """Sums the usage."""

    @guarded("read")
    async def get(self) -> UsageTotals:
        """Answer with the sums of a notebook, or of all notebooks.

        With ``since``, other people's requests don't count.
        """
        query = self.query(UsageQuery)
        since = None if query.since is None else time_of(query.since)
        # The sums of a day are compared with a person's budget.
        user = self.user_name if since else ""
        reader = self.services.plugins.get(UsagePlugin).reader
        return await reader.totals(query.notebook_id, since, user=user)


class UsageTableHandler(AIServerHandler):
    """Lists the usage."""

    @guarded("read")
    async def get(self) -> Encoded[dict[str, str]]:
        """Answer with the table of all turns as CSV, in JSON, so that no browser shows it."""
        query = self.query(UsageTableQuery)
        content = await self.services.plugins.get(UsagePlugin).reader.table(query.notebook_id)
        return await self.encode_in_thread(lambda: {"content": content})
