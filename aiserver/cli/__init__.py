"""The command line: ``jupyter aiserver …``."""
