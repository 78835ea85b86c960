"""Models: which can be used, and how they are asked."""
