"""P29: the running server conforms to ``rest-api.yml`` for any input."""

from __future__ import annotations

import json
import re
import warnings
from typing import Any

import pytest
import schemathesis
import yaml
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from scripts.rest_api import render

from ..examples import examples
from .conftest import LiveServer

SPEC: dict[str, Any] = yaml.safe_load(render())
SCHEMA = schemathesis.openapi.from_dict(SPEC)
# Other protocols, whose tests are in tests/agents.
NOT_REST = {"/mcp", "/agents/channel"}
OPERATIONS = {
    f"{operation.method.upper()} {operation.path}": operation
    for operation in (result.ok() for result in SCHEMA.get_all_operations())  # type: ignore[union-attr]
    if operation.path not in NOT_REST
}
EXAMPLES = examples(20)  # for each operation


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.filterwarnings("ignore")
def test_the_server_conforms(live: LiveServer, name: str) -> None:
    """P29: valid and invalid requests get no 5xx, and responses match the description."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        conforms(live, OPERATIONS[name])


def conforms(live: LiveServer, operation: Any, **ids: st.SearchStrategy[Any]) -> set[int]:
    """Send valid and invalid requests, with these ids if given; return the statuses."""
    headers = {"Authorization": f"token {live.token}"}
    statuses = set()

    @seed(29)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(), chosen=st.fixed_dictionaries(ids))
    def send(case: Any, chosen: dict[str, Any]) -> None:
        case.path_parameters = {**(case.path_parameters or {}), **chosen}
        response = case.call(base_url=f"{live.url}aiserver", headers=headers)
        assert response.status_code < 500 or response.status_code in (503, 507), response.text
        if response.status_code != 412:  # for an outdated revision, which the schema can't describe
            case.validate_response(response, headers=headers)
        statuses.add(response.status_code)

    send()
    return statuses


NOTEBOOK, CELLS = "with-a-past", ["a", "b", "gone"]
OF_THE_PAST = [
    name
    for name in OPERATIONS
    if re.search(
        r"/(replay|blame|timeline|moments|report|export|changes)|GET /(blobs|search)", name
    )
]


@pytest.fixture
def recorded_notebook(live: LiveServer) -> str:
    """Record a notebook with much history; return the hash of its picture."""
    picture = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
    with live.client() as client:
        png = {"Content-Type": "image/png"}
        blob = client.put("aiserver/blobs", content=picture, headers=png)
        sha256 = blob.json().get("sha256", "0" * 64)
        for number, cell in enumerate(CELLS):
            asked = {"notebookId": NOTEBOOK, "cellId": cell, "intent": f"画图 {number}"}
            client.post("aiserver/generate", json={**asked, "source": "x = 1"}).raise_for_status()
        image = {"sha256": sha256, "mime": "image/png", "width": 1, "height": 1}
        outputs = {"text": "1", "images": [image]}
        ran = {"status": "ok", "execution_count": 1, "duration_ms": 2, "outputs": outputs}
        when = "2026-01-27T10:00:00.000Z"
        batch = {
            "id": "past",
            "saved": True,
            "order": [{"id": cell, "type": "code"} for cell in CELLS[:2]],
            "cells": [
                {
                    "cellId": "a",
                    "events": [
                        {"type": "accept", "timestamp": when, "turnId": 1, "source": "x = 2"},
                        {"type": "run", "timestamp": when, "source": "x = 2", "data": ran},
                    ],
                },
                {
                    "cellId": "gone",
                    "events": [
                        {"type": "delete", "timestamp": when, "source": "y", "data": {"index": 2}}
                    ],
                },
            ],
        }
        client.post(f"aiserver/notebooks/{NOTEBOOK}/changes", json=batch).raise_for_status()
    return sha256


@pytest.mark.parametrize("name", OF_THE_PAST)
@pytest.mark.filterwarnings("ignore")
def test_the_history_of_a_notebook_conforms_to_the_description(
    live: LiveServer, recorded_notebook: str, name: str
) -> None:
    """P29: this includes notebooks with a history."""
    ids = {
        "notebook_id": st.just(NOTEBOOK),
        "cell_id": st.sampled_from(CELLS),
        "index": st.integers(0, 20),
        "sha256": st.just(recorded_notebook),
    }
    path_ids = {part: ids[part] for part in re.findall(r"\{(\w+)\}", name)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert conforms(live, OPERATIONS[name], **path_ids) & {200, 201}, "no successful response"


def test_all_operations_are_tested() -> None:
    assert len(OPERATIONS) == sum(
        verb in ("get", "post", "put", "patch", "delete")
        for path, item in SPEC["paths"].items()
        for verb in item
        if path not in NOT_REST
    )


BAD = {
    "a list": (b"[1]", 400),
    "nothing": (b"", 400),
    "no JSON": (b"{", 400),
    "NaN": (b'{"source": NaN}', 400),
    "infinity": (b'{"source": -Infinity}', 400),
    "half a surrogate pair": (b'{"intent": "\\ud800"}', 400),
    "no UTF-8": (b'{"intent": "\xff"}', 400),
    "another encoding": ('{"intent": "x"}'.encode("utf-16"), 400),
    "nested deep": (b'{"a":' * 100_000, 400),
    "nested deep and closed": (b"[" * 100_000 + b"]" * 100_000, 400),
    "a number of 5,000 digits": (b'{"parentTurnId": ' + b"9" * 5000 + b"}", 400),
    "10 MB": (json.dumps({"source": "x" * 10_000_000}).encode(), 413),
    "10 MB of braces": (b"{" * 10_000_000, 413),
    "a field of 1 MB": (json.dumps({"x" * 1_000_000: 1}).encode(), 400),
    "NUL in an id": (b'{"notebookId": "a\\u0000b", "cellId": "c", "intent": "x"}', 400),
}
WITH_BODY = [
    (verb, path)
    for path, item in SPEC["paths"].items()
    for verb in item
    if "requestBody" in (item[verb] if isinstance(item[verb], dict) else {})
]


@pytest.mark.parametrize(("verb", "address"), WITH_BODY)
def test_invalid_bodies_are_rejected(live: LiveServer, verb: str, address: str) -> None:
    """P29: the message is short and doesn't repeat the body."""
    ids = {"notebook_id": "nb", "cell_id": "c1", "entryId": "0" * 12, "proposalId": "0" * 12}
    ids |= {"run": "0" * 32, "action": "undo"}
    path = address.format(**ids, provider="openai", scope="person")
    with live.client() as client:
        for name, (raw, status) in BAD.items():
            reply = client.request(verb, f"aiserver{path}", content=raw)
            assert reply.status_code == status, (name, reply.text)
            assert reply.json()["code"] in ("invalid_request", "request_too_large")
            assert len(reply.content) < 300, name
