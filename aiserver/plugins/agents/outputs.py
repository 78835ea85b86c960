"""Describe outputs of cells for agents: what there is and, only if allowed, the values. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...redact import redact

_HEAD, _TAIL = 2_000, 1_000  # characters of a text that are given
_MAX_OUTPUTS = 20


def describe_outputs(outputs: object, *, with_values: bool) -> list[dict[str, Any]]:
    """Describe the outputs of a cell. Without values, only their kinds, and names of errors."""
    listed = outputs if isinstance(outputs, list) else []
    described = [
        _describe(output, with_values=with_values)
        for output in listed[:_MAX_OUTPUTS]
        if isinstance(output, Mapping)
    ]
    left_out = len(listed) - len(described)
    return [*described, {"left_out": left_out}] if left_out else described


def run_outcome(cell: Mapping[str, Any], *, with_values: bool) -> dict[str, Any]:
    """Describe what the page says about a cell or code that it has run."""
    described = {
        "cell": cell.get("id"),
        "status": cell.get("status"),
        "execution_count": cell.get("executionCount"),
        "outputs": describe_outputs(cell.get("outputs"), with_values=with_values),
    }
    return described if cell.get("id") else {k: described[k] for k in ("status", "outputs")}


def _describe(output: Mapping[str, Any], *, with_values: bool) -> dict[str, Any]:
    kind = str(output.get("output_type", ""))
    described: dict[str, Any] = {"kind": kind}
    data = output.get("data")
    if isinstance(data, Mapping):
        described["types"] = [str(type_) for type_ in data][:10]
    if kind == "error":
        name = str(output.get("ename", ""))[:200]  # which code can choose
        if with_values or name.replace(".", "").isidentifier():
            described["error"] = name
    text = _text(output, kind, data)
    if text and with_values:
        described["text"] = _cut(redact(text))
    elif text:
        described["characters"] = len(text)
    return described


def _text(output: Mapping[str, Any], kind: str, data: object) -> str:
    if kind == "stream":
        return _joined(output.get("text"))
    if kind == "error":
        return _joined(output.get("evalue"))
    return _joined(data.get("text/plain")) if isinstance(data, Mapping) else ""


def _joined(text: object) -> str:
    return "".join(map(str, text)) if isinstance(text, list) else str(text or "")


def _cut(text: str) -> str:
    if len(text) <= _HEAD + _TAIL:
        return text
    left_out = len(text) - _HEAD - _TAIL
    return f"{text[:_HEAD]}\n[… {left_out} characters left out …]\n{text[-_TAIL:]}"
