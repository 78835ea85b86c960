"""Requests to models, and what all bodies have in common: fields are camelCase in the HTTP API.

Other bodies are in the modules of their handlers.

An invalid body raises pydantic's ValidationError. For this error, ``handlers/base.py`` responds
with status 400 and the name of the field. ``rest-api.yml`` describes the bodies by these classes.
"""

from __future__ import annotations

from .base import *
from .bodies import *
from .context import *
from .images import *
