"""Follows the values in a suggestion: modules, functions, and DataFrames with their columns."""
