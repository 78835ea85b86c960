"""Settings of Sphinx, which builds these pages (``make docs``)."""

from aiserver import __version__

project = "AI Server"
author = "AI Server contributors"
copyright = "AI Server contributors"
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
html_theme = "furo"
html_title = f"AI Server {version}"
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "description"
suppress_warnings = ["myst.xref_missing"]  # links to files of the repository
