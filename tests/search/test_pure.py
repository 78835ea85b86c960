"""Folding, queries, ranks and snippets, without a store."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiserver.models import AIResponse, Interaction, Session, SessionKey, UserRequest, new_session
from aiserver.plugins.search import text_index
from aiserver.plugins.search.hits import Piece, snippet
from aiserver.plugins.search.query import (
    MAX_COMPARED,
    Term,
    compared_parts,
    find,
    fold,
    parse,
    request_parts,
    similarity,
)
from aiserver.plugins.search.simplified import simplify
from aiserver.plugins.search.text_index import TextIndex
from aiserver.sessions.record.codec import encode

from ..effort import at_most


def session_of(*turns: tuple[str, str], cell: str = "c1", day: int = 1) -> Session:
    """A session of turns, each an intent and code."""
    session = new_session(SessionKey("nb", cell))
    session.interactions = [
        Interaction(
            turn_id=number,
            seq=number,
            timestamp=f"2026-01-{day:02}T10:00:{number:02}.000Z",
            user_request=UserRequest(intent=intent),
            ai_response=AIResponse(suggestion=code, status="success"),
        )
        for number, (intent, code) in enumerate(turns, 1)
    ]
    return session


@pytest.fixture(params=["trigrams", "plain"])
def search(request, monkeypatch):
    """Return the cell and turn of each hit, best first."""
    if request.param == "plain":
        monkeypatch.setattr(text_index, "_TOKENIZER", "unknown")

    def run(query: str, *sessions: Session, by: str = "words") -> list[tuple[str, int]]:
        index = TextIndex()
        assert index._has_trigrams == (request.param == "trigrams")
        index.put("", [(("nb", session.meta.cell_id), encode(session)) for session in sessions])
        return [(turn.cell_id, turn.turn_id) for turn in index.search(query, "", None, by)[0]]

    return run


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("READ_CSV", "read_csv"),
        ("ｒｅａｄ＿ｃｓｖ", "read_csv"),
        ("Straße", "STRASSE"),
        ("café", "cafe\u0301"),
        ("résumé", "resume"),
        ("ｶﾞｷﾞｸﾞ", "ガギグ"),
        ("한글", "\u1112\u1161\u11ab\u1100\u1173\u11af"),
        ("①", "1"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("資料與圖表", "资料与图表"),
    ],
)
def test_spellings_of_a_word_fold_to_the_same(left, right):
    assert fold(left) == fold(right)


@given(st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF)))
def test_each_chinese_character_becomes_one(text):
    simplified = simplify(text)
    assert len(simplified) == len(text)
    assert simplify(simplified) == simplified


def test_a_traditional_query_finds_simplified_text_and_where_it_is(search):
    assert search("讀取數據", session_of(("读取数据文件", "pass"))) == [("c1", 1)]
    assert find("先读取数据", [fold("讀取")]) == [(1, 3)]


def test_marks_that_distinguish_letters_stay():
    assert fold("が") != fold("か")
    assert fold("कि") != fold("क")


@given(st.text())
def test_folding_twice_changes_nothing_and_removes_control_characters(text):
    flat = fold(text)
    assert "\0" not in flat and "\x1f" not in flat
    assert fold(flat) == flat


@given(st.text(), st.text(max_size=3))
def test_ranges_are_in_the_text_and_in_order(text, word):
    last = 0
    for start, end in find(text, [fold(word)]):
        assert last <= start < end <= len(text)
        last = end


def test_many_marks_are_folded_in_linear_time():
    """P17"""
    with at_most(10_000_000):
        fold("q" + "\u0315\u0300" * 50_000)


def test_a_turn_that_cannot_be_indexed_hides_no_other(search):
    odd = session_of(("question", "x"), cell="odd")
    odd.interactions[0].turn_id = 10**30
    assert search("question", odd, session_of(("question", "x"))) == [("c1", 1)]


def test_ranges_are_positions_in_the_original_text():
    text = "①　Ｒｅａｄ cafe\u0301 里的 CSV"
    marked = [text[a:b] for a, b in find(text, ["read", "cafe", "csv", "里"])]
    assert marked == ["Ｒｅａｄ", "cafe\u0301", "里", "CSV"]


def test_terms():
    assert parse("  ") == () and parse("…") == ()
    assert parse('读取 CSV "the first rows" csv') == (
        Term("读取"),
        Term("csv"),
        Term("the first rows"),
    )
    assert parse("读取数据，画图。") == (
        Term("读取数据", ("读取", "取数", "数据")),
        Term("画图"),
    )
    assert parse("pd.read_csv(") == (Term("pd.read_csv", ("pd", "read", "csv")),)
    assert parse("DataFrame") == (Term("dataframe", ("data", "frame")),)
    assert parse("读取csv文件吧") == (Term("读取csv文件吧", ("读取", "csv", "文件", "件吧")),)
    assert parse("C++") == (Term("c++"),)


@pytest.mark.parametrize("word", ["csv", "df"])
def test_a_complete_word_scores_more_than_a_part(search, word):
    complete, part = (
        session_of((f"the {text} file", ""), cell=text) for text in (word, f"x{word}s")
    )
    assert search(word, part, complete) == [(word, 1), (f"x{word}s", 1)]


@pytest.mark.parametrize("query", ['"', '""', "a*", "NOT", "x AND", "(", "%", "_", "\0", "\ud83d"])
def test_any_query_is_a_text_and_no_syntax(search, query):
    session = session_of((f"before {query} after", ""), ("something else", ""))
    assert ("c1", 2) not in search(query, session)
    assert search(f"{query} after", session) == [("c1", 1)]


def test_chinese_matches_in_sentences_and_around_other_words(search):
    a = session_of(("读取 data.csv 文件，显示前五行", "df.head()"), cell="a")
    b = session_of(("画出价格的直方图", "df.price.hist()"), cell="b")
    c = session_of(("把文件保存为 Excel", "df.to_excel('a.xlsx')"), cell="c")
    assert search("直方图", a, b, c) == [("b", 1)]
    assert search("文件", a, b, c) == [("a", 1), ("c", 1)]
    assert search("读取data文件", a, b, c) == [("a", 1)]
    assert search("五行", a, b, c) == [("a", 1)]
    assert search("股票", a, b, c) == []


def test_names_in_code_match_by_their_parts(search):
    a = session_of(("load it", "df = pd.read_csv('x')"), cell="a")
    b = session_of(("load it", "df = pd.read_excel('x')"), cell="b")
    for query in ("csv", "read_csv", "pd.read_csv", "READ_CSV", "pd csv"):
        assert search(query, a, b) == [("a", 1)], query
    assert search("DataFrame", session_of(("x", "to_data_frame()"), cell="d")) == [("d", 1)]


def test_turns_with_all_words_exclude_others(search):
    both = session_of(("plot the price", ""), cell="both")
    partial = session_of(("drop the price", ""), cell="partial")
    assert search("plot price", both, partial) == [("both", 1)]
    # If no turn has all of them, those with most of them match.
    matches = search("how to plot price by year", both, partial)
    assert matches[0] == ("both", 1)


def test_intents_score_more_than_code_and_the_newest_comes_first(search):
    asked = session_of(("a histogram please", "x"), cell="asked", day=1)
    written = session_of(("show it", "histogram(x)"), cell="written", day=9)
    assert search("histogram", written, asked) == [("asked", 1), ("written", 1)]
    old = session_of(("sum up", ""), cell="old", day=3)
    new = session_of(("sum up", ""), cell="new", day=20)
    assert search("sum", old, new) == [("new", 1), ("old", 1)]


def test_code_that_later_turns_keep_is_one_hit(search):
    session = session_of(
        ("load", "df = read_csv('a')"),
        ("first rows", "df = read_csv('a')\ndf.head()"),
        ("use read_csv with a separator", "df = read_csv('a', sep=';')\ndf.head()"),
        ("the tail", "df = read_csv('a', sep=';')\ndf.tail()"),
        ("start anew", "x = 1"),
        ("and load", "df = read_csv('b')"),
    )
    assert {turn for _, turn in search("read_csv", session)} == {1, 3, 6}
    assert search("head", session) == [("c1", 2)]


def test_snippets_show_the_line_with_the_words():
    code = "import pandas as pd\n\ndf = pd.read_CSV('a.csv')\n"
    assert snippet(code, parse("read_csv")) == [
        Piece("df = pd.", False),
        Piece("read_CSV", True),
        Piece("('a.csv')", False),
    ]
    long = "一" * 500 + "直方图" + "二" * 500
    pieces = snippet(long, parse("直方图"))
    assert Piece("直方图", True) in pieces
    assert pieces[0] == Piece("…", False) and pieces[-1].text.endswith("…")
    assert sum(len(piece.text) for piece in pieces) < 170
    assert snippet("\n \n", parse("x")) == []


@given(st.text(), st.text(max_size=8))
def test_a_snippet_is_a_line_of_the_text(text, query):
    pieces = snippet(text, parse(query))
    shown = "".join(piece.text for piece in pieces).strip("…")
    assert shown in text and "\n" not in shown


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("bar plot of the price", "plot the price", 0.8),
        ("readCsv", "read_csv", 1.0),
        ("画出价格", "画出成本", 1 / 3),
        ("", "", 0.0),
    ],
)
def test_similarity_is_the_share_of_common_words(left, right, expected):
    assert similarity(compared_parts(left), compared_parts(right)) == pytest.approx(expected)


@given(
    st.lists(
        st.sampled_from(["plot", "price", "city", "mean", "csv_file", "画出价格", "城市"]),
        max_size=9,
    )
)
def test_requests_are_compared_by_their_words(words):
    text = " ".join(words)
    asked = "plot the mean price, city 画出价格"
    exact = similarity(compared_parts(asked), compared_parts(text))
    assert similarity(request_parts(fold(asked)), request_parts(fold(text))) == exact


def test_only_the_beginning_of_a_request_is_compared():
    beginning = "".join(f"word{number} " for number in range(MAX_COMPARED))[:MAX_COMPARED]
    asked = request_parts(beginning + "plot the price")
    assert similarity(asked, request_parts(beginning + " load a file" * 1000)) == 1.0
    assert not request_parts("load a file") & request_parts(beginning + " load a file")


def test_similar_requests_are_found(search):
    session = session_of(*((intent, "x") for intent in ("plot the price by city", "", "/fix")))
    session.interactions[0].mode = "fix"
    assert search("Plot price by the CITY", session, by="request") == [("c1", 1)]
    assert search("画出各省的人口", session_of(("画出城市的价格", "")), by="request") == []
    assert search("画出城市价格", session_of(("画出城市的价格", "")), by="request") == [("c1", 1)]
    long = " ".join(f"word{number}" for number in range(150))
    assert search(long, session_of((long, "")), by="request") == [("c1", 1)]


def test_nothing_of_a_deleted_session_stays():
    index = TextIndex()
    index.put("", [(("nb", "c1"), encode(session_of(("canary", "x"))))])
    index.remove("", [("nb", "c1")])
    assert index.search("canary", "", None, "words") == ([], 0)
    assert [
        index._db.execute(f"SELECT count(*) FROM {name}").fetchone() for name in ("turn", "text")
    ] == [(0,), (0,)]
