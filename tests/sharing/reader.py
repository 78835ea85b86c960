"""Read versions and requests back from an exported file."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_MARKDOWN = MarkdownIt("commonmark")


@dataclass
class ExportContent:
    """The content of an exported file: all versions of the cells, and all texts."""

    versions: set[str] = field(default_factory=lambda: {""})
    texts: list[str] = field(default_factory=list)

    def add_markdown(self, markdown: str) -> None:
        """Add each fence, which is a version, or a diff to an earlier version."""
        quotes = 0
        for token in _MARKDOWN.parse(markdown):
            quotes += token.nesting if token.type.startswith("blockquote") else 0
            if token.type == "fence" and token.info == "diff":
                change = token.content.removesuffix("\n").split("\n")
                candidates = {apply_diff(version, change) for version in self.versions}
                self.versions |= {version for version in candidates if version is not None}
            elif token.type == "fence":
                self.versions.add(token.content.removesuffix("\n"))
            elif token.type == "inline" and quotes:
                parts = (child.content or "\n" for child in token.children or [])
                self.texts.append("".join(parts))


def apply_diff(text: str, change: list[str]) -> str | None:
    """Apply a unified diff to a text; return None if it doesn't match."""
    lines, result, position = text.split("\n"), [], 0
    for line in change:
        if hunk := _HUNK.match(line):
            start = int(hunk[1]) - (hunk[2] != "0")
            if start < position:
                return None
            result += lines[position:start]
            position = start
        elif line[:1] == "+":
            result.append(line[1:])
        elif position >= len(lines) or lines[position] != line[1:]:
            return None
        else:
            result += [line[1:]] if line[:1] == " " else []
            position += 1
    return "\n".join(result + lines[position:])


def read_html(content: str) -> ExportContent:
    (data,) = re.findall(
        r'<script type="application/json" id="replay-data">(.*?)</script>', content
    )
    page = json.loads(data)
    result = ExportContent()
    for cell in page["cells"]:
        result.versions.add(page["texts"][cell["first"]])
        for step in cell["steps"]:
            sources = [step[name] for name in ("code", "before", "base") if name in step]
            result.versions |= {page["texts"][index] for index in sources}
            result.texts += [step.get(name, "") for name in ("title", "explanation", "error")]
    return result


def read_md(content: str) -> ExportContent:
    result = ExportContent()
    result.add_markdown(content)
    return result


def read_ipynb(content: str) -> ExportContent:
    result = ExportContent()
    for cell in json.loads(content)["cells"]:
        source = "".join(cell["source"])
        if cell["id"].startswith("story-"):
            result.add_markdown(source)
        else:
            result.versions.add(source)
    return result


READERS: dict[str, Any] = {"html": read_html, "md": read_md, "ipynb": read_ipynb}
