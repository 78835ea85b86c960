"""Patterns of passwords in shell commands and in function calls.

Examples are ``curl -u bob:…``, ``mysql -p…`` and ``auth=(…)``. Each pattern that
``password_patterns`` yields has a group ``value``, which matches the password. All patterns take
linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_VALUE = r"(?P<value>[^\s'\"`]{3,256})"
# A user and a password: `bob:…`, but not a URL.
_PAIR = rf"['\"]?[^\s:'\"]{{1,64}}:(?!//){_VALUE}"

_USER = re.compile(
    r"(?<![\w-])(?:-[a-zA-Z]{0,6}[uU]['\"]?[,= ]{0,4}|--(?:proxy-)?user['\"]?[,= ]{1,4})" + _PAIR
)
# The names of programs, each with the pattern of the program's password option. The option is only
# searched for after the name. `mysql -p3306:3306` contains no password: it is the end of a command
# such as `docker run --name mysql -p3306:3306`, in which `-p` is followed by ports.
_PROGRAMS = [
    (re.compile(r"\bcurl(?:\.exe)?\b"), _USER),
    (
        re.compile(r"\b(?:mysql(?:dump|admin|import|show)?|mariadb(?:-[a-z]{1,10})?)\b(?![+:])"),
        re.compile(rf"(?<=[\s'\"])-p(?!\d+:\d+['\"]?(?:\s|$))['\"]?{_VALUE}"),
    ),
    (
        re.compile(r"\bsshpass\b"),
        re.compile(rf"(?<=[\s'\"])-p['\"]?[, ]{{0,4}}['\"]?{_VALUE}"),
    ),
]
# A line that continues a command, such as `-u bob:… \`. Two numbers (`-u 1000:1000`) aren't
# matched, because they are the ids of a user and a group.
_CONTINUED = re.compile(
    rf"^[ \t]{{0,32}}(?:-u|--user)[ =](?!['\"]?\d+:\d+\b){_PAIR}['\"]?[ \t]{{0,8}}\\?[ \t]*$"
)

_STRING = r"[rbufRBUF]{0,2}['\"][^'\"\n]{0,128}['\"]"
_COMMA = r"[ ]{0,8},[ ]{0,8}[rbufRBUF]{0,2}(?P<quote>['\"])"
# `auth=("bob", "…")`, `HTTPBasicAuth(user, "…")`: the user may be any expression without a comma.
_AUTH = re.compile(
    r"(?:\bauth['\"]?[ ]{0,4}[=:][ ]{0,4}[\w.]{0,40}|(?:Basic|Digest)Auth)"
    rf"\([ ]{{0,8}}(?:{_STRING}|[\w.\[\]()'\"]{{1,128}}){_COMMA}"
    r"(?P<value>[^'\"\n]{3,256})(?P=quote)[ ]{0,8},?[ ]{0,8}\)"
)
# `smtp.login("bob@example.org", "…")`: a call with exactly two literals. The second literal is the
# password. It has no spaces, unless it is an app password of four times four letters.
_LOGIN = re.compile(
    rf"\.login\([ ]{{0,8}}{_STRING}{_COMMA}"
    r"(?P<value>[^\s'\"]{3,256}|[a-z]{4}(?:[ ][a-z]{4}){3})(?P=quote)[ ]{0,8},?[ ]{0,8}\)"
)


def password_patterns(line: str) -> Iterator[tuple[int, re.Pattern[str]]]:
    """Yield the patterns to search for in a line, each with the index where the search starts."""
    for program, pattern in _PROGRAMS:
        if match := program.search(line):
            yield match.end(), pattern
    for pattern in (_CONTINUED, _AUTH, _LOGIN):
        yield 0, pattern
