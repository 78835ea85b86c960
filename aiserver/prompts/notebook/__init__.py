"""Choose and shorten the earlier cells and headings for a prompt."""
