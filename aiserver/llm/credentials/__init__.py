"""API keys and addresses: where they are stored, and how they are kept out of sight."""
