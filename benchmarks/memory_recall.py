"""Measure which entries of a large memory are recalled for a request, and how fast.

    python -m benchmarks.memory_recall [--held-back] [--time]

``data/memory`` has entries as data scientists of several fields may have them, and requests with
the one to three entries that matter for each, in English, Simplified and Traditional Chinese. The
benchmark prints the share of these entries among the first 3 and the first 10 that are recalled by
words, by meaning with each installed package, and by both, with 95 % Wilson intervals.

A third of the requests are held back: they are used only with ``--held-back``, to report results,
never to choose a parameter. ``--time`` measures the time of searches in many entries instead:
10,000, or as many as the package is used for.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import hashlib
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aiserver.plugins.memory.entries import MemoryEntry
from aiserver.plugins.memory.recall import MAX_ENTRIES, PACKAGES, Recall
from aiserver.plugins.search.embeddings import Package, is_installed, vectors
from aiserver.plugins.search.entry_index import EntryIndex

from .search import Lateness
from .suite.intervals import wilson

DATA = Path(__file__).parent / "data/memory"
LANGUAGES = ("en", "zh-CN", "zh-TW")
ROUNDS = 51


@dataclass(frozen=True)
class Query:
    """A request with the ids of the entries that matter for it.

    ``kind`` is ``words`` or ``name`` if it shares words with them, ``paraphrase`` if it hardly
    does, ``near`` if other entries are similar, and ``cross`` if they are in another language.
    """

    language: str
    kind: str
    entries: tuple[str, ...]
    request: str
    code: str

    @property
    def is_holdout(self) -> bool:
        """Whether the query is reserved for final results: about a third."""
        return int(hashlib.sha256(self.request.encode()).hexdigest(), 16) % 3 == 0


def rows_of(name: str) -> list[dict[str, str]]:
    """Return the rows of a file, by the names of their columns."""
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def entries() -> list[MemoryEntry]:
    """Return all entries; here, their ids are words."""
    return [
        MemoryEntry(row["id"], row["text"], row["date"], None, row["section"])
        for row in rows_of("entries.tsv")
    ]


def queries() -> list[Query]:
    """Return all queries."""
    return [
        Query(
            row["language"],
            row["kind"],
            tuple(row["entries"].split()),
            row["request"],
            row["code"].replace("\\n", "\n"),
        )
        for row in rows_of("queries.tsv")
    ]


def texts_of(listed: list[MemoryEntry]) -> list[str]:
    """Return the entries' texts with their headings, as recall compares them."""
    return [f"{entry.section}\n{entry.text}" for entry in listed]


def index_of(listed: list[MemoryEntry], package: Package | None) -> EntryIndex:
    """Return an index that ranks by words, or by words and meaning."""
    index = EntryIndex()
    rows = [(text, entry.date) for text, entry in zip(texts_of(listed), listed, strict=True)]
    index.replace(rows, package)
    while index.embed(1.0):
        pass
    return index


def by_meaning(listed: list[MemoryEntry], package: Package) -> Callable[[Query], list[int]]:
    """Return a function that ranks by meaning alone."""
    matrix = vectors(texts_of(listed), package).astype(np.float32)

    def rank(query: Query) -> list[int]:
        similarities = matrix @ vectors([query.request], package)[0].astype(np.float32)
        return [int(number) for number in np.argsort(-similarities, kind="stable")[:10]]

    return rank


def by_index(index: EntryIndex) -> Callable[[Query], list[int]]:
    """Return a function that ranks as an index does."""
    return lambda query: index.rank(query.request, query.code, 10)


def share(ranked: list[tuple[Query, list[str]]], depth: int) -> str:
    """Return the share of the entries that matter among the first ones, with its interval."""
    total = sum(len(query.entries) for query, _ in ranked)
    recalled = sum(len(set(query.entries) & set(ids[:depth])) for query, ids in ranked)
    low, high = wilson(recalled, total)
    return f"{recalled / total:.0%} ({low:.0%} to {high:.0%})"


def compare(*, is_holdout: bool) -> None:
    """Print the table of all rankings."""
    listed = entries()
    selected = [query for query in queries() if query.is_holdout == is_holdout]
    print(f"{len(listed)} entries, {len(selected)} queries{' held back' if is_holdout else ''}\n")
    packages = [package for package in PACKAGES if is_installed(package)]
    rankings = {"words": by_index(index_of(listed, None))}
    for package in packages:
        rankings[f"meaning, {package}"] = by_meaning(listed, package)
        rankings[f"both, {package}"] = by_index(index_of(listed, package))
    kinds = sorted({query.kind for query in selected})
    groups = {
        "all": selected,
        **{name: [query for query in selected if query.language == name] for name in LANGUAGES},
        **{name: [query for query in selected if query.kind == name] for name in kinds},
    }
    columns = [f"{name}, {len(group)}" for name, group in groups.items()]
    print(f"| ranking | among the first | {' | '.join(columns)} |")
    print("|---|---|" + "---|" * len(columns))
    for name, rank in rankings.items():
        ids = {query: [listed[number].id for number in rank(query)] for query in selected}
        for depth in (3, 10):
            cells = [
                share([(query, ids[query]) for query in group], depth) for group in groups.values()
            ]
            print(f"| {name} | {depth} | {' | '.join(cells)} |", flush=True)


def many_entries(count: int) -> list[MemoryEntry]:
    """Return entries that are joined from two each, so that all are different."""
    rng, originals = random.Random(18), entries()
    pairs = [(rng.choice(originals), rng.choice(originals)) for _ in range(count)]
    return [
        MemoryEntry(f"{number}", f"{left.text}; {right.text}", left.date, None, right.section)
        for number, (left, right) in enumerate(pairs)
    ]


async def measure(package: Package | None, count: int) -> None:
    """Print the times for many entries: first, and warm."""
    count = min(count, MAX_ENTRIES.get(package, count)) if package else count
    recall, listed = Recall(packages=[package] if package else []), many_entries(count)
    requests = [query.request for query in queries() if not query.is_holdout]
    monitor = Lateness()
    started = time.perf_counter()
    await recall.rank(listed, requests[0], patience=5)
    first = time.perf_counter() - started
    if recall._embedding is not None:
        await recall._embedding
    embedded = time.perf_counter() - started
    times = []
    for request in requests[1 : ROUNDS + 1]:
        started = time.perf_counter()
        await recall.rank(listed, request)
        times.append((time.perf_counter() - started) * 1000)
    await recall.close()
    name = f"words and {package}" if package else "words"
    milliseconds = (statistics.median(times), min(times), monitor.stop())
    figures = [
        f"{first:.1f} s",
        f"{embedded:.1f} s",
        *(f"{value:.1f} ms" for value in milliseconds),
    ]
    print(f"| {name} | {count} | {' | '.join(figures)} |", flush=True)


def main() -> None:
    """Run the benchmark and print the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--held-back", dest="holdout", action="store_true", help="use the queries held back"
    )
    parser.add_argument("--time", action="store_true", help="measure times instead")
    parser.add_argument("--entries", type=int, default=10_000, help="with --time: at most how many")
    options = parser.parse_args()
    if not options.time:
        compare(is_holdout=options.holdout)
        return
    print(f"{ROUNDS} searches after the first\n")
    print("| ranking | entries | first | all embeddings | later, median | minimum | loop late |")
    print("|---|---|---|---|---|---|---|")
    for package in (None, *reversed([name for name in PACKAGES if is_installed(name)])):
        asyncio.run(measure(package, options.entries))


if __name__ == "__main__":
    main()
