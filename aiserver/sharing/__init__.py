"""Exports of a notebook's history: as a web page, as Markdown, as a notebook.

- ``export``: the entry point
- ``page_data`` collects the data of the page, ``page`` renders it as one self-contained HTML file
- ``narrative`` renders Markdown, ``annotated`` a notebook with the history of its cells
- ``pictures`` loads thumbnails of outputs
- ``fences`` escapes foreign text in Markdown
- ``filenames`` makes safe file names
"""
