"""Syntax and IPython's additions to it."""

from __future__ import annotations

import base64
import json
import sys

import pytest

from aiserver.kernel.check import check_cell, check_suggestion

from .problems_of import check, problems


@pytest.mark.parametrize(
    "code",
    [
        "for i in range(3)\n    pass",
        "print('a",
        "x = (1,",
        "def f():\nreturn 1",
        "return 1",
        "x = 1\n  y = 2",
        "%matplotlib inline\nx = = 1",
        "a = 1\x00",
        "Here is the code:\nx = 1",
    ],
)
def test_a_syntax_error_is_the_only_problem(code):
    problems = check(code, {})
    assert [item["kind"] for item in problems] == ["syntax"]
    assert problems[0]["message"]


@pytest.mark.parametrize(
    "code",
    [
        "%matplotlib inline",
        "!ls -la | grep '(",
        "files = !ls *.csv",
        "folder = %pwd",
        "len?",
        "?len",
        "str.join??",
        "%%bash\necho 'hello",
        "%%time\nx = 1\nprint(x)",
        "%%html\n<b>",
        "%time x = 1\nprint(x)",
        "%timeit -n 10 sum([1, 2])",
        "if True:\n    !ls\n    %who\nelse:\n    pass",
        ">>> x = 1\n>>> x\n1",
        "    x = 1\n    print(x)",
        "\n\n%%capture out\nprint(1)",
        "ls",
        "pip install pandas",
        "!echo \\\n  a\nx = 1",
        "text = '''\n%not magic\n!nor this\n'''\nprint(text)",
        "import asyncio\nawait asyncio.sleep(0)",
        "import asyncio\nasync with asyncio.Lock() as lock:\n    print(lock)",
        "",
        "   ",
        "# only a comment",
    ],
)
def test_ipython_syntax_is_no_problem(code):
    assert problems(code) == []


def test_python_after_magics_is_checked_at_its_position():
    problems = check("%matplotlib inline\n!ls\nx = !ls\nprint(missing)", {})
    assert [(item["line"], item["column"], item["end_column"]) for item in problems] == [(4, 6, 13)]


def test_python_in_a_magic_is_checked():
    assert problems("%time total = missing") == [("undefined_name", "missing")]
    assert problems("%%time\nprint(missing)") == [("undefined_name", "missing")]


def test_magics_that_may_define_names_silence_them():
    assert problems("%run setup.py\nprint(from_setup)") == []
    assert problems("%pylab inline\nplot(arange(3))") == []
    assert problems("%store -r saved\nprint(saved)") == []


def test_positions_count_characters():
    problem = check("价格 = '元' + 数量", {})[0]
    assert (problem["column"], problem["end_column"]) == (11, 13)


def test_indented_code_keeps_its_columns():
    problem = check("    x = 1\n    print(missing)", {})[0]
    assert (problem["line"], problem["column"]) == (2, 10)


def test_deep_and_long_code_is_bounded():
    assert problems("x = " + "+".join(["1"] * 3000)) == []
    assert [kind for kind, _ in problems("(" * 5000)] in ([], ["syntax"])
    assert problems("missing\n" * 20_000) == []
    assert len(check("\n".join(f"missing_{n}" for n in range(100)), {})) == 20


@pytest.mark.skipif(sys.version_info < (3, 10), reason="match")
def test_match_binds_names():
    code = "match {'a': [1, 2]}:\n    case {'a': [first, *rest], **others}:\n"
    assert (
        problems(code + "        print(first, rest, others)\n    case other:\n        other") == []
    )


def test_the_page_gets_problems_and_warnings_as_json():
    result = json.loads(base64.b64decode(check_cell({}, "x = (1", "", "", "")))
    assert result == check_suggestion("x = (1", {})
    assert [item["kind"] for item in result["problems"]] == ["syntax"]
