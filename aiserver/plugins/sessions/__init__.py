"""Import the histories of other programs, copy those of other stores, and write backups."""
