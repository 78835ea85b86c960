"""The interface of a model: its description and how to query it.

Messages are LangChain's ``BaseMessage``; only ``prompts/`` and ``llm/`` look inside them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..errors import UserText

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

PromptStyle = Literal["compact", "full"]


@dataclass(frozen=True)
class ModelInfo:
    """A model as shown to users.

    ``id`` is ``provider:name``. ``on_this_machine`` is true if text that is sent to the model stays
    on this machine. ``ready`` is true if the model can be queried now; if it is false, ``problem``
    is a sentence for the user, and ``install`` is a command that installs what is missing, or None.
    ``is_forwarded`` is true if the model's server forwards requests to another server, or might.
    """

    id: str
    label: str
    on_this_machine: bool
    ready: bool = True
    problem: UserText | None = None
    install: str | None = None
    is_forwarded: bool = False

    @property
    def provider(self) -> str:
        """The name of the model's provider."""
        return self.id.partition(":")[0]


@dataclass(frozen=True)
class Delta:
    """A piece of an answer's text or, in the last delta, the number of tokens used.

    If ``waiting`` is set, the delta contains neither: it announces that the request will be retried
    after that many seconds.
    """

    text: str = ""
    usage: dict[str, Any] | None = None
    waiting: float | None = None


class ChatModel(ABC):
    """A model that can be queried."""

    info: ModelInfo
    style: PromptStyle = "full"
    prompt_tokens: int = 8_000  # the maximum length of a prompt

    @abstractmethod
    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens in each text. An estimate must not be far too low."""

    @abstractmethod
    def stream(
        self, messages: Sequence[BaseMessage], *, language: str
    ) -> AsyncGenerator[Delta, None]:
        """Query the model. Closing the generator stops the model within a second.

        Raises ModelError or a subclass, never a provider's own exception.
        """

    async def warm_up(self, messages: Sequence[BaseMessage]) -> None:
        """Prepare the model for a prompt that begins with ``messages``.

        Never sends anything to a remote or paid model: at most its package is loaded. The caller
        cancels the warm-up before it requests an answer, so that no answer has to wait for it.
        """
        return

    async def close(self) -> None:
        """Release the model's resources. The model can't be used afterwards."""
        return
