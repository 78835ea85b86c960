"""Read the code, the explanation and the thoughts of a model's answer."""
