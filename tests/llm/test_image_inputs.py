"""The models that can see images."""

from __future__ import annotations

import pytest

from aiserver.llm.providers import sees_images


@pytest.mark.parametrize(
    ("name", "sees"), [("gpt-4.1-mini", True), ("gpt-3.5-turbo", False), ("no-such-model", False)]
)
def test_the_answer_is_that_of_langchain(name: str, sees: bool):
    from langchain_openai import ChatOpenAI

    profile = ChatOpenAI(model=name, api_key="x").profile or {}
    assert sees_images(f"openai:{name}", []) == sees == profile.get("image_inputs", False)


def test_an_administrator_names_models_without_a_profile():
    assert not sees_images("ollama:gemma3:4b", [])
    assert sees_images("ollama:gemma3:4b", ["ollama:gemma3*"])
    assert not sees_images("ollama:qwen2.5-coder:7b", ["ollama:gemma3*"])
    # The embedded models accept only text, whatever the setting says.
    assert not sees_images("local:small", ["*"])


def test_a_package_in_another_format_has_no_profiles(tmp_path, monkeypatch):
    for name, source in (("broken", "raise ValueError"), ("other", "_PROFILES_2 = {}")):
        data = tmp_path / f"langchain_{name}" / "data"
        data.mkdir(parents=True)
        (data / "_profiles.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    assert not any(sees_images(f"{name}:m", []) for name in ("broken", "other", "missing"))
