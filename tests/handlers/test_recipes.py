"""Recipes, through the HTTP API."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .test_rules_files import NoFiles

CLEAN = {"path": "project/n.ipynb", "name": "清洗", "text": "清洗 {{列=price}}"}


@pytest.fixture
def project(jp_root_dir):
    folder = jp_root_dir / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def own_folder(jp_data_dir) -> Path:
    return jp_data_dir / "aiserver" / "recipes"


async def names(call: Any) -> list[tuple[str, bool]]:
    reply = await call("POST", "recipes", {"path": "project/n.ipynb"})
    return [(recipe["name"], recipe["own"]) for recipe in reply.data["recipes"]]


async def test_recipes_are_saved_and_listed(call, project, own_folder):
    assert (await call("PUT", "recipes", CLEAN)).status == 204
    assert (own_folder / "清洗.md").read_text("utf-8") == "清洗 {{列=price}}\n"
    assert (await call("PUT", "recipes", CLEAN | {"name": "plot-it", "own": False})).status == 204
    assert (project / ".aiserver" / "recipes" / "plot-it.md").exists()
    reply = await call("POST", "recipes", {"path": "project/n.ipynb"})
    assert reply.data["recipes"][1] == {
        "name": "清洗",
        "description": "清洗 {{列=price}}",
        "text": "清洗 {{列=price}}",
        "own": True,
    }
    assert await names(call) == [("plot-it", False), ("清洗", True)]


async def test_a_recipe_is_replaced_only_on_request(call, project, own_folder):
    await call("PUT", "recipes", CLEAN)
    again = CLEAN | {"text": "new"}
    reply = await call("PUT", "recipes", again)
    assert (reply.status, reply.data["code"]) == (409, "recipe_exists")
    assert (await call("PUT", "recipes", again | {"replace": True})).status == 204
    assert (own_folder / "清洗.md").read_text("utf-8") == "new\n"


@pytest.mark.parametrize("name", ["fix", "Fix", "修复", "a b", "../x", ""])
async def test_slash_words_and_invalid_names_are_rejected(call, project, own_folder, name):
    """P24: the mode counts, also for a file that somebody else has put there."""
    reply = await call("PUT", "recipes", CLEAN | {"name": name})
    assert (reply.status, reply.data["code"]) == (409, "recipe_name_refused")
    assert not own_folder.exists()


async def test_recipes_with_the_name_of_a_mode_are_not_listed(call, project):
    folder = project / ".aiserver" / "recipes"
    folder.mkdir(parents=True)
    for name in ("fix", "修复", "fix-it"):
        (folder / f"{name}.md").write_text("text")
    assert await names(call) == [("fix-it", False)]


@pytest.mark.parametrize("server_config", [{"ServerApp": {"authorizer_class": NoFiles}}])
async def test_users_without_access_to_files_get_and_change_none(call, project):
    """P2."""
    folder = project / ".aiserver" / "recipes"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("text")
    assert await names(call) == []
    assert (await call("PUT", "recipes", CLEAN | {"own": False})).status == 403
    assert [path.name for path in folder.iterdir()] == ["a.md"]
