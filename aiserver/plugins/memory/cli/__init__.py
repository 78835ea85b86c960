"""The commands ``jupyter aiserver memory …``: list, change, import and export memories."""
