"""Undefined names that are used like a DataFrame."""

from __future__ import annotations

import pandas
import polars
import pytest

from aiserver.kernel.frames import meant
from aiserver.kernel.frames.meant import NameUses

from .problems_of import check

TABLES = {
    "销售": pandas.DataFrame({"城市": ["a"], "金额": [1]}),
    "weather": polars.DataFrame({"city": ["a"], "rain": [1]}),
}
BOTH = ["销售", "weather"]


@pytest.mark.parametrize(
    ("code", "candidates", "correction"),
    [
        ("sales['金额'].sum()", ["销售"], "销售"),
        ("sales[['城市', '金额']]", ["销售"], "销售"),
        ("sales.groupby('城市')['金额'].mean()", ["销售"], "销售"),
        ("sales.金额.sum()", ["销售"], "销售"),
        ("df.group_by('city').agg()", ["weather"], "weather"),
        (
            "import seaborn\nseaborn.barplot(data=df, x='城市', y='金额')",
            ["销售", "weather"],
            "销售",
        ),
        # Any DataFrame has this attribute, or takes this column.
        ("sales.head()", BOTH, ""),
        ("sales['new'] = 1", BOTH, ""),
        # No DataFrame has this column or this attribute.
        ("sales['unit']", [], ""),
        ("sales[['城市', 'rain']]", [], ""),
        ("sales.predict('城市')", [], ""),
        # What the suggestion changes or reads may be something else than the table.
        ("sales['金额'] = 1", BOTH, ""),
        ("total['金额'] = 销售['金额'].max()", BOTH, ""),
        ("total['all'] = 销售['金额'].sum()", BOTH, ""),
        ("销售['tax'] = sales['金额'] * 0.2\nprint(销售)", ["销售"], "销售"),
        ("销售 = sales.drop(columns='金额')", BOTH, "销售"),
        ("销售 = 销售[销售['金额'] > 1]\nsales['金额'].max()", ["销售"], ""),
        ("by_city = 销售.groupby('城市').sum()\nsales['金额'].max()", ["销售"], ""),
        ("print('金额', sales.mean())", BOTH, ""),
        # Another name is similar.
        ("sales_sum = 1\nsales['金额']", ["销售", "sales_sum"], ""),
        # Not used like a DataFrame.
        ("print(sales)", [], ""),
        ("sales('城市')", [], ""),
        # A misspelling explains the name better, and a well-known name is imported.
        ("weater['城市']", ["weather"], "weather"),
        ("np.mean('城市')", [], ""),
    ],
)
def test_the_columns_show_which_frame_a_name_means(
    code: str, candidates: list[str], correction: str
) -> None:
    (problem,) = (item for item in check(code, dict(TABLES)) if item["kind"] == "undefined_name")
    assert problem["candidates"] == candidates
    assert problem["correction"] == correction


def test_two_frames_with_the_column_leave_the_choice_to_the_person() -> None:
    copies = {"a": TABLES["销售"].copy(), "b": TABLES["销售"].copy()}
    (problem,) = check("sales['金额'].sum()", copies)
    assert (problem["candidates"], problem["correction"]) == (["a", "b"], "")


def test_at_most_three_frames_are_offered() -> None:
    frames = {f"table_{number}": TABLES["销售"] for number in range(5)}
    (problem,) = check("sales['金额'].sum()", frames)
    assert problem["candidates"] == ["table_0", "table_1", "table_2"]


def test_a_frame_may_have_the_name_of_a_builtin() -> None:
    (problem,) = check("sales['金额'].sum()", {"input": TABLES["销售"]})
    assert (problem["candidates"], problem["correction"]) == (["input"], "input")


def test_the_uses_of_an_undefined_name_are_collected_once() -> None:
    """Otherwise, a long suggestion with many uses would take minutes."""
    walks = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(meant, "NameUses", lambda *a: walks.append(a) or NameUses(*a))
        problems = check("data['金额'].sum()\n" * 500, dict(TABLES), seconds=60)
    assert [item["correction"] for item in problems] == ["销售"] * 20
    assert len(walks) == 1


def test_builtin_names_must_be_clearly_misspelt() -> None:
    """``False`` is somewhat similar to ``sale``, but never what it means."""
    assert [item["candidates"] for item in check("print(sale)\nprnt(1)", {})] == [[], ["print"]]
