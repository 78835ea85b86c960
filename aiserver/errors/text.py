"""Texts for people: English sentences that the interface translates.

The server words each of its sentences only once, in English. It sends the page a template and
parameters, and the page looks up the template's translation in the person's language.
``scripts/translations.py`` collects the templates of all ``UserText("…")`` calls for translation.
"""

from __future__ import annotations

import re
from typing import Any

_PARAMETER = re.compile(r"%([1-9])")


class UserText(str):
    """An English text: a template in which parameters replace %1, %2 ….

    A parameter that is itself a ``UserText`` is translated, too. The template must be a literal,
    because ``scripts/translations.py`` reads it from the source code.
    """

    template: str
    params: tuple[str, ...]

    def __new__(cls, template: str, *params: str) -> UserText:
        text = template
        if params:
            text = _PARAMETER.sub(lambda match: params[int(match[1]) - 1], template)
        self = super().__new__(cls, text)
        self.template, self.params = template, params
        return self

    def fill(self, *params: str) -> UserText:
        return type(self)(self.template, *params)

    @classmethod
    def from_wire(cls, fields: dict[str, Any] | None) -> UserText | None:
        """Return the text that ``to_wire`` converted, whose parameters are all plain strings."""
        return cls(fields["template"], *fields["params"]) if fields else None

    def to_wire(self) -> dict[str, Any]:
        params = [
            value.to_wire() if isinstance(value, UserText) else value for value in self.params
        ]
        return {"template": self.template, "params": params}
