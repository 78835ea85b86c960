"""Takes secrets out of text: before it is stored, and before it leaves the machine (P16).

What must hold:

- Only the secret literal goes; what is around it stays to the letter, and code stays code. In its
  place stands a mark that says what it was, such as ``‹redacted:openai-key›``.
- What is found are keys that cannot be mistaken (their providers gave them a form), private keys,
  passwords in addresses, and literals that a name calls a password or a key. Names, variables,
  placeholders and ordinary text are left alone: a false alarm would damage somebody's code.
- It takes time in proportion to the text, whatever the text is. Done twice, it changes nothing.

Pure, but for the secrets that it was told to ``know``, and knows nothing of the rest.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any

_OPEN, _CLOSE = "‹redacted:", "›"
_LONGEST_MARK = 64

# Keys that tell by their form whose they are. Sure enough without a name beside them.
_FORMS = {
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
    "npm-token": r"npm_[A-Za-z0-9]{36}",
    "pypi-token": r"pypi-AgE[A-Za-z0-9_-]{40,255}",
    "alibaba-key": r"LTAI[A-Za-z0-9]{12,30}",
    "tencent-key": r"AKID[A-Za-z0-9]{32}",
    "jwt": r"eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,2000}",
}
_KEYS = re.compile(
    r"(?<![A-Za-z0-9_-])(?:"
    + "|".join(f"(?P<k{number}>{form})" for number, form in enumerate(_FORMS.values()))
    + r")(?![A-Za-z0-9_-])"
)
_KINDS = list(_FORMS)

_URL = re.compile(r"(?<=://)([^\s/:@'\"<>]{0,128}):([^\s/@'\"<>\[\](){}]{1,256})@")
_BEARER = re.compile(r"(?i)\b(?:Bearer|Basic)[ ]+([A-Za-z0-9._~+/-]{16,4000}=*)")

# `password = "…"`, `"api_key": '…'`, `os.environ["TOKEN"] = "…"`, `login(token="…")`.
_LOGIN = r"passwords?|passwd|passphrase|pwd|密码|口令"
_KEY = (
    r"(?:api|access|secret|private|account|subscription|license|encryption)[_-]?key(?:[_-]?id)?"
    r"|secret|token|credentials?"
)
_NAMED = re.compile(
    rf"(?i)(?:(?P<password>{_LOGIN})|(?P<key>{_KEY}))['\"]?\]?[ ]{{0,8}}"
    # … with a type between, or as the name that a call such as `setdefault("TOKEN", "…")` sets.
    r"(?::[ ]?[\w.\[\]|]{1,40}(?:[ ]\|[ ]None)?[ ]{0,8}=|(?<=['\"]),|:=|=>|[=:：])"
    r"(?!=)[ ]{0,8}[rbuf]{0,2}(?P<quote>\"\"\"|'''|['\"])(?P<value>[^\s'\"]{4,512})(?P=quote)"
)
# `?token=…&`, `;Password=…;`: inside an address or a connection string.
_PART = re.compile(
    rf"(?i)[?&;](?:[a-z0-9]{{1,20}}[_-])?(?:(?P<password>{_LOGIN})|(?P<key>{_KEY}))="
    r"(?P<value>[^\s&;#'\"<>(){}\[\],]{4,512})"
)
_WORD = r"(?P<value>[^\s&;#'\"<>(){}\[\],]{4,512})"
# `export API_KEY=…`, `%env TOKEN=…`, `%env TOKEN …`, `--password=…`, `--password …`.
_SHELL = re.compile(
    r"(?i)(?:^[ \t]{0,32}[!%]?[ ]?(?:export|env|set|set_env|setx)[ ]+[A-Z0-9_]{0,64}"
    r"|--[a-z-]{0,32})"
    rf"(?:(?P<password>{_LOGIN})|(?P<key>{_KEY}))(?:[ ]?=[ ]?|(?P<gap>[ ]{{1,8}})(?![=|-])){_WORD}"
)
# `API_KEY=… command` of a shell, `api_key: …` of YAML: names that stand first in their line, and
# values that end it, or are followed by a command or a comment. Without quotes a value may be a
# variable or a class of Python, so it has to look like neither.
_BARE = re.compile(
    r"^[ \t]{0,32}(?:[-!][ ]?)?(?=[A-Z0-9_]{1,80}=|[A-Za-z0-9_-]{1,80}:)"
    r"(?:[A-Za-z0-9]{1,20}[_-]){0,4}"
    rf"(?:(?P<password>(?i:{_LOGIN}))|(?P<key>(?i:{_KEY})))(?:=|:[ ]{{1,8}}){_WORD}"
    r"(?=[ \t]*$|[ \t]+[#a-z./])"
)
_NAME = re.compile(r"(?:[A-Z][a-z]+[0-9]*)+|[A-Za-z]+(?:_[A-Za-z]+)*(?:_v?[0-9]{1,4})")
# What somebody says in their own words: "the password is hunter2!".
_SAID = re.compile(
    rf"(?i)(?:(?P<password>{_LOGIN})|(?P<key>{_KEY}|api key))"
    r"(?:[ ]?[=:：][ ]?|[ ]is[ ]|[ ]?[是为][ ]?)(?P<value>[!-~]{6,512})"
)

# Values that only stand for one.
_EMPTY = re.compile(
    r"(?i)[x*._-]+|.*(?:your|my|the|an?)[_-].*|.*(?:example|placeholder|changeme|redacted).*"
    r"|<.*>|\[.*\]|[$%/~].*|.*[{}].*|\.{1,2}/.*|[a-z]:\\.*"
    r"|str|string|text|object|int|integer|none|null|true|false|hidden|required|optional|varchar.*"
    r"|passwords?|passwd|pwd|secret|token|user(?:name)?|category"
)
_BEGIN, _END = "-----BEGIN ", "PRIVATE KEY-----"
_KEY_LENGTH = 20_000  # characters; no private key is longer
_KEY_LINES = re.compile(r"(?:[\s\\\"',+]{0,16}[A-Za-z0-9+/=]{16,128}(?![A-Za-z0-9+/=])){0,400}")


# One of these is in every line that holds a secret (in lower case), by what several share: a text
# without that need not be searched for them.
_HINTS = {
    "-": ("sk-", "glpat-", "xai-", "nvapi-", "pypi-"),
    "_": ("github_pat_", "hf_", "gsk_", "k_live_", "k_test_", "npm_"),
    "gh": ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    "aki": ("akia", "akid"),
    "pass": ("passw", "passphrase"),
    "": (
        *("asia", "aiza", "xox", "ltai", "eyj", "://", "bearer ", "basic "),
        *("pwd", "key", "secret", "token", "credential"),
    ),
}
_BEYOND = ("密码", "口令")


_BYTES = [(part.encode(), [hint.encode() for hint in some]) for part, some in _HINTS.items()]
_BYTES.append((b"", [hint.encode() for hint in _BEYOND]))
_LIKE_ASCII = [letter.encode() for letter in "\u212a\u0130"]  # whose small form is in a hint

_LINE = re.compile(r"[^\n]+")
_HINTED = re.compile("|".join(map(re.escape, [*sum(_HINTS.values(), ()), *_BEYOND])))
_SHORT = 200  # characters; in a longer text its words are found faster one by one
_NO_KEY = 16  # characters; no key with a form of its own is shorter


# Secrets that have no form of their own, and how they stand in JSON.
_known: dict[str, bytes] = {}
_SECRET_NAME = re.compile(
    r"(?i)(?:^|_)(?:token|secret|password|passwd|(?:api|access)_?key)s?(?:_|$)"
)


def know(secrets: Iterable[str]) -> None:
    """From now on take these out too, wherever they stand: in what a cell prints, for one."""
    for secret in secrets:
        if len(secret) >= _NO_KEY and not _stands_for_one(secret):
            _known[secret] = json.dumps(secret, ensure_ascii=False)[1:-1].encode()


def of_environment(environ: Mapping[str, str]) -> list[str]:
    """The values that a name calls a secret. Kernels inherit them, and print them easily."""
    return [
        value
        for name, value in environ.items()
        if _SECRET_NAME.search(name)
        and not re.search(r"\s|^[/~.]|://", value)  # a sentence, a file, an address
        and sum(map(str.isdigit, value)) >= 2
    ]


def redact(text: str, *, said: bool = False) -> str:
    """``text`` without its secrets. ``said``: it is a person's sentence, not code."""
    if len(text) < _NO_KEY and text.isascii() and text.isidentifier():
        return text  # a name, as all the keys of a record are: nothing is said of its value
    return _replace(text, said, lambda kind, secret: mark(kind))


def may_hold_secrets(data: bytes) -> bool:
    """Whether a record's JSON may hold what ``redact_all`` would take out; False is sure."""
    # In loops, for `any` and a generator take a third longer: this is in the way of every save.
    lower = data.lower().replace(b'_tokens"', b"")  # as models count them
    for part, hints in _BYTES:
        if part in lower:
            for hint in hints:
                if hint in lower:
                    return True
    if any(secret in data for secret in _known.values()):
        return True
    return any(letter in data for letter in _LIKE_ASCII)


def redact_all(value: Any) -> Any:
    """JSON-ready data with the texts inside it redacted, names of keys included."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        return [redact_all(item) for item in value]
    if isinstance(value, dict):
        return {redact_all(name): redact_all(item) for name, item in value.items()}
    return value


def mark(kind: str, nonce: str = "") -> str:
    """What stands in a secret's place."""
    return f"{_OPEN}{kind}{':' + nonce if nonce else ''}{_CLOSE}"


class Vault:
    """Hides secrets from a model, and puts them back into its answer.

    The marks of one process name a secret by a keyed hash: the same secret has the same mark, two
    have two, and nobody outside can make up a mark that stands for a secret. With ``conceal`` off
    (for a model on this machine) nothing is hidden.
    """

    _key = secrets.token_bytes(32)

    def __init__(self, *, conceal: bool = True) -> None:
        self._conceal = conceal
        self._secrets: dict[str, str] = {}  # by mark
        self._kinds: dict[str, list[str]] = {}  # the marks of each kind
        self._held = ""

    def __len__(self) -> int:
        return len(self._secrets) if self._conceal else 0

    def hide(self, text: str, *, said: bool = False) -> str:
        """``text`` as the model may see it."""
        hidden = _replace(text, said, self._put)
        return hidden if self._conceal else text

    def recall(self, text: str) -> str:
        """A text of our own record, where a secret that was taken out is now known again.

        So the model sees the same code there as in the cell. Not for texts that others wrote: they
        could name a secret they don't know.
        """
        if _OPEN in text:
            for kind, names in self._kinds.items():
                if len(names) == 1:
                    known = names[0] if self._conceal else self._secrets[names[0]]
                    text = text.replace(mark(kind), known)
        return text

    def feed(self, text: str) -> str:
        """The next piece of the answer, with secrets back; half a mark waits for its rest."""
        if not (self._secrets and self._conceal):
            return text
        text = self._held + text
        start = text.rfind(_OPEN[0])
        waits = start >= 0 and _CLOSE not in text[start:] and len(text) - start < _LONGEST_MARK
        self._held = text[start:] if waits else ""
        return self._restored(text[:start] if waits else text)

    def finish(self) -> str:
        """What still waited when the answer ended."""
        held, self._held = self._held, ""
        return held

    def _put(self, kind: str, secret: str) -> str:
        digest = hmac.new(self._key, secret.encode("utf-8", "surrogatepass"), hashlib.sha256)
        name = mark(kind, digest.hexdigest()[:8])
        if name not in self._secrets:
            self._secrets[name] = secret
            self._kinds.setdefault(kind, []).append(name)
        return name

    def _restored(self, text: str) -> str:
        if _OPEN in text:
            for name, secret in self._secrets.items():
                text = text.replace(name, secret)
        return text


_Put = Callable[[str, str], str]


def _replace(text: str, said: bool, put: _Put) -> str:
    text = _without_private_keys(text, put)
    for secret in _known:
        if secret in text:
            text = text.replace(secret, put("token", secret))
    parts, place = [], 0
    for start, end in _lines_to_look_at(text):
        parts += [text[place:start], _replace_in_line(text[start:end], said, put)]
        place = end
    return "".join([*parts, text[place:]]) if parts else text


def _lines_to_look_at(text: str) -> list[tuple[int, int]]:
    """Start and end of the lines that a hint is in: words are found faster than patterns."""
    lower = text.lower()
    if len(lower) != len(text):  # a letter whose small form is two
        return [line.span() for line in _LINE.finditer(text)]
    if len(text) < _SHORT and not _HINTED.search(lower):
        return []
    found: dict[int, int] = {}
    hints = [hint for part, some in _HINTS.items() if part in lower for hint in some]
    if not lower.isascii():
        hints += _BEYOND
    for hint in hints:
        place = lower.find(hint)
        while place >= 0:
            end = text.find("\n", place)
            end = len(text) if end < 0 else end
            found[text.rfind("\n", 0, place) + 1] = end
            place = lower.find(hint, end)
    return sorted(found.items())


def _replace_in_line(text: str, said: bool, put: _Put) -> str:
    text = _KEYS.sub(lambda match: _key_mark(match, put), text)
    text = _URL.sub(lambda match: _in_place(match, 2, _of_url(match), put), text)
    text = _BEARER.sub(lambda match: _in_place(match, 1, _is_bearer(match), put), text)
    for pattern in (_NAMED, _PART, _SHELL, _BARE, *([_SAID] if said else [])):
        text = pattern.sub(lambda match: _in_place(match, "value", _of_name(match), put), text)
    return text


def _in_place(match: re.Match[str], group: int | str, kind: str, put: _Put) -> str:
    whole = match[0]
    if not kind:
        return whole
    start, end = match.start(group) - match.start(), match.end(group) - match.start()
    return whole[:start] + put(kind, match[group]) + whole[end:]


def _key_mark(match: re.Match[str], put: _Put) -> str:
    kind = _KINDS[int(str(match.lastgroup)[1:])]
    # Only these look like words with hyphens between (sklearn's CSS classes begin with "sk-").
    if kind == "openai-key" and sum(map(str.isdigit, match[0])) < 3:
        return match[0]
    return put(kind, match[0])


def _of_url(match: re.Match[str]) -> str:
    return "" if _stands_for_one(match[2]) else "password"


def _is_bearer(match: re.Match[str]) -> str:
    return "token" if any(map(str.isdigit, match[1])) and not _stands_for_one(match[1]) else ""


def _of_name(match: re.Match[str]) -> str:
    """What the named value is, or nothing if it is no secret."""
    value = match["value"]
    if not value.isascii() or _stands_for_one(value):
        return ""
    if match.re is _BARE and (_NAME.fullmatch(value) or sum(map(str.isdigit, value)) < 2):
        return ""
    if match["password"]:
        if match["password"].lower() == "pwd" and value.isalpha():
            return ""  # a column, or a folder
        said = match.re is _SAID or (match.re is _SHELL and match["gap"])
        return "" if said and not any(map(str.isdigit, value)) else "password"
    word = match["key"].lower()
    letters = any(map(str.isalpha, value))
    digits = sum(map(str.isdigit, value))
    # "token" is also a word of language models, so what it names must look like a key.
    vague = word in ("token", "secret", "credential") and match.re is not _SHELL
    long_enough = len(value) >= (16 if vague else 8)
    is_call = "(" in value or re.fullmatch(r"[A-Za-z_]+(?:[._][A-Za-z_]+)*\d?", value)
    if not (letters and digits >= 2 and long_enough) or is_call:
        return ""
    return "token" if word == "token" else "key"


def _stands_for_one(value: str) -> bool:
    return len(set(value)) < 3 or _EMPTY.fullmatch(value) is not None


def _without_private_keys(text: str, put: _Put) -> str:
    if _END not in text:
        return text
    parts, place = [], 0
    while (start := text.find(_BEGIN, place)) >= 0:
        head = text.find(_END, start, start + 60)
        stop = start + len(_BEGIN)
        if head < 0:
            parts.append(text[place:stop])
        else:
            head += len(_END)
            end = text.find(_END, head, head + _KEY_LENGTH)
            lines = _KEY_LINES.match(text, head)  # where the end is cut off
            stop = end + len(_END) if end >= 0 else lines.end() if lines else head
            if stop == head:  # only somebody speaking of one
                parts.append(text[place:stop])
                place = stop
                continue
            parts += [text[place:start], put("private-key", text[start:stop])]
        place = stop
    return "".join([*parts, text[place:]])
