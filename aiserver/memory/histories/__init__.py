"""Reads histories of cells for memories: past answers, and what a person changes in answers."""
