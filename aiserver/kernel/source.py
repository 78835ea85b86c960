"""Parse a cell. IPython's syntax is replaced by Python; all lines keep their numbers.

IPython's input transformers, which a person can extend, don't run.
"""

from __future__ import annotations

import ast
import re
import warnings

_TOP_LEVEL_AWAIT = getattr(ast, "PyCF_ALLOW_TOP_LEVEL_AWAIT", 0)
# Cell magics whose other lines are Python.
_PYTHON_CELL_MAGICS = {"time", "timeit", "capture", "prun", "memit", "mprun", "debug"}
# Line magics that are followed by Python.
_PYTHON_LINE_MAGICS = {"time", "timeit", "prun", "memit"}
# Line magics that define no variable and write no file.
_PLAIN_MAGICS = set(
    "matplotlib config load_ext reload_ext autoreload env set_env who whos pwd pip conda "
    "precision pinfo pinfo2 pdef pdoc psource pfile psearch colors xmode history hist debug "
    "pdb lprun mprun tensorboard autosave logstart logstop javascript ls who_ls dirs magic "
    "lsmagic time timeit prun memit capture automagic doctest_mode gui pprint quickref "
    "rehashx reset_selective tb unload_ext alias alias_magic autocall bookmark loadpy mamba "
    "micromamba uv profile page pycat subplots".split()
)
_AUTOMAGIC = set(
    "ls cd pwd pip conda mkdir cat cp mv rm matplotlib who whos time timeit run".split()
)
_MAGIC = re.compile(r"\s*%(\w+)[ \t]*(.*)")
_HELP = re.compile(r"\s*%{0,2}(?!\d)[\w*]+(\.[\w*]+|\[[^\]]*\])*\?\??\s*(?:#.*)?$")
_ASSIGNED = re.compile(r"(\s*[\w.,*\[\]'\" \t()]+=[ \t]*)(!(?!=)|%\w)(.*)")
_OPTIONS = re.compile(r"(?:-\w+(?:[ \t]+\d+)?[ \t]+)*")
_PROMPT = re.compile(r"\s*(?:>>> |In \[\d+\]: )")


class Source:
    """A parsed cell.

    ``is_foreign`` means that it isn't Python or is too large. ``tree`` is then None, also for a
    syntax ``error``. ``text`` is the code after all replacements. ``indent`` has the number of
    characters that were removed from each line, if any. ``may_…`` tells whether a magic or command
    may define variables, create files or install modules.
    """

    def __init__(self, code: str) -> None:
        self.text = code
        self.tree: ast.Module | None = None
        self.error: SyntaxError | None = None
        self.indent: list[int] = []
        self.may_define_names = False
        self.may_create_files = False
        self.may_install_modules = False
        self.is_foreign = False
        self._parse(code)

    def _parse(self, code: str) -> None:
        lines = re.split(r"\r\n|\r|\n", code)
        self._lines = list(lines)
        self.text = "\n".join(lines)
        if len(lines) == 1 and code.split(" ", 1)[0].strip() in _AUTOMAGIC and "=" not in code:
            self.is_foreign = True
            return
        self._compile()
        if self.error is None:
            return
        first = self.error
        if any(_PROMPT.match(line) for line in lines[:3]):
            self.is_foreign = True
            self.error = None
            return
        lines = self._dedent(lines)
        lines = self._without_cell_magic(lines)
        if self.is_foreign:
            self.error = None
            return
        if self._replace_magics(lines) or self.indent or lines[0] == "":
            self.text = "\n".join(lines)
            self._compile()
        else:
            self.error = first

    def has_magic_with(self, name: str, line: int) -> bool:
        """Return whether a replaced line after ``line`` contains a name."""
        shifts = self.indent or [0] * len(self._lines)
        for before, shift, after in list(zip(self._lines, shifts, self.text.split("\n")))[line:]:
            if before[shift:] != after and re.search(rf"\b{re.escape(name)}\b", before):
                return True
        return False

    def _compile(self) -> None:
        self.tree, self.error = None, None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                flags = _TOP_LEVEL_AWAIT
                tree = compile(self.text, "<cell>", "exec", flags | ast.PyCF_ONLY_AST, True)
                compile(tree, "<cell>", "exec", flags, True)
            if isinstance(tree, ast.Module):
                self.tree = tree
        except SyntaxError as error:
            self.error = error
        except ValueError as error:  # null bytes
            self.error = SyntaxError(str(error), ("<cell>", 1, 1, None))
        except (OverflowError, RecursionError, MemoryError):
            self.is_foreign = True  # too large to be parsed here, but it may still run

    def _dedent(self, lines: list[str]) -> list[str]:
        number = next((at for at, line in enumerate(lines) if line.strip()), 0)
        space = lines[number][: len(lines[number]) - len(lines[number].lstrip(" \t"))]
        if not space:
            return lines
        self.indent = [len(space) if line.startswith(space) else 0 for line in lines]
        return [line[shift:] for line, shift in zip(lines, self.indent)]

    def _without_cell_magic(self, lines: list[str]) -> list[str]:
        number = next((at for at, line in enumerate(lines) if line.strip()), 0)
        match = re.match(r"%%(\w+)", lines[number])
        if match is None:
            return lines
        if match.group(1) not in _PYTHON_CELL_MAGICS:
            self.is_foreign = True
            return lines
        if match.group(1) == "capture":  # this magic stores the output in a variable
            self.may_define_names = True
        lines = list(lines)
        for at in range(number + 1):
            lines[at] = ""
        if match.group(1) == "timeit":  # the setup code in its first line may define names
            self.may_define_names = True
        return lines

    def _replace_magics(self, lines: list[str]) -> bool:
        changed = False
        state = _Scanner()
        at = 0
        while at < len(lines):
            line = lines[at]
            if state.is_at_statement:
                replaced = self._translate_line(line)
                if replaced is not None:
                    changed = True
                    lines[at] = replaced
                    while line.endswith("\\") and at + 1 < len(lines):
                        at += 1
                        line = lines[at]
                        lines[at] = ""
                    at += 1
                    continue
            state.scan(line)
            at += 1
        return changed

    def _translate_line(self, line: str) -> str | None:
        stripped = line.lstrip(" \t")
        space = line[: len(line) - len(stripped)]
        match = _MAGIC.match(line)
        if match is not None:
            return self._translate_magic(line, space, match)
        if stripped[:1] == "!":
            self._record_effects(stripped)
            return space + "pass"
        if stripped[:1] in ("?", ",", ";", "/") or _HELP.match(line):
            return space + "pass"
        match = _ASSIGNED.match(line)
        if match is None:
            return None
        self._record_effects(match.group(2) + match.group(3))
        return match.group(1) + "..."

    def _translate_magic(self, line: str, space: str, match: re.Match[str]) -> str:
        name, rest = match.groups()
        if name in _PYTHON_LINE_MAGICS and rest.strip():
            options = _OPTIONS.match(rest)
            start = match.start(2) + (options.end() if options else 0)
            padded = space + "if 1:".ljust(start - len(space))
            statement = padded + line[start:]
            if start - len(space) >= 5 and _parses(statement):
                return statement
            self.may_define_names = True
            return space + "pass"
        self._record_effects("%" + name + " " + rest)
        return space + "pass"

    def _record_effects(self, command: str) -> None:
        name = command[1:].split(" ", 1)[0].strip("%")
        if re.search(r"\b(install|add)\b", command):
            self.may_install_modules = True
        if command[:1] == "!":
            self.may_create_files = True
        elif name not in _PLAIN_MAGICS:
            self.may_define_names = self.may_create_files = True


class _Scanner:
    """Finds lines that continue a string, a bracket or a statement."""

    def __init__(self) -> None:
        self._depth = 0
        self._quote = ""
        self._continued = False

    @property
    def is_at_statement(self) -> bool:
        return not self._quote and not self._continued and self._depth <= 0

    def scan(self, line: str) -> None:
        at, size = 0, len(line)
        self._continued = False
        while at < size:
            char = line[at]
            if self._quote:
                if char == "\\":
                    at += 1
                elif line.startswith(self._quote, at):
                    at += len(self._quote) - 1
                    self._quote = ""
            elif char == "#":
                break
            elif char in "'\"":
                self._quote = char * 3 if line.startswith(char * 3, at) else char
                at += len(self._quote) - 1
            elif char in "([{":
                self._depth += 1
            elif char in ")]}":
                self._depth -= 1
            elif char == "\\" and at == size - 1:
                self._continued = True
            at += 1
        if len(self._quote) == 1:
            self._continued = line.endswith("\\")
            if not self._continued:
                self._quote = ""


def _parses(line: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            flags = _TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST
            compile(line.strip(), "<line>", "exec", flags, True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def syntax_position(error: SyntaxError, text: str) -> tuple[int, int, int, int]:
    """Return an error's line, column, last line and end column (exclusive)."""
    lines = text.split("\n")
    line = min(max(error.lineno or 1, 1), len(lines))
    column = min(max((error.offset or 1) - 1, 0), len(lines[line - 1]))
    end_line = getattr(error, "end_lineno", None) or line
    end = getattr(error, "end_offset", None) or 0
    if end_line > len(lines) or (end_line, end - 1) <= (line, column):
        return line, column, line, column + 1
    return line, column, end_line, end - 1


def depth(tree: ast.AST, limit: int) -> int:
    """Return a tree's depth, at most ``limit``, without recursion."""
    level, nodes = 0, [tree]
    while nodes and level < limit:
        level += 1
        nodes = [child for node in nodes for child in ast.iter_child_nodes(node)]
    return level
