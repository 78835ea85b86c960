"""Stored records as bytes and as data, the same for every store. Pure."""
