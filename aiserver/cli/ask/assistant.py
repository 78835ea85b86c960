"""Generate code in this process, with the store and the models of the server's configuration."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import AsyncIterator

from ...generation.assistant import Assistant
from ...redact import register_secrets, secrets_in_environment
from ..stores import StoreContext


@contextlib.asynccontextmanager
async def open_assistant(context: StoreContext) -> AsyncIterator[Assistant]:
    """Create an assistant for an open store. At the end, save its turns and close its models.

    The log contains no line about a generation, because scripts read standard error.
    """
    register_secrets(secrets_in_environment(os.environ))
    extension = context.configuration.extension
    models = extension.make_models()
    log = logging.getLogger(__name__)
    log.setLevel(logging.ERROR)
    plugins = context.start_plugins(context.owner)
    assistant = extension.make_assistant(context.store, models, plugins, log)
    try:
        yield assistant
    finally:
        await assistant.close()
        await plugins.stop()
        await models.close()
