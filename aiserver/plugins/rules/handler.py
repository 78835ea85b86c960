"""``rules-files``, the rules for a notebook; and ``recipes``, a person's own prompts."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from jupyter_core.paths import jupyter_data_dir
from jupyter_core.utils import ensure_async
from pydantic import Field

from ...errors import NotOwner, RecipeNameRefused, UserText
from ...handlers.base import AIServerHandler, guarded
from ...payload import to_wire
from ...prompts.modes import is_slash_word
from ...requests import Body
from ..data_files.disk_threads import read_in_thread
from .recipes import list_recipes, save_in_project, save_own
from .rules_files import TIMEOUT, list_files

_SLASH_WORD = UserText("This is one of AI Server’s slash words. Choose another name.")
_NO_ACCESS = UserText("You are not allowed to change files on this server.")


class RulesFilesBody(Body):
    """The path of the notebook for which rules files are listed."""

    path: Annotated[str, Field(min_length=1, max_length=4096)]


class RecipesBody(Body):
    """The path of the notebook for which recipes are listed."""

    path: Annotated[str, Field(min_length=1, max_length=4096)]


class RecipeBody(Body):
    """A recipe to save. With ``own``, it is saved in the user's folder, else in the notebook's.

    ``path`` is the notebook's path. ``name`` has letters of any language, digits, ``-`` and ``_``.
    With ``replace``, a recipe with the same name is replaced.
    """

    path: Annotated[str, Field(min_length=1, max_length=4096)]
    name: Annotated[str, Field(max_length=64)]
    text: Annotated[str, Field(min_length=1, max_length=5000, pattern=r"\S")]
    own: bool = True
    replace: bool = False


class RulesFilesHandler(AIServerHandler):
    """Lists the rules files for a notebook."""

    @guarded("read")
    async def post(self) -> dict[str, Any]:
        """Answer with the files and their texts. Nothing is changed or sent to a model."""
        body = self.body(RulesFilesBody)
        root = await self.readable_folder()
        read = partial(list_files, root, body.path)
        files = await read_in_thread(read, TIMEOUT, "rules") or []
        return {"files": to_wire(files)}


class RecipesHandler(AIServerHandler):
    """Lists and saves recipes."""

    @guarded("read")
    async def post(self) -> dict[str, Any]:
        """Answer with the recipes for a notebook, except those that have the name of a mode.

        The notebook's path is in the body, because URLs appear in logs. Nothing is changed.
        """
        path = self.body(RecipesBody).path
        recipes = []
        if await self.can_read_files():
            read = partial(list_recipes, self.services.folder, path, _own_folder())
            recipes = await read_in_thread(read, TIMEOUT, "rules") or []
        usable = [recipe for recipe in recipes if not is_slash_word(recipe.name)]
        return {"recipes": to_wire(usable)}

    @guarded("write")
    async def put(self) -> None:
        """Save a recipe. A recipe with the same name is replaced only if the body says so."""
        self.check_owner()
        body = self.body(RecipeBody)
        if is_slash_word(body.name):
            raise RecipeNameRefused(_SLASH_WORD)
        if body.own:
            await asyncio.to_thread(
                save_own, _own_folder(), body.name, body.text, replace=body.replace
            )
        else:
            if not await self._can_write_files():
                raise NotOwner(_NO_ACCESS)
            await asyncio.to_thread(
                save_in_project,
                self.services.folder,
                body.path,
                body.name,
                body.text,
                replace=body.replace,
            )

    async def _can_write_files(self) -> bool:
        """Return whether Jupyter's Authorizer lets the user write files."""
        allowed = self.authorizer.is_authorized(self, self.current_user, "write", "contents")
        return bool(await ensure_async(allowed))


def _own_folder() -> Path:
    return Path(jupyter_data_dir()) / "aiserver" / "recipes"
