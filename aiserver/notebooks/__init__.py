"""Notebooks: their ids, their change logs, and the whole history of each."""
