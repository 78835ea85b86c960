"""What a model is told, and how its answer is read. Pure functions of their input."""
