"""Dataclasses that the HTTP API sends. ``rest-api.yml`` describes them."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, ClassVar

from pydantic.alias_generators import to_camel

from .errors import UserText

_PLAIN = {str, int, float, bool, dict, type(None)}  # types of values that are sent as they are


class Payload:
    """Base class of the dataclasses that the HTTP API sends, with names in camelCase.

    In a name, ``is_`` is left out; ``name`` in a field's metadata is another name. A field that is
    None by default is left out if it is None, unless it is ``nullable``.
    """

    __slots__ = ()
    _is_camel_case: ClassVar[bool] = True
    # For scripts/rest_api.py, which describes these classes.
    __pydantic_config__: ClassVar = {"arbitrary_types_allowed": True}

    def to_wire(self) -> dict[str, Any]:
        kind: Any = type(self)
        return {
            wire_name: value if type(value) in _PLAIN else to_wire(value)
            for name, wire_name, is_optional in wire_fields(kind)
            if (value := getattr(self, name)) is not None or not is_optional
        }


_SENT = (Payload, UserText)


@dataclass(frozen=True)
class SnakeCasePayload(Payload):
    """Base class of payloads with names in snake_case, like those of stored records."""

    __slots__ = ()
    _is_camel_case = False


def nullable() -> Any:
    """The default of a field that is sent as null if it is None."""
    return field(default=None, metadata={"nullable": True})


@cache
def wire_fields(kind: type[Any]) -> list[tuple[str, str, bool]]:
    """Return the name of each field, its name in the API, and whether it can be left out."""
    convert = to_camel if kind._is_camel_case else str
    return [
        (
            each.name,
            each.metadata.get("name") or convert(each.name.removeprefix("is_")),
            each.default is None and "nullable" not in each.metadata,
        )
        for each in fields(kind)
    ]


def to_wire(value: Any) -> Any:
    """Convert a payload, a text for people or a list of these."""
    if isinstance(value, _SENT):
        return value.to_wire()
    return [to_wire(item) for item in value] if isinstance(value, list | tuple) else value
