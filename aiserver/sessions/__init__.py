"""The stores, which save and load sessions. ``base.py`` defines their contract."""
