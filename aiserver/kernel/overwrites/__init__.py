"""Find the kernel's DataFrames and the files that a suggestion would overwrite."""
