"""Store API keys and addresses, and keep the keys secret."""
