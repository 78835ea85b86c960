"""``rest-api.yml`` describes the server: routes, methods, bodies and stored records."""

from __future__ import annotations

import pathlib
import re
import sys
from subprocess import run
from typing import Any

import yaml
from openapi_spec_validator import validate

import aiserver
from aiserver import models
from aiserver.handlers.routes import ROUTES as OF_CORE
from aiserver.loaded_plugins import load_plugins
from aiserver.replay.step import WIRE_NAMES

ROOT = pathlib.Path(__file__).parent.parent
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


def test_the_description_is_what_the_models_give():
    """A body is described by its model, so that the description is always that of the server."""
    run([sys.executable, "-m", "scripts.rest_api", "--check"], cwd=ROOT, check=True)
    body = SCHEMAS["GenerateBody"]
    assert body["required"] == ["notebookId", "cellId", "intent"]
    assert body["additionalProperties"] is False and "`parentTurnId`" in body["description"]


def test_stored_records_match_the_description():
    for name, record in (("Interaction", models.Interaction), ("Event", models.Event)):
        assert set(SCHEMAS[name]["properties"]) == set(record.model_fields)
        assert set(SCHEMAS[name]["required"]) == {
            field for field, info in record.model_fields.items() if info.is_required()
        }


def test_steps_match_the_description():
    derived = {"errorText"}
    assert set(WIRE_NAMES.values()) | derived == set(SCHEMAS["Step"]["properties"])
