"""Measure whether models follow the entries of memories."""
