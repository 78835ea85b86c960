"""The cost of an answer, from the numbers of tokens and a price list.

The prices are those of the package ``genai-prices`` at the version that is installed; nothing is
fetched. An administrator can replace them for some models (``AIServer.model_prices``).

Invariants:

- A cost is never guessed (P47). It is None if a number of tokens or a price is missing, for models
  that aren't queried at their provider's own address, such as those behind a proxy, and for names
  that stand for changing models.
- The package is imported in a thread when it is first needed, because that takes a quarter of a
  second.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from ...errors import SettingError
from ...llm.base import ModelInfo

# Our name of a provider, and the provider's id in genai-prices.
_PROVIDERS = {
    "anthropic": "anthropic",
    "deepseek": "deepseek",
    "google_genai": "google",
    "mistralai": "mistral",
    "openai": "openai",
}
_DIGITS = 9  # a token of the cheapest models costs some 1e-8 dollars
_PRICE_NAMES = {"input", "cached_input", "output"}


class PriceList:
    """The prices of models in US dollars. Raises SettingError if ``overrides`` are malformed.

    They map patterns of model ids, such as ``openai:gpt-5*``, to prices per million tokens:
    ``{"input": 0.25, "cached_input": 0.025, "output": 2}``. The first pattern that matches counts.
    """

    def __init__(self, overrides: Mapping[str, Mapping[str, float]] | None = None) -> None:
        self._overrides = dict(overrides or {})
        for pattern, prices in self._overrides.items():
            _check_override(pattern, prices)

    async def cost(self, model: ModelInfo, usage: Mapping[str, Any] | None) -> float | None:
        """Return the cost of an answer in US dollars; None if it isn't certain.

        ``usage`` has the counts of a turn. ``input_tokens`` includes ``cached_tokens`` and
        ``cache_write_tokens``.
        """
        counts = usage or {}
        if not (counts.get("input_tokens") and counts.get("output_tokens")):
            return None
        for pattern, prices in self._overrides.items():
            if fnmatchcase(model.id, pattern):
                return _cost_at(prices, counts)
        provider, _, name = model.id.partition(":")
        if not model.has_list_price or provider not in _PROVIDERS or name.endswith("-latest"):
            return None  # the list may name another model as the latest one
        return await asyncio.to_thread(_listed_cost, _PROVIDERS[provider], name, counts)


def _check_override(pattern: str, prices: Mapping[str, float]) -> None:
    is_valid = isinstance(prices, Mapping) and {"input", "output"} <= set(prices) <= _PRICE_NAMES
    if not is_valid or any(
        isinstance(price, bool) or not isinstance(price, int | float) or not 0 <= price < 1e6
        for price in prices.values()
    ):
        raise SettingError(
            f"The prices of “{pattern}” must be numbers: “input”, “output” and, if the provider"
            " has such a price, “cached_input”, in US dollars per million tokens."
        )


def _cost_at(prices: Mapping[str, float], counts: Mapping[str, Any]) -> float:
    """Return the cost at prices per million tokens."""
    cached = min(counts.get("cached_tokens") or 0, counts["input_tokens"])
    dollars: float = (
        (counts["input_tokens"] - cached) * prices["input"]
        + cached * prices.get("cached_input", prices["input"])
        + counts["output_tokens"] * prices["output"]
    ) / 1e6
    return round(dollars, _DIGITS)


def _listed_cost(provider: str, name: str, counts: Mapping[str, Any]) -> float | None:
    try:
        from genai_prices import Usage, calc_price

        usage = Usage(
            input_tokens=counts["input_tokens"],
            cache_read_tokens=counts.get("cached_tokens"),
            cache_write_tokens=counts.get("cache_write_tokens"),
            output_tokens=counts["output_tokens"],
        )
        price = calc_price(usage, model_ref=name, provider_id=provider)
    except Exception:
        # The model isn't listed, the counts contradict each other, or the package has changed. A
        # turn must be saved all the same.
        return None
    return round(float(price.total_price), _DIGITS)
