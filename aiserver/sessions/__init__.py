"""Where the record of each cell is kept. ``base.py`` is the contract of every store."""
