"""Memories: entries in Markdown files that hold beyond one cell, with a person's consent.

A memory is a Markdown document, ``MEMORY.md``. The *project's* memory is a file in
``.aiserver_memory``, fit for git. The *person's* memory is in Jupyter's data folder or, with a
shared database, in the database. Each item of a list, and each paragraph, is an *entry*.

Invariants:

- Nothing becomes an entry without an explicit act of the person, such as confirming a proposal.
- An entry of the project's memory that the person hasn't written or confirmed in AI Server, because
  it came with a repository or from another editor, is used only after the person has seen it.
- A memory can be edited in any editor at any time, and all text that isn't an entry is preserved.
"""
