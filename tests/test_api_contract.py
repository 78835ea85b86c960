"""``rest-api.yml`` describes the server: routes, methods, bodies and stored records."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from subprocess import run
from typing import Any

import yaml
from openapi_spec_validator import validate

from aiserver import models
from aiserver.handlers.routes import ROUTES as OF_CORE
from aiserver.loaded_plugins import load_plugins
from aiserver.plugins.memory.entries import MemoryEntry, TurnSource
from scripts.rest_api import render

SPEC: dict[str, Any] = yaml.safe_load(render())
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


def test_bodies_are_described_by_their_models():
    body = SCHEMAS["GenerateBody"]
    assert body["required"] == ["notebookId", "cellId", "intent"]
    assert body["additionalProperties"] is False and "`parentTurnId`" in body["description"]


def test_the_build_needs_no_python_packages(tmp_path):
    """An isolated build of the wheel has none of the server's."""
    for name in ("python", "python3", "py"):
        (tmp_path / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
        (tmp_path / name).chmod(0o755)
    script = Path(__file__).parent.parent / "scripts" / "generate.mjs"
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    command = ["node", str(script), "--check"]
    build = run(command, env=os.environ | {"PATH": path}, capture_output=True, text=True)
    assert "The HTTP API is not described: No module" in build.stderr
    assert build.returncode == 0, build.stderr


def test_answers_are_described_by_what_methods_return():
    answer = SPEC["paths"]["/notebooks/{notebook_id}/moments/{index}"]["get"]["responses"]["200"]
    schema = answer["content"]["application/json"]["schema"]
    assert (
        schema == {"$ref": "#/components/schemas/NotebookSnapshot"} and "ETag" in answer["headers"]
    )


def test_payloads_in_snake_case_are_described_as_they_are_sent():
    entry = MemoryEntry("0" * 12, "Use polars", source=TurnSource("nb", "c1"))
    assert SCHEMAS["MemoryEntry"]["required"] == list(entry.to_wire())
    assert SCHEMAS["TurnSource"]["required"] == ["notebook_id", "cell_id", "turn_id"]
    assert "`turn_id`" in SCHEMAS["TurnSource"]["description"]


def test_stored_records_match_the_description():
    for name, record in (("Interaction", models.Interaction), ("Event", models.Event)):
        assert set(SCHEMAS[name]["properties"]) == set(record.model_fields)
        assert set(SCHEMAS[name]["required"]) == {
            field for field, info in record.model_fields.items() if info.is_required()
        }


def test_what_is_left_out_is_optional():
    step = SCHEMAS["Step"]
    assert "name" not in step["required"] and step["properties"]["name"]["type"] == "string"
    assert (
        "parent" in step["required"] and {"type": "null"} in step["properties"]["parent"]["anyOf"]
    )
