"""Memories: entries in Markdown files that hold beyond one cell, with a person's consent.

A memory is a Markdown document, ``MEMORY.md``, in one of two scopes. The *project's* memory is a
file in the project, in ``.aiserver_memory``, and fit for git. The *person's* memory is in Jupyter's
data folder or, with a shared database, in the database. Each item of a list, and each paragraph, is
an *entry*.

Invariants:

- Nothing becomes an entry without an explicit act of the person: the text of a proposal is only
  written into a memory when the person confirms it.
- An entry of the project's memory that the person hasn't written or confirmed in AI Server, because
  it came with a repository or from another editor, is used only after the person has seen it.
- A memory can be edited in any editor at any time. It is read again for each use, and all text that
  isn't an entry is preserved.
"""
