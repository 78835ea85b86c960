"""A notebook's past, to be handed on: as a web page, as Markdown, as a notebook.

``export`` is the way in · ``story`` gathers what is told, as plain data · ``page`` one HTML file
that needs nothing else · ``narrative`` Markdown · ``annotated`` a notebook with its story in it ·
``pictures`` small pictures of outputs · ``fences`` keeps words of others what they are ·
``filenames`` plain names for the files.
"""
