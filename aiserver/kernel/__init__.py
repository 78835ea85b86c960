"""Code that runs inside a person's kernel.

The modules of this package use the standard library only, work in CPython 3.8 or newer and import
nothing of ``aiserver``, except each other. ``bundle.py`` joins them into three texts: for the
check, for profiles of data, and for variables. The build writes these to ``src/kernel/``. The page
runs each in a namespace of its own, by the ``user_expressions`` of an execute request with
``silent=True``.

``r/`` is the same for R kernels, without the check, in base R. It runs as the code of a silent
request, and its result is a message with output.

Invariants (P18, P41):

- None of the person's code runs: no property, no ``repr`` and no ``==`` of their objects. Objects
  are compared only by identity. Only modules, functions, classes, and objects whose exact type is
  built in or belongs to a supported library are inspected. Of subclasses of pandas' DataFrame, the
  check inspects no instances; ``variables.py`` first converts them to plain DataFrames.
- No module that a suggestion names is imported, and no variable changes.
- A problem that isn't certain isn't reported: a false alarm is worse than a miss.
"""
