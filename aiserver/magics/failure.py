"""A failure that IPython shows as one sentence."""

from __future__ import annotations


class RequestFailed(Exception):
    """The request failed or was stopped. The message is a sentence for people.

    The cell counts as failed, so that “Run All” and papermill stop there.
    """

    def _render_traceback_(self) -> list[str]:
        """Return the lines that IPython shows instead of a traceback."""
        return [str(self)]
