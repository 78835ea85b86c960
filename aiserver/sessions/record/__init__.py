"""Encode, decode, merge and recover stored records, for every store. Pure."""
