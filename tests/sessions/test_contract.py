"""The contract suite for every store. Stores are registered in ``conftest.py``."""

from aiserver.testing.contract import *
