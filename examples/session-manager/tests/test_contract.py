"""Run AI Server's contract suite with the fixture ``backend`` of ``conftest.py``."""

from aiserver.testing.contract import *
