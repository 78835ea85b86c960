"""The model on the Jupyter server's own machine: install it, run it in a process, query it."""
