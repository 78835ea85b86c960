"""Session stores. ``base.py`` defines their contract."""
