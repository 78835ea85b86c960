"""The prompts of all modes in other languages than Python, compared with ``snapshots/``."""

from __future__ import annotations

import os
from typing import get_args

import pytest

from aiserver.prompts.modes import Mode
from aiserver.prompts.prompt_input import Style

from .inputs import prompt_input
from .test_prompts import LANGUAGES, SNAPSHOTS, build, fixed_secret

__all__ = ["fixed_secret"]  # a fixture

SOURCES = {
    "r": ("r", "sales <- read.csv('销售.csv')\nhead(sales)"),
    "julia": (
        "julia",
        'using CSV, DataFrames\nsales = CSV.read("销售.csv", DataFrame)\nfirst(sales)',
    ),
    "sql": ("python", "%%sql\nSELECT city, SUM(price) FROM sales GROUP BY city"),
}


@pytest.mark.parametrize("style", ["compact", "full"])
@pytest.mark.parametrize("name", LANGUAGES)
async def test_all_modes(name: str, style: Style) -> None:
    language, source = SOURCES[name]
    texts = []
    for mode in get_args(Mode):
        request = prompt_input(f"/{mode} shortly", source=source, language=language)
        messages = await build(request, style)
        texts += [f"##### {mode}", *(f"=== {item.type}\n{item.text}" for item in messages)]
    text = "\n".join([*texts, ""])
    path = SNAPSHOTS / f"modes-{name}-{style}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")
