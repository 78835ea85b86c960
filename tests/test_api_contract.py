"""``rest-api.yml`` describes the server: routes, methods, bodies and stored records."""

from __future__ import annotations

import pathlib
import re
from typing import Any

import pytest
import yaml
from openapi_spec_validator import validate

import aiserver
from aiserver import models, requests
from aiserver.handlers.routes import ROUTES as OF_CORE
from aiserver.plugin import load_plugins
from aiserver.replay.step import WIRE_NAMES

SPEC: dict[str, Any] = yaml.safe_load(
    (pathlib.Path(aiserver.__file__).parent / "rest-api.yml").read_text()
)
SCHEMAS: dict[str, Any] = SPEC["components"]["schemas"]
ROUTES = [*OF_CORE, *load_plugins().routes()]
VERBS = ("get", "post", "put", "patch", "delete")


def test_the_description_is_valid_openapi():
    validate(SPEC)


def test_routes_and_methods_match_the_description():
    described = {
        (re.sub(r"\{\w+\}", "{}", path), verb)
        for path, item in SPEC["paths"].items()
        for verb in item
        if verb in VERBS
    }
    served = {
        (re.sub(r"\([^)]*\)", "{}", pattern).removeprefix("/aiserver"), verb)
        for pattern, handler in ROUTES
        for verb in VERBS
        if any(verb in vars(kind) for kind in handler.__mro__[:-1] if "aiserver" in kind.__module__)
    }
    assert served == described


@pytest.mark.parametrize(
    "body",
    [
        body
        for base in (requests.Body, requests.WarmUpBody, requests.GenerateBody)
        for body in base.__subclasses__()
    ],
    ids=lambda kind: kind.__name__,
)
def test_bodies_match_the_description(body):
    ours = body.model_json_schema(by_alias=True)
    theirs = SCHEMAS[body.__name__]
    assert set(ours["properties"]) == set(theirs["properties"])
    assert set(ours.get("required", [])) == set(theirs.get("required", []))
    assert theirs["additionalProperties"] is False
    for name, prop in theirs["properties"].items():
        for rule in ("maxLength", "minLength", "maxItems", "minItems", "minimum", "pattern"):
            if rule in prop:
                assert _rule(ours["properties"][name], rule) == prop[rule], f"{name}.{rule}"


def _rule(prop: dict[str, Any], rule: str) -> Any:
    if rule in prop:
        return prop[rule]
    values = [_rule(option, rule) for option in prop.get("anyOf", [])]
    return next((value for value in values if value is not None), None)


def test_stored_records_match_the_description():
    for name, record in (("Interaction", models.Interaction), ("Event", models.Event)):
        assert set(SCHEMAS[name]["properties"]) == set(record.model_fields)
        assert set(SCHEMAS[name]["required"]) == {
            field for field, info in record.model_fields.items() if info.is_required()
        }


def test_steps_match_the_description():
    derived = {"errorText"}
    assert set(WIRE_NAMES.values()) | derived == set(SCHEMAS["Step"]["properties"])
