"""Finds undefined names."""
