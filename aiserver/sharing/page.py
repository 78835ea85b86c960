"""The story as one HTML file. Pure.

What must hold:

- The file is all there is: it asks for nothing, from nowhere. Its policy lets nothing load but
  pictures inside it, and nothing run or style but the very script and style sheet written here.
- Whatever a session holds is data in it: nothing of it can end the element that it stands in, and
  the script only ever makes text of it (P12).
- The same story makes the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from functools import cache
from importlib.resources import files
from typing import Any

# In this order: each may use those before it.
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
# What could end a script element, or a line of one for an old reader.
_SAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def page(told: dict[str, Any]) -> str:
    """The page of a story (``story.py``)."""
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
    data = json.dumps(told, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    parts = {
        "policy": html.escape(policy),
        "title": html.escape(told["name"]),
        "style": style,
        "data": data.translate(_SAFE),
        "script": script,
    }
    before, *rest = _part("page.html").split("{{")
    made = [before]
    for piece in rest:
        name, _, text = piece.partition("}}")
        made += [parts[name], text]
    return "".join(made).encode("utf-8", "replace").decode("utf-8")


@cache
def _script() -> str:
    parts = "\n".join(_part(f"{name}.js") for name in _SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}\n}})();\n'


@cache
def _part(name: str) -> str:
    return files(__package__).joinpath("page", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
