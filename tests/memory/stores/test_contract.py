"""The contract suite for every store of memories. Stores are registered in ``conftest.py``."""

from aiserver.testing.memory_contract import *
