"""Reads histories of other programs and stores, and writes them into a store."""
