"""Install local models, run each of them in a child process, and query them."""
