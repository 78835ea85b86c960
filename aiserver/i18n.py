"""Make JupyterLab's server translate the titles and descriptions of our settings.

The page doesn't need this: JupyterLab serves it ``aiserver/locale/*.json``. Schemas, however, are
translated on the server, and only from language packs, which don't include extensions. So our own
catalog is added as another domain.

Invariants: missing texts and languages fall back to English without an error. A server without
JupyterLab doesn't import jupyterlab_server for this.
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


def load_texts(locale: str) -> dict[str, Any]:
    """Return the catalog of a language such as ``zh_CN``; empty if there is none."""
    folders = {path.name.lower(): path for path in FOLDER.glob("*") if path.is_dir()}
    folder = folders.get(locale.lower().replace("-", "_"))
    if folder is None:
        return {}
    path = folder / "LC_MESSAGES" / f"{DOMAIN}.json"
    texts: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return texts


def translate(texts: dict[str, Any], message: str, context: str = "") -> str:
    """Return the translation of ``message`` in a catalog, or ``message`` itself."""
    forms = texts.get(f"{context}\x04{message}" if context else message) if message else None
    return str(forms[0]) if isinstance(forms, list) and forms else message


def install_translations() -> None:
    """Make jupyterlab_server use our catalog for schemas of our domain, if it is loaded."""
    utils: Any = sys.modules.get("jupyterlab_server.translation_utils")
    handler: Any = sys.modules.get("jupyterlab_server.settings_handler")
    # There is no public API for this: a bundle only reads the folder of a language pack, and the
    # list of all settings, which the page loads first, isn't translated for extensions (in 2.28).
    # The replaced attributes are public; if they are missing, everything stays English.
    with contextlib.suppress(AttributeError):
        translator, get_settings = utils.translator, handler.get_settings
        bundle = translator.load(DOMAIN)

        def update_locale(locale: str) -> None:
            texts = load_texts(locale)
            bundle.gettext = lambda message: translate(texts, message)
            bundle.pgettext = lambda context, message: translate(texts, message, context)

        @wraps(get_settings)
        def translated(*args: Any, **more: Any) -> tuple[dict[str, Any], Any]:
            result, warnings = get_settings(*args, **more)
            plugins = result.get("settings")
            # In the response for a single plugin, "settings" are the user's values.
            for plugin in plugins if isinstance(plugins, list) else ():
                if plugin.get("schema", {}).get(_I18N, {}).get("domain") == DOMAIN:
                    plugin["schema"] = translator.translate_schema(plugin["schema"])
            return result, warnings

        if not hasattr(get_settings, "__wrapped__"):  # not yet done by a server in this process
            update_locale(utils.SYS_LOCALE)
            bundle.update_locale = update_locale
            handler.get_settings = translated
