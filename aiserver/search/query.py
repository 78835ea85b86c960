"""Split a query into search terms, and compare the words of two texts. Pure.

Spaces and Chinese punctuation (，。) separate terms, and quoted text is one term. A complete term
also matches inside words: ``csv`` finds ``read_csv``, and 数据 finds 读取数据文件.

A text that doesn't contain the complete term can still match by the term's subterms, but with a
lower score. The subterms of a name such as ``pd.read_csv`` are its words (``pd``, ``read`` and
``csv``); the text must contain all of them. In scripts without spaces, the subterms are the pairs
of adjacent characters; the text must contain more than half of them. For example, 读取文件 has the
pairs 读取, 取文 and 文件, so it also finds 读取 data.csv 文件.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .normalize import fold

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
# Removed from both ends of a term.
_PUNCTUATION = ".,;:!?…\"'“”‘’()（）《》「」。，、；：！？"
# A sequence of letters and digits: all from scripts without spaces, or all from other scripts.
_SUBTERM = re.compile(f"[{_UNSPACED}]+|[^\\W_{_UNSPACED}]+")
# The position between two words in camel case, such as between "read" and "Csv" in "readCsv".
_CAMEL_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

# Words that say nothing about the subject. “Use” isn't one: “use polars” contradicts “use pandas”.
_COMMON = frozenset(["a", "an", "and", "are", "be", "is", "of", "our", "that", "the", "的", "了"])

MIN_SIMILARITY = 0.5
"""Texts are similar if they have at least this share of their words in common."""
MAX_COMPARED = 1000
"""The characters of a request that are compared; its beginning usually says what it is about."""


@dataclass(frozen=True)
class Term:
    """A search term. Its text and its subterms are folded (see ``normalize``)."""

    text: str
    words: tuple[str, ...] = ()
    """The words of the term if the term is a name of several words, such as ``read_csv``."""
    pairs: tuple[str, ...] = ()
    """In scripts without spaces, the pairs of adjacent characters: ``读取文`` -> 读取, 取文."""

    @property
    def subterms(self) -> tuple[str, ...]:
        """The term's words and pairs; empty if the term can't be split."""
        return self.words + self.pairs

    def may_be_in(self, text: str) -> bool:
        """Return whether a folded text contains the term or enough of its subterms."""
        return self.text in text or self.matched_fraction(text) > 0

    def matched_fraction(self, text: str) -> float:
        """Return the fraction of the subterms that a folded text contains, from 0 to 1.

        Return 0 if the text lacks one of the words, or contains at most half of the pairs.
        """
        if not self.subterms or not all(word in text for word in self.words):
            return 0.0
        pair_count = sum(pair in text for pair in self.pairs)
        if self.pairs and pair_count <= len(self.pairs) / 2:
            return 0.0
        return (len(self.words) + pair_count) / len(self.subterms)


def parse(query: str) -> tuple[Term, ...]:
    """Return a query's distinct terms, at most ``MAX_TERMS``; an empty tuple if it has no terms."""
    terms: dict[str, Term] = {}
    for match in _TERM.finditer(query):
        quoted = match[1] or match[2] or match[3]
        raw = quoted or match[4].strip(_PUNCTUATION) or match[4]
        text = " ".join(fold(raw).split())
        if text and len(terms) < MAX_TERMS:
            terms.setdefault(text, Term(text) if quoted else _split_term(text, raw))
    return tuple(terms.values())


def split_words(text: str) -> list[str]:
    """Return the folded words of a text; those of a name such as ``read_csv`` are separate.

    A sequence of characters of scripts without spaces is returned as one word.
    """
    return [fold(word) for word in _SUBTERM.findall(_CAMEL_CASE.sub(" ", text))]


def compared_parts(text: str) -> frozenset[str]:
    """Return the words of a text and, in scripts without spaces, the pairs of its characters."""
    return _parts(split_words(text))


def similarity(left: frozenset[str], right: frozenset[str]) -> float:
    """Return the share of parts that two texts have in common, from 0 to 1 (Dice's coefficient)."""
    return 2 * len(left & right) / max(len(left) + len(right), 1)


def request_parts(text: str) -> frozenset[str]:
    """Return the parts of a folded request, of which only the beginning counts."""
    return _parts(_SUBTERM.findall(text[:MAX_COMPARED]))


def _parts(words: Iterable[str]) -> frozenset[str]:
    return frozenset(part for word in words for part in _split(word))


def _split(word: str) -> Iterable[str]:
    if UNSPACED.match(word) and len(word) > 1:
        yield from (word[index : index + 2] for index in range(len(word) - 1))
    elif word not in _COMMON:
        yield word


def _split_term(text: str, raw: str) -> Term:
    """Build a term with its subterms.

    ``text`` is the folded term. ``raw`` is the term as it was entered, because its capitals show
    where the words of a name in camel case begin.
    """
    words: list[str] = []
    pairs: list[str] = []
    for subterm in split_words(raw):
        if UNSPACED.match(subterm) and len(subterm) > 2:
            pairs += [subterm[index : index + 2] for index in range(len(subterm) - 1)]
        else:
            words.append(subterm)
    if len(words) + len(pairs) < 2:
        return Term(text)
    return Term(text, tuple(dict.fromkeys(words)), tuple(dict.fromkeys(pairs)))
