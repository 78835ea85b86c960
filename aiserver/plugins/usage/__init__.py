"""Tokens, times and costs of turns: prices, sums, and the table that people can export."""
