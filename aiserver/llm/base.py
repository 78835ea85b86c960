"""The interface of a model: its description and how to query it.

The messages of a prompt are instances of LangChain's ``BaseMessage``. Only the code in ``prompts/``
and ``llm/`` uses their attributes.
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

PromptStyle = Literal["compact", "full"]  # a compact prompt is shorter, for small models


@dataclass(frozen=True)
class ModelInfo:
    """The description of a model, as it is shown to users.

    ``id`` is ``provider:name``. ``on_this_machine`` is true if text that is sent to the model stays
    on this machine. ``ready`` is true if the model can be queried now. If ``ready`` is false,
    ``problem`` tells the user the reason, and ``install`` is the command that installs what is
    missing, or None if no command helps. ``has_list_price`` is true if the model is queried at its
    provider's own address, so that the provider's published prices apply. ``is_forwarded`` is true
    for a model of Ollama that runs in Ollama's cloud, or that Ollama doesn't list as local.
    ``is_small`` is true if the model gets compact prompts. ``sees_images`` is true if the model
    accepts images.
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
        """The name of the model's provider."""
        return self.id.partition(":")[0]

    @property
    def loggable_id(self) -> str:
        """The model's id for the log. A path in the id is shortened to the file's name."""
        provider, _, name = self.id.replace("\\", "/").partition(":")
        return f"{provider}:{PurePosixPath(name).name}"


@dataclass(frozen=True)
class Delta:
    """A piece of an answer's text or, in the last delta, the number of tokens used.

    ``thoughts`` are those that the server sent in a field of their own. A delta with ``waiting``
    contains no text and no usage. It announces that the request will be retried after ``waiting``
    seconds.
    """

    text: str = ""
    usage: dict[str, Any] | None = None
    thoughts: str = ""
    waiting: float | None = None


@dataclass(frozen=True)
class Gap:
    """A place between two lines of code, at which a model may add text, or must if it is required.

    ``comment`` and ``docstring`` stand for one line with this indentation, ``tests`` for a few
    statements ``assert`` in a line each.
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
    prompt_tokens: int = 8_000  # the maximum length of a prompt, in tokens

    @abstractmethod
    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens in each text.

        The numbers may be estimates, but an estimate must not be far too low.
        """

    @abstractmethod
    def stream(
        self,
        messages: Sequence[BaseMessage],
        *,
        language: str,
        is_retry: bool = False,
        additions: Additions | None = None,
    ) -> AsyncGenerator[Delta, None]:
        """Query the model and yield its answer.

        ``language`` is the language of the requested code, such as ``python``; it is empty if the
        messages ask for an answer in words. ``is_retry`` means that the model has answered the same
        messages before, and that the person wants a different answer. If a model would give the
        same answer again, it must vary its answer. ``additions`` is the code that the answer must
        contain unchanged, if the model can be restricted to it.

        If the caller closes the generator, the model stops within a second. Raises ModelError or a
        subclass, never a provider's own exception.
        """

    def complete(
        self, prefix: str, suffix: str, *, stop: Sequence[str], max_tokens: int
    ) -> AsyncGenerator[str, None]:
        """Yield the code between ``prefix`` and ``suffix``, until one of the texts in ``stop``.

        If the caller closes the generator, the model stops within a second. Raises
        NoCompletionModel if the model can't complete code, AnswerCut after ``max_tokens`` tokens,
        and other ModelErrors.
        """
        raise NoCompletionModel

    def use_listed_context(self, tokens: int) -> None:
        """Limit requests to the context that the model's server lists, unless a setting does.

        ``tokens`` is the maximum length of prompt and answer together.
        """
        return

    async def warm_up(self, messages: Sequence[BaseMessage]) -> None:
        """Prepare the model for a prompt that begins with ``messages``.

        For a remote model, no request is sent; at most, the provider's package is imported. The
        caller cancels a warm-up before it requests an answer, so that the answer isn't delayed.
        """
        return

    async def close(self) -> None:
        """Release the model's resources. The model can't be used afterwards."""
        return
