"""Compose prompts and parse answers. In one process, equal arguments give equal results."""
