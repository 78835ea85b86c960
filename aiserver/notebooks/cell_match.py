"""Match the cells of a notebook's file with the recorded cells of the notebook. Pure.

Tools that rewrite notebooks number the cells anew (nbstripout), give them new ids at each reading
(text notebooks, formats before nbformat 4.5), or give the same id to the first cell of each
notebook (PyCharm). So a cell is recognised by one of these signs, in this order:

1. ``id``: its id, unless tools give such ids to any cell. A random id counts alone if the
   notebook's own file keeps ids, and a name if no content says otherwise. Any other id needs a
   recorded content: a person, an agent or a template may have given it to several cells, and
   jupytext gives those of a pair by order.
2. ``content``: the newest content of only one recorded cell. A short newest content, a long earlier
   one, and that of several cells only count between two cells that are recognised, if only one cell
   had them there in the version that fits the file best, and in its order. They don't count in a
   cell with the random id of another recorded cell.
3. ``similar``: most of the words of a content, under the same condition.

If cells have kept random ids, another random id is that of a new cell, unless it has the newest
content of a cell that is missing.

Invariant: a cell without such a sign is unknown. It isn't recognised by its place alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import pairwise
from typing import Literal, NamedTuple

_MIN_TEXT = 20  # characters; shorter contents may be equal by chance
_MIN_OWN_TEXT = 40  # the same for a notebook with few recorded cells, without imports
_MIN_WORDS = 5  # words of a similar content
_MIN_SIMILARITY = 0.8
_MAX_WORDS = 1_000  # words of a content that are compared for similarity
_MAX_OTHERS = 200  # recorded cells that are compared with a changed cell
_MAX_ROUNDS = 10  # rounds of matching equal contents
_MAX_CHANGED = 10  # cells between two matches that are compared for similarity
_MAX_ORDERED = 200_000  # cells in all recorded orders
# Ids by position, or of each notebook's first cells (PyCharm, Kaggle).
_POSITIONAL = re.compile(
    r"\d{1,6}|initial_id|(cell|code|markdown|raw|id)[-_]?\d{0,6}|[A-Za-z]{1,2}\d{1,3}"
    r"|[A-Za-z]{1,16}[-_]\d{1,3}"
    r"|b1076dfc-b9ad-4769-8c92-a6c4dae69d19|79c7e3d0-c299-4dcb-8224-4455121ee9b0"
)
# A UUID or its first digits (JupyterLab, nbformat, VS Code, PyCharm), or Colab's.
_RANDOM = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{8}([0-9a-f]{8})?"
    r"|(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[\w-]{12}"
)
# UUIDs of version 5, which AI Server gives to unknown cells.
_GIVEN = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
_WORD = re.compile(r"\w+")
_IMPORT = re.compile(r"\s*(?:import|from|library|using)\b|\s*[#%!]")

Sign = Literal["id", "content", "similar"]


class FileCell(NamedTuple):
    """A cell of the file; ``id`` may be empty, ``source`` is ``normalized``."""

    id: str
    source: str


class Match(NamedTuple):
    """A recorded cell's id, and the sign by which it was recognised."""

    id: str
    sign: Sign


class RecognisedCells(NamedTuple):
    """The recorded notebook in a file, and the recorded cells in it."""

    notebook_id: str
    matches: dict[int, Match]
    """The matches by the indices of the file's cells."""
    recorded: Set[str]
    """The ids of all cells of the notebook that have a session."""
    unchanged: Set[str] = frozenset()
    """The ids of the matches with their newest contents, if contents were compared."""
    has_changed: bool = False
    """Whether one of these was added or changed after the notebook was first recorded."""
    is_whole: bool = False
    """Whether all cells of the last recorded order are in the file with their newest contents."""

    @property
    def exact(self) -> set[int]:
        """The indexes of the cells that are recognised by more than a similar content."""
        return {index for index, match in self.matches.items() if match.sign != "similar"}

    @property
    def rank(self) -> tuple[int, int]:
        """A rank, which is higher for a better match."""
        return len(self.exact), len(self.matches)

    def without_changed(self) -> RecognisedCells:
        matches = {i: match for i, match in self.matches.items() if match.id in self.unchanged}
        return self._replace(matches=matches)


def is_positional(cell_id: str) -> bool:
    """Return whether a tool may give this id to any cell."""
    return _POSITIONAL.fullmatch(cell_id) is not None


def is_random(cell_id: str) -> bool:
    """Return whether only a copy of this cell can have this id."""
    return _RANDOM.fullmatch(cell_id) is not None and not is_positional(cell_id)


def is_given(cell_id: str) -> bool:
    """Return whether AI Server gave this id to an unknown cell."""
    return _GIVEN.fullmatch(cell_id) is not None


def normalized(source: str) -> str:
    """Return a content without what tools change: line breaks and ends."""
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def match_cells(
    cells: Sequence[FileCell],
    recorded: Mapping[str, Sequence[str]],
    orders: Iterable[Sequence[str]],
    *,
    trusts_ids: bool,
) -> dict[int, Match]:
    """Return the matches by the indices of ``cells``.

    ``recorded`` has the contents of each recorded cell, newest first and ``normalized``; for cells
    that are recognised by random ids alone, they aren't needed. ``orders`` are the recorded orders,
    newest first, which may contain other cells. ``trusts_ids``: random ids count, whatever the
    cells contain.
    """
    matcher = _Matcher(cells, recorded, orders, trusts_ids=trusts_ids)
    matcher.match_replaced()
    matcher.match_ids()
    matcher.match_contents()
    matcher.drop_replaced()
    matcher.match_gaps()
    matcher.match_names()
    return matcher.matches


def is_same_notebook(
    cells: Sequence[FileCell], recorded: Iterable[str], matches: Mapping[int, Match]
) -> bool:
    """Return whether the contents prove that a file without random ids is a recorded notebook.

    ``recorded`` are the cells with a session in the notebook's last order. All cells must match, or
    more than half on both sides with a longer text, or all recorded ones with a long text. Imports
    don't count: a new notebook has them, too. With the same ids, less text is enough.
    """
    texts = [cell.source for index, cell in enumerate(cells) if index in matches]
    count = len(list(recorded))
    size = max(sum(bool(cell.source) for cell in cells), count)
    length = _length(texts)
    has_same_ids = all(cells[index].id == match.id for index, match in matches.items())
    is_all = len(texts) == count and length >= (1 if has_same_ids else _MIN_OWN_TEXT)
    is_most = 2 * len(texts) > size and length >= _MIN_TEXT
    return is_all or is_most or len(texts) == size > 1


def has_own_text(
    cells: Sequence[FileCell], recorded: Set[str], matches: Mapping[int, Match]
) -> bool:
    """Return whether cells with recorded ids prove that a file is their notebook.

    All cells of the file or all recorded ones must match, or a longer text. Imports don't count.
    """
    own = {index: match for index, match in matches.items() if match.sign != "similar"}
    length = _length(cells[index].source for index in own)
    is_all = recorded <= {match.id for match in own.values()}
    is_all = is_all or len(own) == sum(bool(cell.source) for cell in cells)
    return length >= (1 if is_all else _MIN_TEXT)


def _length(texts: Iterable[str]) -> int:
    """Return the number of characters, without imports."""
    return sum(len(line) for text in texts for line in text.split("\n") if not _IMPORT.match(line))


class _Matcher:
    def __init__(
        self,
        cells: Sequence[FileCell],
        recorded: Mapping[str, Sequence[str]],
        orders: Iterable[Sequence[str]],
        *,
        trusts_ids: bool,
    ) -> None:
        self.matches: dict[int, Match] = {}
        self._cells, self._sources = cells, recorded
        self._free = set(recorded)
        self._trusts_ids = trusts_ids
        own = (is_random(cell.id) and cell.id in recorded for cell in cells)
        self._has_ids = trusts_ids and any(own)
        self._words: dict[str, Counter[str]] = {}
        self._all_places: list[dict[str, int]] = []
        self._version = self._best_version(orders)
        self._places = {id_: place for place, id_ in enumerate(self._version)}

    def match_ids(self) -> None:
        for index, (id_, source) in enumerate(self._cells):
            if index not in self.matches and id_ in self._free and not is_positional(id_):
                is_same = self._trusts_ids and is_random(id_)
                if is_same or source in self._sources[id_]:
                    self._take(index, id_, "id")

    def match_replaced(self) -> None:
        """Match cells that were recorded again, with other ids, after comparing had failed.

        The two recorded cells have never been in one version, and the new one began with a content
        of the old one.
        """
        for index, ids in self._newest_contents():
            old = [id_ for id_ in ids if not is_given(id_)]
            new = set(ids).difference(old)
            is_own = self._cells[index].id in self._sources.keys() - new
            if new and len(old) == 1 and not is_own:
                versions = [places for places in self._all_places if old[0] in places]
                first_contents = {[*filter(None, self._sources[id_])][-1] for id_ in new}
                is_double = first_contents.issubset(self._sources[old[0]])
                if versions and is_double and all(map(new.isdisjoint, versions)):
                    self._take(index, old[0], "content")

    def match_contents(self) -> None:
        """Match long contents that are the newest of only one recorded cell.

        A cell that isn't in this version must be the only one that has ever had it. If the file has
        kept ids, a cell with a new id can only be one that is missing.
        """
        counts = Counter(source for id_ in self._free for source in set(self._sources[id_]))
        for index, ids in self._newest_contents():
            is_only = counts[self._cells[index].source] == 1 and self._may_match(index)
            if len(ids) == 1 and (ids[0] in self._places or is_only):
                self._take(index, ids[0], "content")

    def _newest_contents(self) -> list[tuple[int, list[str]]]:
        """Return unknown cells with a long content that no other has, and the ids that have it,
        too.
        """
        indices, ids = defaultdict[str, list[int]](list), defaultdict[str, list[str]](list)
        for index, cell in enumerate(self._cells):
            if index not in self.matches and len(cell.source) >= _MIN_TEXT:
                indices[cell.source].append(index)
        for id_ in self._free:
            ids[self._newest(id_)].append(id_)
        return [(same[0], ids[source]) for source, same in indices.items() if len(same) == 1]

    def match_names(self) -> None:
        """Match other ids, unless contents show that they were given to other cells."""
        ids = {cell.id for cell in self._cells}
        moved = any(match.sign != "id" and match.id in ids for match in self.matches.values())
        for index, (id_, _) in enumerate(self._cells if self._trusts_ids and not moved else ()):
            if index not in self.matches and id_ in self._free and not is_positional(id_):
                self._take(index, id_, "id")

    def drop_replaced(self) -> None:
        """Remove matches if another cell is between the same neighbours.

        That may be the recorded one after a change, and the match its copy.
        """
        moved = {match.id: index for index, match in self.matches.items() if match.sign != "id"}
        for run, gap in list(self._gaps()):
            for id_ in gap if len(run) == len(gap) else ():
                if id_ in moved:
                    del self.matches[moved.pop(id_)]
                    self._free.add(id_)

    def match_gaps(self) -> None:
        """Match same or similar contents in the same order between two matches."""
        for _ in range(_MAX_ROUNDS):  # each match may make others clear
            count = len(self.matches)
            unknown = filter(self._may_match, range(len(self._cells)))
            counts = Counter(self._cells[index].source for index in unknown)
            for run, gap in list(self._gaps()):
                self._match_equal(run, gap, counts)
            if len(self.matches) == count:
                break
        counts = Counter(old[0] for old in self._sources.values() if old)
        contents = {source for old in self._sources.values() for source in old}
        for run, gap in list(self._gaps()):
            if len(run) == len(gap):
                self._match_empty(run, gap)
            changed = [
                (index, id_)
                for index, id_ in zip(run, gap, strict=False)
                if id_ in self._free and self._may_match(index) and not self._is_another(index, id_)
                if self._cells[index].source not in contents and counts[self._newest(id_)] == 1
            ]
            is_recorded = all(id_ in self._sources for id_ in gap)
            if len(run) == len(gap) and is_recorded and len(changed) <= _MAX_CHANGED:
                self._match_similar(changed)

    def _match_empty(self, run: Sequence[int], gap: Sequence[str]) -> None:
        for index, id_ in zip(run, gap, strict=True):
            id_here, source = self._cells[index]
            is_new = self._has_ids and is_random(id_here)
            is_empty = not (source or is_new) and self._sources.get(id_, ())[:1] == [""]
            if id_ in self._free and is_empty:
                self._take(index, id_, "content")

    def _match_equal(
        self, run: Sequence[int], gap: Sequence[str], counts: Mapping[str, int]
    ) -> None:
        contents = {self._cells[index].source: index for index in filter(self._may_match, run)}
        ids: dict[str, list[str]] = defaultdict(list)
        for id_ in filter(self._free.__contains__, gap):
            for source in set(self._sources[id_]):
                ids[source].append(id_)
        indices_by_id: dict[str, list[int]] = {id_: [] for id_ in gap}
        for source, index in contents.items():
            if len(ids[source]) == counts[source] == 1:
                (id_,) = ids[source]
                # If the newest content is in the file, too, the recorded cell is probably there.
                is_earlier = len(source) >= _MIN_TEXT and not counts[self._newest(id_)]
                is_sign = source == self._newest(id_) or is_earlier
                if is_sign and not self._is_another(index, id_):
                    indices_by_id[id_].append(index)
        pairs = [(same[0], id_) for id_, same in indices_by_id.items() if len(same) == 1]
        for index, id_ in pairs if pairs == sorted(pairs) else ():
            self._take(index, id_, "content")

    def _match_similar(self, pairs: Sequence[tuple[int, str]]) -> None:
        """Match cells that are the most similar to each other.

        No other recorded cell, perhaps from another branch, may be as similar.
        """
        rest = self._free - {id_ for _, id_ in pairs}
        if len(rest) > _MAX_OTHERS:
            return
        if not self.matches:
            return  # without a match, nothing says that this is the place
        similarity = {
            (index, id_): self._similarity(self._cells[index].source, id_)
            for index, _ in pairs
            for _, id_ in pairs
        }
        for pair in pairs:
            others = [
                value
                for (index, id_), value in similarity.items()
                if (index == pair[0]) != (id_ == pair[1])
            ]
            source = self._cells[pair[0]].source
            others += [self._similarity(source, id_) for id_ in rest]
            if similarity[pair] >= max(_MIN_SIMILARITY, *others, 0):
                self._take(*pair, "similar")

    def _newest(self, id_: str) -> str:
        return self._sources[id_][0] if self._sources[id_] else ""

    def _best_version(self, orders: Iterable[Sequence[str]]) -> Sequence[str]:
        """Return the recorded order that has the most contents of the file.

        It isn't always the newest, as after a checkout in git.
        """
        ids = {cell.id for cell in self._cells if is_random(cell.id)}
        contents = {cell.source for cell in self._cells if cell.source}
        # The ids and contents in the file that a recorded cell explains.
        explained = {
            id_: ids & {id_} or contents.intersection(old) for id_, old in self._sources.items()
        }
        best: Sequence[str] = ()
        most, size = -1, 0
        for order in orders:
            size += len(order)
            if size > _MAX_ORDERED:
                break
            self._all_places.append({id_: place for place, id_ in enumerate(order)})
            count = len(set().union(*(explained.get(id_, ()) for id_ in order)))
            if count > most:
                best, most = order, count
        return best

    def _gaps(self) -> Iterator[tuple[list[int], Sequence[str]]]:
        """Return the unknown and recorded cells between two matches.

        Matches that have moved, or aren't in the version, are no limits.
        """
        limits = _in_order(
            [
                (i, self._places[m.id])
                for i, m in sorted(self.matches.items())
                if m.id in self._places
            ]
        )
        ends = (len(self._cells), len(self._version))
        for (index, above), (end, below) in pairwise([(-1, -1), *limits, ends]):
            run = [i for i in range(index + 1, end) if i not in self.matches]
            if run:
                yield run, self._version[above + 1 : below]

    def _may_match(self, index: int) -> bool:
        cell = self._cells[index]
        is_new = self._has_ids and is_random(cell.id)
        return index not in self.matches and bool(cell.source) and not is_new

    def _is_another(self, index: int, id_: str) -> bool:
        own = self._cells[index].id
        return own != id_ and own in self._sources and is_random(own)

    def _take(self, index: int, id_: str, sign: Sign) -> None:
        self.matches[index] = Match(id_, sign)
        self._free.remove(id_)

    def _similarity(self, source: str, id_: str) -> float:
        """Return the share of words that two contents have in common, from 0 to 1."""
        words, old_words = map(self._count_words, (source, self._newest(id_)))
        sizes = words.total(), old_words.total()
        return 2 * (words & old_words).total() / sum(sizes) if min(sizes) >= _MIN_WORDS else 0.0

    def _count_words(self, text: str) -> Counter[str]:
        if text not in self._words:
            self._words[text] = Counter(_WORD.findall(text)[:_MAX_WORDS])
        return self._words[text]


def _in_order(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest sequence of pairs whose second numbers increase."""
    best: list[tuple[int, int]] = []  # of each length, the last pair with the smallest end
    tails: list[int] = []
    before: dict[tuple[int, int], tuple[int, int] | None] = {}
    for pair in pairs:
        at = bisect_left(tails, pair[1])
        before[pair] = best[at - 1] if at else None
        tails[at : at + 1], best[at : at + 1] = [pair[1]], [pair]
    result = best[-1:]
    while result and (pair_above := before[result[-1]]):
        result.append(pair_above)
    return result[::-1]
