"""Word an outline in the language of the notebook: English, Simplified or Traditional Chinese."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...search.simplified import simplify
from .data import Data
from .prose import Prose

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_MIN_SHARE = 0.15  # of Chinese characters among all that aren't spaces


@dataclass(frozen=True)
class _Words:
    colon: str
    comma: str
    last_comma: str
    full_stop: str
    reads: str
    reads_with: str
    uses: str
    last_section: str


_ENGLISH = _Words(
    colon=": ",
    comma=", ",
    last_comma=" and ",
    full_stop=".",
    reads="Reads {data}.",
    reads_with="Reads {data} with {libraries}.",
    uses="Uses {libraries}.",
    last_section="The last section with code is “{name}”.",
)
_SIMPLIFIED = _Words(
    colon="：",
    comma="、",
    last_comma="、",
    full_stop="。",
    reads="读取{data}。",
    reads_with="用 {libraries} 读取{data}。",
    uses="使用 {libraries}。",
    last_section="最后一个有代码的章节是“{name}”。",
)
_TRADITIONAL = _Words(
    colon="：",
    comma="、",
    last_comma="、",
    full_stop="。",
    reads="讀取{data}。",
    reads_with="以 {libraries} 讀取{data}。",
    uses="使用 {libraries}。",
    last_section="最後一個有程式碼的章節是「{name}」。",
)


def is_chinese(text: str) -> bool:
    """Return whether a text is in Chinese, possibly with names in other scripts."""
    count = len(_HAN.findall(text))
    return count > _MIN_SHARE * len("".join(text.split())) and not _KANA.search(text)


def purpose_text(prose: Prose, sample: str) -> str:
    """Return the title with the first sentences. ``sample`` is a text in the wanted language."""
    words = _words(sample)
    title, introduction = prose.title, prose.introduction
    if not (title and introduction):
        text = title or introduction
    elif title[-1] in ".:!?。：！？":
        text = title + ("" if ord(title[-1]) > 0x2E7F else " ") + introduction
    else:
        text = title + words.colon + introduction
    return text if not text or text[-1] in ".!?…:。！？：" else text + words.full_stop


def facts_texts(prose: Prose, data: Data, sample: str) -> list[str]:
    """Return sentences about the data and the last section with code, the first ones first."""
    words = _words(sample)
    texts = []
    files, libraries = _joined(data.files, words), _joined(data.libraries, words)
    if files and words is not _ENGLISH and not _HAN.match(files):
        files = f" {files}"  # Chinese has spaces around Latin letters only
    if files and libraries:
        texts.append(words.reads_with.format(data=files, libraries=libraries))
    elif files:
        texts.append(words.reads.format(data=files))
    elif libraries:
        texts.append(words.uses.format(libraries=libraries))
    if prose.last_section:
        texts.append(words.last_section.format(name=prose.last_section))
    return texts


def _joined(names: Sequence[str], words: _Words) -> str:
    if len(names) < 2:
        return "".join(names)
    return words.comma.join(names[:-1]) + words.last_comma + names[-1]


def _words(sample: str) -> _Words:
    if not is_chinese(sample):
        return _ENGLISH
    return _SIMPLIFIED if simplify(sample) == sample else _TRADITIONAL
