"""The settings of clients are edited as text: only AI Server's entry changes."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from aiserver.plugins.agents.cli.config_formats import Format, Unsuitable
from aiserver.plugins.agents.cli.json_config import JSONConfig
from aiserver.plugins.agents.cli.toml_config import TOMLConfig
from aiserver.plugins.agents.cli.yaml_config import YAMLConfig

from .command_line import parse_toml

PROGRAM = '/opt/数据 "x" \\ \'/bin/jupyter-aiserver'
ENTRY = {"command": PROGRAM, "args": ["mcp"]}
SERVERS = JSONConfig("mcpServers")

JSON_TEXTS = {
    "empty": "{}",
    "empty, several lines": "{\n}\n",
    "empty section": '{\n  "mcpServers": {}\n}\n',
    "empty section, with space": '{"mcpServers": { }, "b": 1}',
    "other server": '{\n    "mcpServers": {\n        "b": {"command": "x"}\n    }\n}\n',
    "other servers": '{"mcpServers":{"b":{"command":"x"},"a":{"command":"y"}},"z":[1,\n2]}',
    "other keys": '{\n\t"theme" : "dark",\n\t"n": 1e5, "big": 12345678901234567890\n}',
    "one line": '{"z": 1, "a": "\\u00e9 é"}',
    "Windows": '\ufeff{\r\n  "a": 1,\r\n  "mcpServers": {\r\n    "b": {}\r\n  }\r\n}\r\n',
    "twice": '{"mcpServers": {"x": {}}, "mcpServers": {\n"b": {}}}',
    "brackets in texts": '{"mcpServers": {"b}": {"command": "{\\"}"}}, "c": "}"}',
}
TOML_TEXTS = {
    "nothing": "",
    "empty line": "\n",
    "keys": 'model = "x"  # mine\n',
    "no line break at the end": 'model = "x"',
    "tables": '[mcp_servers.b]\ncommand = "x"\n\n[projects."/a"]\ntrust_level = "trusted"\n\n\n',
    "Windows": 'a = 1\r\n[b]\r\nc = """\r\n[d]\r\n"""\r\n',
    "comment at the end": "a = 1\n# the end",
}
YAML_TEXTS = {
    "nothing": "",
    "keys": "GOOSE_MODEL: x  # mine\n",
    "no line break at the end": "GOOSE_MODEL: x",
    "empty section": "a: 1\nextensions:\nb: 2\n",
    "empty section at the end": "a: 1\nextensions:",
    "other extensions": "extensions:\n    developer:\n        enabled: true\n\nb: |\n  text\n",
    "Windows": "extensions:\r\n  b:\r\n    args:\r\n    - x\r\nc: 1\r\n",
    "comments": "# top\nextensions: # all\n  # first\n  b: {enabled: false}\n  # last\n",
}
CASES = [
    *((SERVERS, json.loads, text) for text in JSON_TEXTS.values()),
    *((TOMLConfig(), parse_toml, text) for text in TOML_TEXTS.values()),
    *((YAMLConfig(), yaml.safe_load, text) for text in YAML_TEXTS.values()),
]
NAMES = [
    *(f"JSON: {name}" for name in JSON_TEXTS),
    *(f"TOML: {name}" for name in TOML_TEXTS),
    *(f"YAML: {name}" for name in YAML_TEXTS),
]


@pytest.mark.parametrize(("format_", "parse", "text"), CASES, ids=NAMES)
def test_removing_undoes_adding_byte_for_byte(format_: Format, parse: Any, text: str) -> None:
    assert format_.entry(text) is None
    assert format_.remove(text) == text
    added = format_.add(text, ENTRY)
    assert format_.entry(added) == ENTRY
    before, after = parse(text.removeprefix("\ufeff")) or {}, parse(added.removeprefix("\ufeff"))
    for name, value in before.items():
        if value:
            other = after[name]
            assert other == value or {k: v for k, v in other.items() if k != "aiserver"} == value
    assert [*after][: len(before)] == [*before]  # the order
    assert ("\r\n" in added) == ("\r\n" in text)
    assert added.count("\r") == added.count("\r\n")
    assert "\r\n" not in added or added.count("\n") == added.count("\r\n")
    assert format_.remove(added) == text


@pytest.mark.parametrize(("format_", "parse", "text"), CASES, ids=NAMES)
def test_another_installation_replaces_the_entry(format_: Format, parse: Any, text: str) -> None:
    old = format_.add(text, ENTRY | {"command": "/old/jupyter-aiserver"})
    replaced = format_.add(old, ENTRY)
    assert format_.entry(replaced) == ENTRY
    assert format_.remove(replaced) == text


@pytest.mark.parametrize("format_", [SERVERS, TOMLConfig(), YAMLConfig()])
def test_a_new_file_is_deleted_again(format_: Format) -> None:
    assert format_.remove(format_.add(None, ENTRY)) is None
    assert format_.entry(format_.describe(ENTRY)) == ENTRY


@pytest.mark.parametrize(
    ("format_", "text"),
    [
        (SERVERS, ""),
        (SERVERS, "{"),
        (SERVERS, '{"a": 1,}'),
        (SERVERS, '{"a": 1 // mine\n}'),
        (SERVERS, "[]"),
        (SERVERS, '{"mcpServers": []}'),
        (SERVERS, '{"mcpServers": {"aiserver": 1}}'),
        (SERVERS, "[" * 100_000),
        (TOMLConfig(), "a = "),
        (TOMLConfig(), "mcp_servers = 1"),
        (TOMLConfig(), 'mcp_servers = {b = {command = "x"}}'),
        (YAMLConfig(), "a: [1"),
        (YAMLConfig(), "- a"),
        (YAMLConfig(), "extensions: 1"),
        (YAMLConfig(), "extensions: {b: {enabled: true}}"),
        (YAMLConfig(), "{extensions: {}}"),
        (YAMLConfig(), "a: 1\n---\nb: 2"),
    ],
)
def test_damaged_and_unusual_files_are_refused(format_: Format, text: str) -> None:
    with pytest.raises(Unsuitable):
        format_.add(text, ENTRY)


def test_tables_that_codex_adds_between_the_marks_stay() -> None:
    added = TOMLConfig().add('model = "x"\n', ENTRY)
    own, mark, rest = added.rpartition("# AI Server: end")
    tools = '[mcp_servers.aiserver.tools.cell_read]\napproval_mode = "approve"\n\n'
    project = '[projects."/a"]\ntrust_level = "trusted"\n'
    removed = TOMLConfig().remove(f"{own}\n{tools}{project}{mark}{rest}")
    assert parse_toml(removed) == {"model": "x", "projects": {"/a": {"trust_level": "trusted"}}}
    assert "aiserver" not in removed and "AI Server" not in removed


def test_an_entry_that_goose_has_rewritten_is_removed() -> None:
    """Goose drops comments, and sorts nothing."""
    data = yaml.safe_load(YAMLConfig().add("GOOSE_MODEL: x\n", ENTRY))
    data["extensions"]["memory"] = {"enabled": True}
    removed = YAMLConfig().remove(yaml.safe_dump(data, sort_keys=False, allow_unicode=True))
    assert yaml.safe_load(removed) == {
        "GOOSE_MODEL": "x",
        "extensions": {"memory": {"enabled": True}},
    }


def test_an_entry_that_a_client_has_rewritten_is_removed() -> None:
    for indent in (None, 2, "\t"):
        data = json.loads(SERVERS.add('{"a": 1}', ENTRY)) | {"b": 2}
        removed = SERVERS.remove(json.dumps(data, indent=indent))
        assert {"a": 1, "b": 2}.items() <= json.loads(removed).items()
        assert "aiserver" not in removed
