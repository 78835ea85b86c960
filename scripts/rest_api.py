#!/usr/bin/env python3
"""Print ``aiserver/rest-api.yml``, the description of the HTTP API, for ``scripts/generate.mjs``.

Bodies and queries come from their models, answers from subclasses of ``Payload`` that handlers
return and from stored records, all with the docstrings of classes and fields.
``scripts/rest-api.yml`` has the rest, in shorthand (``schema_of``, ``response``). There, ``errors``
are the statuses of errors besides the usual ones: 401, 403, and 400 and 413 for a request with a
body.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import yaml
from pydantic import TypeAdapter
from pydantic.alias_generators import to_camel
from pydantic.json_schema import models_json_schema
from pydantic_core import core_schema

sys.path.insert(0, str(Path(__file__).parent.parent))

from aiserver import schemas as stored
from aiserver.handlers.base import Encoded
from aiserver.handlers.routes import ROUTES
from aiserver.loaded_plugins import load_plugins
from aiserver.models import SessionSummary
from aiserver.payload import Payload, wire_fields
from aiserver.requests import Body
from aiserver.schemas import WithoutTitles, field_docs

SOURCE = Path(__file__).with_name("rest-api.yml")
VERBS = ("get", "post", "put", "patch", "delete")
HEAD = "# Written by scripts/rest_api.py from the models and scripts/rest-api.yml.\n"
REF = "#/components/schemas/"
KEYWORDS = {"type", "$ref", "allOf", "enum", "description", "items", "additionalProperties"}
KEYWORDS |= {"pattern", "minimum", "maximum", "minItems", "maxItems", "maxLength"}
JSON_TYPES = ("string", "integer", "number", "boolean", "object", "null")

Schema = dict[str, Any]
Class = TypeVar("Class")


def render() -> str:
    """Return the description."""
    answers = answer_types()  # all handlers are imported, and so are all models
    description = yaml.safe_load(SOURCE.read_text("utf-8"))
    parameters = description.pop("path parameters")
    for path, item in description["paths"].items():
        names = re.findall(r"{(\w+)}", path)
        used = [
            {"name": name, "in": "path", "required": True, "schema": schema_of(parameters[name])}
            for name in names
        ]
        for verb in filter(item.__contains__, VERBS):
            item[verb] = _operation(item[verb], answers[re.sub(r"{\w+}", "{}", path), verb])
        item |= {"parameters": used} if used else {}
    components = description["components"]
    own = {name: schema_of(short) for name, short in components["schemas"].items()}
    models = body_schemas() | payload_schemas() | stored_schemas()
    for name, fields in components.pop("fields").items():
        models[name]["properties"] |= {field: schema_of(each) for field, each in fields.items()}
    assert not models.keys() & own.keys(), "something is described twice"
    components["schemas"] = own | _used(models, str(description["paths"]) + str(own))
    options: dict[str, Any] = {"sort_keys": False, "allow_unicode": True, "width": 120}
    text: str = yaml.dump(description, Dumper=_Dumper, default_flow_style=None, **options)
    return HEAD + text


def answer_types() -> dict[tuple[str, str], str | None]:
    """Return the name of the payload that a method returns, if any, by its address and verb."""
    return {
        (re.sub(r"\([^)]*\)", "{}", pattern).removeprefix("/aiserver"), verb): _payload_of(
            get_type_hints(getattr(handler, verb)).get("return")
        )
        for pattern, handler in [*ROUTES, *load_plugins().routes()]
        for verb in VERBS
    }


def _payload_of(kind: Any) -> str | None:
    kind = get_args(kind)[0] if get_origin(kind) in (Encoded, UnionType) else kind
    return kind.__name__ if isinstance(kind, type) and issubclass(kind, Payload) else None


def _operation(short: Schema, answer: str | None) -> Schema:
    """Return an operation of the source in full."""
    operation, responses = dict(short), dict(short["responses"])
    if body := operation.pop("body", None):
        operation["requestBody"] = {"required": True, "content": _json(body)}
    if query := operation.pop("query", None):
        model = next(kind for kind in subclasses(Body) if kind.__name__ == query)
        operation["parameters"] = list(_query_parameters(model))
    usual = [401, 403, *([400, 413] if "requestBody" in operation else [])]
    errors = sorted({*usual, *responses.pop("errors", ())})
    full = {str(n): response(text, answer if n < 300 else None) for n, text in responses.items()}
    full |= {str(status): {"$ref": "#/components/responses/Error"} for status in errors}
    return operation | {"responses": full}


def response(short: Any, answer: str | None) -> Schema:
    """Return a response: ``description`` or ``[description, type of the JSON, ETag]``.

    The type is left out if it is the payload that the method returns, ``answer``.
    """
    if isinstance(short, dict):
        return short
    description, *content = [short] if isinstance(short, str) else short
    content = [answer, *content] if answer else content
    headers = {name: {"schema": {"type": "string"}} for name in content[1:]}
    return (
        {"description": description}
        | ({"headers": headers} if headers else {})
        | ({"content": _json(content[0])} if content else {})
    )


def _json(short: Any) -> Schema:
    return {"application/json": {"schema": schema_of(short)}}


def schema_of(short: Any) -> Schema:
    """Return the schema of a type: ``string``, ``Step``, ``[Step]`` or ``Step | null``.

    An object is a mapping, whose optional keys end with ``?``. A type with a description is
    ``{is: …, description: …}``. A mapping with ``KEYWORDS`` only is a schema already.
    """
    if isinstance(short, list):
        return {"type": "array", "items": schema_of(short[0])}
    if isinstance(short, dict):
        if short.keys() <= KEYWORDS:
            return short
        description = {name: short[name] for name in short if name == "description"}
        if "is" in short:
            return schema_of(short["is"]) | description
        fields = {name: each for name, each in short.items() if name not in description}
        properties = {name.rstrip("?"): schema_of(each) for name, each in fields.items()}
        required = [name for name in fields if not name.endswith("?")]
        return {"type": "object", "required": required, "properties": properties} | description
    if " | " in short:
        return {"anyOf": [schema_of(each) for each in short.split(" | ")]}
    if short.startswith("["):
        return schema_of([short[1:-1]])
    return {"type": short} if short in JSON_TYPES else {"$ref": f"{REF}{short}"}


def _used(schemas: Schema, text: str) -> Schema:
    """Return the schemas to which a text refers, directly or not."""
    used = {name: schemas[name] for name in sorted(schemas) if f"{REF}{name}'" in text}
    return used if str(used) in text else _used(schemas, text + str(used))


def _query_parameters(model: type[Body]) -> Iterator[Schema]:
    schema = model.model_json_schema(schema_generator=WithoutTitles)
    _describe(schema, model)
    for name, field in schema["properties"].items():
        description = {"description": field.pop("description")} if "description" in field else {}
        parameter = {"name": name, "in": "query", "required": name in schema.get("required", ())}
        yield parameter | description | {"schema": _without_null(field)}


def _without_null(schema: Schema) -> Schema:
    """Return the schema of a value that is left out instead of being null."""
    rest = {name: value for name, value in schema.items() if (name, value) != ("default", None)}
    types = [each for each in rest.pop("anyOf", ()) if each != {"type": "null"}]
    return rest | (types[0] if len(types) == 1 else {"anyOf": types} if types else {})


def body_schemas() -> Schema:
    """Return the schema of each body, and of what it contains, by its name."""
    classes = {kind.__name__: kind for kind in subclasses(Body)}
    _, definitions = models_json_schema(
        [(kind, "validation") for _, kind in sorted(classes.items())],
        schema_generator=WithoutTitles,
        ref_template=REF + "{model}",
    )
    schemas: Schema = definitions["$defs"]
    for name, schema in schemas.items():
        _describe(schema, classes[name])
        for field_schema in schema["properties"].values():
            if not field_schema.get("default", True):
                del field_schema["default"]  # null, false or nothing, as clients expect
    return schemas


class _PayloadSchemas(WithoutTitles):
    """Refers to the schema of a class that pydantic doesn't know, such as UserText, by its name."""

    def is_instance_schema(self, schema: core_schema.IsInstanceSchema) -> Schema:
        return {"allOf": [{"$ref": f"{REF}{schema['cls'].__name__}"}]}


def payload_schemas() -> Schema:
    """Return the schema of each payload, by its name."""
    classes: dict[str, type] = {kind.__name__: kind for kind in subclasses(Payload)}
    classes[SessionSummary.__name__] = SessionSummary
    _, definitions = TypeAdapter.json_schemas(
        [(name, "serialization", TypeAdapter(kind)) for name, kind in classes.items()],
        schema_generator=_PayloadSchemas,
        ref_template=REF + "{model}",
    )
    schemas: Schema = definitions["$defs"]
    for name, kind in classes.items():
        schema, fields = schemas[name], _fields(kind)
        properties = schema["properties"]
        schema["properties"] = {
            sent: _without_null(properties[name]) if is_optional else properties[name]
            for name, sent, is_optional in fields
        }
        schema["required"] = [sent for _, sent, is_optional in fields if not is_optional]
        _describe(schema, kind)
        for field_schema in schema["properties"].values():
            field_schema.pop("default", None)
    return schemas


def stored_schemas() -> Schema:
    """Return the schemas of a session and of what it contains."""
    session = stored.load("session.schema.json")
    schemas: Schema = json.loads(json.dumps(session).replace("#/$defs/", REF))
    schemas = schemas.pop("$defs") | {"Session": schemas}
    for schema in schemas.values():
        for name in ("$schema", "title", "additionalProperties"):
            schema.pop(name, None)  # with the last, TypeScript would allow any key
    return schemas


def _fields(kind: Any) -> list[tuple[str, str, bool]]:
    """Return the name of each field, its name in the API, and whether it can be left out."""
    if issubclass(kind, Payload):
        return wire_fields(kind)
    fields = kind.model_fields.items()
    return [(name, field.alias or to_camel(name), False) for name, field in fields]


def _describe(schema: Schema, kind: type) -> None:
    """Describe a schema and its fields by the docstrings of its class."""
    del schema["title"]
    names = {name: sent for name, sent, _ in _fields(kind)}
    schema["description"] = _as_markdown(inspect.getdoc(kind) or "", names)
    for name, text in field_docs(kind).items():
        schema["properties"][names[name]]["description"] = _as_markdown(text, names)


def _as_markdown(docstring: str, own: dict[str, str]) -> str:
    """Return a docstring as Markdown, with the names of fields as clients write them."""
    kinds = (*subclasses(Body), *subclasses(Payload))
    names = {name: sent for kind in kinds for name, sent, _ in _fields(kind) if name != sent} | own
    return re.sub(r"``(.+?)``", lambda match: f"`{names.get(match[1], match[1])}`", docstring)


def subclasses(kind: type[Class]) -> Iterator[type[Class]]:
    """Yield all subclasses of a class."""
    for child in kind.__subclasses__():
        yield child
        yield from subclasses(child)


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
