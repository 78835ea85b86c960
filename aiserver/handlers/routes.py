"""The URLs of the core. A test compares them, and those of plugins, with ``rest-api.yml``."""

from __future__ import annotations

from .base import AIServerHandler
from .blobs import BlobHandler, BlobsHandler
from .changes import ChangesHandler
from .generate import AnalyzeDataFrameHandler, GenerateHandler, PreviewHandler, StopHandler
from .models import (
    CheckHandler,
    ChoiceHandler,
    HealthHandler,
    KeyHandler,
    ModelsHandler,
    NamesHandler,
    WarmUpHandler,
)
from .notebooks import NotebooksHandler
from .replay import BlameHandler, MomentHandler, ReplayHandler, ReportHandler, TimelineHandler
from .sessions import EventsHandler, SessionHandler, SessionListHandler, TurnPromptHandler

_CELL = r"/aiserver/sessions/([^/]+)/([^/]+)"
_NOTEBOOK = r"/aiserver/notebooks/([^/]+)"

ROUTES: list[tuple[str, type[AIServerHandler]]] = [
    (r"/aiserver/generate", GenerateHandler),
    (r"/aiserver/generate/preview", PreviewHandler),
    (r"/aiserver/generate/([0-9a-f]{32})", StopHandler),
    (r"/aiserver/analyze-dataframe", AnalyzeDataFrameHandler),
    (r"/aiserver/sessions", SessionListHandler),
    (_CELL, SessionHandler),
    (_CELL + r"/replay", ReplayHandler),
    (_CELL + r"/blame", BlameHandler),
    (_CELL + r"/events", EventsHandler),
    (_CELL + r"/turns/([0-9]{1,9})/prompt", TurnPromptHandler),
    (r"/aiserver/notebooks", NotebooksHandler),
    (_NOTEBOOK + r"/timeline", TimelineHandler),
    (_NOTEBOOK + r"/moments/([0-9]{1,9})", MomentHandler),
    (_NOTEBOOK + r"/report", ReportHandler),
    (r"/aiserver/notebooks/([^/]+)/changes", ChangesHandler),
    (r"/aiserver/blobs", BlobsHandler),
    (r"/aiserver/blobs/([0-9a-f]{64})", BlobHandler),
    (r"/aiserver/models", ModelsHandler),
    (r"/aiserver/models/choice", ChoiceHandler),
    (r"/aiserver/models/check", CheckHandler),
    (r"/aiserver/models/names", NamesHandler),
    (r"/aiserver/models/keys/([a-z_]{1,64})", KeyHandler),
    (r"/aiserver/models/warm-up", WarmUpHandler),
    (r"/aiserver/health", HealthHandler),
]
