"""Agents: a server for them, their runs, what they may do, and undoing it."""
