"""Inputs of prompts for tests."""

from __future__ import annotations

from typing import Any

from aiserver.prompts.language import cell_language
from aiserver.prompts.parsed_request import ParsedRequest
from aiserver.prompts.prompt_input import PromptInput
from aiserver.requests import CellType, ContextCell


def prompt_input(
    intent: str,
    source: str = "",
    language: str = "python",
    cell_type: CellType = "code",
    cell_above: ContextCell | None = None,
    **more: Any,
) -> PromptInput:
    """Return the input of a prompt for a cell with a source, or for the cell above."""
    of_cell = cell_language(language, source, cell_type)
    return PromptInput(ParsedRequest(intent, of_cell, source, cell_above), **more)
