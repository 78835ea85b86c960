"""Read a model's answer: its code for the cell, its explanation, and its thoughts."""
