"""Looks at real objects, modules and files without running code."""
