"""Short prompts about the code of a cell, for a small model: explain, document, test, convert it.

The prompts contain only what the request needs. A small model would imitate any other text: asked
for comments below the usual examples, it repeats the examples; asked to convert code that looks
like its own answer, it repeats the code.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from . import texts
from .examples import ADDITION_EXAMPLES, CONVERSION_EXAMPLES
from .fence import code_block
from .fitting import chat, select_parts, texts_of
from .language import display_name
from .mentions import mention_texts
from .modes import instruct
from .parsed_request import ParsedRequest
from .prompt_input import PromptInput
from .receipt import ContextItem, fixed_items, size_of, source_item
from .small import data_frames, mention_in_blocks, project_line, small_rules
from .turns import Count, Pair

if TYPE_CHECKING:
    from .fitting import Prompt

MAX_VARIABLES = 10
_EXPLAIN_RULES = """\
You explain the {language} code of one notebook cell in two or three short sentences, in the \
language of the request. Write no code."""
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


async def explanation_prompt(request: PromptInput, budget: int, count: Count) -> Prompt:
    """Ask for an explanation of the code."""
    parsed, language = request.parsed, request.parsed.subject_language
    if language.is_prose:
        rules = small_rules(language)
    else:
        rules = _EXPLAIN_RULES.format(language=display_name(language.name))
    code = code_block(parsed.subject, language.name)
    intent = parsed.without_slash + texts.another_answer(request)
    rules_size, code_size, intent_size = await count([rules, code, intent])
    mentions, mention_items = await mention_texts(
        request.mentions,
        lambda mention: mention_in_blocks(mention, language),
        language.kernel,
        budget - rules_size - code_size - intent_size,
        count,
    )
    receipt = [
        ContextItem("rules", tokens=rules_size),
        source_item(code_size, parsed.above),
        *mention_items,
        ContextItem("request", tokens=intent_size),
    ]
    last = "\n".join(text for text in (f"{code}\n", mentions, intent) if text)
    return chat(rules, [], last), receipt


def is_conversion(parsed: ParsedRequest) -> bool:
    """Return whether a request asks to convert code, with Python as the answer."""
    is_python = parsed.language.name == "python"
    return parsed.slash_mode == "convert" and is_python and bool(parsed.subject.strip())


async def changed_code_prompt(request: PromptInput, budget: int, count: Count) -> Prompt:
    """Ask for comments on the code, for tests of it, or to convert it.

    Tests are about types, lengths and columns of data. DataFrames can be the tables of a query.
    """
    parsed, language = request.parsed, request.parsed.language
    mode = parsed.slash_mode
    rules = small_rules(language)
    before, example_intent, after, intent = _example_and_intent(parsed)
    intent += texts.another_answer(request)
    example = Pair(
        f"{code_block(before, language.name)}\n\n{example_intent}",
        code_block(after, language.name),
    )
    code = code_block(parsed.subject, language.name)
    parts = data_frames(request.dataframes if mode != "document" else [])
    variables = request.variables[:MAX_VARIABLES] if mode == "test" else []
    kinds = texts.variables(variables)
    fixed = [rules, example.request, example.answer]
    *fixed_sizes, code_size, intent_size, kinds_size = await count([*fixed, code, intent, kinds])
    part_sizes = await count([part.text for part in parts])
    project = await project_line(request, budget, count)
    room = budget - sum(fixed_sizes) - code_size - intent_size - kinds_size
    shown, frame_items = select_parts(parts, part_sizes, room)
    mentions, mention_items = await mention_texts(
        request.mentions,
        lambda mention: mention_in_blocks(mention, language),
        language.kernel,
        room - size_of(frame_items) - project.reserved,
        count,
    )
    data = "\n".join(text for text in (texts_of(shown, "dataframe"), kinds) if text)
    asked = "\n".join(text for text in (mentions, intent) if text)
    receipt = [
        *fixed_items(fixed_sizes, project.items),
        source_item(code_size, parsed.above),
        *frame_items,
        *([ContextItem("variables", tokens=kinds_size, count=len(variables))] if variables else []),
        *mention_items,
        ContextItem("request", tokens=intent_size),
    ]
    last = "\n\n".join(text for text in (code, data, asked) if text)
    return chat(rules + project.line, [], last, examples=[example]), receipt


def _example_and_intent(parsed: ParsedRequest) -> tuple[str, str, str, str]:
    mode = parsed.slash_mode
    if mode == "convert":
        intent = parsed.without_slash
        target = _target(intent)
        before, after = CONVERSION_EXAMPLES[target]
        # A query that pandas runs is already a call of pandas.
        detail = "\nUse methods of DataFrames, and no SQL." if target == "pandas" else ""
        return before, f"convert to {target}{detail}", after, intent + detail
    assert mode == "document" or mode == "test"
    is_chinese = bool(_CHINESE.search(parsed.intent))
    before, after = ADDITION_EXAMPLES[mode, "zh" if is_chinese else "en"]
    above = parsed.above is not None
    if above:
        after = after.removeprefix(before).strip()
    return before, instruct(f"/{mode}", parsed.language, above=above), after, parsed.instruction


def _target(intent: str) -> str:
    *libraries, other = CONVERSION_EXAMPLES
    names = re.findall(rf"(?<![a-z])(?:{'|'.join(libraries)})(?![a-z])", intent.lower())
    return names[-1] if names else other
