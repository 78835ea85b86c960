"""``jupyter aiserver doctor``: find problems of an installation, and show how to fix them."""
