"""Separate what a reasoning model thought from what it answered.

Most servers send thoughts in a field. If they don't know the model's marks, the thoughts are in the
text:

- between tags such as ``<think>`` and ``</think>`` at its beginning. Some chat templates put the
  opening tag into the prompt
- in channels of the Harmony format, of which the last contains the answer

Invariants: thoughts are never code, and never part of the explanation. A tag inside of a string, as
in ``text.split("</think>")``, is no mark.
"""

from __future__ import annotations

import re

from ...redact import redact

MAX_STORED = 10_000  # characters of a turn's thoughts
CUT = "\n\n[…]"  # at the end of longer thoughts

_NAMES = r"(think|thinking|thoughts?|reasoning|reflection)"
_BLOCK = re.compile(rf"\s*[<\[]{_NAMES}[>\]](.*?)(?:[<\[]/\1[>\]]|\Z)", re.IGNORECASE | re.DOTALL)
# Without an opening tag, nothing or a fence follows in the line.
_CLOSING = re.compile(rf"[<\[]/{_NAMES}[>\]][ \t]*(?=\n|[`~]{{3}}|\Z)", re.IGNORECASE)
_HARMONY = re.compile(r"\s*(?:<\|start\|>[^<]*)?<\|channel\|>")
# A message of Harmony: its channel, perhaps a type, and its text.
_MESSAGE = re.compile(
    r"<\|channel\|>\s*(\w+)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>"
    r"(.*?)(?=<\|(?:start|channel|end|return|call)\|>|\Z)",
    re.DOTALL,
)


def split_thoughts(text: str) -> tuple[str, str]:
    """Return thoughts and answer without marks; the text may not have ended."""
    thoughts: list[str] = []
    if _HARMONY.match(text):
        messages = _MESSAGE.findall(text)
        thoughts = [content.strip() for channel, content in messages if channel != "final"]
        text = "".join(content for channel, content in messages if channel == "final")
        return "\n\n".join(filter(None, thoughts)), text
    while block := _BLOCK.match(text):
        thoughts.append(block[2].strip())
        text = text[block.end() :]
    if not thoughts and (closing := _CLOSING.search(text)):
        thoughts.append(text[: closing.start()].strip())
        text = text[closing.end() :]
    return "\n\n".join(filter(None, thoughts)), text.lstrip("\n") if thoughts else text


def stored_thoughts(thoughts: str) -> str:
    """Return the beginning of thoughts, redacted first: a part of a secret isn't recognised."""
    thoughts = redact(thoughts[: 2 * MAX_STORED], is_prose=True).strip()
    return thoughts if len(thoughts) <= MAX_STORED else thoughts[:MAX_STORED].rstrip() + CUT
