"""Read server-sent events, as ``handlers/sse.py`` frames them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from ..running_servers.client import ServerError


def read_events(lines: Iterable[bytes]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name and the data of each event. Raises ServerError for anything else.

    Comments, which keep the connection open, are skipped.
    """
    name = ""
    for line in lines:
        key, _, value = line.rstrip(b"\r\n").partition(b": ")
        if key == b"event":
            name = value.decode("utf-8", "replace")
        elif key == b"data":
            try:
                data = json.loads(value)
            except ValueError:
                data = None
            if not name or not isinstance(data, dict):
                raise ServerError("The Jupyter server’s answer can’t be read.")
            yield name, data
