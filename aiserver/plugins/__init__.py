"""AI Server's own plugins: one folder each, which the core never imports."""
