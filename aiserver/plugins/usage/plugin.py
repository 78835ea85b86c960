"""The plugin that sums tokens, and knows prices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...plugin import Host, Plugin

if TYPE_CHECKING:
    from ...llm.base import ModelInfo
    from .reader import UsageReader


class UsagePlugin(Plugin):
    """Sums tokens and costs."""

    name = "usage"
    reader: UsageReader

    def __init__(self, settings: Any = None) -> None:
        """Read the administrator's prices. Raises SettingError if they are malformed."""
        from .prices import PriceList

        self._prices = PriceList(settings.model_prices if settings else None)

    def start(self, host: Host) -> None:
        from .reader import UsageReader

        self.reader = UsageReader(host.sessions, owner=host.session_owner)

    def routes(self) -> dict[str, str]:
        return {
            "/aiserver/usage": "aiserver.plugins.usage.handler.UsageHandler",
            "/aiserver/usage/table": "aiserver.plugins.usage.handler.UsageTableHandler",
        }

    async def cost(self, model: ModelInfo, usage: Mapping[str, Any] | None) -> float | None:
        return await self._prices.cost(model, usage)
