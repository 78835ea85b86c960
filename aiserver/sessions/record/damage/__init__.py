"""Read what is whole in damaged bytes: torn JSON, conflict marks, duplicate keys. Pure."""
