"""Recognise lines of a notebook that are about its author, not about its subject. Pure.

The heads of homework and reports contain names, numbers of students, addresses and paths, which
models don't need. Takes linear time.
"""

from __future__ import annotations

import re

from ....unicode import normalize
from ..limits import HOME_PATH, identifies_somebody

_MARKS = re.compile(r"[\W_]*")  # such as “# ” or “**” at the beginning of a line
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
# Without a colon, names are recognised by their capitals: “By Ann Lee”, but not “By comparing …”.
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
