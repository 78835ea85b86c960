"""The interface of a model: its description and how to query it.

Messages are LangChain's ``BaseMessage``. Only ``prompts/``, ``llm/`` and the prompts of plugins use
their attributes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Literal

from ..errors import NoCompletionModel, UserText

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

PromptStyle = Literal["compact", "full"]  # compact: shorter, for small models


@dataclass(frozen=True)
class ModelInfo:
    """A model, as users see it. If it isn't ``ready``, ``problem`` says why.

    ``id`` is ``provider:name``. ``has_list_price``: it is at its provider's own address.
    ``is_forwarded``: Ollama runs it in its cloud, or doesn't list it as local. ``is_small``: it
    gets compact prompts.
    """

    id: str
    label: str
    on_this_machine: bool
    ready: bool = True
    problem: UserText | None = None
    install: str | None = None
    is_forwarded: bool = False
    is_small: bool = False
    has_list_price: bool = False
    sees_images: bool = False

    @property
    def provider(self) -> str:
        return self.id.partition(":")[0]

    @property
    def loggable_id(self) -> str:
        """The id without the folders of a path."""
        provider, _, name = self.id.replace("\\", "/").partition(":")
        return f"{provider}:{PurePosixPath(name).name}"


@dataclass(frozen=True)
class Delta:
    """A piece of an answer's text or, in the last one, the number of tokens used.

    ``thoughts`` came in a field of their own. ``waiting`` announces a retry after so many seconds.
    """

    text: str = ""
    usage: dict[str, Any] | None = None
    thoughts: str = ""
    waiting: float | None = None


@dataclass(frozen=True)
class Gap:
    """A place between two lines of code at which a model may, or must, add text.

    ``comment`` and ``docstring`` are one line with this indentation, ``tests`` a few lines with
    ``assert``.
    """

    kind: Literal["comment", "docstring", "tests"]
    indentation: str = ""
    is_required: bool = True


Additions = tuple[str | Gap, ...]
"""The lines of a cell's code, each with its line break, and the gaps between them."""


class ChatModel(ABC):
    """A model that can be queried."""

    info: ModelInfo
    style: PromptStyle = "full"
    prompt_tokens: int = 8_000

    @abstractmethod
    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return each text's tokens. An estimate must not be far too low."""

    @abstractmethod
    def stream(
        self,
        messages: Sequence[BaseMessage],
        *,
        language: str,
        is_retry: bool = False,
        additions: Additions | None = None,
    ) -> AsyncGenerator[Delta, None]:
        """Query the model and yield its answer. Raises ModelError.

        ``language`` is that of the requested code, or empty for an answer in words. ``is_retry``:
        the answer must vary. ``additions`` is code that the answer must contain unchanged, if the
        model can be restricted. If the caller closes the generator, the model stops within a
        second.
        """

    def complete(
        self, prefix: str, suffix: str, *, stop: Sequence[str], max_tokens: int
    ) -> AsyncGenerator[str, None]:
        """Yield the code between ``prefix`` and ``suffix``, until one of the texts in ``stop``.

        If the caller closes the generator, the model stops within a second. Raises
        NoCompletionModel, AnswerCut after ``max_tokens``, and other ModelErrors.
        """
        raise NoCompletionModel

    def use_listed_context(self, tokens: int) -> None:
        """Limit prompt and answer to ``tokens``, unless a setting does."""
        return

    async def warm_up(self, messages: Sequence[BaseMessage]) -> None:
        """Prepare for a prompt that begins with ``messages``. Sends nothing to a remote model."""
        return

    async def close(self) -> None:
        """Release the model's resources."""
        return
