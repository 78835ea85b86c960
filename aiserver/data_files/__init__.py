"""Describe the data files that a request names: their columns and dtypes, from their beginnings."""
