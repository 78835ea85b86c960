"""Complete the code of a cell while a person types, by an embedded model."""
