"""Split a query into search terms, and compare the words of two texts. Pure.

Spaces and Chinese punctuation (，。) separate terms, and quoted text is one term. A complete term
also matches inside words: ``csv`` finds ``read_csv``, and 数据 finds 读取数据文件.

A term also has parts, by which texts are found that don't contain it as a whole. Those of a name
such as ``pd.read_csv`` are its words; in scripts without spaces, they are the pairs of adjacent
characters: 读取文件 has 读取, 取文 and 文件, so it also finds 读取 data.csv 文件.

Terms and texts are folded, so that ``CSV``, ``Ｃｓｖ`` and ``csv`` are equal. Folding also removes
the accents of Latin, Greek and Cyrillic letters. In other scripts, a letter with a mark is a
different letter: か is not が. Traditional Chinese characters become Simplified ones. A folded text
contains no ASCII control characters except tabs and line breaks.

``by:codex`` and ``run:3f2a`` are no terms but filters: by an author, and by an agent's run.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ...surrogates import fix_surrogates
from ...unicode import normalize
from .simplified import simplify

MAX_TERMS = 16  # further terms of a query are ignored

# The characters of scripts without spaces between words. Korean has spaces, but its script, Hangul,
# is included, because Korean appends particles and endings to words.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff"
    "\u3100-\u312f\u3130-\u318f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
UNSPACED = re.compile(f"[{_UNSPACED}]")
_TERM = re.compile(r'"([^"]+)"|“([^”]+)”|「([^」]+)」|([^\s，。、；：！？…]+)')
# A filter with its value, or a phrase in quotes, which isn't searched for filters.
_FILTER_OR_PHRASE = re.compile(
    r"(?<![^\s，。、；])(by|作者|run|任[务務])[:：]"
    r'(?:"([^"]*)"?|“([^”]*)”?|([^\s，。、；！？…]*))|"[^"]*"|“[^”]*”|「[^」]*」',
    re.IGNORECASE,
)
# Removed from both ends of a term.
_PUNCTUATION = ".,;:!?…\"'“”‘’()（）《》「」。，、；：！？"
# A sequence of letters and digits: all from scripts without spaces, or all from other scripts.
_WORD = re.compile(f"[{_UNSPACED}]+|[^\\W_{_UNSPACED}]+")
# The position between two words in camel case, such as between "read" and "Csv" in "readCsv".
_CAMEL_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

# Words that say nothing about the subject. “Use” isn't one: “use polars” contradicts “use pandas”.
_COMMON = frozenset(["a", "an", "and", "are", "be", "is", "of", "our", "that", "the", "的", "了"])

MIN_SIMILARITY = 0.5
"""Texts are similar if they have at least this share of their words in common."""
MAX_COMPARED = 1000
"""The characters of a request that are compared; its beginning usually says what it is about."""


_ACCENTS = re.compile("[\u0300-\u036f]")  # combining marks of Latin, Greek and Cyrillic letters
# Translates all ASCII control characters except \t and \n to spaces.
_CONTROLS = dict.fromkeys((*range(9), *range(11, 32), 127), " ")


_KINDS = {
    **dict.fromkeys(("me", "person", "people", "human", "我", "人"), "person"),
    **dict.fromkeys(("model", "models", "ai", "模型"), "model"),
    **dict.fromkeys(("agent", "agents", "智能体", "代理"), "agent"),
}
"""The kinds of authors, by the words for them in a filter."""


class Filters(NamedTuple):
    """The authors and the run that a query names; empty if it names none.

    ``by`` has a line for each wanted author: ``=`` and a kind, or a part of a name.
    """

    by: str = ""
    run: str = ""


@dataclass(frozen=True)
class Term:
    """A search term and its parts, which are folded.

    There are no parts if the term can't be split.
    """

    text: str
    parts: tuple[str, ...] = ()

    @property
    def subterms(self) -> tuple[str, ...]:
        """The parts, or the term if it has none."""
        return self.parts or (self.text,)


def split_filters(query: str) -> tuple[str, Filters]:
    """Return a query without its filters, and the filters. Of several authors, any is wanted."""
    authors: list[str] = []
    runs: list[str] = []

    def take_out(match: re.Match[str]) -> str:
        if not match[1]:
            return match[0]
        value = squeeze(match[2] or match[3] or match[4] or "")
        if match[1].lower() in ("by", "作者"):
            authors.append(f"={_KINDS[value]}" if value in _KINDS else value)
        else:
            runs.append(value)
        return " "

    words = _FILTER_OR_PHRASE.sub(take_out, fix_surrogates(query)).strip()
    return words, Filters("\n".join(filter(None, authors)), "".join(runs[-1:]))


def author_lines(kinds: Iterable[str], names: Iterable[str]) -> str:
    """Return the authors of a turn as ``is_by`` compares them."""
    return "\n".join([*(f"={kind}" for kind in kinds), *map(squeeze, names)])


def is_by(authors: str, wanted: str) -> bool:
    """Return whether one of the wanted authors, a line for each, is among the authors."""
    lines = authors.split("\n")
    names = [line for line in lines if line[:1] != "="]
    return any(
        author in lines if author[:1] == "=" else any(author in name for name in names)
        for author in wanted.split("\n")
    )


def squeeze(name: str) -> str:
    """Return the folded letters and digits of a name: ``Claude Code`` is ``claude-code``."""
    return "".join(filter(str.isalnum, fold(name)))


def parse(query: str) -> tuple[Term, ...]:
    """Return a query's distinct terms, at most ``MAX_TERMS``; an empty tuple if it has no terms."""
    terms: dict[str, Term] = {}
    for match in _TERM.finditer(fix_surrogates(query)):
        quoted = match[1] or match[2] or match[3]
        raw = quoted or match[4].strip(_PUNCTUATION) or match[4]
        text = " ".join(fold(raw).split())
        if text and len(terms) < MAX_TERMS:
            parts = () if quoted else tuple(_parts(split_words(raw)))
            terms.setdefault(text, Term(text, parts if len(parts) > 1 else ()))
    return tuple(terms.values())


def fold(text: str) -> str:
    """Return a text in which words that differ only in case, width or accents are equal."""
    text = text.translate(_CONTROLS)
    if text.isascii():
        return text.lower()
    decomposed = normalize("NFKD", normalize("NFKD", text).casefold())
    return simplify(normalize("NFC", _ACCENTS.sub("", decomposed)))


def find(text: str, words: Iterable[str]) -> list[tuple[int, int]]:
    """Return the ranges of a text at which one of the words occurs. The words must be folded.

    The ranges are sorted. Ranges that overlap or touch are merged into one range.
    """
    folded, original_positions = _fold_with_positions(text)
    ranges = []
    for word in words:
        position = folded.find(word) if word else -1
        while position >= 0:
            end = position + len(word)
            ranges.append((original_positions[position], original_positions[end]))
            position = folded.find(word, end)
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif end > start:
            merged.append((start, end))
    return merged


def _fold_with_positions(text: str) -> tuple[str, list[int]]:
    """Return the folded text, and for each of its characters the position in the original text.

    The list of positions has one more item at its end: the length of the original text.
    """
    folded_letters: list[str] = []
    original_positions: list[int] = []
    position = 0
    while position < len(text):
        end = position + 1  # becomes the end of the letter and its combining marks
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        folded_letter = fold(text[position:end])  # may have several characters: "ß" becomes "ss"
        folded_letters.append(folded_letter)
        original_positions += [position] * len(folded_letter)
        position = end
    return "".join(folded_letters), [*original_positions, len(text)]


def split_words(text: str) -> list[str]:
    """Return the folded words of a text; those of a name such as ``read_csv`` are separate.

    A sequence of characters of scripts without spaces is returned as one word.
    """
    return [fold(word) for word in _WORD.findall(_CAMEL_CASE.sub(" ", text))]


def compared_parts(text: str) -> frozenset[str]:
    """Return the words of a text and, in scripts without spaces, the pairs of its characters."""
    return frozenset(_parts(split_words(text))) - _COMMON


def request_parts(text: str) -> frozenset[str]:
    """Return the same of a folded request, of which only the beginning counts."""
    return frozenset(_parts(_WORD.findall(text[:MAX_COMPARED]))) - _COMMON


def similarity(left: frozenset[str], right: frozenset[str]) -> float:
    """Return the share of parts that two texts have in common, from 0 to 1 (Dice's coefficient)."""
    return 2 * len(left & right) / max(len(left) + len(right), 1)


def _parts(words: Iterable[str]) -> dict[str, None]:
    """Return the distinct words, in scripts without spaces as pairs of characters."""
    parts: dict[str, None] = {}
    for word in words:
        if UNSPACED.match(word) and len(word) > 1:
            parts |= dict.fromkeys(word[index : index + 2] for index in range(len(word) - 1))
        else:
            parts[word] = None
    return parts
