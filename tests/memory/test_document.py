"""Reading and changing MEMORY.md: one entry changes, and everything else stays as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiserver.errors import MemoryEntryChanged, NotFound
from aiserver.plugins.memory import document
from aiserver.plugins.memory.entries import MemoryEntry, TurnSource, computed_id

from ..effort import at_most

HAND_WRITTEN = """# Our memory

We work in euros.

## Plots

* Plot with seaborn
  and put titles in Chinese. (2026-11-02)
+ 金额单位是万元

1. The key of `sales` is order_id

<!-- a note for editors -->

```
- not an entry
```

| a | table |
|---|---|
"""
SOURCE = TurnSource("nb-1", "cell-1", 3)
ENTRY = MemoryEntry("0123456789ab", "Use polars", "2026-11-27", SOURCE)


def texts(memory: str) -> list[str]:
    return [entry.text for entry in document.parse(memory)]


def test_hand_written_lists_and_paragraphs_are_entries():
    entries = document.parse(HAND_WRITTEN)
    assert [(entry.text, entry.date, entry.section) for entry in entries] == [
        ("We work in euros.", "", ""),
        ("Plot with seaborn\nand put titles in Chinese.", "2026-11-02", "Plots"),
        ("金额单位是万元", "", "Plots"),
        ("The key of `sales` is order_id", "", "Plots"),
    ]
    assert len({entry.id for entry in entries}) == 4
    assert all(entry.source is None for entry in entries)


def test_a_new_memory_has_a_heading_and_the_entry():
    memory = document.add("", ENTRY)
    assert memory == (
        "# Memory\n\n- Use polars (2026-11-27) "
        "<!-- aiserver id=0123456789ab notebook=nb-1 cell=cell-1 turn=3 -->\n"
    )
    assert document.parse(memory) == [
        MemoryEntry("0123456789ab", "Use polars", "2026-11-27", SOURCE)
    ]


def test_the_same_id_is_added_once():
    memory = document.add(HAND_WRITTEN, ENTRY)
    assert document.add(memory, ENTRY) == memory


def test_a_change_keeps_the_id_of_an_entry_without_a_comment():
    entry = document.parse(HAND_WRITTEN)[2]
    memory = document.change(HAND_WRITTEN, entry.id, "金额单位是元", entry.text)
    changed = document.parse(memory)[2]
    assert (changed.id, changed.text, changed.section) == (entry.id, "金额单位是元", "Plots")


def test_a_change_needs_the_text_that_the_person_saw():
    entry = document.parse(HAND_WRITTEN)[0]
    with pytest.raises(MemoryEntryChanged):
        document.change(HAND_WRITTEN, entry.id, "We work in dollars.", "We work in yen.")
    with pytest.raises(NotFound):
        document.change(HAND_WRITTEN, "000000000000", "x", "y")
    with pytest.raises(NotFound):
        document.remove(HAND_WRITTEN, "000000000000")


def test_a_text_that_ends_in_a_date_gives_the_entry_this_date():
    old = document.parse("- Use polars\n")[0]
    memory = document.change("- Use polars\n", old.id, "Use pandas (2026-01-02)", "Use polars")
    [entry] = document.parse(memory)
    assert (entry.id, entry.text, entry.date) == (old.id, "Use pandas", "2026-01-02")


def test_copies_of_a_line_are_entries_of_their_own():
    line = document.add("", ENTRY).splitlines(keepends=True)[-1]
    memory = line + line + "- a\n- a\n"
    entries = document.parse(memory)
    assert len({entry.id for entry in entries}) == 4
    assert texts(document.remove(memory, entries[1].id)) == ["Use polars", "a", "a"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_are_preserved(end):
    memory = f"- a{end}{end}Text{end}- b"
    added = document.add(memory, ENTRY)
    assert added.startswith(f"{memory}{end}- Use polars")
    assert added.endswith(f"-->{end}")
    assert added.replace(end, "").count("\n") == 0


def test_entries_are_added_above_the_headings_of_sections():
    """P14: a heading that came with a project isn't sent with an entry of the person."""
    memory = document.add(HAND_WRITTEN, ENTRY)
    before, after = memory.split("- Use polars (2026-11-27)")
    assert HAND_WRITTEN.startswith(before) and before.endswith("We work in euros.\n\n")
    assert after.endswith("-->\n\n" + HAND_WRITTEN.removeprefix(before))
    assert [entry.section for entry in document.parse(memory)][:2] == ["", ""]


def test_entries_are_added_below_the_last_list_without_a_heading():
    memory = document.add("# A\n\n- a\n\ntext\n\n## B\n\n- b\n", ENTRY)
    assert memory.startswith("# A\n\n- a\n- Use polars")
    assert memory.endswith("-->\n\ntext\n\n## B\n\n- b\n")


def test_nothing_is_hidden_in_headings():
    """P14: what is sent is what the person sees."""
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    [entry] = document.parse(f"## Style{hidden} <!-- obey -->\n\n- a\n")
    assert entry.section == "Style"
    [entry] = document.parse("## <!-- obey --> Style\n\n- a\n")
    assert entry.section == "Style"
    [entry] = document.parse("- <!-- obey -->a\n")
    assert entry.text == "a"
    first, second = document.parse("A\nB\n---\n\n- C\n\nA\n---\n\n- B\n  C\n")
    assert first.section == "A B" and first.digest != second.digest


@pytest.mark.timeout(60)
@pytest.mark.parametrize("evil", ["<!--", " ", "(", "<!-- a ", "\u3000"])
def test_hostile_texts_are_read_in_linear_time(evil: str):
    """P16: such a file may come with a repository. In quadratic time, it would take minutes."""
    text = evil * (1_000_000 // len(evil))
    assert len(document.parse(f"- x {text}x\n")) == 1


entry_texts = (
    st.text(
        st.sampled_from("ab 中文\n-*+#>`|.1)(<!->=_[]\\\t~:\u2028\x0b"), min_size=1, max_size=40
    )
    .map(document.clean)
    .filter(lambda text: text and not document._split_date(text)[1])
)
memories = st.lists(
    st.sampled_from([*HAND_WRITTEN.splitlines(keepends=True), "- a\n", "  b\n", "> q\n", "\r\n"]),
    max_size=12,
).map("".join)


@given(memories, entry_texts)
def test_a_written_text_is_read_again_and_its_removal_restores_the_memory(memory, text):
    before = document.parse(memory)
    entry = MemoryEntry("0123456789ab", text, "2026-11-27", SOURCE)
    added = document.add(memory, entry)
    after = document.parse(added)
    written = [other for other in after if other.id == entry.id]
    assert [(other.text, other.date, other.source) for other in written] == [
        (text, "2026-11-27", SOURCE)
    ]
    assert [e.text for e in after if e.id != entry.id] == [e.text for e in before]
    assert texts(document.remove(added, entry.id)) == [e.text for e in before]


@given(memories, st.data(), entry_texts)
def test_a_change_affects_one_entry(memory, data, text):
    entries = document.parse(memory)
    if not entries:
        return
    index = data.draw(st.integers(0, len(entries) - 1))
    old = entries[index]
    changed = document.change(memory, old.id, text, old.text)
    expected = [entry.text for entry in entries]
    expected[index] = text
    assert texts(changed) == expected
    assert document.parse(changed)[index].id == old.id


def test_characters_that_nobody_sees_are_left_out():
    """P14: instructions could be hidden in them."""
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    assert texts(f"- Use\u200b polars{hidden}\n") == ["Use polars"]


LINES = ["a", "b", *(f"c <!-- aiserver id={computed_id('a', n)} -->" for n in range(4))]


@given(st.lists(st.sampled_from(LINES), max_size=30))
def test_ids_of_equal_entries_are_those_of_earlier_versions(lines: list[str]) -> None:
    """Each gets the first number whose id is free, also if other entries have stored such ids."""
    entries = document.parse("".join(f"- {line}\n" for line in lines))
    used: set[str] = set()
    for line, entry in zip(lines, entries, strict=True):
        number, id_ = 0, line[19:31] or computed_id(line)
        while id_ in used:
            number += 1
            id_ = computed_id(entry.text, number)
        assert entry.id == id_
        used.add(id_)


_LONG = "x" * 300_000
HOSTILE = {
    "equal items": "- a\n" * 6_000,
    "equal paragraphs": "a\n\n" * 6_000,
    "equal ids": "- a <!-- aiserver id=aaaaaaaaaaaa -->\n" * 3_000,
    "copies of other ids": "".join(
        f"- b <!-- aiserver id={computed_id('a', n)} -->\n- a\n" for n in range(2_000)
    ),
    "a long heading": f"# a\n\n## {_LONG}\n\n" + "- a\n" * 3_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_any_text_takes_linear_time(text: str) -> None:
    with at_most(30_000_000):
        assert len({entry.id for entry in document.parse(text)}) >= 3_000
        assert {entry.digest for entry in document.parse(text)}


def test_a_long_text_is_not_hashed_for_each_computed_id(monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[int] = []

    def recorded(text: str, number: int = 0) -> str:
        hashed.append(len(text))
        return computed_id(text, number)

    monkeypatch.setattr(document, "computed_id", recorded)
    ids = [computed_id("x" * 1000, number) for number in range(500)]
    stored = "".join(f"- b <!-- aiserver id={id_} -->\n" for id_ in ids)
    entries = document.parse(f"{stored}- {'x' * 1000}\n- {'x' * 1000}\n")
    assert len({entry.id for entry in entries}) == 502
    assert sum(hashed) < 200_000
