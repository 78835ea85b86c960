"""Corrections: propose to remember the changes that a person makes to answers again and again.

If the same function or module is replaced by another one in several accepted answers, a proposal
waits for the person. No model is involved, and nothing leaves the machine.

The modules, all of them pure except ``watcher``: ``names`` resolves the names of called functions,
and ``calls`` splits code into calls. ``compare`` finds the substitutions between a suggestion and
the code that the person made of it, which ``turns`` reads from a session. ``counts`` is the stored
document, and ``texts`` words the proposals. ``watcher`` does all this in the background.
"""

from .watcher import CorrectionWatcher

__all__ = ["CorrectionWatcher"]
