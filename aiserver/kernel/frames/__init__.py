"""Follows the values of a suggestion: modules, functions and the columns of DataFrames."""
