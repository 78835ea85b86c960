"""Describe the data files that a request names: their columns and dtypes."""
