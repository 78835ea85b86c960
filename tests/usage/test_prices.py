"""The cost of an answer."""

from __future__ import annotations

import pytest

from aiserver.errors import SettingError
from aiserver.llm.base import ModelInfo
from aiserver.plugins.usage.prices import PriceList

OPENAI = ModelInfo("openai:gpt-4o", "gpt-4o", False, has_list_price=True)
COUNTS = {"input_tokens": 1_000_000, "output_tokens": 100_000}


async def test_list_prices_apply_at_the_address_of_the_provider():
    """gpt-4o costs 2.50 and 10 dollars per million tokens, and 1.25 for cached ones."""
    assert await PriceList().cost(OPENAI, COUNTS) == pytest.approx(3.5)
    cached = COUNTS | {"cached_tokens": 600_000}
    assert await PriceList().cost(OPENAI, cached) == pytest.approx(2.75)


@pytest.mark.parametrize(
    ("model", "counts"),
    [
        (ModelInfo("openai:gpt-4o", "behind a proxy", False), COUNTS),
        (ModelInfo("openai:gpt-999", "not listed", False, has_list_price=True), COUNTS),
        (ModelInfo("mistralai:codestral-latest", "which one?", False, has_list_price=True), COUNTS),
        (ModelInfo("local:gpt-4o", "a file", True, has_list_price=True), COUNTS),
        (ModelInfo("openai_compatible:gpt-4o", "anybody's", False), COUNTS),
        (OPENAI, None),
        (OPENAI, {"input_tokens": 10}),
        (OPENAI, {"output_tokens": 10}),
        (OPENAI, COUNTS | {"cached_tokens": 2_000_000}),  # more than were read
    ],
)
async def test_a_cost_is_never_guessed(model, counts):
    """P47."""
    assert await PriceList().cost(model, counts) is None


async def test_administrators_can_set_prices():
    prices = PriceList(
        {
            "openai_compatible:ours-*": {"input": 1, "output": 2},
            "openai:gpt-4o": {"input": 4, "cached_input": 1, "output": 0},
        }
    )
    ours = ModelInfo("openai_compatible:ours-7b", "ours", False)
    assert await prices.cost(ours, COUNTS) == pytest.approx(1.2)
    assert await prices.cost(OPENAI, COUNTS | {"cached_tokens": 500_000}) == pytest.approx(2.5)
    assert await prices.cost(ours, None) is None


@pytest.mark.parametrize(
    "prices",
    [
        {"input": 1},
        {"input": "1", "output": 2},
        {"input": -1, "output": 2},
        {"input": 1, "output": 2, "images": 3},
        {"input": float("nan"), "output": 2},
        3,
    ],
)
def test_wrong_prices_are_explained(prices):
    with pytest.raises(SettingError, match="openai:x"):
        PriceList({"openai:x": prices})
