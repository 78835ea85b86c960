"""``jupyter aiserver sessions …``: list, import, export, copy, verify and delete histories."""
