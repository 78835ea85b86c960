"""Resources and prompts of the Model Context Protocol."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .conftest import AgentClient
from .test_tools import CELL, Write, begin, start


async def test_resources_are_what_the_tools_read(agent: AgentClient, notebook: Write) -> None:
    notebook(path="a b.ipynb")
    run = await begin(agent, "a b.ipynb", "tidy up")
    templates = (await agent.send("resources/templates/list")).data["result"]["resourceTemplates"]
    contents = {}
    for template in templates:
        uri = template["uriTemplate"].replace("{cell}", CELL).replace("{run}", run)
        uri = uri.replace("{+path}", "a%20b.ipynb")
        answer = await agent.send("resources/read", {"uri": uri})
        (content,) = answer.data["result"]["contents"]
        assert (content["uri"], content["mimeType"]) == (uri, "application/json")
        contents[template["name"]] = json.loads(content["text"])
    assert contents["notebook"] == await agent.use("notebook_outline", path="a b.ipynb")
    assert contents["cell"] == await agent.use("cell_read", path="a b.ipynb", cell=CELL)
    assert contents["history"] == await agent.use("cell_history", path="a b.ipynb", cell=CELL)
    assert (contents["run"]["run"], contents["run"]["intent"]) == (run, "tidy up")


async def test_only_open_notebooks_are_listed_that_may_be_read(
    agent: AgentClient, call: Any, notebook: Write, allow: Any, jp_ws_fetch: Any, extension: Any
) -> None:
    """P55"""
    from .test_channel import PageClient, reads

    notebook()
    assert (await agent.send("resources/list")).data["result"]["resources"] == []
    page = PageClient(await jp_ws_fetch("aiserver", "agents", "channel"), reads)
    await page.hello()
    listed: list[Any] = []
    while not listed:
        listed = (await agent.send("resources/list")).data["result"]["resources"]
    assert [each["uri"] for each in listed] == ["aiserver://notebook/a.ipynb"]
    await start(agent, call, allow, "off")
    assert (await agent.send("resources/list")).data["result"]["resources"] == []


@pytest.mark.parametrize(
    "uri",
    [
        *(None, 3, "x", "aiserver://", "aiserver://cell/a.ipynb"),
        *("aiserver://notebook/no.ipynb", "aiserver://run/x/new.ipynb"),
    ],
)
async def test_what_is_no_resource_gets_an_error(
    agent: AgentClient, notebook: Write, uri: object
) -> None:
    notebook(path="new.ipynb")
    answer = await agent.send("resources/read", {"uri": uri})
    assert (answer.status, answer.data["error"]["code"]) == (200, -32602)


async def test_an_agent_that_may_not_read_gets_no_resource(
    agent: AgentClient, call: Any, notebook: Write, allow: Any
) -> None:
    """P55"""
    notebook()
    run = await start(agent, call, allow, "off")
    for uri in ("notebook", f"cell/{CELL}", f"history/{CELL}", f"run/{run}"):
        answer = await agent.send("resources/read", {"uri": f"aiserver://{uri}/a.ipynb"})
        assert "off" in answer.data["error"]["message"]


async def test_prompts_name_the_notebook(agent: AgentClient) -> None:
    prompts = (await agent.send("prompts/list")).data["result"]["prompts"]
    assert [prompt["name"] for prompt in prompts] == [
        "review_notebook",
        "continue_last_time",
        "why_is_this_so",
    ]
    for prompt in prompts:
        values = {each["name"]: f"the-{each['name']}" for each in prompt["arguments"]}
        given = {"name": prompt["name"], "arguments": values}
        (message,) = (await agent.send("prompts/get", given)).data["result"]["messages"]
        assert message["role"] == "user" and message["content"]["type"] == "text"
        assert all(value in message["content"]["text"] for value in values.values())
    for given in ({"name": "no"}, {"name": "review_notebook"}, {"name": ["x"]}):
        assert (await agent.send("prompts/get", given)).data["error"]["code"] == -32602
