"""The mode of a request: the kind of work on the cell's code, such as ``fix`` or ``explain``.

A slash word such as ``/修复`` names the mode; the model gets an instruction instead. Otherwise, the
words of the request tell it if they are clear, which only changes the prompt if a small model must
explain; else it is ``create`` for an empty cell and ``edit`` for any other.

Invariant: other texts that begin with a slash, such as a path, are ordinary requests. So are all in
Markdown and raw cells.
"""

from __future__ import annotations

import re
from typing import Literal

from .language import CellLanguage

Mode = Literal[
    "create",
    "edit",
    "fix",
    "explain",
    "refactor",
    "document",
    "test",
    "visualise",
    "convert",
    "optimise",
]

# The interface suggests the first word, or the Chinese ones; people also type the others.
_WORDS: dict[Mode, str] = {
    "create": "create new 新建",
    "edit": "edit change 修改",
    "fix": "fix debug 修复 修正",
    "explain": "explain 解释 解釋",
    "refactor": "refactor clean 重构 重構",
    "document": "document doc docs comment 注释 註解",
    "test": "test tests 测试 測試",
    "visualise": "visualise visualize plot draw 画图 畫圖",
    "convert": "convert translate 转换 轉換",
    "optimise": "optimise optimize speed 优化 最佳化",
}
_MODE_BY_WORD = {word: mode for mode, words in _WORDS.items() for word in words.split()}
_ALL_WORDS = sorted(_MODE_BY_WORD, key=len, reverse=True)
# Chinese keyboards type a full-width slash, and no space follows.
_SLASH_WORD = re.compile(
    r"\s*[/／](?:(?P<english>{english})(?=[\s:：,，]|$)|(?P<chinese>{chinese}))[:：,，]?\s*".format(
        english="|".join(word for word in _ALL_WORDS if word.isascii()),
        chinese="|".join(word for word in _ALL_WORDS if not word.isascii()),
    ),
    re.IGNORECASE,
)

_INSTRUCTIONS: dict[Mode, str] = {
    "create": "Write new code for the cell. It may replace all of its present code.",
    "edit": "Change the cell's code, and leave what the request doesn't mention.",
    "fix": "Fix the mistake in the cell's code, and change nothing else.",
    "explain": "Explain in words what the cell's code does. Write no code block.",
    "refactor": "Make the cell's code clearer and shorter. It must do exactly the same as now.",
    "document": "Add docstrings and short comments to the cell's code. Change nothing else.",
    "test": "Keep the cell's code, and add tests for it below: assert statements that pass.",
    "visualise": "Draw a plot with a title and labelled axes, and show it.",
    "convert": "Rewrite the cell's code for another library or language. Its results must stay the "
    "same.",
    "optimise": "Make the cell's code faster. Its results must stay the same.",
}

# For an empty cell below a code cell. The empty cell gets the answer, so modes that change the code
# itself aren't here.
_INSTRUCTIONS_ABOVE: dict[Mode, str] = {
    "explain": "Explain in words what the code of the cell above does. Write no code block.",
    "test": "Write tests for the code of the cell above: assert statements that pass. Don't repeat "
    "its code.",
    "convert": "Rewrite the code of the cell above for another library or language. Its results "
    "must stay the same.",
}

# For `/explain @output`.
_EXPLAIN_OUTPUT = "Explain in words what the cell's output shows. Write no code block."
_OUTPUT = re.compile(r"@(?:output\b|输出|輸出)", re.IGNORECASE)

_TARGETS = (
    r"(?:polars|pandas|numpy|sql|duckdb|pyspark|spark|dask|matplotlib|seaborn|plotly|altair|"
    r"python|r|julia|scipy|pytorch|torch|jax)(?![a-z0-9_])"
)
_THIS = r"(?:it|this|the\ (?:cell|code|function|class|loop))"
# The beginnings of English requests.
_ENGLISH_SIGNS: dict[Mode, str] = {
    "fix": r"(?:fix|debug|repair)\b(?!\ (?:the\ )?(?:random\ )?seed)",
    "refactor": rf"(?:refactor|clean\ (?:{_THIS}\ )?up|tidy)\b",
    "document": rf"(?:document\ {_THIS}"
    r"|(?:add|write)\ (?:a\ |an\ |the\ |some\ |more\ )?(?:\w+\ )?(?:docstrings?|comments?)\b)",
    "test": r"(?:add|write)\ (?:a\ |some\ |more\ )?(?:unit\ )?tests?\b(?!\ (?:data|set|split))"
    rf"|test\ {_THIS}\b",
    "visualise": r"(?:plot|visuali[sz]e)\b"
    r"|(?:draw|make|create|show)\ (?:me\ )?(?:a|an|the)\ (?:\w+\ ){0,3}"
    r"(?:plot|chart|graph|histogram|heatmap|diagram)\b",
    "convert": rf"(?:convert|translate|rewrite|port)\b.*\b(?:to|in|into|using|with)\ {_TARGETS}",
    "optimise": rf"(?:optimi[sz]e|speed\ (?:{_THIS}\ )?up|make\ {_THIS}\ (?:run\ )?faster)\b",
}
# Words in Chinese requests, mostly at the beginning.
_PLEASE = r"^(?:请|請|麻烦|麻煩|帮我|幫我|给我|給我)*"
_NOT = r"(?<!不)(?<!不要)(?<!别)(?<!別)"
_CHINESE_SIGNS: dict[Mode, str] = {
    "fix": rf"{_PLEASE}(?:修复|修正|修好|改正|调试|調試|除錯)",
    "refactor": rf"{_PLEASE}(?:重构|重構)",
    "document": rf"{_NOT}(?:加|添加|写|寫|补充|補充)[^，。]{{0,6}}(?:注释|註解|註釋|文档字符串)",
    "test": r"(?:加(?!载|載)|写|寫|编写|編寫)[^，。]{0,6}(?:测试|測試)(?!数据|資料|集)",
    "visualise": rf"{_PLEASE}(?:画|畫|绘制|繪製|可视化|視覺化)"
    r"|[画畫][^，。的]{0,8}[图圖](?!的)",
    "convert": rf"(?:转换|转|改写|轉換|轉|改寫)(?:成|为|為)\s*{_TARGETS}",
    "optimise": rf"{_PLEASE}(?:优化|最佳化)|(?:加快|提高|提升)[^，。]{{0,6}}(?:速度|性能|效能)",
}
_POLITE = r"(?:(?:please|kindly|can\ you|could\ you)\ )*"
_SIGNS: dict[Mode, re.Pattern[str]] = {
    mode: re.compile(
        rf"^{_POLITE}(?:{_ENGLISH_SIGNS[mode]})|(?:{_CHINESE_SIGNS[mode]})", re.IGNORECASE
    )
    for mode in _ENGLISH_SIGNS
}

_ENGLISH_QUESTION = re.compile(
    rf"""
    {_POLITE}
    (?: explain\b
      | (?:summari[sz]e|describe)\ (?:it|what|this|(?:this|the)\ (?:cell|code))\b
      | what(?:'s|\ is|\ are|\ does|\ do)\ (?:this|that|it|the\ (?:cell|code|function)|line\ \d+)
        (?:\ (?:cell|code|line|function))? (?:\ (?:do|doing|for|mean|return|show)\b.* | \W*) $
      | how\ (?:does|do)\ (?:this|that|it|the\ (?:cell|code|function))\b
      | why\ (?:does|do|is|are)\b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CHINESE_QUESTION = re.compile(
    r"""
    ^(?:请|請|帮我|幫我)?(?:解释|解釋|讲解|講解)
    | [这這该該][个個段行些里裡]?.{0,8}
      (?:做了?什[么麼]|[干幹]什[么麼]|什[么麼]意思|有什[么麼]用|的作用)
    | ^[为為]什[么麼]
    """,
    re.VERBOSE,
)


def split_slash_word(intent: str, language: CellLanguage) -> tuple[Mode | None, str]:
    """Return the slash word's mode, if any, and the rest of the request.

    A Chinese slash word stays in the rest: the model answers in the language of the request.
    """
    match = None if language.is_prose else _SLASH_WORD.match(intent)
    if not match:
        return None, intent
    word = match["english"] or match["chinese"]
    start = match.end() if match["english"] else match.start("chinese")
    return _MODE_BY_WORD[word.lower()], intent[start:]


def is_slash_word(word: str) -> bool:
    """Return whether a word, without its slash, names a mode."""
    return word.lower() in _MODE_BY_WORD


def works_on_cell_above(intent: str, language: CellLanguage) -> bool:
    """Return whether a request in an empty cell is about the code cell above."""
    mode, _ = split_slash_word(intent, language)
    return mode in _INSTRUCTIONS_ABOVE


def mode_of(intent: str, source: str, language: CellLanguage) -> Mode:
    """Return a request's mode. In an empty cell, a question asks for code."""
    mode, text = split_slash_word(intent, language)
    text = text.strip()
    is_empty = not language.below_head(source).strip()
    if mode is None and not language.is_prose:
        if not is_empty and (_ENGLISH_QUESTION.match(text) or _CHINESE_QUESTION.search(text)):
            mode = "explain"
        else:
            mode = next((mode for mode, signs in _SIGNS.items() if signs.search(text)), None)
    return mode or ("create" if is_empty else "edit")


def without_slash(intent: str, language: CellLanguage) -> str:
    """Return a request without the slash of its word, such as ``explain in Chinese``."""
    mode, _ = split_slash_word(intent, language)
    return intent.lstrip()[1:] if mode else intent


def instruct(intent: str, language: CellLanguage, *, above: bool = False) -> str:
    """Replace the slash word with an instruction, perhaps about the cell above."""
    mode, text = split_slash_word(intent, language)
    if mode is None:
        return intent
    instructions = _INSTRUCTIONS | _INSTRUCTIONS_ABOVE if above else _INSTRUCTIONS
    instruction = instructions[mode]
    if mode == "explain" and _OUTPUT.search(text):
        instruction = _EXPLAIN_OUTPUT
    return "\n".join(part for part in (instruction, text) if part)
