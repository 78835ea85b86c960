"""Exports of a notebook's history: as a web page, as Markdown, as a notebook.

- ``export``: the entry point; ``process`` and ``worker`` run exports in a child process
- ``page_data`` collects the data of the page, ``page`` renders it as one self-contained HTML file
- ``narrative`` renders the history as Markdown; ``annotated`` adds it to a copy of the notebook
- ``pictures`` loads the thumbnails of outputs
- ``markdown`` parses Markdown for the page
- ``labels`` has the titles of steps and the names of contributors
- ``fences`` escapes text from cells and models so that it can be embedded in Markdown
- ``filenames`` makes safe file names
"""
