"""What the rest of AI Server knows of a model: a description, and how to ask it.

Messages are LangChain's ``BaseMessage``; only ``prompts/`` and ``llm/`` look inside them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

PromptStyle = Literal["compact", "full"]


@dataclass(frozen=True)
class ModelInfo:
    """A model as shown to people.

    ``id`` is ``provider:name``; ``on_this_machine`` says whether text stays here; ``ready``
    whether it can be asked now; if not, ``problem`` is a sentence and ``install`` the command;
    ``handed_on`` whether the server that is asked has, or may have, another one answer.
    """

    id: str
    label: str
    on_this_machine: bool
    ready: bool = True
    problem: str | None = None
    install: str | None = None
    handed_on: bool = False

    @property
    def provider(self) -> str:
        """Whose model it is."""
        return self.id.partition(":")[0]


@dataclass(frozen=True)
class Delta:
    """A piece of an answer: text as it comes, and (once, at the end) the tokens it took.

    With ``waiting`` it is no text, but the seconds until the provider is asked once more.
    """

    text: str = ""
    usage: dict[str, Any] | None = None
    waiting: float | None = None


class ChatModel(ABC):
    """A model that is ready to be asked."""

    info: ModelInfo
    style: PromptStyle = "full"
    prompt_tokens: int = 8_000  # how much a prompt may hold

    @abstractmethod
    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text takes; may be an estimate that is never too low by much."""

    @abstractmethod
    def stream(
        self, messages: Sequence[BaseMessage], *, language: str
    ) -> AsyncGenerator[Delta, None]:
        """Ask the model. Closing the generator stops the model within a second.

        Raises ModelError or one of its children, never a provider's own exception.
        """

    async def warm_up(self, messages: Sequence[BaseMessage]) -> None:
        """Make the model ready to answer a prompt that begins with ``messages``.

        Nothing is sent to a model that costs money or is remote: at most its package is loaded.
        """
        return

    async def close(self) -> None:
        """Release what the model holds; it can't be asked after that."""
        return
