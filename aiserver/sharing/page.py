"""Render the exported page as one HTML file. Pure.

Invariants:

- The file is self-contained and sends no requests. Its content security policy allows only embedded
  pictures, and the hashes of the script and style sheet written here.
- Contents of sessions are JSON data that can't close its element, and the script inserts them as
  text only (P12).
- The same data gives the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from functools import cache
from importlib.resources import files
from typing import Any

# In order of dependency.
_SCRIPTS = (
    "words",
    "diff",
    "colours",
    "past",
    "markdown",
    "draw",
    "notebook",
    "panel",
    "report",
    "app",
)
# Characters that could end the script element, or a line in old JavaScript parsers.
_SAFE = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def page(content: dict[str, Any]) -> str:
    """Render the page of a notebook; ``content`` comes from ``page_data.py``."""
    script, style = _script(), _part("page.css")
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src '{_hash(script)}'",
            f"style-src '{_hash(style)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    data = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    parts = {
        "policy": html.escape(policy),
        "title": html.escape(content["name"]),
        "style": style,
        "data": data.translate(_SAFE),
        "script": script,
    }
    before, *rest = _part("page.html").split("{{")
    result = [before]
    for piece in rest:
        name, _, text = piece.partition("}}")
        result += [parts[name], text]
    return "".join(result).encode("utf-8", "replace").decode("utf-8")


@cache
def _script() -> str:
    parts = "\n".join(_part(f"{name}.js") for name in _SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}\n}})();\n'


@cache
def _part(name: str) -> str:
    return files(__package__).joinpath("page", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
