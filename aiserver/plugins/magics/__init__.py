"""The magics ``%%ai`` and ``%ai`` ask for code in IPython. ``%load_ext aiserver`` loads them.

Invariants:

- The modules of this package import only the standard library, IPython, ``running_servers`` and
  ``kernel``, because the environment of a kernel may lack the server's packages.
- Nothing is written into a cell, nothing of an answer runs, and no variable changes (P13, P18).
- A failure is one sentence without a traceback. The Jupyter server's token is in no output (P8).
"""
