"""Short prompts about the code of a cell, for a small model: explain, document, test, convert it.

The code is the cell's own or, in an empty cell, that of the cell above. The prompts contain it, the
request, and nothing that the request doesn't need. A small model would imitate any other text:
asked for comments below the usual examples, it repeats the examples; asked to convert code that
looks like its own answer, it repeats the code.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from . import templates
from .data_parts import frame_parts, select_parts, texts_of
from .examples import ADDITION_EXAMPLES, CONVERSION_EXAMPLES, EXAMPLE_MARK
from .fence import code_block
from .history import Count
from .mentions import mention_texts
from .modes import instruct
from .parsed_request import ParsedRequest
from .project.texts import project_texts
from .prompt_input import PromptInput
from .receipt import ContextItem, fixed_items, size_of, source_item

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

MAX_VARIABLES = 10
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


async def explanation_messages(
    request: PromptInput, budget: int, count: Count
) -> tuple[list[BaseMessage], list[ContextItem]]:
    """Return the messages that ask for an explanation of the code, and their receipt."""
    from langchain_core.messages import HumanMessage, SystemMessage

    parsed = request.parsed
    language = parsed.subject_language
    rules = templates.rules("compact", language, in_words=True)
    code = code_block(parsed.subject, language.name)
    intent = parsed.without_slash + templates.another_answer(request)
    sizes = await count([rules, code, intent])
    mentions, mention_items = await mention_texts(
        request.mentions, "compact", language, budget - sum(sizes), count
    )
    receipt = [
        ContextItem("rules", tokens=sizes[0]),
        source_item(sizes[1], parsed.above),
        *mention_items,
        ContextItem("request", tokens=sizes[2]),
    ]
    return [SystemMessage(rules), HumanMessage(f"{code}\n\n{mentions}{intent}")], receipt


class _Example(NamedTuple):
    before: str
    intent: str
    after: str


def is_conversion(parsed: ParsedRequest) -> bool:
    """Return whether a request asks to convert code, with Python code as the answer."""
    is_python = parsed.language.name == "python"
    return parsed.slash_mode == "convert" and is_python and bool(parsed.subject.strip())


async def own_code_messages(
    request: PromptInput, budget: int, count: Count
) -> tuple[list[BaseMessage], list[ContextItem]]:
    """Return the messages that ask for comments on the code, for tests of it, or to convert it.

    For tests, the model also gets the DataFrames and variables, so that it can test their types,
    lengths and columns. To convert code, it gets the DataFrames: they can be the tables of a query.
    """
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

    parsed = request.parsed
    language, mode = parsed.language, parsed.slash_mode
    example, intent = _example_and_intent(parsed)
    intent += templates.another_answer(request)
    fixed = [
        templates.rules("compact", language),
        f"{code_block(example.before, language.name)}\n\n{example.intent}",
        code_block(example.after, language.name),
    ]
    code = code_block(parsed.subject, language.name)
    frames = request.dataframes if mode != "document" else []
    variables = request.variables[:MAX_VARIABLES] if mode == "test" else []
    parts = [part for frame in frames for part in frame_parts(frame, "compact")]
    kinds = templates.variables(variables)
    *fixed_sizes, code_size, intent_size, kinds_size = await count([*fixed, code, intent, kinds])
    part_sizes = await count([part.text for part in parts])
    room = budget - sum(fixed_sizes) - code_size - intent_size - kinds_size
    shown, frame_items = select_parts(parts, part_sizes, "compact", room)
    room -= size_of(frame_items)
    project = await project_texts(request, "compact", budget, count)
    mentions, mention_items = await mention_texts(
        request.mentions, "compact", language, room - project.reserved, count
    )
    data = "\n".join(text for text in (texts_of(shown, "dataframe"), kinds) if text)
    receipt = [
        *fixed_items(fixed_sizes, project.items),
        source_item(code_size, parsed.above),
        *frame_items,
        *([ContextItem("variables", tokens=kinds_size, count=len(variables))] if variables else []),
        *mention_items,
        ContextItem("request", tokens=intent_size),
    ]
    request_text = "\n\n".join(text for text in (code, data, f"{mentions}{intent}") if text)
    messages: list[BaseMessage] = [
        SystemMessage(fixed[0] + project.after_intent),
        HumanMessage(fixed[1], additional_kwargs=EXAMPLE_MARK),
        AIMessage(fixed[2], additional_kwargs=EXAMPLE_MARK),
        HumanMessage(request_text),
    ]
    return messages, receipt


def _example_and_intent(parsed: ParsedRequest) -> tuple[_Example, str]:
    """Return an example for a request, and the request as the model gets it."""
    mode = parsed.slash_mode
    if mode == "convert":
        intent = parsed.without_slash
        target = _target(intent)
        before, after = CONVERSION_EXAMPLES[target]
        # Code that runs a query by pandas is a call of pandas already.
        detail = "\nUse methods of DataFrames, and no SQL." if target == "pandas" else ""
        return _Example(before, f"convert to {target}{detail}", after), intent + detail
    assert mode == "document" or mode == "test"
    is_chinese = bool(_CHINESE.search(parsed.intent))
    before, after = ADDITION_EXAMPLES[mode, "zh" if is_chinese else "en"]
    above = parsed.above is not None
    if above:
        after = after.removeprefix(before).strip()
    example = _Example(before, instruct(f"/{mode}", parsed.language, above=above), after)
    return example, parsed.instruction


def _target(intent: str) -> str:
    """Return the library that a request names last and that has an example, or the last example."""
    *libraries, other = CONVERSION_EXAMPLES
    names = re.findall(rf"(?<![a-z])(?:{'|'.join(libraries)})(?![a-z])", intent.lower())
    return names[-1] if names else other
