"""Choose, create and query language models."""
