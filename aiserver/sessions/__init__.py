"""The stores of sessions. ``base.py`` defines their contract."""
