"""The summary of a cell's older turns: asking a model for it, and its text in a prompt."""
