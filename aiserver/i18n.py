"""Make JupyterLab's server translate the titles and descriptions of our settings.

JupyterLab sends the page the catalogs in ``aiserver/locale``. But it translates the schemas of
settings on the server, only with catalogs of language packs. So this module makes the server use
ours for the domain ``aiserver``.

Invariants: a text without a translation stays English. jupyterlab_server is never imported, because
a server without JupyterLab doesn't need it.
"""

from __future__ import annotations

import contextlib
import json
import sys
from functools import wraps
from pathlib import Path
from typing import Any

DOMAIN = "aiserver"
_I18N = "jupyter.lab.internationalization"
FOLDER = Path(__file__).parent / "locale"


_locale = ""


def current_locale() -> str:
    """Return the language in which a page last asked for texts, or ""."""
    return _locale


def load_texts(locale: str) -> dict[str, Any]:
    """Return the catalog of a language such as ``zh_CN``, or {} if there is none."""
    folder_by_locale = {path.name.lower(): path for path in FOLDER.glob("*") if path.is_dir()}
    folder = folder_by_locale.get(locale.lower().replace("-", "_"))
    if folder is None:
        return {}
    path = folder / "LC_MESSAGES" / f"{DOMAIN}.json"
    texts: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return texts


def translate(texts: dict[str, Any], message: str, context: str = "") -> str:
    """Return the translation in the catalog ``texts``, or ``message``."""
    forms = texts.get(f"{context}\x04{message}" if context else message) if message else None
    return str(forms[0]) if isinstance(forms, list) and forms else message


def install_translations() -> None:
    """Make jupyterlab_server, if it is loaded, use our catalogs."""
    utils: Any = sys.modules.get("jupyterlab_server.translation_utils")
    handler: Any = sys.modules.get("jupyterlab_server.settings_handler")
    # jupyterlab_server 2.28 only reads the folders of language packs, and doesn't translate the
    # settings of extensions when the page loads all at once. So public attributes are replaced. If
    # a later version lacks them, all texts stay English.
    with contextlib.suppress(AttributeError):
        translator, get_settings = utils.translator, handler.get_settings
        bundle = translator.load(DOMAIN)

        def update_locale(locale: str) -> None:
            global _locale
            _locale = locale
            texts = load_texts(locale)
            bundle.gettext = lambda message: translate(texts, message)
            bundle.pgettext = lambda context, message: translate(texts, message, context)

        @wraps(get_settings)
        def get_translated_settings(*args: Any, **kwargs: Any) -> tuple[dict[str, Any], Any]:
            result, warnings = get_settings(*args, **kwargs)
            plugins = result.get("settings")
            # For a single plugin, these are the user's values.
            for plugin in plugins if isinstance(plugins, list) else ():
                if plugin.get("schema", {}).get(_I18N, {}).get("domain") == DOMAIN:
                    plugin["schema"] = translator.translate_schema(plugin["schema"])
            return result, warnings

        # Another server in this process may have replaced these already.
        if not hasattr(get_settings, "__wrapped__"):
            update_locale(utils.SYS_LOCALE)
            bundle.update_locale = update_locale
            handler.get_settings = get_translated_settings
