"""Texts for people: English sentences that the interface translates.

Each sentence is worded once, in Python. It travels as its template and its parameters;
``scripts/translations.py`` collects the templates of all ``UserText("…")`` calls, and the page
looks the template up in the person's language.
"""

from __future__ import annotations

import re
from typing import Any

_PLACE = re.compile(r"%([1-9])")


class UserText(str):
    """An English text, made from a template and the parameters for its %1, %2 ….

    A parameter that is itself a ``UserText`` is translated, too. The template is written out at
    the call, since it is what is translated.
    """

    template: str
    params: tuple[str, ...]

    def __new__(cls, template: str, *params: str) -> UserText:
        """Fill ``params`` into ``template``."""
        text = _PLACE.sub(lambda place: params[int(place[1]) - 1], template) if params else template
        self = super().__new__(cls, text)
        self.template, self.params = template, params
        return self

    def fill(self, *params: str) -> UserText:
        """Return the same template with other parameters."""
        return type(self)(self.template, *params)

    @classmethod
    def from_wire(cls, fields: dict[str, Any] | None) -> UserText | None:
        """The text that was sent as ``fields``; its parameters must be strings."""
        return cls(fields["template"], *fields["params"]) if fields else None

    def to_wire(self) -> dict[str, Any]:
        """The template and its parameters, as sent."""
        params = [part.to_wire() if isinstance(part, UserText) else part for part in self.params]
        return {"template": self.template, "params": params}
