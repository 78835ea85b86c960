"""Encode, decode, merge and recover stored records. Pure."""
