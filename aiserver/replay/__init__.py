"""The past, read from what is stored. Pure: no I/O, no clock; and the only place that knows.

``steps`` a session as the steps by which a cell came to be · ``blame`` who wrote each line ·
``timeline`` a whole notebook through time · ``report`` how much of it each hand and model wrote.
"""

from __future__ import annotations

from .blame import Origin, blame, blames
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
    "blames",
    "replay",
    "report",
]
