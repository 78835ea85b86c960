"""The patterns of secrets, and checks against false positives.

Invariant: each pattern takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from .names import is_placeholder, may_be_secret, secret_name

MIN_KEY_LENGTH = 16
"""The number of characters of the shortest key with a distinctive format."""

Replace = Callable[[str, str], str]
"""A function that gets the kind of a secret and the secret, and returns the replacement."""

# Keys that are recognised without a name; for each format, `texts.py` must contain a keyword.
_KEY_FORMATS = {
    "anthropic-key": r"sk-ant-[A-Za-z0-9_-]{20,250}",
    "openrouter-key": r"sk-or-v1-[0-9a-f]{32,128}",
    "openai-key": r"sk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,250}",
    "github-token": r"gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{40,255}",
    "gitlab-token": r"glpat-[A-Za-z0-9_-]{20,255}",
    "aws-key": r"(?:AKIA|ASIA)[A-Z0-9]{16}",
    "google-key": r"AIza[A-Za-z0-9_-]{35}",
    "huggingface-token": r"hf_[A-Za-z0-9]{30,255}",
    "groq-key": r"gsk_[A-Za-z0-9]{40,255}",
    "xai-key": r"xai-[A-Za-z0-9]{40,255}",
    "nvidia-key": r"nvapi-[A-Za-z0-9_-]{40,255}",
    "slack-token": r"xox[abposr]-[A-Za-z0-9-]{16,255}",
    "stripe-key": r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}",
    "sendgrid-key": r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}",
    "telegram-token": r"(?:bot)?[0-9]{8,10}:AA[A-Za-z0-9_-]{33}",
    "google-token": r"ya29\.[A-Za-z0-9_-]{20,2000}",
    "digitalocean-token": r"do[opr]_v1_[0-9a-f]{64}",
    "npm-token": r"npm_[A-Za-z0-9]{36}",
    "pypi-token": r"pypi-AgE[A-Za-z0-9_-]{40,255}",
    "alibaba-key": r"LTAI[A-Za-z0-9]{12,30}",
    "tencent-key": r"AKID[A-Za-z0-9]{32}",
    "databricks-token": r"dapi[0-9a-f]{32}(?:-[0-9]{1,2})?",
    "langsmith-key": r"lsv2_[a-z]{2}_[0-9a-f]{32}_[0-9a-f]{10}",
    "perplexity-key": r"pplx-[A-Za-z0-9]{40,64}",
    "tavily-key": r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{20,64}",
    "pinecone-key": r"pcsk_[A-Za-z0-9_]{40,128}",
    "replicate-token": r"r8_[A-Za-z0-9]{37,40}",
    "google-secret": r"GOCSPX-[A-Za-z0-9_-]{20,64}",
    "docker-token": r"dckr_[op]at_[A-Za-z0-9_-]{20,64}",
    "slack-webhook": r"hooks\.slack\.com/services/T[A-Z0-9]{6,16}/B[A-Z0-9]{6,16}"
    r"/[A-Za-z0-9]{16,64}",
    "jwt": r"eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,2000}",
}
_FORMATTED_KEY = re.compile(
    r"(?<![A-Za-z0-9_-])(?:"
    + "|".join(f"(?P<k{number}>{form})" for number, form in enumerate(_KEY_FORMATS.values()))
    + r")(?![A-Za-z0-9_-])"
)
_KINDS = list(_KEY_FORMATS)
_CSS_CLASS = re.compile(r"sk(?:[-_]+(?:[a-z]{1,19}|[0-9]{1,2}))+")

# The user may be a redaction mark, whose colon is no separator. A password may contain brackets,
# `/` and `@`, but is neither a port with a path (`a:8080/b@c`) nor a part of a regular expression
# (`://([^:]+):(.+)@`).
_MARK = r"‹[^\s‹›]{1,64}›"
_URL = re.compile(
    rf"(?<=://)(?:{_MARK}|[^\s/:@'\"<>‹›]){{0,128}}:(?!\d{{1,5}}[/\])]|[\[\]()])"
    r"(?P<value>(?:(?!://)[^\s@'\"<>{}‹›]){1,256}(?:@[^\s@'\"<>{}‹›/?#:,;&=]{1,256}){0,8})@"
)
# `Bearer …`, `Authorization: token …`
_HEADER = re.compile(
    r"(?i)\b(?:Bearer|Basic"
    r"|authorization['\"]?\]?[ ]{0,8}[:=,][ ]{0,8}[rbf]{0,2}['\"]?[a-z-]{2,20})[ ]+"
    r"(?P<value>[A-Za-z0-9._~+/-]{16,4000}=*)"
)

# See `names`.
_START = r"(?<![A-Za-z0-9_.-])(?<!‹redacted:)"  # a mark's kind isn't a name
_WORD = _START + r"[A-Za-z0-9_.-]{1,80}"
_NAME = rf"(?P<name>{_WORD}|密码|口令)"
_BARE_VALUE = r"(?P<value>[^\s&;#'\"<>(){}\[\],]{4,512})"
_SPACE = r"[ \t]{0,64}"  # names and values may be aligned
_ESCAPES = r"\\{0,3}"  # before quotes in a literal, as in a notebook's file
# `password = "…"`, `"api_key": '…'`, `os.environ["TOKEN"] = "…"`, `login(token="…")`, and in SQL
# `PASSWORD '…'`.
_NAMED = re.compile(
    rf"(?P<name>(?i:identified by)|{_WORD}|密码|口令)(?:{_ESCAPES}['\"])?\]?{_SPACE}"
    # Between name and value, there may be a type, or a comma as in `setdefault("TOKEN", "…")`.
    r"(?::[ ]?[\w.\[\]|]{1,40}(?:[ ]\|[ ]None)?[ ]{0,8}=|(?<=['\"]),|:=|=>|<-|[=:：]"
    r"|(?P<gap>(?<=[ ])(?=\\{0,3}['\"])))"
    rf"(?!=){_SPACE}\(?[rbufRBUFN]{{0,2}}(?P<quote>{_ESCAPES}(?:\"\"\"|\'\'\'|['\"`]))"
    r"(?P<value>(?:(?!(?P=quote))(?:\\[^\n]|[^\\\n])){4,512})(?P=quote)"
)
# `?token=…&`, `;Password=…;` in a URL or a connection string.
_PARAMETER = re.compile(rf"(?<=[?&;]){_NAME}={_BARE_VALUE}")
# `'Server=…; Password = …;'`, `'Password=…;Server=…'`
_IN_CONNECTION = re.compile(
    rf"(?:(?<=;)|(?<=;[ ])|(?<=['\"])){_NAME}[ ]?=[ ]?{_BARE_VALUE}(?=[ ]?;|['\"])"
)
# `'host=… password=…'`, `docker run -e PASSWORD=…`: at the beginning of a literal, or after a word,
# which isn't followed by a name in Python code.
_AFTER_WORD = re.compile(
    rf"(?:(?<=['\"])|(?<=[^\s,;(){{}}\[\]=][ ])){_NAME}={_BARE_VALUE}(?=[\s'\"]|$)"
)
# `'X-API-Key: …'`
_HEADER_LITERAL = re.compile(rf"(?<=['\"]){_NAME}:[ ]?{_BARE_VALUE}(?=['\"])")
# `export API_KEY=…`, `%env TOKEN=…`, `%env TOKEN …`, `--password=…`, `--password …`.
_SHELL = re.compile(
    r"(?:^[ \t]{0,32}[!%]?[ ]?(?:export|env|set|set_env|setx)[ ]+|--(?:(?:env|from-literal)=)?)"
    rf"(?P<name>[A-Za-z0-9_-]{{1,80}})(?:[ ]?=[ ]?|(?P<gap>[ ]{{1,64}})(?![ =|-])){_BARE_VALUE}"
)
# `API_KEY=… command` in a shell, `api_key: …` in YAML, `api_key = …` in settings: the name begins
# the line, and the value ends it or precedes a command or a comment. What looks like a Python name
# isn't redacted, because it may be a variable or a class.
_BARE = re.compile(
    rf"^[ \t]{{0,32}}(?:[-!][ ]?)?{_NAME}(?P<sign>=|:(?=[ ])|[ \t]{{1,64}}=(?!=)){_SPACE}"
    rf"{_BARE_VALUE}(?=[ \t]*$|[ \t]+[#a-z./])"
)
_PYTHON_NAME = re.compile(r"(?:[A-Z][a-z]+[0-9]*)+|[A-Za-z]+(?:_[A-Za-z]+)*(?:_v?[0-9]{1,4})")
# Parts of expressions such as `key12`, `text2.lower` or `1_000`.
_OPERATOR = re.compile(r"[-.+*/%@|&^<>=:_]")
_OPERAND = re.compile(r"[A-Za-z]*[0-9]{0,4}|[0-9]+|0[xX][0-9A-Fa-f]+")
# Prose such as "the password is hunter2!", also with quotes.
_IN_PROSE = re.compile(
    rf"(?P<name>(?:{_START}[A-Za-z]{{1,20}}[ ])?{_WORD}|密码|口令)"
    rf"(?:{_SPACE}[=:：]{_SPACE}|[ ](?i:is)[ ]|[ ]?[是为][ ]?)(?:(?P<quote>['\"`])|[“‘「『])?"
    r"(?P<value>(?:(?(quote)(?!(?P=quote)))[!-~]){6,512})(?(quote)(?P=quote))"
)

# Passwords in `curl -u bob:…`, `mysql -p…`, `auth=(…)`.
_VALUE = r"(?P<value>[^\s'\"`]{3,256})"
# `bob:…`, but not a URL.
_PAIR = rf"['\"]?(?:{_MARK}|[^\s:'\"‹›]){{1,64}}:(?!//){_VALUE}"

_USER = re.compile(
    r"(?<![\w-])(?:-[a-zA-Z]{0,6}[uU]['\"]?[,= ]{0,4}|--(?:proxy-)?user['\"]?[,= ]{1,4})" + _PAIR
)
# Password options, after the program's name. `mysql -p3306:3306` contains none: it may end `docker
# run --name mysql -p3306:3306`.
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
# A line such as `-u bob:… \`. In `-u 1000:1000`, there are ids of a user and a group.
_CONTINUED = re.compile(
    rf"^[ \t]{{0,32}}(?:-u|--user)[ =](?!['\"]?\d+:\d+\b){_PAIR}['\"]?[ \t]{{0,8}}\\?[ \t]*$"
)

_STRING = rf"[rbufRBUF]{{0,2}}{_ESCAPES}['\"][^'\"\n]{{0,128}}['\"]"
_USER_EXPRESSION = r"[\w.\[\]()'\"]{1,128}"  # any expression without a comma or a space
_COMMA = rf"[ ]{{0,8}},[ ]{{0,8}}[rbufRBUF]{{0,2}}(?P<quote>{_ESCAPES}['\"])"
# `auth=("bob", "…")`, `HTTPBasicAuth(user, "…")`
_AUTH = re.compile(
    rf"(?:(?:\b|_)auth(?:{_ESCAPES}['\"])?[ ]{{0,4}}[=:][ ]{{0,4}}[\w.]{{0,40}}"
    r"|(?:Basic|Digest)Auth)"
    rf"\([ ]{{0,8}}(?:{_STRING}|{_USER_EXPRESSION}){_COMMA}"
    r"(?P<value>[^'\"\n]{3,256})(?P=quote)[ ]{0,8},?[ ]{0,8}\)"
)
# `smtp.login("bob@example.org", "…")` has exactly two arguments. A password has no spaces, unless
# it is an app password of four times four letters.
_LOGIN = re.compile(
    rf"\.login\([ ]{{0,8}}(?:{_STRING}|{_USER_EXPRESSION}){_COMMA}"
    r"(?P<value>[^\s'\"]{3,256}|[a-z]{4}(?:[ ][a-z]{4}){3})(?P=quote)[ ]{0,8},?[ ]{0,8}\)"
)

_BEGIN, _END = "-----BEGIN ", "PRIVATE KEY-----"
_MAX_KEY_LENGTH = 20_000  # no private key is longer
# Base64 and headers, and code or YAML around them.
_KEY_BODY = re.compile(r"[A-Za-z0-9+/=\s\\\"'`,:.;#>|-]*")
_KEY_LINE = re.compile(r"[A-Za-z0-9+/=]{16}")
_KEY_LINES = re.compile(r"(?:[\s\\\"',+]{0,16}[A-Za-z0-9+/=]{16,128}(?![A-Za-z0-9+/=])){0,400}")


_COMMENT = re.compile(r"(?:^|[\s;])(?:#+|//|--)[ \t]")

_NAME_PATTERNS = (_NAMED, _PARAMETER, _IN_CONNECTION, _AFTER_WORD, _HEADER_LITERAL, _SHELL, _BARE)


def _password_patterns(line: str) -> Iterator[tuple[int, re.Pattern[str]]]:
    for program, pattern in _PROGRAMS:
        if match := program.search(line):
            yield match.end(), pattern
    for pattern in (_CONTINUED, _AUTH, _LOGIN):
        yield 0, pattern


def redact_line(text: str, is_prose: bool, replace: Replace) -> str:
    """Replace the secrets in a line."""
    text = _FORMATTED_KEY.sub(lambda match: _replace_key(match, replace), text)
    text = _replace_values(_URL, text, _kind_in_url, replace)
    text = _replace_values(_HEADER, text, _kind_in_header, replace)
    for start, pattern in _password_patterns(text):
        text = text[:start] + _replace_values(pattern, text[start:], _kind_of_argument, replace)
    for pattern in _NAME_PATTERNS:
        text = _replace_values(pattern, text, _kind_of_named, replace)
    prose = 0 if is_prose else comment.start() if (comment := _COMMENT.search(text)) else len(text)
    return text[:prose] + _replace_values(_IN_PROSE, text[prose:], _kind_of_named, replace)


def _replace_values(
    pattern: re.Pattern[str], text: str, kind_of: Callable[[re.Match[str]], str], replace: Replace
) -> str:
    """Replace ``value`` of each match whose kind isn't empty.

    What looks like a value, but is no secret, may contain a name and its value.
    """
    pieces, position, start = [], 0, 0
    while match := pattern.search(text, start):
        if kind := kind_of(match):
            pieces += [text[position : match.start("value")], replace(kind, match["value"])]
            position = match.end("value")
        start = match.end() if kind else match.start("value")
    return "".join([*pieces, text[position:]])


def _replace_key(match: re.Match[str], replace: Replace) -> str:
    kind = _KINDS[int(str(match.lastgroup)[1:])]
    # sklearn's CSS classes begin with "sk-", too.
    if kind == "openai-key" and _CSS_CLASS.fullmatch(match[0]):
        return match[0]
    return replace(kind, match[0])


def _kind_in_url(match: re.Match[str]) -> str:
    return "" if is_placeholder(match["value"]) else "password"


def _kind_of_argument(match: re.Match[str]) -> str:
    value = match["value"]
    return "password" if value.isascii() and not is_placeholder(value) else ""


def _kind_in_header(match: re.Match[str]) -> str:
    value = match["value"]
    return "token" if any(map(str.isdigit, value)) and not is_placeholder(value) else ""


def _kind_of_named(match: re.Match[str]) -> str:
    value, name = match["value"], secret_name(match["name"])
    if name is None or (name.form == "signature" and match.re is not _PARAMETER):
        return ""
    form = "key" if name.form == "token" and match.re is _SHELL else name.form
    is_secret = may_be_secret(value, form) and not (
        (match.re is _BARE and _is_code(match, value))
        or (match.re is _NAMED and _is_unrelated(match, form))
        or (name.kind == "password" and _is_word(match, value))
    )
    return name.kind if is_secret else ""


def _is_unrelated(match: re.Match[str], form: str) -> bool:
    if _is_in_list(match):  # the name must be a whole literal
        before = match.string[: match.start("name")][-1:]
        return before not in ("'", '"') and before.isascii()
    return match["gap"] is not None and form != "password"


def _is_code(match: re.Match[str], value: str) -> bool:
    if _PYTHON_NAME.fullmatch(value) or sum(map(str.isdigit, value)) < 2:
        return True
    if match["sign"] == ":" or (match["sign"] == "=" and match["name"].isupper()):
        return False
    is_attribute = "." in value and all(map(str.isidentifier, value.split(".")))
    return is_attribute or all(map(_OPERAND.fullmatch, _OPERATOR.split(value)))


def _is_word(match: re.Match[str], value: str) -> bool:
    if any(map(str.isdigit, value)):
        return False
    name = match["name"].lower()
    if _is_in_list(match):
        return value.replace("_", "").isalpha()  # the next name: `["password", "created_at"]`
    if name.endswith("pwd") and value.isalpha():
        return True  # "pwd" is also the current folder
    is_after_gap = match.re in (_NAMED, _SHELL) and match["gap"] is not None
    if is_after_gap and match["name"] in ("PASSWORD", "IDENTIFIED BY"):
        return False  # SQL
    return is_after_gap or match.re in (_AFTER_WORD, _HEADER_LITERAL, _IN_PROSE)


def _is_in_list(match: re.Match[str]) -> bool:
    return match.re is _NAMED and "," in match.string[match.end("name") : match.start("value")]


def redact_private_keys(text: str, replace: Replace) -> str:
    """Replace private keys, which span many lines."""
    if _END not in text:
        return text
    pieces, position = [], 0
    while (start := text.find(_BEGIN, position)) >= 0:
        header_end = text.find(_END, start, start + 60)
        end_of_key = start + len(_BEGIN)
        if header_end < 0:
            pieces.append(text[position:end_of_key])
        else:
            header_end += len(_END)
            end = text.find(_END, header_end, header_end + _MAX_KEY_LENGTH)
            lines = _KEY_LINES.match(text, header_end)  # the key's end is missing
            end_of_key = lines.end() if lines else header_end
            if end >= 0 and _KEY_BODY.fullmatch(text, header_end, end):
                end_of_key = (
                    end + len(_END) if _KEY_LINE.search(text, header_end, end) else header_end
                )
            if end_of_key == header_end:  # only the header
                pieces.append(text[position:end_of_key])
                position = end_of_key
                continue
            pieces += [text[position:start], replace("private-key", text[start:end_of_key])]
        position = end_of_key
    return "".join([*pieces, text[position:]])
