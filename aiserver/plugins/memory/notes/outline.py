"""Make a note from a notebook's own text, without a model: its title, the first sentences below it,
and the data files that its code reads. Pure, except for registered secrets.

Invariants: the text has at most ``MAX_NOTE`` characters, no secret that ``redact`` recognises, and
no line about the notebook's author. It is empty if the notebook doesn't say what it is about. Any
cells take linear time.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from ....errors import NotRemembered
from ....redact import redact
from ....surrogates import fix_surrogates
from ....unicode import normalize
from ...data_files.names import is_data_file
from ...rules.visible_text import visible_part
from ..bodies import NoteCell
from ..limits import HOME_PATH, checked_note, identifies_somebody

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_MAX_SOURCES = 400_000  # characters; later cells are left out
_MAX_MARKDOWN = 4000  # characters that are read for the title and the sentences
_MAX_TITLE = 100
_MAX_INTRODUCTION = 220
_MAX_FILES = 4
_MAX_NAME = 40  # of a file

# Calls such as ``pd.read_csv("a.csv")``, also in R and Julia.
_READS = re.compile(
    r"\b(?:(?:read|scan)[._]?\w*|load(?!s)\w*|fread|vroom)\(\s*(?:\w+\s*=\s*)?"
    r"""(["'])([^"'\n{}*?%<>|‹›]+)\1"""
)
_COMMENT = re.compile(r"^[ \t]*#.*", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\Wa-z_])|(?<=[。！？])")
_CHINESE_SPACE = re.compile(r"(?<=[\u2e80-\uffff]) (?=[\u2e80-\uffff])")

# The heads of homework and reports contain names, numbers, addresses and paths.
_MARKS = re.compile(r"[\W_]*")  # “# ” or “**” at the beginning of a line
_MARKUP = re.compile(r"<[^<>\n]*>|\]\([^()\n]*\)")
_PERSON = (
    r"authors?|names?|students?|matriculation|matrikel(?:nummer)?|members?|e-?mails?|mail|phone"
    r"|telephone|tel|mobile|contacts?|address|teacher|instructors?|professor|lecturer|supervisors?"
    r"|advis[eo]rs?|tutor|owner|maintainers?|user ?name|net ?id|orcid|date|copyright"
    r"|(?:(?:submitted|created|written|prepared|made) )?by"
)
_BEFORE = (
    r"(?:(?:first|last|full|family|given|your|group|team|student|author|submission|due)[ _-])?"
)
_AFTER = r"(?:\(s\))?(?:[ _-](?:names?|ids?|nos?\.?|nr\.?|numbers?|address|of birth))?"
_LABEL = re.compile(
    rf"{_BEFORE}(?:{_PERSON}){_AFTER}(?: ?(?:[/,&]|and|und) ?[\w.]+(?: [\w.]+)?)?[*_ ]*[:|]",
    re.IGNORECASE,
)
# Names without a colon have capitals: “By Ann Lee”, but not “By comparing …”.
_BY_LINE = re.compile(
    r"(?:[Aa]uthors?|(?:(?:[Ss]ubmitted|[Cc]reated|[Ww]ritten|[Pp]repared) )?[Bb]y) "
    r"[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*)+"
)
_CHINESE_LABEL = re.compile(
    r"(?:"
    r"[\u4e00-\u9fff]{0,4}(?:姓名|名字|作者|学号|學號|工号|工號|学生|學生|班级|班級|邮箱|郵箱|邮件"
    r"|郵件|信箱|电话|電話|手机|手機|联系方式|聯絡方式|联系人|聯絡人|教师|教師|老师|老師|教授|导师"
    r"|導師|组员|組員|组长|組長|成员|成員|负责人|負責人|撰写人|撰寫人|提交人|创建人|建立者)"
    r"|(?:(?:创建|提交|更新|修改|完成|撰写|建立|繳交)(?:日期|时间|時間)|日期)"
    r")\s*(?:[:|]|(?<=姓名|作者|学号|學號)\s)"
)
# A month, such as 202611, is no number of a person.
_NUMBER = re.compile(r"(?<!\d)(?!20\d\d(?:0[1-9]|1[0-2])(?!\d))\d{6,}")


@dataclass(frozen=True)
class Outline:
    """A note's ``purpose``, which a model may word, and its files."""

    purpose: str = ""
    files: str = ""

    @property
    def text(self) -> str:
        return self.with_purpose(self.purpose)

    @property
    def subject(self) -> str:
        """A fingerprint of the text, to recognise changes."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]

    def with_purpose(self, purpose: str) -> str:
        return "\n".join(filter(None, (purpose, self.files)))


def outline_of(cells: Sequence[NoteCell]) -> Outline:
    """Return a notebook's outline. Takes up to a second for the longest notebooks."""
    clean = clean_cells(cells)
    return Outline(_checked(_purpose(clean)), _checked(", ".join(_files(clean))))


def clean_cells(cells: Sequence[NoteCell]) -> list[NoteCell]:
    """Remove secrets, invisible characters, lines about the author, and cells beyond the limit."""
    clean = []
    room = _MAX_SOURCES
    for cell in cells:
        room -= len(cell.source)
        if room < 0:
            break
        clean.append(_clean(cell))
    return clean


def _clean(cell: NoteCell) -> NoteCell:
    is_prose = cell.cell_type != "code"
    lines = visible_part(fix_surrogates(cell.source)).splitlines()
    text = "\n".join(
        line
        for line in lines
        if not ((is_prose or line.lstrip().startswith("#")) and is_personal(line))
    )
    return cell.model_copy(update={"source": redact(text, is_prose=is_prose)})


def _purpose(cells: Sequence[NoteCell]) -> str:
    blocks: list[tuple[str, str]] = []
    tokens = _parser().parse(_beginning(cells)[:_MAX_MARKDOWN])
    for token, following in pairwise(tokens):
        if token.level == 0 and token.type in ("heading_open", "paragraph_open"):
            blocks.append((token.type, _plain(following)))
    blocks = [block for block in blocks if block[1]]
    types = [type_ for type_, _ in blocks]
    title = ""
    if "heading_open" in types:
        start = types.index("heading_open")
        title, blocks = _shorten(blocks[start][1], _MAX_TITLE), blocks[start + 1 :]
    is_text = blocks and blocks[0][0] == "paragraph_open"
    return "\n".join(filter(None, (title, _sentences(blocks[0][1]) if is_text else "")))


def _beginning(cells: Sequence[NoteCell]) -> str:
    above: list[str] = []
    for cell in cells:
        if cell.cell_type == "code" and cell.source.strip():
            break
        if cell.cell_type == "markdown":
            above.append(cell.source)
    titled = (cell.source for cell in cells if cell.cell_type == "markdown")
    return "\n\n".join(filter(None, above)) or next(
        (source for source in titled if source.lstrip().startswith("# ")), ""
    )


def _plain(inline: Token) -> str:
    texts = {"text", "code_inline"}
    parts = [
        child.content if child.type in texts else " "
        for child in inline.children or ()
        if child.type in texts or child.type in ("softbreak", "hardbreak")
    ]
    return _CHINESE_SPACE.sub("", " ".join("".join(parts).split()))


def _sentences(text: str) -> str:
    """Return the first two sentences, or one if they are too long."""
    ends = [*(match.end() for match in _SENTENCE_END.finditer(text)), len(text), len(text)]
    end = ends[1] if ends[1] <= _MAX_INTRODUCTION else ends[0]
    return _shorten(text[:end].strip(), _MAX_INTRODUCTION)


def _shorten(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def _files(cells: Sequence[NoteCell]) -> list[str]:
    names: dict[str, None] = {}
    for cell in cells:
        if cell.cell_type == "code":
            for match in _READS.finditer(_COMMENT.sub("", cell.source)):
                name = re.split(r"[/\\]", match[2])[-1].strip()
                if is_data_file(name) and len(name) <= _MAX_NAME:
                    names[name] = None
    return list(names)[:_MAX_FILES]


def _checked(text: str) -> str:
    """Return a text, or "" if a note may not contain it."""
    try:
        return checked_note(text)
    except NotRemembered:
        return ""


def is_personal(line: str) -> bool:
    """Return whether a line begins with a label such as “Name:”, or identifies somebody."""
    text = normalize("NFKC", _MARKUP.sub("", line))
    match = _MARKS.match(text)
    start = match.end() if match else 0
    labels = (_LABEL, _BY_LINE, _CHINESE_LABEL)
    return (
        any(label.match(text, start) for label in labels)
        or bool(_NUMBER.search(text))
        or bool(HOME_PATH.search(text))
        or identifies_somebody(text)
    )


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")
