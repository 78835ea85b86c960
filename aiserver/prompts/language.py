"""Determine the language of a cell, and its tag in a Markdown fence.

Different names for a language, such as ``ir`` and ``R``, become one tag. A cell magic such as
``%%sql`` determines the language.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..models import PROSE_LANGUAGES
from ..requests import CellType


def _by_alias(names: dict[str, str]) -> dict[str, str]:
    """Turn, for example, ``{"sql": "mysql dql"}`` into ``{"mysql": "sql", "dql": "sql"}``."""
    return {alias: name for name, aliases in names.items() for alias in aliases.split()}


_ALIASES = _by_alias(
    {
        "python": "py py3 python2 python3 ipython ipython2 ipython3 pycon xpython pyspark pyspark3 "
        "micropython circuitpython sage sagemath sos python-exec python_exec python-repl pyodide",
        "scala": "spark toree almond",
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
    }
)

# Languages that fences name.
LANGUAGES = {
    *_ALIASES.values(),
    *("c", "css", "csv", "diff", "java", "json", "lua", "matlab", "octave", "mermaid", "php"),
    *("console", "log", "output", "powershell", "swift", "toml", "xml", "dockerfile", "makefile"),
}

# Cell magics of IPython and popular packages for cells that aren't Python.
_MAGICS = _by_alias(
    {
        "bash": "bash sh sx system !",
        "bat": "cmd",
        "powershell": "powershell pwsh",
        "sql": "sql sparksql bigquery duckdb dql",
        "javascript": "javascript js",
    }
)
_MAGICS |= {
    name: name
    for name in (
        *("r", "julia", "octave", "matlab", "perl", "ruby", "cython", "cpp", "rust"),
        *("html", "svg", "latex", "markdown"),
    )
}
# The name of the file that these write determines the language.
_FILE_MAGICS = {"writefile", "file"}
_LANGUAGE_BY_SUFFIX = {"txt": "text", "h": "cpp"}
_LANGUAGE_BY_SUFFIX |= {suffix: suffix for suffix in ("toml", "json", "css", "c")}
_HEAD = re.compile(r"(?:%%[^\n]*(?:\n|\Z))+")
_MAGIC_LINE = re.compile(r"%%\s*(!|[\w.]+)[ \t]*([^\n]*)")

# Our own magic, whose cell contains a request.
_REQUEST_MAGIC = re.compile(r"\s*%%ai(?!\w)")


@dataclass(frozen=True)
class CellLanguage:
    """The language of a cell."""

    kernel: str
    """The fence tag of the kernel's language."""
    name: str
    """The fence tag of the cell's language."""
    magic: str = ""
    """The name of the magic that sets the language, such as ``sql``."""
    head: str = ""
    """The lines with cell magics at the beginning of the cell, without the last line break."""

    @property
    def is_prose(self) -> bool:
        return self.name in PROSE_LANGUAGES

    def below_head(self, source: str) -> str:
        return _HEAD.sub("", source, count=1) if self.head and source[:2] == "%%" else source


def cell_language(kernel: str, source: str = "", cell_type: CellType = "code") -> CellLanguage:
    """Return the language of a cell; ``kernel`` is the kernel's language."""
    kernel = fence_name(kernel)
    if cell_type == "markdown":
        return CellLanguage(kernel, "markdown")
    if cell_type == "raw":
        return CellLanguage(kernel, "text")
    # `%%` begins a section in MATLAB, and a comment in Prolog.
    head = _HEAD.match(source) if kernel == "python" else None
    for line in head[0].splitlines() if head else []:
        magic, name = _language_of_magic(line)
        if head and name and name != kernel:
            return CellLanguage(kernel, name, magic, head[0].rstrip("\n"))
    return CellLanguage(kernel, kernel)


def code_of(source: str, intent: str) -> str:
    """Return a cell's code; nothing if it is ``%%ai`` and the request itself."""
    return "" if is_request(source) and intent.strip() in source else source


def is_request(source: str) -> bool:
    """Return whether a cell contains a request, by the magic ``%%ai``."""
    return _REQUEST_MAGIC.match(source) is not None


def _language_of_magic(line: str) -> tuple[str, str]:
    match = _MAGIC_LINE.match(line)
    if not match:
        return "", ""
    magic, arguments = match[1], match[2].split()
    if magic in _FILE_MAGICS and arguments:
        suffix = arguments[-1].strip("'\"").rpartition(".")[2].lower()
        supported = {"py", *_ALIASES, *_MAGICS.values()}
        return magic, _LANGUAGE_BY_SUFFIX.get(suffix) or (
            fence_name(suffix) if suffix in supported else ""
        )
    if magic == "script" and arguments:
        program = next((word for word in arguments if not word.startswith("-")), "")
        return magic, fence_name(program.rpartition("/")[2] or "bash")
    return magic, _MAGICS.get(magic.lower(), "")


def fence_name(language: str) -> str:
    """Return the fence tag of a language, such as ``python`` or ``r``."""
    word = language.strip().lower().split()[0] if language.strip() else "python"
    word = _ALIASES.get(word, word)
    return "".join(c for c in word if c.isascii() and (c.isalnum() or c in "+#.-"))[:32] or "python"


def display_name(name: str) -> str:
    """Return a name such as ``C++`` for ``cpp``."""
    names = {"cpp": "C++", "csharp": "C#", "fsharp": "F#", "javascript": "JavaScript"}
    names |= {"typescript": "TypeScript", "latex": "LaTeX", "powershell": "PowerShell"}
    names |= {"bat": "Windows batch"}
    if name in ("r", "sql", "html", "svg", "css", "json", "yaml", "toml", "php", "matlab"):
        return name.upper()
    return names.get(name, name.capitalize())
