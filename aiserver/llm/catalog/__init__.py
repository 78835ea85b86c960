"""List the available models, including those that servers report."""
