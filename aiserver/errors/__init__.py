"""All errors that AI Server reports to users, as one tree below ``AIServerError``.

``base`` has the root, ``requests`` the errors of requests and child processes, ``storage`` those of
histories and memories (``StorageError``), and ``model`` those of models and providers.
``UserText`` is a sentence that the interface translates; ``stored`` finds that of an error message
in a stored history.

Invariants: a message is plain text that is safe to show and to store. A message never contains a
provider's raw text, a key or a traceback; only the exception in ``__cause__`` may contain them.
Only messages of the command line contain paths. Nothing here depends on HTTP: ``handlers/base.py``
maps each class to a status.
"""

from __future__ import annotations

from .base import *
from .model import *
from .requests import *
from .storage import *
