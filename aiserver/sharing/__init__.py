"""Exports of a notebook's history: as a web page, as Markdown, as a notebook.

- ``export``: the entry point; ``process`` and ``worker`` run exports in a child process
- ``page_data`` collects the data of the web page, ``page`` renders the page as one HTML file
- ``narrative`` renders the history as Markdown; ``annotated`` adds the history to a copy
  of the notebook
- ``pictures`` loads the thumbnails of outputs
- ``markdown`` parses Markdown for the page
- ``labels`` has the titles and outcomes of steps, and the names of contributors, cells and
  shares of authorship
- ``fences`` embeds text from cells and models in Markdown
- ``filenames`` makes safe file names
"""
