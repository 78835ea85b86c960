"""The setting ``features``: which values are valid, and that it can be a command-line option."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from jupyter_server.serverapp import ServerApp
from traitlets.config import Config

from aiserver.errors import SettingError
from aiserver.extension import AIServer
from aiserver.features import Features, parse_features


def test_features_without_a_setting_are_allowed() -> None:
    assert parse_features({}) == Features()
    assert set(Features().to_dict().values()) == {"allowed"}
    assert parse_features({"files": "forbidden"}).to_dict()["files"] == "forbidden"
    assert parse_features({"receipts": "always"}).receipts == "always"


NEVER_ALWAYS = sorted(Features().to_dict().keys() - {"receipts", "agents"})


@pytest.mark.parametrize("name", NEVER_ALWAYS)
def test_only_stored_prompts_can_be_always_on(name: str) -> None:
    with pytest.raises(SettingError) as caught:
        parse_features({name: "always"})
    assert caught.value.message == (
        f"AIServer.features: “{name}” can't be “always”. It can be allowed or forbidden."
    )


def test_agents_have_levels() -> None:
    assert parse_features({"agents": "read"}).agents == "read"
    with pytest.raises(SettingError, match="forbidden, read, propose or edit"):
        parse_features({"agents": "all"})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"file": "forbidden"},
            "there is no feature “file”. The features are remote_models, running, completion, "
            "receipts, files, outputs, data_values, memory, agents.",
        ),
        ({1: "forbidden"}, "there is no feature “1”."),
        (
            {"receipts": False},
            "“receipts” can't be “False”. It can be allowed, forbidden or always.",
        ),
        ({"running": ["forbidden"]}, "“running” can't be “['forbidden']”."),
    ],
)
def test_a_wrong_setting_names_the_right_ones(settings: dict[Any, Any], message: str) -> None:
    with pytest.raises(SettingError) as caught:
        parse_features(settings)
    assert message in caught.value.message


@pytest.mark.parametrize(
    "options",
    [
        ['--AIServer.features={"completion": "forbidden", "receipts": "always"}'],
        ["--AIServer.features=completion=forbidden", "--AIServer.features=receipts=always"],
    ],
)
def test_the_setting_can_be_options_of_the_server(options: list[str]) -> None:
    server = ServerApp()
    server.parse_command_line(options)
    features = parse_features(AIServer(config=server.config).features)
    assert features == Features(completion="forbidden", receipts="always")


def examples() -> list[str]:
    """Return the configurations of single-user servers in ``docs/administration.md``."""
    text = (Path(__file__).parent.parent / "docs/administration.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    return [block for block in blocks if "c.AIServer.features" in block]


@pytest.mark.parametrize("example", examples())
def test_the_examples_for_administrators_are_valid(
    example: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HISTORIES_URL", "sqlite:///histories.db")
    config = Config()
    exec(example, {"c": config})
    extension = AIServer(config=config)
    assert parse_features(extension.features) != Features()
    assert extension.make_models().allows_remote == ("remote_models" not in example)


def test_there_are_examples() -> None:
    assert len(examples()) == 3
