"""Lets JupyterLab's server translate our settings' titles and descriptions.

The page's words need nothing of this: JupyterLab hands ``aiserver/locale/*.json`` to it. Schemas
are translated on the server, from the language packs alone, which know nothing of an extension.
So our own file is put beside them, as one more domain.

What must hold: where a text or a language is missing there is English, and no error. A server
that runs no JupyterLab does not load jupyterlab_server for this.
"""

from __future__ import annotations

import contextlib
import gettext
import json
import sys
from functools import wraps
from pathlib import Path
from typing import Any

DOMAIN = "aiserver"
_I18N = "jupyter.lab.internationalization"
FOLDER = Path(__file__).parent / "locale"


class Translations(gettext.NullTranslations):
    """The texts of one language as JupyterLab's frontend reads them."""

    def __init__(self, locale: str) -> None:
        super().__init__()
        self._texts = load_texts(locale)

    def gettext(self, message: str) -> str:
        """The text in this language, or as it is."""
        return self._of(message) or message

    def pgettext(self, context: str, message: str) -> str:
        """The text as it is said in this context, or as it is."""
        return self._of(f"{context}\x04{message}") or message

    def _of(self, key: str) -> str:
        said = self._texts.get(key) if key else None
        return str(said[0]) if isinstance(said, list) and said else ""


def load_texts(locale: str) -> dict[str, Any]:
    """What is said in a language, such as ``zh_CN``; empty if we don't speak it."""
    folders = {path.name.lower(): path for path in FOLDER.glob("*") if path.is_dir()}
    folder = folders.get(locale.lower().replace("-", "_"))
    if folder is None:
        return {}
    path = folder / "LC_MESSAGES" / f"{DOMAIN}.json"
    said: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return said


def install_translations() -> None:
    """Have jupyterlab_server take our texts for schemas of our domain, where it runs."""
    utils: Any = sys.modules.get("jupyterlab_server.translation_utils")
    handler: Any = sys.modules.get("jupyterlab_server.settings_handler")
    # There is no public way in: a bundle reads a language pack's own folder and no other, and of
    # the list of all settings, which the page begins with, no extension's are translated (in
    # 2.28). What is replaced here has public names; without them all stays English.
    with contextlib.suppress(AttributeError):
        translator, get_settings = utils.translator, handler.get_settings
        bundle = translator.load(DOMAIN)

        def update_locale(locale: str) -> None:
            texts = Translations(locale)
            bundle.gettext, bundle.pgettext = texts.gettext, texts.pgettext

        @wraps(get_settings)
        def translated(*args: Any, **more: Any) -> tuple[dict[str, Any], Any]:
            found, warnings = get_settings(*args, **more)
            listed = found.get("settings")
            # In the answer for one plugin it is what the person set, by name.
            for one in listed if isinstance(listed, list) else ():
                if one.get("schema", {}).get(_I18N, {}).get("domain") == DOMAIN:
                    one["schema"] = translator.translate_schema(one["schema"])
            return found, warnings

        if not hasattr(get_settings, "__wrapped__"):  # by a server before in this process
            update_locale(utils.SYS_LOCALE)
            bundle.update_locale = update_locale
            handler.get_settings = translated
