"""The name of the user who sent a request (P9).

Jupyter's stock identity providers give each browser with the token or password a random name, which
doesn't identify a person. Names from other identity providers (such as JupyterHub's) do.
"""

from __future__ import annotations

import re

from jupyter_server.auth.identity import IdentityProvider, LegacyIdentityProvider, User
from jupyter_server.base.handlers import JupyterHandler

_STOCK_PROVIDERS = (IdentityProvider.get_user, LegacyIdentityProvider.get_user)
_RANDOM_NAME = re.compile(r"[0-9a-f]{32}|anonymous")


def user_name(handler: JupyterHandler) -> str:
    """Return the user's name; empty where names are random."""
    user = handler.current_user
    name = user.username if isinstance(user, User) else ""
    has_random_names = type(handler.identity_provider).get_user in _STOCK_PROVIDERS
    return "" if has_random_names and _RANDOM_NAME.fullmatch(name) else name
