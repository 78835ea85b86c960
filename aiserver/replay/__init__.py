"""Read the history of cells and notebooks from stored records. Pure: no I/O, no clock.

``steps``: a session as the steps by which a cell came to be · ``blame``: who wrote each line ·
``timeline``: a notebook through time · ``report``: how much each kind of contributor wrote.
"""

from __future__ import annotations

from .blame import Origin, blame, trace
from .moments import CellSnapshot, Moment, NotebookSnapshot
from .report import report
from .step import Step
from .steps import replay
from .timeline import Timeline

__all__ = [
    "CellSnapshot",
    "Moment",
    "NotebookSnapshot",
    "Origin",
    "Step",
    "Timeline",
    "blame",
    "replay",
    "report",
    "trace",
]
