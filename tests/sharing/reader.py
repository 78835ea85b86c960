"""Reads versions and requests back from an exported file, as a patient person could."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_MARKDOWN = MarkdownIt("commonmark")


@dataclass
class Told:
    """The content of an exported file: all versions of the cells, and all texts."""

    versions: set[str] = field(default_factory=lambda: {""})
    words: list[str] = field(default_factory=list)

    def take_markdown(self, markdown: str) -> None:
        """Each fence is a version, or a change of any version that was told before."""
        quotes = 0
        for token in _MARKDOWN.parse(markdown):
            quotes += token.nesting if token.type.startswith("blockquote") else 0
            if token.type == "fence" and token.info == "diff":
                change = token.content.removesuffix("\n").split("\n")
                made = {patched(version, change) for version in self.versions}
                self.versions |= {version for version in made if version is not None}
            elif token.type == "fence":
                self.versions.add(token.content.removesuffix("\n"))
            elif token.type == "inline" and quotes:
                texts = (child.content or "\n" for child in token.children or [])
                self.words.append("".join(texts))


def patched(text: str, change: list[str]) -> str | None:
    """The text with a unified diff put on top of it; None where that doesn't fit."""
    lines, made, at = text.split("\n"), [], 0
    for line in change:
        if head := _HUNK.match(line):
            start = int(head[1]) - (head[2] != "0")
            if start < at:
                return None
            made += lines[at:start]
            at = start
        elif line[:1] == "+":
            made.append(line[1:])
        elif at >= len(lines) or lines[at] != line[1:]:
            return None
        else:
            made += [line[1:]] if line[:1] == " " else []
            at += 1
    return "\n".join(made + lines[at:])


def read_html(content: str) -> Told:
    (data,) = re.findall(r'<script type="application/json" id="story">(.*?)</script>', content)
    story = json.loads(data)
    told = Told()
    for cell in story["cells"]:
        told.versions.add(story["texts"][cell["first"]])
        for step in cell["steps"]:
            told.versions |= {story["texts"][step["code"]], story["texts"][step["was"]]}
            told.words += [step.get("title", ""), step.get("said", ""), step.get("error", "")]
    return told


def read_md(content: str) -> Told:
    told = Told()
    told.take_markdown(content)
    return told


def read_ipynb(content: str) -> Told:
    told = Told()
    for cell in json.loads(content)["cells"]:
        source = "".join(cell["source"])
        if cell["id"].startswith("story-"):
            told.take_markdown(source)
        else:
            told.versions.add(source)
    return told


READERS: dict[str, Any] = {"html": read_html, "md": read_md, "ipynb": read_ipynb}
