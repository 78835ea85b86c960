"""JSON Schemas of stored records, generated from the models by ``python -m aiserver.schemas``.

Invariants: the schema files in this folder equal the output of ``render`` (a test compares them).
The schemas allow unknown keys everywhere, because other tools and later versions add keys.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from pydantic.json_schema import GenerateJsonSchema

from .. import models
from ..models import NotebookLogEntry, Session, Stored

DIALECT = "https://json-schema.org/draft/2020-12/schema"
# Maps the name of each schema file to a stored class, and to the schema's title and description.
_SCHEMAS: dict[str, tuple[type[Stored], str, str]] = {
    "session.schema.json": (
        Session,
        "AI Server session",
        "The turns and events of one cell: .aiserver_sessions/<notebook>_<cell>.json",
    ),
    "notebook-log-entry.schema.json": (
        NotebookLogEntry,
        "AI Server notebook log entry",
        "One entry of a change log: .aiserver_sessions/notebooks/<notebook>.jsonl",
    ),
}


def render() -> dict[str, str]:
    """Return a dict that maps the name of each schema file to the text of the file."""
    return {name: _render_schema(*arguments) for name, arguments in _SCHEMAS.items()}


def load(name: str) -> dict[str, Any]:
    """Read a schema file: ``session.schema.json`` or ``notebook-log-entry.schema.json``."""
    content: dict[str, Any] = json.loads((_folder() / name).read_text("utf-8"))
    return content


def write() -> Iterator[Path]:
    """Write the schema files that are out of date, and yield the path of each written file."""
    for name, text in render().items():
        path = _folder() / name
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            yield path


def _folder() -> Path:
    return Path(__file__).parent


class WithoutTitles(GenerateJsonSchema):
    """Generates schemas without the titles that pydantic derives from the names of fields."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def _render_schema(model: type[Stored], title: str, description: str) -> str:
    schema = model.model_json_schema(schema_generator=WithoutTitles)
    for name, definition in [(model.__name__, schema), *schema.get("$defs", {}).items()]:
        del definition["title"]
        for key, sentence in field_docs(getattr(models, name)).items():
            definition["properties"][key]["description"] = sentence
    schema = {"$schema": DIALECT} | schema | {"title": title, "description": description}
    text = json.dumps(schema, ensure_ascii=False, indent=2) + "\n"
    return text.replace("``", "`")  # docstrings use reStructuredText


def field_docs(model: type) -> dict[str, str]:
    """Return the docstring of each field of a class, by the field's name.

    Pydantic could collect the docstrings, too, but it would do so whenever a class is created. This
    would delay each start of the server by 20 ms.
    """
    docs: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if base.__module__.startswith("aiserver."):
            definition = cast("ast.ClassDef", ast.parse(inspect.getsource(base)).body[0])
            for field, docstring in itertools.pairwise(definition.body):
                if isinstance(field, ast.AnnAssign) and isinstance(docstring, ast.Expr):
                    text = inspect.cleandoc(ast.literal_eval(docstring.value))
                    docs[ast.unparse(field.target)] = text
    return docs
