"""The contract suite: ``from aiserver.testing.contract import *`` in a test file runs all of it.

It needs the fixture ``backend`` and the plugin ``aiserver.testing``.
"""

from .concurrency import *
from .events import *
from .history import *
from .listing import *
from .logs_and_blobs import *
from .owners_and_ids import *
from .sessions import *
from .stored_data import *

__all__ = [name for name in dir() if name.startswith("test_")]
