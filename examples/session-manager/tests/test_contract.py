"""AI Server's contract suite."""

from aiserver.testing.contract import *
