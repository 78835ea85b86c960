"""Show an answer while it arrives: in a notebook's output, or as text in a terminal.

Invariant: control characters in an answer are replaced, so that it can't control a terminal.
"""

from __future__ import annotations

import re
import sys
import time
from typing import Any

from IPython.display import display

from ...errors.base import UserText
from ...i18n import load_texts, translate
from .markdown import answer_markdown

_SECONDS_BETWEEN_UPDATES = 0.2
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def review_hint(locale: str) -> str:
    """Return the sentence below code, in the page's language."""
    hint = UserText(
        "Press `Ctrl+K` (`⌘K` on a Mac) in this cell to review the code as a change of the cell."
    )
    return translate(load_texts(locale) if locale else {}, hint)


def _make_safe(text: str) -> str:
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


class NotebookOutput:
    """Shows plain text that is updated, and at the end Markdown."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._texts = {"code": "", "explanation": ""}
        self._status = ""
        self._warning = ""
        self._next_update = 0.0

    def show_model(self, label: str) -> None:
        self._status = f"{label} …"
        self._update()

    def show_waiting(self, seconds: float) -> None:
        self._status = f"Retrying in {seconds:.0f} s …"
        self._update()

    def warn(self, sentence: str) -> None:
        """The sentence becomes the first line."""
        self._warning = sentence

    def add(self, part: str, text: str, *, replaces: bool = False) -> None:
        """Add a piece of the answer, and update the output a few times per second.

        ``part`` is ``code`` or ``explanation``. If it ``replaces``, earlier pieces are removed.
        """
        self._status = ""
        self._texts[part] = ("" if replaces else self._texts.get(part, "")) + text
        if time.monotonic() >= self._next_update:
            self._update()

    def show_answer(self, code: str, explanation: str, hint: str) -> None:
        self._texts = {"code": code, "explanation": explanation}
        self._status = ""
        markdown = answer_markdown(_make_safe(code), _make_safe(explanation))
        parts = [self._warning, markdown, hint if code else ""]
        self._update("\n\n".join(filter(None, parts)))

    def end(self) -> None:
        self._status = ""
        if self._handle is not None:
            self._update()

    def _update(self, markdown: str | None = None) -> None:
        parts = [self._warning, self._texts["code"], self._texts["explanation"], self._status]
        text = "\n\n".join(part for part in map(_make_safe, parts) if part.strip())
        bundle = {"text/plain": text}
        if markdown is not None:
            bundle["text/markdown"] = markdown
        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)
        self._next_update = time.monotonic() + _SECONDS_BETWEEN_UPDATES


class TerminalOutput:
    """Prints the answer, and notices on standard error."""

    def __init__(self) -> None:
        self._part = ""
        self._is_line_open = False
        self._texts = ""

    def show_model(self, label: str) -> None:
        """Print nothing: a script's output has only the answer."""

    def show_waiting(self, seconds: float) -> None:
        print(f"Retrying in {seconds:.0f} s …", file=sys.stderr)

    def warn(self, sentence: str) -> None:
        self.end()
        print(sentence, file=sys.stderr)

    def add(self, part: str, text: str, *, replaces: bool = False) -> None:
        """Print a piece; an empty line separates code and explanation.

        What was printed stays, so a text that replaces it comes below.
        """
        if replaces and not text:
            return
        if self._part and (part != self._part or replaces):
            self.end()
            print()
        self._part = part
        self._texts += text
        self._is_line_open = not text.endswith("\n")
        print(_make_safe(text), end="", flush=True)

    def show_answer(self, code: str, explanation: str, hint: str) -> None:
        if not self._texts:
            self.add("explanation", "\n\n".join(filter(None, (code, explanation))))
        self.end()

    def end(self) -> None:
        if self._is_line_open:
            print()
        self._is_line_open = False


Output = NotebookOutput | TerminalOutput


def create_output(shell: Any) -> Output:
    """Create the output for a shell: a kernel has a notebook, other shells have a terminal."""
    return NotebookOutput() if hasattr(shell, "kernel") else TerminalOutput()
