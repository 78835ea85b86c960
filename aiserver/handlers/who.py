"""Who asks (P9).

Jupyter gives each browser that knows the token or the password a random name: there, all are one
person, and a name means nothing. Where an identity provider of its own is set (JupyterHub's, an
institute's), a name is somebody.
"""

from __future__ import annotations

import re

from jupyter_server.auth.identity import IdentityProvider, LegacyIdentityProvider, User
from jupyter_server.base.handlers import JupyterHandler

_STOCK = (IdentityProvider.get_user, LegacyIdentityProvider.get_user)
_RANDOM = re.compile(r"[0-9a-f]{32}|anonymous")


def asker(handler: JupyterHandler) -> str:
    """The name of who asks; empty where names are made up."""
    user = handler.current_user
    name = user.username if isinstance(user, User) else ""
    makes_up_names = type(handler.identity_provider).get_user in _STOCK
    return "" if makes_up_names and _RANDOM.fullmatch(name) else name
