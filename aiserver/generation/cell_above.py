"""The code cell above that a request in an empty cell is about, such as ``/explain``.

Invariant: what is sent, its preview and its receipt use this module, so they agree on the cell.
"""

from __future__ import annotations

from ..prompts.language import cell_language, code_of, is_request
from ..prompts.modes import works_on_cell_above
from ..requests import ContextCell, WarmUpBody


def cell_above(body: WarmUpBody, intent: str) -> ContextCell | None:
    """Return the nearest code cell above the request's cell if the request is about that cell.

    Return None for a request about its own cell, or about a cell that it mentions by ``@``. Empty
    cells and cells with ``%%ai`` are skipped.
    """
    language = cell_language(body.language, body.source, body.cell_type)
    if code_of(body.source, intent).strip() or not works_on_cell_above(intent, language):
        return None
    if any(mention.cell_id for mention in body.context.mentions):
        return None
    for cell in reversed(body.context.cells):
        if cell.cell_type == "code" and cell.source.strip() and not is_request(cell.source):
            return cell
    return None
