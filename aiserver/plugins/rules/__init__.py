"""Read the files with which people tell models about a project."""
