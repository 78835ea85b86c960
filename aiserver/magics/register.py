"""Register the magics in a shell."""

from __future__ import annotations

from typing import Any

from .ai import AIMagics


def register(shell: Any) -> None:
    """Register ``%ai`` and ``%%ai``. A second call replaces the first one."""
    shell.register_magics(AIMagics)
    transformers = shell.input_transformers_cleanup
    if allow_question not in transformers:
        transformers.append(allow_question)


def allow_question(lines: list[str]) -> list[str]:
    """Let a request in a line end with a question mark.

    IPython would show the help of the request's last word. Only the first line of a cell counts,
    because a later line may be a part of a string. ``%ai?`` still shows the help of the magic.
    """
    for index, line in enumerate(lines):
        if line.strip():
            name, _, request = line.strip().partition(" ")
            if name == "%ai" and request.endswith("?"):
                call = f"get_ipython().run_line_magic('ai', {request.strip()!r})\n"
                return [*lines[:index], call, *lines[index + 1 :]]
            break
    return lines
