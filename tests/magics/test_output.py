"""The output of a request in a terminal, and the lines that IPython passes."""

from __future__ import annotations

import ast
import json
import subprocess
import sys

import pytest

from aiserver.plugins.magics.ai import _LINE, allow_question
from aiserver.plugins.magics.output import TerminalOutput, review_hint
from aiserver.plugins.magics.stream import read_events
from aiserver.running_servers.client import ServerError


def test_a_terminal_gets_the_text_without_control_characters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """P12"""
    output = TerminalOutput()
    output.add("code", "x = '\x1b]0;pwned\x07'\n")
    output.add("code", "y = 价格")
    output.add("explanation", "Why\x9b2J.")
    output.show_answer("x", "y", "")
    shown = capsys.readouterr().out
    assert shown == "x = '�]0;pwned�'\ny = 价格\n\nWhy�2J.\n"


def test_a_terminal_gets_an_answer_that_was_not_streamed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    output = TerminalOutput()
    output.show_answer("", "It is one.", "")
    assert capsys.readouterr().out == "It is one.\n"


@pytest.mark.parametrize(
    ("line", "options", "text"),
    [
        ("", "", ""),
        ("what's this?", "", "what's this?"),
        ("--model openai:x plot it", "--model openai:x ", "plot it"),
        ("-m openai:x", "-m openai:x", ""),
        ("--model=openai:x 画图 --model", "--model=openai:x ", "画图 --model"),
        ("--what is it", "--what ", "is it"),
        ("- a list", "", "- a list"),
    ],
)
def test_options_precede_the_text_of_a_line(line: str, options: str, text: str) -> None:
    match = _LINE.fullmatch(line)
    assert match is not None and match.groups() == (options, text)


@pytest.mark.parametrize(
    ("cell", "request_text"),
    [
        ("\n%ai what's 'x'?\nx\n", "what's 'x'?"),
        ("%ai --model a:b 价格?\n", "--model a:b 价格?"),
        ("%ai?\n", None),
        ("%ai plot it\n", None),
        ('text = """\n%ai what?\n"""\n', None),
        ("", None),
    ],
)
def test_a_line_can_end_with_a_question_mark(cell: str, request_text: str | None) -> None:
    lines = cell.splitlines(keepends=True)
    changed = allow_question(lines)
    if request_text is None:
        assert changed == lines
    else:
        [call] = [new for new, old in zip(changed, lines, strict=True) if new != old]
        assert repr(request_text) in call and ast.parse(call)


def test_events_are_read_between_comments() -> None:
    lines = [b": still here\n", b"\n", b"event: token\n", 'data: {"text": "数"}\n'.encode(), b"\n"]
    assert list(read_events(lines)) == [("token", {"text": "数"})]
    for broken in (b"data: {}\n", b"event: x\ndata: [1]\n", b"event: x\ndata: {\n"):
        with pytest.raises(ServerError):
            list(read_events(broken.splitlines(keepends=True)))


def test_the_magics_import_nothing_of_the_server() -> None:
    """A kernel's environment may lack the server's packages, and importing them takes seconds."""
    code = (
        "import sys, json, IPython\n"
        "before = set(sys.modules)\n"
        "import aiserver\n"
        "light = sorted(set(sys.modules) - before)\n"
        "import aiserver.plugins.magics.ai\n"
        "print(json.dumps([light, sorted(set(sys.modules) - before)]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    light, loaded = json.loads(done.stdout)
    assert {name for name in light if name.startswith("aiserver")} <= {
        "aiserver",
        "aiserver._version",
    }
    foreign = {
        name.partition(".")[0]
        for name in loaded
        if name.partition(".")[0] not in sys.stdlib_module_names
    }
    assert foreign <= {"aiserver", "IPython"}
    own = {name.removeprefix("aiserver.plugins.") for name in loaded if "aiserver." in name}
    own = {name.removeprefix("aiserver.").split(".")[0] for name in own}
    allowed = {"magics", "running_servers", "kernel", "_version", "errors", "i18n", "plugins"}
    assert own <= allowed


def test_the_hint_is_in_the_language_of_the_page() -> None:
    assert review_hint("").startswith("Press `Ctrl+K`")
    assert review_hint("zh_CN").startswith("在此单元格中按 `Ctrl+K`")
    assert review_hint("xx") == review_hint("")
