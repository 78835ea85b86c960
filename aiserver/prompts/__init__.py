"""Compose prompts and parse answers. The results depend on nothing but the arguments."""
