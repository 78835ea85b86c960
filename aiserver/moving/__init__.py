"""``jupyter aiserver sessions``: histories moved in and out, looked at, and cleared away."""
