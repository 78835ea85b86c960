"""Which models there are: the catalogue, and the lists that servers give."""
