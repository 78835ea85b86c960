"""Read histories from other programs and stores, and write them into a store."""
