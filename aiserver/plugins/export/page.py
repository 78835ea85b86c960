"""Render the exported page as one HTML file. Pure.

Invariants: the file sends no requests. Its content security policy allows only embedded pictures,
and the script and style sheet by their hashes. The contents of sessions are JSON that can't end the
element around it; the script inserts them as text only.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from ...i18n import FOLDER, load_texts

# JSON escapes for the characters that could end the script element, or that old JavaScript parsers
# read as the end of a line.
_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def page(content: dict[str, Any]) -> str:
    """Render the exported page of a notebook; ``content`` is the result of ``page_data``."""
    script, style = _script(), _read_file("page.css")
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
    text_by_placeholder = {
        "policy": html.escape(policy),
        "title": html.escape(content["name"]),
        "style": style,
        "data": _json(content),
        "script": script,
    }
    result = re.sub(
        r"\{\{(\w+)\}\}", lambda match: text_by_placeholder[match[1]], _read_file("page.html")
    )
    return result.encode("utf-8", "replace").decode("utf-8")


@cache
def _script() -> str:
    """Return the page's script, bundled by ``jlpm build:page``, with the translations before it."""
    script = _read_file("page.js")
    return f'"use strict";\nconst CATALOGUES={_json(catalogues(script))};\n{script}'


def catalogues(script: str) -> dict[str, dict[str, list[str]]]:
    """Return the translations of a script's texts: ``{language: {text: translations}}``."""

    def is_used(key: str) -> bool:
        # In gettext, the character \x04 separates a context from its text.
        return key != "" and all(f'"{text}"' in script for text in key.split("\x04"))

    languages = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())
    return {
        language.replace("_", "-"): {
            key: forms for key, forms in load_texts(language).items() if is_used(key)
        }
        for language in languages
    }


def _json(value: Any) -> str:
    """Encode a value as JSON that can't end the script element that contains it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.translate(_ESCAPES)


@cache
def _read_file(name: str) -> str:
    return files(__package__).joinpath("page", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
