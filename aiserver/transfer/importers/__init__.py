"""Reads what other programs kept, one file a format. Pure: bytes and rows in, sessions out."""
