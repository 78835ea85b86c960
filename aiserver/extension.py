"""The server extension: traits and wiring, nothing else.

An administrator can replace the store and the model registry by the traits ``session_manager`` and
``model_registry_class``.

Invariant: AI Server doesn't delay the start of the Jupyter server. A thread imports slow modules
after the start, unless an early request needs them. LangChain and the providers' packages are
imported when a model is first used.
"""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import os
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from jupyter_server.extension.application import ExtensionApp
from jupyter_server.utils import url_path_join
from tornado.routing import PathMatches, Rule
from traitlets import Bool, Dict, Float, Int, List, Type, Unicode, Union, default
from traitlets.utils.importstring import import_item

from .handlers.loading import LoadingRouter, delay_reading, import_slow_modules

if TYPE_CHECKING:
    import logging

    from .generation.assistant import Assistant
    from .handlers.base import Services
    from .llm.registry import ModelRegistry
    from .loaded_plugins import Plugins
    from .sessions.base import SessionManager


class AIServer(ExtensionApp):
    """Every code cell remembers how it was made."""

    name = "aiserver"
    extension_url = "/lab"

    model = Unicode(
        "",
        help="""The default model, as "provider:name", for example "openai:gpt-5-mini" or
        "local:/models/my.gguf". If empty: a model of AI Server's catalogue if one is installed,
        else Ollama if it is running, else none. Text leaves this machine only if a remote provider
        is set here or chosen in the interface.""",
    ).tag(config=True)

    allowed_models = List(
        Unicode(),
        default_value=["*"],
        help="""The allowed models, as patterns of "provider:name", for example
        ["local:*", "ollama:*"]. All other models are hidden and can't be used.""",
    ).tag(config=True)

    max_generations = Int(
        100,
        min=1,
        help="Maximum number of concurrent requests; further ones are rejected with status 429.",
    ).tag(config=True)

    features = Dict(
        help="""The settings of features: "allowed" (the default: people decide) or "forbidden",
        for example {"remote_models": "forbidden"}. The features are remote_models, running,
        completion, receipts, files, outputs, data_values and memory. Stored prompts can
        also be always on: {"receipts": "always"}.""",
    ).tag(config=True)

    model_prices = Dict(
        help="""The prices of models in US dollars per million tokens, for models whose price isn't
        in the list of the package genai-prices or differs from it. The keys are patterns of
        "provider:name": {"openai_compatible:*": {"input": 0.5, "cached_input": 0.1, "output": 2}}.
        """,
    ).tag(config=True)

    session_manager = Union(
        [Unicode(), Type()],
        default_value="file",
        help="""Where sessions are stored: a URL (`file:///data/me`, `memory://`,
        `sqlite:///…`, `postgresql://…`, `mysql://…`, `redis://…`), or
        a SessionManager class, its dotted name, or its entry point name (`file`).""",
    ).tag(config=True)

    memory_store = Union(
        [Unicode(), Type()],
        help="""The store of the person's memory: "file", for files in Jupyter's data folder, or
        a MemoryStore class or its dotted name. Default: in the database of the sessions if they are
        in one, else in files. The memory of a project is always a file in the project.""",
    ).tag(config=True)

    proposal_lifetime = Float(
        24.0, min=0.1, help="Hours until a proposal expires, unless it is confirmed."
    ).tag(config=True)

    note_lifetime = Float(
        14.0, min=0.1, help="Days without use until the note of a notebook expires."
    ).tag(config=True)

    session_owner = Unicode(
        help="""The owner of the sessions in a shared store, such as a database. Default: the owner
        of the server, else the system user."""
    ).tag(config=True)

    model_registry_class = Union(
        [Unicode(), Type()],
        default_value="aiserver.llm.registry.ModelRegistry",
        help="The class that provides the models, or its dotted name.",
    ).tag(config=True)

    disabled_plugins = List(
        Unicode(),
        help="""Plugins that are turned off, for example ["search", "export"]. Those of the page
        are turned off as extensions of JupyterLab.""",
    ).tag(config=True)

    owner = Unicode(
        help="""The user who owns this server. Other users can neither make requests, which are
        charged to the owner, nor delete histories. Default: the user for whom JupyterHub started
        the server. Without JupyterHub, the server has no owner, and everyone who can run code
        can make requests.""",
    ).tag(config=True)

    others_may_ask = Bool(
        False,
        help="Allow users other than the owner to make requests, which are charged to the owner.",
    ).tag(config=True)

    others_may_delete = Bool(
        False, help="Allow users other than the owner to delete histories through the API."
    ).tag(config=True)

    sessions: SessionManager
    models: ModelRegistry
    assistant: Assistant
    _has_routes = False
    _services: Services | None = None

    @cached_property
    def plugins(self) -> Plugins:
        """The plugins. Raises SettingError if a plugin's setting is invalid."""
        from .loaded_plugins import load_plugins

        return load_plugins(self)

    @default("owner")
    def _default_owner(self) -> str:
        return os.environ.get("JUPYTERHUB_USER", "")

    @default("session_owner")
    def _default_session_owner(self) -> str:
        return self.owner or getpass.getuser()

    @classmethod
    def get_extension_package(cls) -> str:
        return "aiserver"

    def initialize_settings(self) -> None:
        """Add the settings of features to the configuration of JupyterLab's pages."""
        from .errors import SettingError
        from .features import parse_features

        assert self.serverapp is not None
        page_config = self.serverapp.web_app.settings.setdefault("page_config_data", {})
        with contextlib.suppress(SettingError):  # `load` reports the error
            page_config["aiserverFeatures"] = parse_features(self.features).to_dict()

    def initialize_handlers(self) -> None:
        """Register a router that imports the handlers at the first request to the API.

        The handlers find ``load`` in the web application's settings.
        """
        assert self.serverapp is not None
        web_app: Any = self.serverapp.web_app
        web_app.settings["aiserver_load"] = self.load
        api_paths = PathMatches(url_path_join(web_app.settings["base_url"], "/aiserver/.*"))
        web_app.add_handlers(".*$", [Rule(api_paths, LoadingRouter(self.add_routes))])

    @cached_property
    def _is_loaded(self) -> asyncio.Event:
        return asyncio.Event()

    async def _start_jupyter_server_extension(self, serverapp: Any) -> None:
        # Not earlier: jupytext may replace the contents manager.
        delay_reading(serverapp.contents_manager, self._is_loaded)
        from .i18n import install_translations

        install_translations()
        await import_slow_modules()
        from .errors import SettingError

        try:
            await asyncio.to_thread(self.plugins.routes)  # this imports the handlers
            self.load()
        except SettingError as error:  # the Jupyter server runs without AI Server
            self.log.critical("AI Server can't start: %s", error.message)
            return
        finally:
            self._is_loaded.set()
        await self._start_sessions()
        await self.models.sweep()

    async def _start_sessions(self) -> None:
        """Start the store and log its warnings, or only the error: later requests may reach it."""
        from .errors import AIServerError

        try:
            warnings = await self.sessions.start()
        except AIServerError as error:
            self.log.error("%s", error.message)
            return
        await self.plugins.clean_up()
        for warning in warnings:
            self.log.warning("%s", warning)
        if not warnings:
            store = type(self.sessions).__name__
            self.log.info(
                "%s: saved histories survive a crash of the server or the machine.", store
            )

    def make_models(self) -> ModelRegistry:
        """Create the configured model registry.

        Raises SettingError if the class isn't ModelRegistry or a subclass.
        """
        from .errors import SettingError
        from .features import parse_features
        from .llm.registry import ModelRegistry

        choice = self.model_registry_class
        registry_class = import_item(choice) if isinstance(choice, str) else choice
        if not issubclass(registry_class, ModelRegistry):
            raise SettingError(f"“{registry_class.__name__}” is not a ModelRegistry.")
        models: ModelRegistry = registry_class(parent=self)
        if self.model:
            models.model = self.model
        if self.allowed_models != ["*"]:
            models.allowed_models = self.allowed_models
        models.local_class = self.plugins.local_models() or models.local_class
        models.allows_remote = parse_features(self.features).remote_models != "forbidden"
        return models

    def make_sessions(self, start_dir: str, choice: str = "") -> SessionManager:
        """Create the configured store or ``choice``, a value of the trait ``session_manager``.

        Both get the same settings.
        """
        from .sessions.factory import create_session_manager

        return create_session_manager(
            choice or self.session_manager, parent=self, start_dir=start_dir
        )

    def make_assistant(
        self,
        sessions: SessionManager,
        models: ModelRegistry,
        plugins: Plugins,
        log: logging.Logger,
    ) -> Assistant:
        """Create the configured assistant. Raises SettingError for invalid features."""
        from .features import parse_features
        from .generation.allowed_parts import Options
        from .generation.assistant import Assistant

        return Assistant(
            sessions,
            models,
            log,
            self.max_generations,
            Options(parse_features(self.features), plugins.context, plugins.cost),
        )

    def add_routes(self) -> None:
        """Register the handlers, once."""
        if self._has_routes:
            return
        from .handlers.routes import ROUTES

        server: Any = self.serverapp
        base_url = server.web_app.settings["base_url"]
        routes = [
            (url_path_join(base_url, path), handler, {"name": self.name})
            for path, handler in [*ROUTES, *self.plugins.routes()]
        ]
        server.web_app.add_handlers(".*$", routes)
        self._has_routes = True

    def load(self) -> Services:
        """Return the objects that the handlers use.

        The first call registers the handlers and creates the objects. Raises SettingError.
        """
        self.add_routes()
        if self._services is None:
            self._services = self._create_services()
            self._is_loaded.set()
        return self._services

    def _create_services(self) -> Services:
        from .features import parse_features
        from .handlers.base import Services
        from .handlers.notebooks import is_open_together, notebook_registry, served_folder
        from .notebooks.change_log import ChangeRecorder
        from .notebooks.history import Histories
        from .notebooks.restored_ids import restore_on_reading
        from .redact import register_secrets, secrets_in_environment

        server: Any = self.serverapp
        register_secrets(
            [*secrets_in_environment(os.environ), server.identity_provider.token or ""]
        )
        self.sessions = self.make_sessions(server.root_dir)
        session_owner = self.session_owner if self.sessions.shared else ""
        self.models = self.make_models()
        self.assistant = self.make_assistant(self.sessions, self.models, self.plugins, self.log)
        contents = server.contents_manager
        folder = served_folder(contents)
        notebooks = notebook_registry(self.sessions, contents, self.log, session_owner)
        is_open = partial(is_open_together, server)
        restore_on_reading(contents, notebooks, self.log, folder=folder, is_open=is_open)
        services = Services(
            sessions=self.sessions,
            models=self.models,
            assistant=self.assistant,
            histories=Histories(self.sessions, owner=session_owner),
            notebooks=notebooks,
            changes=ChangeRecorder(self.sessions, owner=session_owner),
            plugins=self.plugins,
            log=self.log,
            folder=None if folder is None else str(folder),
            features=parse_features(self.features),
            session_owner=session_owner,
            owner="" if self.others_may_ask else self.owner,
            deleting_owner="" if self.others_may_delete else self.owner,
            memory_owner=self.owner,
        )
        self.plugins.start(services)
        return services

    async def stop_extension(self) -> None:
        """Stop the generations and save their turns; close everything."""
        if self._services is not None:
            await self.assistant.close()
            await self.plugins.stop()
            await self.models.close()
            await self.sessions.close()
