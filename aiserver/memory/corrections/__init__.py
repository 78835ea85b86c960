"""Corrections: find the changes that a person makes to answers again and again, and count them.

If the same function or module is replaced by another one in several accepted answers, a proposal
waits for the person (``histories.correction_watcher``). No model is involved, and nothing leaves
the machine.

The modules, all of them pure except ``store``: ``names`` resolves the names of called functions, of
which only ``public_names`` are used. ``calls`` splits code into calls, and ``shapes`` finds equal
expressions. ``compare`` finds the substitutions between a suggestion and the code that the person
made of it, which ``turns`` reads from a session. ``counts`` is the document that ``store`` reads
and writes, and ``texts`` words the proposals.
"""
