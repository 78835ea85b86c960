"""``jupyter aiserver ask``: ask for the code of a cell from a script or a terminal."""
