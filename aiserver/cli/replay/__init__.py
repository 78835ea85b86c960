"""``jupyter aiserver replay …``: show, export and report how a notebook was made."""
