"""The server extension: traits and wiring, nothing else.

Each replaceable part is a ``Type`` trait, and only here is a concrete class picked. Nothing
slow happens at start: models and LangChain are loaded at first use.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

from jupyter_server.extension.application import ExtensionApp
from traitlets import Type, Unicode

from .assistant import Assistant
from .handlers.notebooks import Contents
from .handlers.routes import ROUTES
from .llm.registry import ModelRegistry
from .sessions.base import SessionManager
from .sessions.elsewhere import Elsewhere
from .sessions.file import FileSessionManager
from .sessions.notebooks import NotebookRegistry


class AIServer(ExtensionApp):
    """Every code cell remembers how it was made."""

    name = "aiserver"
    extension_url = "/lab"

    model = Unicode(
        "",
        help="""The model that answers, as "provider:name", for example "openai:gpt-5-mini" or
        "local:/models/my.gguf". Empty: the embedded model if it is installed, else a running
        Ollama, else none. Naming a remote provider here is the choice that lets text leave
        this machine.""",
    ).tag(config=True)

    session_manager_class = Type(
        "aiserver.sessions.file.FileSessionManager",
        klass=SessionManager,
        help="Where sessions are kept.",
    ).tag(config=True)

    model_registry_class = Type(
        ModelRegistry,
        klass=ModelRegistry,
        help="Where models come from.",
    ).tag(config=True)

    @classmethod
    def get_extension_package(cls) -> str:
        """The package that the extension lives in."""
        return "aiserver"

    def initialize_settings(self) -> None:
        """Make the parts and give them to the handlers."""
        assert self.serverapp is not None
        store = cast("type[SessionManager]", self.session_manager_class)
        self.sessions = store(parent=self, start_dir=self.serverapp.root_dir)
        self.models: ModelRegistry = self.model_registry_class(parent=self)
        if self.model:
            self.models.model = self.model
        self.assistant = Assistant(self.sessions, self.models, self.log)
        notebooks = self._notebook_registry(self.serverapp.contents_manager)
        self.settings.update(
            aiserver_sessions=self.sessions,
            aiserver_models=self.models,
            aiserver_assistant=self.assistant,
            aiserver_notebooks=notebooks,
        )

    def _notebook_registry(self, contents_manager: object) -> NotebookRegistry:
        store = self.sessions
        if not isinstance(store, FileSessionManager):
            return NotebookRegistry(store, Contents(contents_manager))
        contents = Contents(contents_manager, Path(store.root))
        served = Path(store.start_dir).absolute()
        elsewhere = Elsewhere(store, served, contents.folder, self.log)
        return NotebookRegistry(store, contents, elsewhere)

    def initialize_handlers(self) -> None:
        """Add the routes."""
        self.handlers.extend(ROUTES)

    async def stop_extension(self) -> None:
        """Record what is being written, then let go of the model and the store."""
        await self.assistant.close()
        await self.models.close()
        await self.sessions.close()
