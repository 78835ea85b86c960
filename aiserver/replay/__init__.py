"""Read the history of cells and notebooks from stored records. Pure: no I/O, no clock.

``steps`` reads a cell's session, ``timeline`` all sessions of a notebook.
"""

from __future__ import annotations

from .blame import Origin, blame, trace
from .folding import request_numbers, shown_numbers, shown_steps
from .moments import CellSnapshot, Moment, NotebookSnapshot
from .report import CountCache, count_lines, report, with_requests
from .step import Step
from .steps import replay
from .timeline import Timeline

__all__ = [
    "CellSnapshot",
    "CountCache",
    "Moment",
    "NotebookSnapshot",
    "Origin",
    "Step",
    "Timeline",
    "blame",
    "count_lines",
    "replay",
    "report",
    "request_numbers",
    "shown_numbers",
    "shown_steps",
    "trace",
    "with_requests",
]
