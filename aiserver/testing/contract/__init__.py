"""The contract suite: ``from aiserver.testing.contract import *`` in a test file runs all tests.

The suite needs the fixture ``backend`` and the plugin ``aiserver.testing``. A number such as P23 in
a test's docstring refers to a promise in AI Server's ``docs/promises.md``.
"""

from .concurrency import *
from .sessions import *
from .stored_data import *

__all__ = [name for name in dir() if name.startswith("test_")]
