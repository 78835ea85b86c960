"""Settings in TOML: Codex's.

Codex itself adds tables to its file, also between the two lines that mark AI Server's, so only the
tables of the entry are removed.
"""

from __future__ import annotations

import json
import re
from typing import Any

from .config_formats import NAME, Entry, Unsuitable, append, cut, lines_of, without_entry

_BEGIN = "# AI Server: written by “jupyter aiserver agents connect”"
_END = "# AI Server: end"
_SECTION = "mcp_servers"
_HEADER = re.compile(r"\s*\[")
_OWN_HEADER = re.compile(rf"""\s*\[\s*(["']?){_SECTION}\1\s*\.\s*(["']?){NAME}\2\s*[\].]""")


class TOMLConfig:
    """Codex’s file ``config.toml``."""

    def entry(self, text: str) -> Entry | None:
        """Return the entry with AI Server's name. Raises Unsuitable."""
        section = _parse(text).get(_SECTION, {})
        entry = section.get(NAME) if isinstance(section, dict) else None
        if not isinstance(section, dict) or not isinstance(entry, dict | None):
            raise Unsuitable(f"has no table “{_SECTION}”")
        return entry

    def add(self, text: str | None, entry: Entry) -> str:
        """Return a file's text with the entry, or that of a new file. Raises Unsuitable."""
        rest = text if text is None or self.entry(text) is None else self.remove(text)
        result = append(rest, [_BEGIN, *self.describe(entry).split("\n"), _END])
        if _rest(result) != _rest(text or "") or self.entry(result) != entry:
            raise Unsuitable("has an unexpected structure")
        return result

    def remove(self, text: str) -> str | None:
        """Return the text without the entry; None if ``add`` made the file. Raises Unsuitable."""
        lines = lines_of(text)
        own = _own_lines(lines)
        if not own:
            return text
        if own == list(range(own[0], own[-1] + 1)):
            result = cut(text, own[0], own[-1])
        else:
            result = "".join(line for index, line in enumerate(lines) if index not in own)
        if _rest(result or "") != _rest(text) or self.entry(result or "") is not None:
            raise Unsuitable("has an unexpected structure")
        return result

    def describe(self, entry: Entry) -> str:
        """Return what a person can add to a file by hand."""
        # JSON's texts and arrays of texts are also TOML's.
        pairs = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items()]
        return "\n".join([f"[{_SECTION}.{NAME}]", *pairs])


def _own_lines(lines: list[str]) -> list[int]:
    """Return the indexes of the marks, and of the lines of AI Server's tables."""
    own: list[int] = []
    is_inside = False
    for index, line in enumerate(lines):
        text = line.strip()
        if _HEADER.match(line):
            is_inside = bool(_OWN_HEADER.match(line))
        elif not text or text.startswith("#"):
            # A comment or an empty line belongs to what is below.
            is_inside = False
        if is_inside or text in (_BEGIN, _END):
            own.append(index)
    return own


def _rest(text: str) -> Any:
    return without_entry(_parse(text), (_SECTION, NAME))


def _parse(text: str) -> dict[str, Any]:
    try:
        import tomllib
    except ModuleNotFoundError:  # Python 3.10; JupyterLab depends on tomli there
        try:
            import tomli as tomllib  # type: ignore[no-redef]
        except ModuleNotFoundError:
            raise Unsuitable("can’t be read without the package tomli") from None
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        raise Unsuitable("isn’t valid TOML") from None
