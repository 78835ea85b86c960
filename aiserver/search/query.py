"""Split a query into search terms. Pure.

Spaces separate terms; quoted text is one term. A term matches as it is, also inside words: ``csv``
finds ``read_csv``, and 数据 finds 读取数据文件. If a text doesn't contain the complete term, its
parts count for less: all words of a name (``pd``, ``read`` and ``csv``), and in scripts without
spaces most of the pairs of adjacent characters, so that 读取文件 also finds 读取 data.csv 文件.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .normalize import fold

MAX_TERMS = 16

# Scripts without spaces between words, and Hangul, whose words have endings.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff"
    "\u3100-\u312f\u3130-\u318f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
UNSPACED = re.compile(f"[{_UNSPACED}]")
_TERM = re.compile(r'"([^"]+)"|“([^”]+)”|「([^」]+)」|([^\s，。、；：！？…]+)')
_AROUND = ".,;:!?…\"'“”‘’()（）《》「」。，、；：！？"
_RUN = re.compile(f"[{_UNSPACED}]+|[^\\W_{_UNSPACED}]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True)
class Term:
    """A search term, folded."""

    text: str
    names: tuple[str, ...] = ()
    """The words of a name, if there are several."""
    pairs: tuple[str, ...] = ()
    """The pairs of adjacent characters, in scripts without spaces."""

    @property
    def parts(self) -> tuple[str, ...]:
        """The term's parts; empty if it can't be split."""
        return self.names + self.pairs

    def may_be_in(self, text: str) -> bool:
        """Whether a folded text contains the term or enough of its parts."""
        return self.text in text or self.share(text) > 0

    def share(self, text: str) -> float:
        """The share of the parts that a folded text contains, from 0 to 1; 0 if too few."""
        if not self.parts or not all(name in text for name in self.names):
            return 0.0
        pairs = sum(pair in text for pair in self.pairs)
        if self.pairs and pairs <= len(self.pairs) / 2:
            return 0.0
        return (len(self.names) + pairs) / len(self.parts)


def parse(query: str) -> tuple[Term, ...]:
    """The distinct terms of a query; none for a query without words."""
    terms: dict[str, Term] = {}
    for match in _TERM.finditer(query):
        quoted = match[1] or match[2] or match[3]
        raw = quoted or match[4].strip(_AROUND) or match[4]
        text = " ".join(fold(raw).split())
        if text and len(terms) < MAX_TERMS:
            terms.setdefault(text, Term(text) if quoted else _split_term(text, raw))
    return tuple(terms.values())


def _split_term(text: str, raw: str) -> Term:
    names: list[str] = []
    pairs: list[str] = []
    for run in _RUN.findall(_CAMEL.sub(" ", raw)):
        flat = fold(run)
        if UNSPACED.match(flat) and len(flat) > 2:
            pairs += [flat[index : index + 2] for index in range(len(flat) - 1)]
        else:
            names.append(flat)
    if len(names) + len(pairs) < 2:
        return Term(text)
    return Term(text, tuple(dict.fromkeys(names)), tuple(dict.fromkeys(pairs)))
