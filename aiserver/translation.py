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
FOLDER = Path(__file__).parent / "locale"


class OurTexts(gettext.NullTranslations):
    """The texts of one language as JupyterLab's frontend reads them."""

    def __init__(self, locale: str) -> None:
        super().__init__()
        self._texts = read(locale)

    def gettext(self, message: str) -> str:
        """The text in this language, or as it is."""
        return self._of(message) or message

    def pgettext(self, context: str, message: str) -> str:
        """The text as it is said in this context, or as it is."""
        return self._of(f"{context}\x04{message}") or message

    def _of(self, key: str) -> str:
        said = self._texts.get(key) if key else None
        return str(said[0]) if isinstance(said, list) and said else ""


def read(locale: str) -> dict[str, Any]:
    """What is said in a language, such as ``zh_CN``; empty if we don't speak it."""
    folders = {path.name.lower(): path for path in FOLDER.glob("*") if path.is_dir()}
    folder = folders.get(locale.lower().replace("-", "_"))
    if folder is None:
        return {}
    path = folder / "LC_MESSAGES" / f"{DOMAIN}.json"
    said: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return said


def speak_up() -> None:
    """Have jupyterlab_server take our texts for schemas of our domain, where it runs."""
    translations: Any = sys.modules.get("jupyterlab_server.translation_utils")
    settings: Any = sys.modules.get("jupyterlab_server.settings_utils")
    if translations is None or settings is None:
        return
    translator = translations.translator

    class OurBundle(translations.TranslationBundle):  # type: ignore[misc]
        def update_locale(self, locale_: str) -> None:
            self._locale = locale_
            self._translator = OurTexts(locale_)

    # There is no public way in: a bundle is only ever made of a language pack's own folder,
    # and the list of all settings translates no extension's at all (in 2.28).
    with contextlib.suppress(AttributeError):
        get_schema = getattr(settings._get_schema, "plain", settings._get_schema)

        @wraps(get_schema)
        def translated(*args: Any, **more: Any) -> tuple[dict[str, Any], str]:
            schema, version = get_schema(*args, **more)
            ours = schema.get("jupyter.lab.internationalization", {}).get("domain") == DOMAIN
            return translator.translate_schema(schema) if ours else schema, version

        translator._TRANSLATORS[DOMAIN] = OurBundle(DOMAIN, translator._LOCALE)
        translated.plain = get_schema  # type: ignore[attr-defined]
        settings._get_schema = translated
