"""Decide by their words whether an entry and a request can be about the same. Pure.

A small model follows an entry even if it has nothing to do with the request: with a memory of 34
entries, the 1.5B gave 20 right answers of 24 without it, and 14 with the entry that mattered most
(``python -m benchmarks.memory``). So it gets an entry only if the request shares a word with it
that says something about its subject (``python -m benchmarks.memory.thresholds``).
"""

from __future__ import annotations

from ...search.words import split

# Words that requests and entries about any subject have.
_GENERAL = """
a about after all also an and another any are as at be been before between both but by can could did
different do does done each every few first follow for from further get give had has have how i if
in instead into is it its just last least less let like list make many may me more most much must my
never new next no none not now of off often on once one only or other our out over own please print
put same select set should show so some such take tell than that the their them then there these
they this those three to too two under until up us use used using very want was we were what when
where which while who why will with without would you your
calculate cell code column compute create data dataframe df file frame find following generate line
name number result return row series size table text type value variable write
一个 一個 一列 一行 一下 两个 兩個 这个 這個 那个 那個 每个 每個 所有 全部 其中 哪些 多少 几个 幾個
使用 可以 需要 打印 列印 显示 顯示 输出 輸出 计算 計算 创建 建立 生成 產生 返回 数据 資料 表格
结果 結果 文件 檔案 变量 變數 代码 程式
"""
_IGNORED = frozenset(split(_GENERAL))


def share_subject(request: str, entry: str) -> bool:
    """Return whether a request and an entry share a word about their subject.

    Words are compared as for the ranking (``search.words``): with any ending, and in scripts
    without spaces by pairs of characters.
    """
    return not _subject_words(request).isdisjoint(_subject_words(entry))


def _subject_words(text: str) -> set[str]:
    words = {word for word in split(text) if len(word) > 1 and not word.isdecimal()}
    return words - _IGNORED
