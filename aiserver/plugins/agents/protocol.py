"""The Model Context Protocol over HTTP, without sessions. Pure.

A request of version 2026-07-28 says in ``params._meta`` who the client is. Older clients say it
once, in ``initialize``; the answer's session id contains it, and they send that with each later
request. So the server keeps nothing for a client. What a client says of itself is only used as a
name.

Source: https://modelcontextprotocol.io/specification
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from pydantic_core import from_json

VERSIONS = ("2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
_META = "io.modelcontextprotocol/"

# Some agents add the name of the server to theirs: qwen-cli-mcp-client-aiserver.
_CLIENT = re.compile(r"-mcp-client\b.*")

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
_UNSUPPORTED_VERSION = -32022
_HTTP_STATUS = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    METHOD_NOT_FOUND: 404,
    INVALID_PARAMS: 400,
    _UNSUPPORTED_VERSION: 400,
}


class Agent(NamedTuple):
    """The agent that calls, by the name that its client says of itself."""

    name: str = "agent"
    version: str | None = None


class ProtocolError(Exception):
    """A request that can't be answered. The message is a sentence for the agent."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


class Answer(NamedTuple):
    """The answer to a message: the HTTP status, the body (None: empty), and the session id."""

    status: int
    body: dict[str, Any] | None = None
    session_id: str | None = None


Method = Callable[[dict[str, Any], Agent], Awaitable[dict[str, Any]]]


@dataclass(frozen=True)
class Server:
    """The methods that a client can call, by name, and the answer to ``initialize``."""

    name: str
    version: str
    instructions: str
    capabilities: Mapping[str, Any]
    methods: Mapping[str, Method]

    async def answer(self, raw: bytes, version: str | None, session_id: str | None) -> Answer:
        """Answer one message.

        ``version`` and ``session_id`` are the headers ``MCP-Protocol-Version`` and
        ``Mcp-Session-Id``.
        """
        request_id: Any = None
        try:
            message = _parse(raw)
            request_id = message.get("id")
            if "id" not in message:  # a notification, such as “initialized”
                return Answer(202)
            params = _params(message)
            meta = params.get("_meta")
            meta = meta if isinstance(meta, dict) else {}
            is_stateless = _META + "protocolVersion" in meta
            wanted = meta.get(_META + "protocolVersion") or version
            if wanted is not None and wanted not in VERSIONS:
                supported = {"supported": list(VERSIONS), "requested": str(wanted)}
                raise ProtocolError(_UNSUPPORTED_VERSION, "Unsupported protocol version", supported)
            method = message["method"]
            if method == "initialize":
                return self._initialize(request_id, params)
            agent = _agent(meta.get(_META + "clientInfo")) if is_stateless else None
            agent = agent or _agent_of_session(session_id) or Agent()
            result = await self._call(method, params, agent)
            if is_stateless:
                result = {"resultType": "complete", **result}
            return Answer(200, {"jsonrpc": "2.0", "id": request_id, "result": result})
        except ProtocolError as error:
            body: dict[str, Any] = {"code": error.code, "message": error.message}
            if error.data is not None:
                body["data"] = error.data
            status = _HTTP_STATUS.get(error.code, 200)
            if request_id is not None and version != VERSIONS[0]:
                status = 200  # older clients take another status for a broken connection
            return Answer(status, {"jsonrpc": "2.0", "id": request_id, "error": body})

    async def _call(self, method: str, params: dict[str, Any], agent: Agent) -> dict[str, Any]:
        if method == "ping":
            return {}
        if method == "server/discover":
            return {"supportedVersions": list(VERSIONS), **self._introduction()}
        if method not in self.methods:
            raise ProtocolError(METHOD_NOT_FOUND, f"There is no method “{method}”.")
        return await self.methods[method](params, agent)

    def _initialize(self, request_id: Any, params: dict[str, Any]) -> Answer:
        wanted = params.get("protocolVersion")
        # The newest version knows no `initialize`.
        version = wanted if wanted in VERSIONS[1:] else VERSIONS[1]
        agent = _agent(params.get("clientInfo")) or Agent()
        result = {"protocolVersion": version, **self._introduction()}
        text = json.dumps(agent).encode()
        session_id = base64.urlsafe_b64encode(text).decode().rstrip("=")
        return Answer(200, {"jsonrpc": "2.0", "id": request_id, "result": result}, session_id)

    def _introduction(self) -> dict[str, Any]:
        return {
            "capabilities": dict(self.capabilities),
            "serverInfo": {"name": self.name, "version": self.version},
            "instructions": self.instructions,
        }


def _parse(raw: bytes) -> dict[str, Any]:
    try:
        message = from_json(raw, allow_inf_nan=False)
    except ValueError as error:
        raise ProtocolError(PARSE_ERROR, "The message isn’t valid JSON.") from error
    is_request = isinstance(message, dict) and isinstance(message.get("method"), str)
    if not is_request or message.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, "The message isn’t one JSON-RPC request.")
    if not isinstance(message.get("id", 0), str | int) or isinstance(message.get("id"), bool):
        raise ProtocolError(INVALID_REQUEST, "The id must be a text or a number.")
    return dict(message)


def _params(message: Mapping[str, Any]) -> dict[str, Any]:
    params = message.get("params")
    if params is None:
        return {}
    if not isinstance(params, dict):
        raise ProtocolError(INVALID_PARAMS, "The params must be an object.")
    return params


def _agent(info: object) -> Agent | None:
    """Return the agent that a client's ``clientInfo`` names."""
    if not isinstance(info, dict):
        return None
    name, version = (_short(info.get(key)) for key in ("name", "version"))
    name = _CLIENT.sub("", name)
    return Agent(_short(info.get("title")) or name, version or None) if name else None


def _agent_of_session(session_id: str | None) -> Agent | None:
    try:
        padded = f"{session_id or ''}==="
        name, version = json.loads(base64.b64decode(padded, altchars="-_", validate=False))
    except (ValueError, TypeError):
        return None
    return Agent(_short(name), _short(version) or None) if _short(name) else None


def _short(value: object) -> str:
    """Return a name as one short line; empty if it is none."""
    return " ".join(value.split())[:64] if isinstance(value, str) else ""
