"""Code that runs inside a person's kernel.

The modules of this package use the standard library only, work in CPython 3.8 to 3.14 and import
nothing of ``aiserver``, except each other. ``bundle.py`` joins the modules of the
check into one text. ``scripts/kernel_code.py`` writes the texts to ``src/kernel/``; the page
runs them in a kernel in a namespace of their own, silently, within a ``user_expressions`` request.

Invariants (P18, P41):
- Nothing of the person's code runs: no attribute, no ``repr`` and no comparison of their objects.
  Types are compared by identity; only modules, functions, classes and exact library types are
  inspected.
- No module is imported and no variable changes.
- What can't be determined exactly isn't reported: a false alarm is worse than a miss.
"""
