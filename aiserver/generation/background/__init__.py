"""Work of models that nobody waits for."""
