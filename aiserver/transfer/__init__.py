"""Read the histories of other programs and stores, and write them into a store."""
