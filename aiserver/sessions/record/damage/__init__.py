"""Recover intact records from torn JSON, conflict markers and duplicate keys. Pure."""
