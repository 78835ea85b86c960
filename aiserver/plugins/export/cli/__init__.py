"""``jupyter aiserver replay …``: show and export how a notebook was made, and by whom."""
