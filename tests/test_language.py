"""Names are plain: the words of ``docs/glossary.md``, none of those that nobody can decode."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PYTHON = ("aiserver", "tests", "benchmarks", "scripts")
# As a word of any identifier …
BANNED = {
    *("told", "said", "known", "held", "kept", "made", "gone", "beside", "elsewhere", "taken"),
    *(
        "taking",
        "telling",
        "asking",
        "showing",
        "making",
        "alone",
        "shelf",
        "lane",
        "tells",
        "says",
    ),
    *("stands", "whose", "anew"),
}
# … and as the whole of it.
BANNED_WHOLE = {"found", "one", "there", "whole"}
# Names that others define: of the HTTP API and the stored format, of libraries.
ALLOWED = {"gone", "taken", "taken_over", "one_of"}
# … and keys of the HTTP API that are free in TypeScript only.
ALLOWED_IN_TYPESCRIPT = {"kept"}  # `LocalModel.kept`: bytes of a partial download
OPENERS = re.compile(r"(What|Who|Whose|Where|Which|How|When|That which|Whether)\b(?! to\b)")
ROW = re.compile(r"^\| ([^|]+) \|[^|]*\| ([^|]*) \|[^|]*\|$", re.M)


def python_files() -> list[Path]:
    files = [path for folder in PYTHON for path in (ROOT / folder).rglob("*.py")]
    return [path for path in files if not {"labextension", "data"} & set(path.parts)]


def typescript_files() -> list[Path]:
    files = [*(ROOT / "src").rglob("*.ts"), *(ROOT / "src").rglob("*.tsx")]
    return [path for path in files if path.name != "schema.ts"]


def words(identifier: str) -> set[str]:
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", identifier)
    return {part.lower() for part in parts}


def is_banned(identifier: str) -> bool:
    bare = identifier.strip("_")
    if bare in ALLOWED:
        return False
    return bool(words(bare) & BANNED) or bare.lower() in BANNED_WHOLE


@functools.cache
def parse(path: Path) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """Return each identifier that a module defines, and each docstring, with their lines."""
    names, docstrings = [(0, path.stem)], []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstrings.append((getattr(node, "lineno", 1), ast.get_docstring(node) or ""))
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.append((node.lineno, node.name))
            case ast.arg():
                names.append((node.lineno, node.arg))
            case ast.Name(ctx=ast.Store()):
                names.append((node.lineno, node.id))
            case ast.Attribute(ctx=ast.Store()):
                names.append((node.lineno, node.attr))
    return names, docstrings


def names_in_python(path: Path) -> list[tuple[int, str]]:
    return parse(path)[0]


_NOISE = re.compile(
    r"""/\*.*?\*/|//[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`""", re.S
)


def names_in_typescript(path: Path) -> Iterator[tuple[int, str]]:
    """Each word of the code that isn't in a string or comment, with its line."""

    def blank(match: re.Match[str]) -> str:
        return "\n" * match[0].count("\n") + " "

    code = _NOISE.sub(blank, path.read_text("utf-8"))
    code = re.sub(r">[^<>{}()=;]*</", "></", code)  # text between tags
    for number, line in enumerate(code.splitlines(), 1):
        for name in re.findall(r"[A-Za-z_$][\w$]*", line):
            yield number, name
    yield 0, path.name.split(".")[0]


@pytest.mark.parametrize("language", ["python", "typescript"])
def test_identifiers_are_plain_words(language: str) -> None:
    files, names = {
        "python": (python_files(), names_in_python),
        "typescript": (typescript_files(), names_in_typescript),
    }[language]
    banned = sorted(
        {
            f"{path.relative_to(ROOT)}:{line}: {name}"
            for path in files
            for line, name in names(path)
            if is_banned(name) and not (language == "typescript" and name in ALLOWED_IN_TYPESCRIPT)
        }
    )
    assert not banned, f"{len(banned)} names to replace:\n" + "\n".join(banned)


def test_docstrings_begin_with_their_subject() -> None:
    odd = []
    for path in python_files():
        for line, text in parse(path)[1]:
            if OPENERS.match(text) and not text.startswith("Whether "):
                odd.append(f"{path.relative_to(ROOT)}:{line}: {text.splitlines()[0]}")
    for path in typescript_files():
        for match in re.finditer(r"/\*\*\s*\*?\s*([^\n]*)", path.read_text("utf-8")):
            if OPENERS.match(match[1]) and not match[1].startswith("Whether "):
                odd.append(f"{path.relative_to(ROOT)}: {match[1]}")
    assert not odd, f"{len(odd)} to reword:\n" + "\n".join(odd)


def test_the_glossary_names_what_the_code_has() -> None:
    rows = ROW.findall((ROOT / "docs/glossary.md").read_text("utf-8"))
    terms = [(term, name) for term, cell in rows for name in re.findall(r"`(\w+)`", cell)]
    assert len(terms) > 40
    sources = [path.read_text("utf-8") for path in (ROOT / "aiserver").rglob("*.py")]
    sources += [path.read_text("utf-8") for path in typescript_files()]
    sources += [path.stem for path in python_files()]
    code = set(re.findall(r"\w+", "\n".join(sources)))
    assert not [term for term, name in terms if name not in code]
