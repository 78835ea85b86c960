"""Separate what a reasoning model thought from what it answered.

Most servers send thoughts in a field of their own. If a server doesn't know the model's marks, the
thoughts are a part of the text:

- between tags such as ``<think>`` and ``</think>`` at the beginning of the answer. The opening tag
  may be missing, because some chat templates put it into the prompt
- in the channels of the Harmony format, of which only the last one contains the answer

Invariants: thoughts are never code, and never part of the explanation. A tag inside of a string,
as in ``text.split("</think>")``, is no mark.
"""

from __future__ import annotations

import re

from ...redact import redact

MAX_STORED = 10_000  # characters of a turn's thoughts
CUT = "\n\n[…]"  # the end of thoughts that were longer

_NAMES = r"(?:think|thinking|thought|thoughts|reasoning|reflection)"
_OPENING = re.compile(rf"\s*(?:<({_NAMES})>|\[({_NAMES})\])", re.IGNORECASE)
# Without an opening tag: the rest of the line is empty, or begins with a fence.
_CLOSING = re.compile(rf"(?:</{_NAMES}>|\[/{_NAMES}\])[ \t]*(?=\n|[`~]{{3}}|\Z)", re.IGNORECASE)
_HARMONY = re.compile(r"\s*(?:<\|start\|>[^<]*)?<\|channel\|>")
_MARK = re.compile(r"<\|(start|channel|constrain|message|end|return|call)\|>")


def split_thoughts(text: str) -> tuple[str, str]:
    """Return the thoughts and the answer of a text, without the marks around them.

    The text may be the beginning of an answer that hasn't ended.
    """
    if _HARMONY.match(text):
        return _split_channels(text)
    thoughts: list[str] = []
    while opening := _OPENING.match(text):
        closing_tag = f"</{opening[1]}>" if opening[1] else f"[/{opening[2]}]"
        end = text.lower().find(closing_tag.lower(), opening.end())
        if end < 0:
            return "\n\n".join([*thoughts, text[opening.end() :].strip()]), ""
        thoughts.append(text[opening.end() : end].strip())
        text = text[end + len(closing_tag) :]
    if not thoughts and (closing := _CLOSING.search(text)):
        thoughts.append(text[: closing.start()].strip())
        text = text[closing.end() :]
    return "\n\n".join(filter(None, thoughts)), text.lstrip("\n") if thoughts else text


def stored_thoughts(thoughts: str) -> str:
    """Return thoughts as they are stored: without secrets, and only the beginning of long ones.

    Secrets are replaced first, because a part of a secret isn't recognised.
    """
    thoughts = redact(thoughts[: 2 * MAX_STORED], is_prose=True).strip()
    return thoughts if len(thoughts) <= MAX_STORED else thoughts[:MAX_STORED].rstrip() + CUT


def _split_channels(text: str) -> tuple[str, str]:
    """Split a text in the Harmony format. The channel ``final`` contains the answer."""
    thoughts, answer, channel = [], "", ""
    marks = _MARK.split(text)  # the texts between the marks, and the marks' names
    for mark, content in zip(marks[1::2], marks[2::2], strict=True):
        if mark == "channel":
            channel = content.strip()
        elif mark == "message" and channel == "final":
            answer += content
        elif mark == "message":
            thoughts.append(content.strip())
    return "\n\n".join(filter(None, thoughts)), answer
