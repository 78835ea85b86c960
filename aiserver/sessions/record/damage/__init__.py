"""Recover intact records from damaged bytes: torn JSON, conflict marks, duplicate keys. Pure."""
