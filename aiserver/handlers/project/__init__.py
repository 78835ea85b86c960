"""Handlers of what holds beyond one notebook: rules files, data files, recipes and memories."""
