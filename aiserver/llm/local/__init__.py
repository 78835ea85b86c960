"""Install the local model, run it in a child process and query it."""
