"""Note the calls of Jupyter AI's tools, so that their changes have the agent's name.

The package jupyter-server-mcp runs these tools in the Jupyter server. It calls ``middleware`` by an
entry point of the group ``jupyter_server_mcp.middleware``.
"""

from __future__ import annotations

from typing import Any

from ...models import Contributor
from ...notebooks.tool_calls import noted

_MAX_NAME, _MAX_VERSION = 256, 64  # characters
_UNNAMED_CLIENT = "mcp"  # the name that the MCP SDK sends if its user chose none


def middleware() -> Any:
    """Return a FastMCP middleware that only notes who calls which tool."""
    from fastmcp.server.middleware import Middleware

    class NoteCalls(Middleware):  # type: ignore[misc]  # untyped if it isn't installed
        async def on_call_tool(self, context: Any, call_next: Any) -> Any:
            call = context.message
            with noted(_agent(context), call.name, call.arguments or {}, "jupyter-server-mcp"):
                return await call_next(context)

    return NoteCalls()


def _agent(context: Any) -> Contributor:
    """Return the client that calls. What it doesn't tell stays unknown."""
    try:
        params = context.fastmcp_context.session.client_params
        # The SDK's version 2 renamed the attribute.
        client = getattr(params, "client_info", None) or params.clientInfo
        name, version = str(client.name)[:_MAX_NAME], str(client.version)[:_MAX_VERSION]
    except (AttributeError, RuntimeError):  # no session, or no information
        name = version = ""
    if name in ("", _UNNAMED_CLIENT):
        return Contributor(kind="agent")
    return Contributor(kind="agent", name=name, version=version or None)
