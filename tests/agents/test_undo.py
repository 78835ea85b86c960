"""Undoing a run: examples, the cost, then random work of a person and two agents.

``AISERVER_UNDO_WALKS=50000 pytest -s --timeout=0 tests/agents/test_undo.py`` runs that many
walks, and prints how often there were conflicts. ``AISERVER_FIRST_UNDO_WALK`` is the first seed.
"""

from __future__ import annotations

import itertools
import os
from collections import Counter
from random import Random

import pytest

from aiserver.plugins.agents.undo import CellUndo, Conflict, moved_cells, undo_edits, undo_order

from ..effort import at_most

_FIRST = int(os.environ.get("AISERVER_FIRST_UNDO_WALK", "1"))
WALKS = range(_FIRST, _FIRST + int(os.environ.get("AISERVER_UNDO_WALKS", "1000")))

LOAD = "df = pd.read_csv('a.csv')\ndf = df.dropna()\ndf.plot()"
TIDY = "df = pd.read_csv('a.csv', sep=';')\ndf = df.dropna()\nprint(len(df))\ndf.plot()"


def undo(before: str | None, mine: str | None, now: str | None) -> CellUndo:
    return undo_edits([(before, mine)], now)


# A cell that nobody has changed since the run


@pytest.mark.parametrize(
    "before",
    [
        LOAD,
        LOAD + "\n",
        LOAD + "\n\n",
        "\n",
        "",
        "a\r\nb\r\n",
        "a\rb\n",
        "a\u2028b\x0cc\x85d",
        "x\r",
    ],
)
def test_an_unchanged_cell_is_restored_byte_for_byte(before: str) -> None:
    assert undo(before, TIDY, TIDY) == CellUndo(before, "restore")


def test_an_inserted_cell_is_removed_and_a_deleted_one_returns() -> None:
    assert undo(None, TIDY, TIDY) == CellUndo(None, "remove")
    assert undo(LOAD, None, None) == CellUndo(LOAD, "return")


def test_a_cell_that_is_as_before_the_run_stays() -> None:
    assert undo(LOAD, LOAD, TIDY) == CellUndo(TIDY, "keep")
    assert undo(LOAD, TIDY, LOAD) == CellUndo(LOAD, "keep")
    assert undo(LOAD, None, LOAD) == CellUndo(LOAD, "keep")
    assert undo(LOAD, LOAD, None) == CellUndo(None, "keep")
    assert undo(None, TIDY, None) == CellUndo(None, "keep")
    assert undo(None, None, TIDY) == CellUndo(TIDY, "keep")


# A cell that a person has changed since the run


def test_lines_of_a_person_stay_and_those_of_the_run_go() -> None:
    now = "# sales\n" + TIDY + "\ndf.head()"
    assert undo(LOAD, TIDY, now) == CellUndo("# sales\n" + LOAD + "\ndf.head()", "merge")


def test_a_line_among_those_of_the_run_stays() -> None:
    mine, now = "a()\nX()\nY()\nb()", "a()\nX()\nperson()\nY()\nb()"
    assert undo("a()\nb()", mine, now) == CellUndo("a()\nperson()\nb()", "merge")


def test_a_removed_line_returns_above_new_lines_in_its_place() -> None:
    assert undo("a()\nb()\nc()", "a()\nc()", "a()\nperson()\nc()").source == (
        "a()\nb()\nperson()\nc()"
    )


def test_a_line_that_both_changed_is_the_persons_and_a_conflict() -> None:
    now = TIDY.replace("sep=';'", "sep='|'")
    assert undo(LOAD, TIDY, now) == CellUndo(
        "df = pd.read_csv('a.csv', sep='|')\ndf = df.dropna()\ndf.plot()",
        "merge",
        (Conflict(1, 1, ("df = pd.read_csv('a.csv')",)),),
    )


def test_a_changed_line_of_the_run_stays_and_is_a_conflict_with_nothing() -> None:
    now = TIDY.replace("print(len(df))", "print(df.shape)")
    expected = LOAD.replace("df.plot()", "print(df.shape)\ndf.plot()")
    assert undo(LOAD, TIDY, now) == CellUndo(expected, "merge", (Conflict(3, 3, ()),))


def test_a_replaced_line_that_a_person_deleted_is_a_conflict_without_lines() -> None:
    assert undo("a()\nb()\nc()", "a()\nB()\nc()", "a()\nc()") == CellUndo(
        "a()\nc()", "keep", (Conflict(2, 1, ("b()",)),)
    )


def test_an_inserted_line_that_a_person_deleted_is_no_conflict() -> None:
    assert undo(LOAD, TIDY, TIDY.replace("print(len(df))\n", "")) == CellUndo(LOAD, "restore")


def test_a_line_that_a_person_wrote_again_is_no_conflict_and_not_there_twice() -> None:
    before = "a()\nb()\nc()"
    for mine in ("a()\nX()\nc()", "a()\nc()"):
        assert undo(before, mine, f"{before}\nd()") == CellUndo(f"{before}\nd()", "keep")


def test_only_the_line_that_both_changed_is_a_conflict() -> None:
    before = "one = 1\ntwo = 2\nthree = 3"
    mine = "one = 10\ntwo = 20\nthree = 30"
    result = undo(before, mine, mine.replace("two = 20", "two = 21"))
    assert result.source == "one = 1\ntwo = 21\nthree = 3"
    assert result.conflicts == (Conflict(2, 2, ("two = 2",)),)


def test_lines_that_became_more_or_fewer_are_one_change() -> None:
    result = undo("a()\nb()", "X()\nY()\nZ()", "X()\nperson()\nZ()")
    assert result == CellUndo("person()", "merge", (Conflict(1, 1, ("a()", "b()")),))


def test_adjacent_conflicts_are_one_conflict() -> None:
    before, mine, now = "a = 1\nb = 1\nc = 1", "a = 2\nb = 2\nc = 2", "a = 3\nb = 3\nc = 2"
    assert undo(before, mine, now) == CellUndo(
        "a = 3\nb = 3\nc = 1", "merge", (Conflict(1, 2, ("a = 1", "b = 1")),)
    )


def test_a_line_removed_in_a_passage_that_a_person_deleted_is_a_conflict() -> None:
    before = "def f():\n    check()\n    return 1\nf()"
    result = undo(before, "def f():\n    return 1\nf()", "f()")
    assert result == CellUndo("f()", "keep", (Conflict(1, 0, ("    check()",)),))


# Moved lines


def test_a_line_that_the_run_moved_returns_to_its_place() -> None:
    mine = "plot(df)\nload()\nclean(df)"
    assert undo("load()\nclean(df)\nplot(df)", mine, mine + "\nmore()").source == (
        "load()\nclean(df)\nplot(df)\nmore()"
    )


def test_a_line_that_others_moved_counts_as_theirs() -> None:
    assert undo("a()\nb()", "a()\nX()\nb()", "X()\na()\nb()") == CellUndo("X()\na()\nb()", "keep")
    mine = "load()\nend()\nplot(df)"
    result = undo("plot(df)\nload()\nend()", mine, "load()\nplot(df)\nend()")
    assert result.source == "plot(df)\nload()\nplot(df)\nend()"


def test_a_line_that_the_run_moved_stays_there_if_others_changed_its_old_place() -> None:
    assert undo("plot(df)\na()\nz()", "X()\nz()\nplot(df)", "Y()\nz()\nplot(df)") == CellUndo(
        "Y()\nz()\nplot(df)", "keep", (Conflict(1, 1, ("plot(df)", "a()")),)
    )


# Line breaks, and the end of the source


def test_the_first_edit_by_a_person_converts_line_breaks_and_is_no_conflict() -> None:
    before, mine = "a()\r\nb()\r\nc()", "a()\r\nB()\r\nc()"
    assert undo(before, mine, "a()\nB()\nc()\nd()") == CellUndo("a()\nb()\nc()\nd()", "merge")
    assert undo(before, mine, mine + "\r\nd()").source == before + "\r\nd()"
    assert undo("a()\r\nb()", "B()", "person()\nB()").source == "person()\na()\nb()"
    assert undo("a()\r\nb()\r\nc()", "c()", "person()").source == "a()\r\nb()\r\nperson()"


def test_other_separators_of_lines_are_ordinary_characters() -> None:
    before, mine = "s = 'a\u2028b'\nx = 1\rx = 2\nend()", "s = ''\nx = 1\rx = 2\nend()"
    assert undo(before, mine, mine + "\x0cx").source == "s = 'a\u2028b'\nx = 1\rx = 2\nend()\x0cx"


def test_a_cell_that_was_empty_has_no_line_of_its_own() -> None:
    assert undo("", "X()", "X()\nperson()") == CellUndo("person()", "merge")
    assert undo("x()", "", "person()").source == "x()\nperson()"
    assert undo("x()\n", "x()\nX()\n", "x()\nX()\nperson()").source == "x()\nperson()"
    assert undo("x()", "x()\nX()", "x()\nX()\n").source == "x()\n"


# Cells that came or went


def test_an_inserted_cell_that_a_person_changed_stays_and_is_a_conflict() -> None:
    now = TIDY + "\nmore()"
    assert undo(None, TIDY, now) == CellUndo(now, "keep", (Conflict(1, 5, ()),))
    assert undo(None, TIDY, "") == CellUndo("", "keep")


def test_a_changed_cell_that_a_person_deleted_stays_away_and_is_a_conflict() -> None:
    assert undo("a\nb", "a\nX", None) == CellUndo(None, "keep", (Conflict(1, 0, ("a", "b")),))


def test_a_deleted_cell_that_a_person_brought_back_with_other_lines_is_a_conflict() -> None:
    assert undo("a\nb", None, "a") == CellUndo("a", "keep", (Conflict(1, 1, ("a", "b")),))


# Edits of others between those of the run


def test_lines_that_a_person_wrote_during_the_run_stay() -> None:
    edits = [(LOAD, TIDY), (TIDY + "\ndf.head()", "# tidy\n" + TIDY + "\ndf.head()")]
    expected = CellUndo(LOAD + "\ndf.head()", "merge")
    assert undo_edits(edits, edits[-1][1]) == expected
    assert undo_edits(edits, "# note\n" + edits[-1][1]).source == "# note\n" + expected.source


def test_edits_in_a_row_are_undone_byte_for_byte() -> None:
    edits = [("a()\r\n", "b()\n"), ("b()\n", "c()")]
    assert undo_edits(edits, "c()") == CellUndo("a()\r\n", "restore")
    assert undo_edits([(None, "b()"), ("b()", "c()")], "c()") == CellUndo(None, "remove")
    assert undo_edits([("a()", "b()"), ("b()", None)], None) == CellUndo("a()", "return")
    assert undo_edits([], "c()") == CellUndo("c()", "keep")


def test_conflicts_with_a_later_edit_are_found_at_their_lines() -> None:
    edits = [("a()\nz()", "top()\na()\nz()"), ("top()\na()\nx()\nz()", "top()\na()\nX()\nz()")]
    assert undo_edits(edits, "top()\na()\nperson()\nz()") == CellUndo(
        "a()\nperson()\nz()", "merge", (Conflict(2, 2, ("x()",)),)
    )
    assert undo_edits(edits, "top()\na()\nz()").conflicts == (Conflict(2, 1, ("x()",)),)
    edits = [
        ("a()\nb()\nc()\nz()", "a()\nb()\nC()\nz()"),
        ("a()\nb()\nC()\nz()\nperson()", "A()\nb()\nC()\nz()\nperson()"),
    ]
    assert undo_edits(edits, "first()\nb()\nsecond()\nz()\nperson()").conflicts == (
        Conflict(1, 1, ("a()",)),
        Conflict(3, 3, ("c()",)),
    )


def test_lines_that_the_run_wrote_earlier_arent_those_from_before_it() -> None:
    conflict = Conflict(1, 1, ("a()",))
    assert undo_edits([("a()", "b()"), ("b()", "c()")], "person()").conflicts == (conflict,)
    edits = [("a()\nz()", "b()\nz()"), ("b()\nz()\np()", "c()\nz()\np()")]
    assert undo_edits(edits, "person()\nz()\np()").conflicts == (conflict,)


def test_a_cell_with_lines_from_during_the_run_isnt_removed() -> None:
    edits = [(None, "a()"), ("a()\nperson()", "b()\nperson()")]
    assert undo_edits(edits, "b()\nperson()") == CellUndo(
        "a()\nperson()", "merge", (Conflict(1, 2, ()),)
    )
    edits = [(None, "a()\nb()"), ("a()\nperson()\nb()", "a()\nX()\nb()")]
    result = undo_edits(edits, "a()\nb()")
    assert result == CellUndo(None, "remove", (Conflict(1, 0, ("person()",)),))


# The order of cells


def order(before: str, mine: str, now: str, removed: str = "", returned: str = "") -> str:
    moved = moved_cells(before, mine)
    return "".join(undo_order(before, now, {*removed}, {*returned}, moved=moved, mine=mine))


def test_a_returned_cell_goes_below_the_nearest_cell_that_was_above_it() -> None:
    assert order("abcd", "ad", "ad", returned="bc") == "abcd"
    assert order("abcd", "abd", "axd", returned="c") == "acxd"
    assert order("abc", "bc", "bxc", returned="a") == "abxc"
    assert order("abc", "", "", returned="abc") == "abc"


def test_a_cell_that_somebody_has_brought_back_stays_in_its_place() -> None:
    assert order("abc", "ac", "acb", returned="b") == "acb"


def test_a_removed_cell_leaves_no_trace() -> None:
    assert order("ab", "axb", "abx", removed="x") == "ab"


def test_a_moved_cell_returns_to_its_place_unless_somebody_has_moved_it_since() -> None:
    assert order("abcd", "dabc", "dabc") == "abcd"
    assert order("abcd", "dabc", "daxbc") == "axbcd"
    assert order("abcd", "dabc", "abdc") == "abdc"
    assert order("abcd", "dcba", "dcba") == "abcd"


def test_cells_that_others_moved_stay_where_they_are() -> None:
    assert order("abcd", "abxcd", "dabxc", removed="x") == "dabc"


# The cost


def test_fifty_cells_of_200_lines_cost_a_third_of_a_second() -> None:
    random = Random(1)
    versions = []
    for _ in range(50):
        before = [f"value{random.random()} = f({n})" for n in range(200)]
        mine = [line + " + 1" if random.random() < 0.3 else line for line in before]
        now = [line + "  # seen" if random.random() < 0.1 else line for line in mine]
        versions.append([*map("\n".join, (before, mine, now))])
    with at_most(12_000_000):
        for each in versions:
            undo(*each)


@pytest.mark.parametrize(
    ("before", "mine", "now"),
    [
        (["x", "y"] * 5_000, ["y", "x", "x"] * 3_300, ["x", "x", "z"] * 3_300),
        (*([f"print({n}, {m})" for n in range(10_000)] for m in range(3)),),
        (
            [f"line {n}" for n in range(10_000)],
            [f"line {n}" for n in range(10_000, 0, -1)],
            [f"line {n * 7919 % 10_007}" for n in range(10_000)],
        ),
        (["a"] * 10_000, ["a", "b"] * 5_000, ["b", "c"] * 5_000),
        ([""], [f"{n}" for n in range(10_000)], [f"{n // 2}" for n in range(10_000)]),
    ],
    ids=["repeated", "all changed", "shuffled", "one line", "from nothing"],
)
def test_the_worst_texts_cost_a_second_at_most(
    before: list[str], mine: list[str], now: list[str]
) -> None:
    with at_most(40_000_000):
        undo("\n".join(before), "\n".join(mine), "\n".join(now))


# Random work


class Walk:
    """A notebook that a person and two agents edit. Each line is written once in a walk.

    ``steps`` has the notebook after each step, with the contributor of the step.
    """

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.moves_lines = seed % 3 == 0
        self.count = 0
        self.origin: dict[str, str] = {}
        """For each line that replaced another one, the other one."""
        self.order: list[str] = []
        self.cells: dict[str, list[str]] = {}
        for _ in range(self.random.randint(1, 4)):
            self.insert(0)
        self.steps = [("", self.snapshot())]
        kinds = [*["lines"] * 8, "split", "merge", "insert", "delete", "move"]
        for _ in range(self.random.randint(3, 14)):
            self.edit(self.random.choice(kinds) if self.order else "insert")
            who = self.random.choice(["person", "person", "one", "one", "two"])
            self.steps.append((who, self.snapshot()))

    def snapshot(self) -> dict[str, str]:
        return {cell: "\n".join(self.cells[cell]) for cell in self.order}

    def new(self, name: str) -> str:
        self.count += 1
        return f"{name}{self.count}"

    def new_line(self) -> str:
        value = self.new("value")
        return self.random.choice([f"{value} = 0", f"print({value})", f"    df.add({value})"])

    def edit(self, kind: str) -> None:
        """Edit the lines of a cell, or split, merge, insert, delete or move cells."""
        n = self.random.randrange(max(1, len(self.order)))
        if kind == "insert":
            self.insert(n)
            return
        cell = self.order[n]
        if kind == "lines":
            self.edit_lines(self.cells[cell])
        elif kind == "split":
            lines, at = self.cells[cell], self.random.randint(0, 5)
            self.insert(n + 1, lines[at:])
            self.cells[cell] = lines[:at]
        elif kind == "merge" and n:
            self.cells[self.order[n - 1]] += self.cells[cell]
            self.order.remove(cell)
        elif kind == "delete":
            self.order.remove(cell)
        elif kind == "move":
            self.order.remove(cell)
            self.order.insert(self.random.randint(0, len(self.order)), cell)

    def insert(self, n: int, lines: list[str] | None = None) -> None:
        if lines is None:
            lines = [self.new_line() for _ in range(self.random.randint(0, 8))]
        cell = self.new("cell")
        self.order.insert(n, cell)
        self.cells[cell] = lines

    def edit_lines(self, lines: list[str]) -> None:
        start = self.random.randint(0, len(lines))
        stop = min(len(lines), start + self.random.randint(1, 4))
        kind = self.random.choice(["insert", "change", "change", "delete", "indent", "move"])
        if kind == "insert" or start == stop:
            lines[start:start] = [self.new_line() for _ in range(self.random.randint(1, 3))]
        elif kind == "delete":
            del lines[start:stop]
        elif kind in ("change", "indent"):
            for n in range(start, stop):
                line = f"  {lines[n]}" if kind == "indent" else f"{lines[n]}{self.new(' + ')}"
                if kind == "change" and self.random.random() < 0.3:
                    line = self.new_line()
                self.origin[line] = lines[n]
                lines[n] = line
        elif self.moves_lines:
            block = lines[start:stop]
            del lines[start:stop]
            at = self.random.randint(0, len(lines))
            lines[at:at] = block

    def cell_ids(self) -> set[str]:
        return {cell for _, cells in self.steps for cell in cells}


def lines_of(source: str | None) -> list[str]:
    return source.split("\n") if source else []


def is_in_order(lines: list[str], text: list[str]) -> bool:
    rest = iter(text)
    return all(line in rest for line in lines)


def conflict_lines(undo: CellUndo) -> tuple[set[str], set[str]]:
    """Return the lines of the result that are in conflicts, and those from before the run."""
    result = lines_of(undo.source)
    for conflict in undo.conflicts:
        assert 1 <= conflict.first <= conflict.last + 1 <= len(result) + 1
    return (
        {line for each in undo.conflicts for line in result[each.first - 1 : each.last]},
        {line for each in undo.conflicts for line in each.before},
    )


def has_moved_lines(versions: list[list[str]]) -> bool:
    """Return whether two versions have common lines in different orders."""
    return any(
        not is_in_order([line for line in a if line in b], b)
        for a, b in itertools.combinations(versions, 2)
    )


def check_cell(walk: Walk, *versions: str | None) -> CellUndo:
    """Undo a run after which others edited the cell.

    A moved line counts as removed and added. So what the run wrote may stay, and lines may be there
    twice, if lines were moved: by a move, or by splitting and merging cells.
    """
    result = undo(*versions)
    before, mine, now = map(lines_of, versions)
    lines = lines_of(result.source)
    if versions[1] == versions[2]:
        assert (result.source, result.conflicts) == (versions[0], ())
        return result
    if versions[0] in versions[1:]:
        assert result == CellUndo(versions[2], "keep")
        return result
    in_conflict, reported = conflict_lines(result)
    if None in versions:
        assert result.source == versions[2]
        assert {*lines} <= in_conflict and {*before} <= reported
        return result
    of_run = {*mine} - {*before}
    of_others = [line for line in now if line not in of_run]
    assert {*of_others} <= {*lines}
    assert is_in_order([line for line in now if line not in mine], lines)
    assert is_in_order(of_others, lines) or has_moved_lines([before, mine])
    assert {*before} - {*mine} <= {*lines} | reported
    for above, below in itertools.pairwise(result.conflicts):
        assert above.last < below.first
    if not has_moved_lines([before, mine, now]):
        assert not of_run & {*lines}
        assert len({*lines}) == len(lines) or {*before} & {*now} - {*mine}
        changed = {line for line in {*now} - {*mine} if walk.origin.get(line) in of_run}
        assert changed <= in_conflict or walk.moves_lines
    return result


def check_edits(walk: Walk, cell: str, agent: str) -> None:
    """Undo a run between whose edits others edited the cell."""
    sources = [cells.get(cell) for _, cells in walk.steps]
    edits, added, removed = [], {"": {*lines_of(sources[0])}}, dict[str, str]()
    for (who, _), (old, new) in zip(walk.steps[1:], itertools.pairwise(sources), strict=True):
        if who == agent and old != new:
            edits.append((old, new))
        added.setdefault(who, set()).update({*lines_of(new)} - {*lines_of(old)})
        removed.update(dict.fromkeys({*lines_of(old)} - {*lines_of(new)}, who))
    result = undo_edits(edits, sources[-1])
    lines, now = {*lines_of(result.source)}, lines_of(sources[-1])
    in_conflict, reported = conflict_lines(result)
    of_run = added.pop(agent, set())
    of_others = set[str]().union(*added.values())
    theirs = of_others - of_run
    assert theirs.intersection(now) <= lines
    assert {line for line in theirs if removed.get(line) == agent} <= lines | reported
    if not has_moved_lines(list(map(lines_of, sources))):
        assert is_in_order([line for line in now if line in theirs], lines_of(result.source))
        assert lines & (of_run - of_others) <= in_conflict
        if edits and edits[0][0] is not None and result.source is not None and None not in sources:
            assert not lines & (of_run - of_others)


@pytest.mark.parametrize("first", range(WALKS.start, WALKS.stop, 100))
def test_no_line_of_others_is_lost(first: int) -> None:
    counts = Counter[str]()
    for seed in range(first, min(first + 100, WALKS.stop)):
        walk = Walk(seed)
        ends = sorted(walk.random.sample(range(len(walk.steps)), 2))
        (_, before), (_, mine) = (walk.steps[n] for n in ends)
        _, now = walk.steps[-1]
        results = {
            cell: check_cell(walk, before.get(cell), mine.get(cell), now.get(cell))
            for cell in {**before, **mine, **now}
        }
        removed = {cell for cell, each in results.items() if each.action == "remove"}
        returned = {cell for cell, each in results.items() if each.action == "return"}
        moved = moved_cells([*before], [*mine])
        cells = undo_order([*before], [*now], removed, returned, moved=moved, mine=[*mine])
        assert sorted(cells) == sorted(cell for cell in results if results[cell].source is not None)
        if [*mine] == [*now] and not {*cells} - {*before}:
            assert cells == [cell for cell in before if cell in cells]
        for cell in walk.cell_ids():
            check_edits(walk, cell, "one")
            check_edits(walk, cell, "two")
        counts.update(each.action for each in results.values())
        counts["conflicts"] += sum(len(each.conflicts) for each in results.values())
    print(dict(counts))
