#!/usr/bin/env python3
"""Print ``aiserver/rest-api.yml``, the description of the HTTP API, for ``scripts/generate.mjs``.

The bodies of requests come from their models, with the docstrings of classes and fields. The
addresses and the answers are in ``scripts/rest-api.yml``. There, ``errors`` are the statuses of
errors besides the usual ones: 401, 403, and 400 and 413 for a request with a body.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel
from pydantic.alias_generators import to_camel
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

sys.path.insert(0, str(Path(__file__).parent.parent))

from aiserver.handlers.routes import ROUTES
from aiserver.loaded_plugins import load_plugins
from aiserver.requests import Body

SOURCE = Path(__file__).with_name("rest-api.yml")
VERBS = ("get", "post", "put", "patch", "delete")
HEAD = "# Written by scripts/rest_api.py from the models and scripts/rest-api.yml.\n"


def render() -> str:
    """Return the description."""
    description = yaml.safe_load(SOURCE.read_text("utf-8"))
    for operation in operations(description):
        responses = operation["responses"]
        usual = [401, 403, *([400, 413] if "requestBody" in operation else [])]
        for status in sorted({*usual, *responses.pop("errors", ())}):
            responses[str(status)] = {"$ref": "#/components/responses/Error"}
    schemas, bodies = description["components"]["schemas"], body_schemas()
    assert not schemas.keys() & bodies.keys(), "something is described twice"
    everything = str(description) + str(bodies)
    used = {name: body for name, body in bodies.items() if f"/schemas/{name}'" in everything}
    description["components"]["schemas"] = schemas | used
    options: dict[str, Any] = {"sort_keys": False, "allow_unicode": True, "width": 120}
    text: str = yaml.dump(description, Dumper=_Dumper, default_flow_style=None, **options)
    return HEAD + text


def operations(description: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the operations. Each gets its own answers, though some share them in the source."""
    for item in description["paths"].values():
        for operation in (item[verb] for verb in VERBS if verb in item):
            operation["responses"] = dict(operation["responses"])
            yield operation


def body_schemas() -> dict[str, Any]:
    """Return the schema of each body, and of what it contains, by its name."""
    assert ROUTES and load_plugins().routes()  # all handlers are imported, and so are all bodies
    classes = {kind.__name__: kind for kind in subclasses(Body)}
    _, definitions = models_json_schema(
        [(kind, "validation") for _, kind in sorted(classes.items())],
        schema_generator=_WithoutTitles,
        ref_template="#/components/schemas/{model}",
    )
    schemas: dict[str, Any] = definitions["$defs"]
    fields = {field for kind in classes.values() for field in kind.model_fields}
    for name, schema in schemas.items():
        del schema["title"]
        schema["description"] = _as_markdown(schema["description"], fields)
        for field, text in field_docs(classes[name]):
            schema["properties"][to_camel(field)]["description"] = _as_markdown(text, fields)
        for field_schema in schema["properties"].values():
            if not field_schema.get("default", True):
                del field_schema["default"]  # null, false or nothing, as clients expect
    return schemas


def subclasses(kind: type[Body]) -> Iterator[type[Body]]:
    """Yield all subclasses of a class."""
    for child in kind.__subclasses__():
        yield child
        yield from subclasses(child)


def field_docs(model: type[BaseModel]) -> Iterator[tuple[str, str]]:
    """Yield the name and the docstring of each field of a model."""
    for base in reversed(model.__mro__):
        if issubclass(base, Body):
            source = textwrap.dedent(inspect.getsource(base))
            [definition] = ast.parse(source).body
            assert isinstance(definition, ast.ClassDef)
            for field, text in itertools.pairwise(definition.body):
                if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
                    yield ast.unparse(field.target), inspect.cleandoc(ast.literal_eval(text.value))


def _as_markdown(text: str, fields: set[str]) -> str:
    """Return a docstring as Markdown, with the names of fields as clients write them."""

    def in_wire_words(match: re.Match[str]) -> str:
        return f"`{to_camel(match[1]) if match[1] in fields else match[1]}`"

    return re.sub(r"``(.+?)``", in_wire_words, text)


class _WithoutTitles(GenerateJsonSchema):
    """Generates schemas without the titles that pydantic derives from the names of fields."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks, and nothing as an alias."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


if __name__ == "__main__":
    sys.stdout.buffer.write(render().encode())
