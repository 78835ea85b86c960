"""Handlers of what holds beyond one notebook: rules files, recipes and memories."""
