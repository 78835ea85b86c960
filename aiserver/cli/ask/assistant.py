"""Generate code in this process, with the store and the models of the server's configuration."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import AsyncIterator

from ...generation.assistant import Assistant
from ...generation.remembered import Memories
from ...memory.recall.recall import Recall
from ...redact import register_secrets, secrets_in_environment
from ..sessions.stores import StoreContext


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
    folder = str(context.configuration.root_dir)
    memory = extension.make_memory(context.store, folder, context.owner)
    memories = Memories(memory, Recall())
    assistant = extension.make_assistant(context.store, models, folder, log, memories)
    try:
        yield assistant
    finally:
        await assistant.close()
        await memories.close()
        await models.close()
