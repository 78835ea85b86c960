"""The commands ``jupyter aiserver mcp`` and ``jupyter aiserver agents …``."""
