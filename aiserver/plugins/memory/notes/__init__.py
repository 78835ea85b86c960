"""Notes: a few short sentences about each notebook, which requests in its cells may contain."""
