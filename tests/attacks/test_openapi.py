"""P29: the running server does what ``rest-api.yml`` says, whatever it is sent."""

from __future__ import annotations

import json
import pathlib
import warnings
from typing import Any

import pytest
import schemathesis
import yaml
from hypothesis import HealthCheck, Phase, given, seed, settings

import aiserver

from .conftest import LiveServer

SPEC: dict[str, Any] = yaml.safe_load(
    (pathlib.Path(aiserver.__file__).parent / "rest-api.yml").read_text()
)
SCHEMA = schemathesis.openapi.from_dict(SPEC)
OPERATIONS = {
    f"{operation.method.upper()} {operation.path}": operation
    for operation in (result.ok() for result in SCHEMA.get_all_operations())
}
EXAMPLES = 30  # for each operation


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.filterwarnings("ignore")
def test_the_server_conforms(live: LiveServer, name: str) -> None:
    """P29: right and wrong requests; no 5xx, and each answer as described."""
    operation = OPERATIONS[name]
    headers = {"Authorization": f"token {live.token}"}

    @seed(29)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def conforms(case: Any) -> None:
        response = case.call(base_url=f"{live.url}aiserver", headers=headers)
        assert response.status_code < 500 or response.status_code in (503, 507), response.text
        if response.status_code != 412:  # a revision that isn't the current one: not in the schema
            case.validate_response(response, headers=headers)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        conforms()


def test_all_operations_are_tried() -> None:
    assert len(OPERATIONS) == sum(
        verb in ("get", "post", "put", "patch", "delete")
        for item in SPEC["paths"].values()
        for verb in item
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
def test_bad_bodies_are_refused(live: LiveServer, verb: str, address: str) -> None:
    """P29: with a short sentence that says nothing of the body again."""
    path = address.format(notebook_id="nb", cell_id="c1", provider="openai")
    with live.client() as client:
        for name, (raw, status) in BAD.items():
            reply = client.request(verb, f"aiserver{path}", content=raw)
            assert reply.status_code == status, (name, reply.text)
            assert reply.json()["code"] in ("invalid_request", "request_too_large")
            assert len(reply.content) < 300, name
