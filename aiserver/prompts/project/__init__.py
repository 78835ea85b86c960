"""The texts of a prompt that belong to the project, not to the notebook."""
