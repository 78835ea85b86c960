"""Tell models what the words of a team mean: those of `terms.json` in the folder of the server.

Who writes this file agrees that its texts are sent to any model.
"""

import asyncio
import json
from pathlib import Path

from aiserver.plugin import ContextText, Plugin

FILE = "terms.json"  # {"ARR": "revenue of all subscriptions in a year, column arr_usd"}


class TermsPlugin(Plugin):
    """Adds the meaning of the terms that a request or its cell names."""

    name = "terms"

    def __init__(self, settings=None):
        self.file = Path(settings.serverapp.root_dir if settings else ".", FILE)

    async def context(self, request):
        words = f"{request.intent} {request.source}".lower()
        terms = () if request.forbids_files else await asyncio.to_thread(self.read)
        named = [f"{term}: {text}" for term, text in terms if term.lower() in words]
        return [ContextText(FILE, "\n".join(named))] if named else []

    def add_commands(self, groups):
        command = groups.add_parser("terms", help=f"list the terms in {FILE}")
        command.set_defaults(run=self.list_terms)

    def list_terms(self, arguments):
        for term, text in self.read():
            print(f"{term}: {text}")
        return 0

    def read(self):
        return json.loads(self.file.read_text("utf-8")).items() if self.file.exists() else []
