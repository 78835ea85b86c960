"""The embedded model itself: real weights, real llama.cpp, one thread.

What it writes is judged by what the code computes, never by its text.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import io
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage, SystemMessage

from aiserver import errors
from aiserver.generation.compose import compose
from aiserver.generation.past_turns import PastTurns
from aiserver.llm.base import ModelInfo
from aiserver.llm.streaming import Limits
from aiserver.models import Interaction
from aiserver.plugins.completion.gap import MAX_TOKENS, CompletionBody, find_gap
from aiserver.plugins.local_models import weights
from aiserver.plugins.local_models.catalogue import SMALLEST
from aiserver.plugins.local_models.model import LocalModel
from aiserver.plugins.local_models.process import LocalProcess
from aiserver.prompts.answers.reader import AnswerReader
from aiserver.prompts.context import build_messages
from aiserver.prompts.language import cell_language
from aiserver.prompts.prompt_input import PromptInput
from aiserver.requests import GenerateBody

from ..prompts.inputs import prompt_input

pytestmark = [pytest.mark.embedded, pytest.mark.timeout(300)]


WEIGHTS = weights.installed(SMALLEST)  # before the tests get a home of their own


@pytest.fixture(scope="module")
def run() -> Iterator[Any]:
    """One event loop for the module, so that one child can serve all its tests."""
    loop = asyncio.new_event_loop()
    yield loop.run_until_complete
    loop.close()


@pytest.fixture(scope="module")
def model(run: Any) -> Iterator[LocalModel]:
    if WEIGHTS is None:
        pytest.fail("The embedded model is missing. Run: jupyter aiserver model install 0.5b")
    process = LocalProcess(WEIGHTS, threads=1, context=SMALLEST.context, memory=SMALLEST.memory)
    limits = Limits(120, 10_000, requires_finish_reason=True)
    info, fill_tokens = ModelInfo("local:test", "test", True), SMALLEST.fill_tokens
    model = LocalModel(info, process, limits, fill_tokens=fill_tokens)
    yield model
    run(model.close())


async def messages_of(model: LocalModel, request: PromptInput) -> Any:
    messages, _ = await build_messages(
        request, style=model.style, budget=model.prompt_tokens, count=model.count_tokens
    )
    return messages


async def ask(model: LocalModel, request: PromptInput) -> str:
    language = request.parsed.language
    parser = AnswerReader(language)
    async for delta in model.stream(await messages_of(model, request), language=language.name):
        parser.feed(delta.text)
    parser.finish()
    return parser.answer.code


def shown(code: str) -> str:
    """Return the output of a cell: printed text and the value of its last expression."""
    tree = ast.parse(code)
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        tree.body.pop()
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            print("" if value is None else value)
    return printed.getvalue()


def first_turn(intent: str, code: str) -> Interaction:
    return Interaction.model_validate(
        {
            "turn_id": 1,
            "timestamp": "2026-01-27T10:00:05.000Z",
            "user_request": {"intent": intent, "current_code": "", "language": "python"},
            "ai_response": {
                "suggestion": code,
                "explanation": "",
                "status": "success",
                "error": None,
            },
        }
    )


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("file", "column", "first", "second"),
    [
        ("data.csv", "price", "读取 data.csv 并显示前5行", "修改为只读取 'price' 列"),
        pytest.param(
            "sales.csv",
            "amount",
            "read sales.csv and show the first 5 rows",
            "only read the 'amount' column",
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_a_cell_is_written_and_then_changed(
    run: Any,
    model: LocalModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    file: str,
    column: str,
    first: str,
    second: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{100 + n},{n}.25,word{n}" for n in range(12)]
    Path(file).write_text("\n".join([f"id,{column},note", *rows]) + "\n")

    code = run(ask(model, prompt_input(first)))
    output = shown(code)
    assert all(f"word{n}" in output for n in range(5)), code
    assert "word5" not in output

    turns = [first_turn(first, code)]
    changed = run(ask(model, prompt_input(second, source=code, history=turns)))
    output = shown(changed)
    assert all(f"{n}.25" in output for n in range(5)), changed
    assert "5.25" not in output
    assert "word" not in output
    assert "100" not in output


def test_tokens_are_counted_by_its_own_tokenizer(run: Any, model: LocalModel) -> None:
    assert run(model.count_tokens(["", "hello world", "读取"])) == [0, 2, 2]


@pytest.mark.thorough
def test_the_prompt_is_read_in_advance(run: Any, model: LocalModel) -> None:
    """A warm prompt's first token comes much sooner than a cold one's, and within 5 seconds."""

    async def first_token(request: PromptInput) -> float:
        messages = await messages_of(model, request)
        began = time.monotonic()
        async with contextlib.aclosing(model.stream(messages, language="python")) as stream:
            await anext(stream)
        return time.monotonic() - began

    def request(intent: str, variable: str) -> PromptInput:
        code = "\n".join(f"{variable}{n} = load('{variable}{n}.csv')" for n in range(12))
        return prompt_input(intent, source=code)

    cold = run(first_token(request("count the rows", "cold")))
    run(model.warm_up(run(messages_of(model, request("", "warm")))))
    warm = run(first_token(request("count the rows", "warm")))
    assert warm < 5
    assert warm < cold


@pytest.mark.thorough
def test_a_stopped_answer_frees_the_model_within_a_second(run: Any, model: LocalModel) -> None:
    """P30: the only slot is free again, so that a next request is answered at once."""

    async def stopped_then_next() -> tuple[float, float]:
        prompt = [HumanMessage("Write two hundred functions, f1 to f200.")]
        async with contextlib.aclosing(model.stream(prompt, language="python")) as stream:
            for _ in range(5):
                await anext(stream)
            began = time.monotonic()
        closed = time.monotonic() - began
        began = time.monotonic()
        async with contextlib.aclosing(model.stream(prompt, language="python")) as stream:
            await anext(stream)
        return closed, time.monotonic() - began

    closed, following = run(stopped_then_next())
    assert closed < 1
    assert following < 3  # the answer itself would take half a minute


@pytest.mark.thorough
def test_a_long_warm_up_does_not_hold_a_request_up(run: Any, model: LocalModel) -> None:
    async def request_during_warm_up() -> float:
        long = [SystemMessage("rules"), HumanMessage("\n".join(f"x{n} = {n}" for n in range(200)))]
        warming = asyncio.create_task(model.warm_up(long))
        await asyncio.sleep(0.5)  # let it begin to read
        began = time.monotonic()
        warming.cancel()
        stream = model.stream([HumanMessage("x = 1")], language="python")
        async with contextlib.aclosing(stream):
            await anext(stream)
        return time.monotonic() - began

    # Reading it all takes half a minute on two idle cores.
    assert run(request_during_warm_up()) < 15


def test_a_prompt_over_the_limit_is_reported(run: Any, model: LocalModel) -> None:
    long = "\n".join(f"value_{n} = {n} * {n + 1}" for n in range(2000))
    with pytest.raises(errors.PromptTooLong):
        run(ask(model, prompt_input("sum them", source=long)))


def complete(run: Any, model: LocalModel, prefix: str, suffix: str = "") -> str:
    """Complete code with a model, like ``Completer``."""
    gap = find_gap(CompletionBody(prefix=prefix, suffix=suffix))
    assert gap is not None

    async def write() -> str:
        text = ""
        async with contextlib.aclosing(
            model.complete(gap.prefix, gap.suffix, stop=gap.stop, max_tokens=MAX_TOKENS)
        ) as pieces:
            async for piece in pieces:
                text += piece
                if gap.end_of(text) is not None:
                    break
        return gap.fit(text)

    return run(write())


def test_code_is_completed_at_the_cursor(run: Any, model: LocalModel) -> None:
    function = "def mean(values):"
    body = complete(run, model, function)
    assert body.startswith("\n    ")
    assert shown(f"{function}{body}\nmean([1, 2, 6])") == "3.0\n"
    before, after = "total = sum(", ")\nprint(total)"
    argument = complete(run, model, f"numbers = [1, 2, 3]\n{before}", after)
    assert shown(f"numbers = [1, 2, 3]\n{before}{argument}{after}").strip() == "6"


def test_a_cell_with_control_tokens_is_completed(run: Any, model: LocalModel) -> None:
    """P14: the control tokens in it are text."""
    marked = "mark = '<|fim_middle|><|endoftext|>'\nnumbers = [1, 2]\nprint(numb"
    assert complete(run, model, marked).startswith("ers")


@pytest.mark.thorough
def test_prose_ends_at_its_closing_fence(run: Any, model: LocalModel) -> None:
    """It used to close its block by habit, with a bare fence, and to begin anew without end."""
    wish = prompt_input("写一段简短的介绍", source="# 销售分析\n", cell_type="markdown")
    parser = AnswerReader(cell_language("python", "", "markdown"))

    async def answer() -> None:
        async for delta in model.stream(await messages_of(model, wish), language="markdown"):
            parser.feed(delta.text)
        parser.finish()

    run(answer())
    assert parser.answer.code.startswith("# 销售分析")
    assert "```" not in parser.answer.code


def test_it_listens_only_on_this_machine_and_requires_its_key(run: Any, model: LocalModel) -> None:
    import httpx

    address = run(model.process.address())
    assert address.url.startswith("http://127.0.0.1:")
    with httpx.Client(trust_env=False) as client:
        for path in ("/v1/models", "/tokenize", "/slots", "/props", "/v1/chat/completions"):
            status = client.post(address.url + path, json={"content": "x"}).status_code
            assert status in (401, 404, 405), path


DISCOUNT = """\
import statistics

def discounted(prices, rate):
    return [price * (1 - rate) for price in prices]

mean = statistics.mean(discounted([10, 20], 0.5))
mean"""


@pytest.mark.thorough
@pytest.mark.parametrize("intent", ["/document", "/注释", "/test"])
def test_comments_and_tests_leave_the_code(run: Any, model: LocalModel, intent: str) -> None:
    async def answer() -> str:
        body = GenerateBody(
            notebook_id="n", cell_id="c", intent=intent, source=DISCOUNT, language="python"
        )
        composed = await compose(model, body, PastTurns())
        parser = AnswerReader(cell_language("python"))
        stream = model.stream(composed.messages, language="python", additions=composed.additions)
        async for delta in stream:
            parser.feed(delta.text)
        parser.finish()
        return parser.answer.code

    code = run(answer())
    lines = code.splitlines()
    added = [line for line in lines if line.strip().startswith(("#", '"""', "assert "))]
    assert added
    assert [line for line in lines if line not in added and line] == [
        line for line in DISCOUNT.splitlines() if line
    ]
