"""Describe the data in a kernel for the person who works there: what it is, and its columns.

``profile.py`` is the entry. ``bundle.py`` joins the modules into one text for the kernel.
"""
