"""Measure whether a model uses the summary of older turns, and whether the summary harms.

    python -m benchmarks.older_turns local:qwen2.5-coder-0.5b

The model must be installed. Each case is a cell whose two newest turns are sent word for word,
after a summary of older ones. In half of the cases, the request refers to what only the summary
contains; in the others, the summary is irrelevant. The benchmark prints for each case whether the
answer contains the expected code, with the summary and without it.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from dataclasses import dataclass

from aiserver.llm.base import ChatModel
from aiserver.llm.registry import ModelRegistry
from aiserver.models import Interaction
from aiserver.plugins.local_models.models import CatalogueModels
from aiserver.prompts.context import build_messages
from aiserver.prompts.parsed_request import parse_request
from aiserver.prompts.prompt_input import OlderTurns, PromptInput

READ = "import pandas as pd\n\ndf = pd.read_csv('trips.csv')\n"
FARES = f"{READ}df.groupby('city')['fare'].mean()"
MONTHS = f"{READ}df.groupby('month')['fare']"
SCATTER = f"{READ}df.plot.scatter(x='distance', y='fare')"
COUNTER = """\
from collections import Counter


def count_words(text):
    return Counter(text.lower().split())"""


@dataclass(frozen=True)
class Case:
    """A request, its two past turns (intent and code), and a summary of older turns.

    An answer is right if it contains all texts of one of the alternatives in ``expected``.
    """

    intent: str
    turns: tuple[tuple[str, str], tuple[str, str]]
    summary: str
    expected: tuple[tuple[str, ...], ...]


CASES = {
    "needed": [
        Case(
            "convert the fare to euros, with the rate that I gave before",
            (("read trips.csv", f"{READ}df.head()"), ("first ten", f"{READ}df.head(10)")),
            "- read trips.csv\n- the exchange rate is 0.93 euros per dollar",
            (("0.93",),),
        ),
        Case(
            "use our colour",
            (("plot fare by distance", SCATTER), ("smaller points", f"{SCATTER[:-1]}, s=4)")),
            "- our colour is #336699\n- a scatter plot of fare by distance",
            (("#336699", "scatter"),),
        ),
        Case(
            "put the result into the variable that I wanted before",
            (("read trips.csv", f"{READ}df.head()"), ("mean fare", f"{READ}df['fare'].mean()")),
            "- the result must be called avg_fare\n- mean fare",
            (("avg_fare =",),),
        ),
        Case(
            "save it to the file that I named at first",
            (("mean fare per city", FARES), ("largest first", f"{FARES}.sort_values()[::-1]")),
            "- save results to out/fares_2024.csv, later\n- mean fare per city",
            (("out/fares_2024.csv",),),
        ),
        Case(
            "结果保留我之前说的小数位数",
            (("读取 trips.csv", f"{READ}df.head()"), ("按城市统计平均票价", FARES)),
            "- 读取 trips.csv\n- 结果保留三位小数",
            (("round(3)",),),
        ),
        Case(
            "只看我说过的城市",
            (("读取 trips.csv", f"{READ}df.head()"), ("按城市统计平均票价", FARES)),
            "- 读取 trips.csv\n- 只关心成都和西安",
            (("成都", "西安"),),
        ),
    ],
    "irrelevant": [
        Case(
            "largest first",
            (("mean fare per city", FARES), ("as a table", f"{FARES}.to_frame()")),
            "- a function that reads a file\n- remove empty rows\n- a histogram, later removed",
            (("groupby('city')", "ascending=False"),),
        ),
        Case(
            "保留两位小数",
            (("按月份统计票价", f"{MONTHS}.sum()"), ("改成平均值", f"{MONTHS}.mean()")),
            "- 读取 trips.csv\n- 画直方图，后来删掉\n- 只看上海，后来取消",
            (("groupby('month')['fare'].mean().round(2)",),),
        ),
        Case(
            "add a title",
            (("plot fare by distance", SCATTER), ("smaller points", f"{SCATTER[:-1]}, s=4)")),
            "- drop rows without a fare\n- mean fare per city, later removed",
            (("s=4", "title"),),
        ),
        Case(
            "从大到小排序",
            (("改成平均值", f"{MONTHS}.mean()"), ("保留两位小数", f"{MONTHS}.mean().round(2)")),
            "- 读取 trips.csv\n- 按月份统计票价\n- 只看上海",
            (("groupby('month')['fare'].mean().round(2)", "ascending=False"),),
        ),
        Case(
            "as a bar plot",
            (("largest first", f"{FARES}.sort_values()[::-1]"), ("top 5", f"{FARES}.nlargest(5)")),
            "- read trips.csv\n- only the year 2024, later all years again",
            (("groupby('city')", "bar"),),
        ),
        Case(
            "show only the two most common words",
            (("use Counter", COUNTER), ("call it", f"{COUNTER}\n\n\ncount_words('a b a')")),
            "- a function that counts the words of a text\n- remove punctuation, later removed",
            (("def count_words", "most_common(2)"),),
        ),
    ],
}


async def answer_of(model: ChatModel, case: Case, *, has_summary: bool) -> str:
    """Return the model's answer to the request of a case."""
    turns, source = [], ""
    for number, (intent, code) in enumerate(case.turns, 41):
        fields = {
            "turn_id": number,
            "timestamp": "2026-01-27T10:00:00.000Z",
            "user_request": {"intent": intent, "current_code": source},
            "ai_response": {"suggestion": code, "status": "success"},
        }
        turns.append(Interaction.model_validate(fields))
        source = code
    older = OlderTurns(case.summary, 40, -40) if has_summary else None
    parsed = parse_request(case.intent, source, "python")
    request = PromptInput(parsed, history=turns, older_turns=older)
    messages, _ = await build_messages(
        request, style=model.style, budget=model.prompt_tokens, count=model.count_tokens
    )
    answer = ""
    async with contextlib.aclosing(model.stream(messages, language="python")) as deltas:
        async for delta in deltas:
            answer += delta.text
    return answer


def is_right(answer: str, case: Case) -> bool:
    """Return whether an answer is right."""
    return any(all(text in answer for text in texts) for texts in case.expected)


async def main(model_id: str) -> None:
    """Run the benchmark and print the results."""
    models = ModelRegistry()
    models.local_class = CatalogueModels
    model = await models.get(model_id)
    for kind, cases in CASES.items():
        for has_summary in (False, True):
            results = [
                is_right(await answer_of(model, case, has_summary=has_summary), case)
                for case in cases
            ]
            name = "with the summary" if has_summary else "without it"
            marks = " ".join("right" if right else "wrong" for right in results)
            print(f"{kind}, {name}: {sum(results)} of {len(results)} ({marks})", flush=True)
    await models.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
