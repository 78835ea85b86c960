"""Which language a cell is written in, and what stands behind a Markdown fence for it.

What must hold:

- The name that a kernel gives itself and the names that models write behind a fence come to the
  same word.
- Under a cell magic such as ``%%sql`` the cell's language is the magic's, and the magic's line is
  the cell's own: an answer without it must get it back, or the cell would run as Python.
- Markdown and raw cells hold text, whatever the kernel runs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..requests import CellType

_ALIASES = {
    alias: name
    for name, aliases in {
        "python": "py py3 python2 python3 ipython ipython2 ipython3 pycon xpython",
        "r": "ir rlang rscript",
        "julia": "jl",
        "cpp": "c++ c++11 c++14 c++17 c++20 c++23 cxx cc",
        "csharp": "c# cs",
        "fsharp": "f# fs",
        "javascript": "js node nodejs",
        "typescript": "ts",
        "bash": "sh shell zsh ksh",
        "sql": "postgresql postgres mysql mariadb sqlite sqlite3 plsql tsql duckdb bigquery",
        "markdown": "md mkd gfm",
        "text": "txt plain plaintext raw",
        "latex": "tex",
        "haskell": "hs",
        "kotlin": "kt",
        "go": "golang",
        "rust": "rs",
        "ruby": "rb irb",
        "perl": "pl",
        "yaml": "yml",
        "html": "htm",
    }.items()
    for alias in aliases.split()
}

# Cell magics of IPython, and of packages that many use, whose cell is not Python.
_MAGICS = {
    "bash": "bash",
    "sh": "bash",
    "sx": "bash",
    "system": "bash",
    "!": "bash",
    "cmd": "bat",
    "powershell": "powershell",
    "pwsh": "powershell",
    "sql": "sql",
    "sparksql": "sql",
    "bigquery": "sql",
    "duckdb": "sql",
    "dql": "sql",
    "r": "r",
    "julia": "julia",
    "octave": "octave",
    "matlab": "matlab",
    "perl": "perl",
    "ruby": "ruby",
    "js": "javascript",
    "javascript": "javascript",
    "html": "html",
    "svg": "svg",
    "latex": "latex",
    "markdown": "markdown",
    "cython": "cython",
    "cpp": "cpp",
    "rust": "rust",
}
_FILES = {"writefile", "file"}  # what they write is in the language that the name's end says
_ENDS = {"txt": "text", "h": "cpp", "toml": "toml", "json": "json", "css": "css", "c": "c"}
_HEAD = re.compile(r"(?:%%[^\n]*(?:\n|\Z))+")
_LINE = re.compile(r"%%\s*(!|[\w.]+)[ \t]*([^\n]*)")

_PROSE = ("markdown", "text")


@dataclass(frozen=True)
class CellLanguage:
    """What a cell is written in."""

    kernel: str
    """The language of the notebook's other cells, as a fence calls it."""
    name: str
    """The cell's own."""
    magic: str = ""
    """The name of the magic that makes it so, such as ``sql``."""
    head: str = ""
    """The lines of the magic, without the last line break."""

    @property
    def is_prose(self) -> bool:
        """Whether it is text to be read, not code to be run."""
        return self.name in _PROSE

    def below_head(self, source: str) -> str:
        """A cell's source without the lines of its magic."""
        return _HEAD.sub("", source, count=1) if self.head and source[:2] == "%%" else source


def cell_language(kernel: str, source: str = "", cell_type: CellType = "code") -> CellLanguage:
    """The language of a cell, by the kernel's language, its type and its first lines."""
    around = fence_name(kernel)
    if cell_type == "markdown":
        return CellLanguage(around, "markdown")
    if cell_type == "raw":
        return CellLanguage(around, "text")
    # `%%` is a magic in IPython alone: in MATLAB it begins a section, in Prolog a comment.
    found = _HEAD.match(source) if around == "python" else None
    for line in found[0].splitlines() if found else []:
        magic, name = _language_of(line)
        if found and name and name != around:
            return CellLanguage(around, name, magic, found[0].rstrip("\n"))
    return CellLanguage(around, around)


def _language_of(line: str) -> tuple[str, str]:
    match = _LINE.match(line)
    if not match:
        return "", ""
    magic, rest = match[1], match[2].split()
    if magic in _FILES and rest:
        end = rest[-1].strip("'\"").rpartition(".")[2].lower()
        known = {"py", *_ALIASES, *_MAGICS.values()}
        return magic, _ENDS.get(end) or (fence_name(end) if end in known else "")
    if magic == "script" and rest:
        program = next((word for word in rest if not word.startswith("-")), "")
        return magic, fence_name(program.rpartition("/")[2] or "bash")
    return magic, _MAGICS.get(magic.lower(), "")


def fence_name(language: str) -> str:
    """The word behind a fence for a language, such as ``python`` or ``r``."""
    word = language.strip().lower().split()[0] if language.strip() else "python"
    word = _ALIASES.get(word, word)
    return "".join(c for c in word if c.isascii() and (c.isalnum() or c in "+#.-"))[:32] or "python"


def spoken(name: str) -> str:
    """How people write the name of a language."""
    known = {
        "r": "R",
        "sql": "SQL",
        "cpp": "C++",
        "csharp": "C#",
        "fsharp": "F#",
        "javascript": "JavaScript",
        "typescript": "TypeScript",
        "html": "HTML",
        "svg": "SVG",
        "css": "CSS",
        "json": "JSON",
        "yaml": "YAML",
        "toml": "TOML",
        "latex": "LaTeX",
        "php": "PHP",
        "matlab": "MATLAB",
        "powershell": "PowerShell",
        "bat": "Windows batch",
    }
    return known.get(name, name.capitalize())
