"""Notebooks: their ids, their change logs and their histories."""
