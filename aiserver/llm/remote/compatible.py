"""Chat models of servers with an OpenAI-compatible API.

Importing this takes half a second, because of langchain-openai.
"""

from __future__ import annotations

import re
from typing import Any

from langchain_openai.chat_models.base import BaseChatOpenAI
from pydantic import Field

from .adapt import Adaptation, Payload

# The fields in which vLLM, Ollama, LM Studio, OpenRouter and others send thoughts.
_THOUGHT_FIELDS = ("reasoning_content", "reasoning")
_NO_ENDPOINT = re.compile(r"not found|no such path|unexpected endpoint|\b40[45]\b", re.IGNORECASE)


class CompatibleModel(BaseChatOpenAI):
    """Adapts requests to the server, and keeps thoughts, which langchain-openai drops."""

    adaptation: Adaptation = Field(default_factory=Adaptation)
    use_responses_api: bool | None = False

    def learn(self, error: str) -> bool:
        """Return whether the request should be sent again after this error.

        An address without a path gets ``/v1``, if the API isn't there without it.
        """
        client = self.root_async_client
        address = client.base_url
        if _NO_ENDPOINT.search(error) and not address.path.strip("/"):
            client.base_url = f"{str(address).rstrip('/')}/v1"
            return True
        return self.adaptation.learn(error)

    def _get_request_payload(self, *args: Any, **kwargs: Any) -> Payload:
        return self.adaptation.apply(super()._get_request_payload(*args, **kwargs))

    def _convert_chunk_to_generation_chunk(self, chunk: dict[str, Any], *args: Any) -> Any:
        converted = super()._convert_chunk_to_generation_chunk(chunk, *args)
        if converted is not None and (choices := chunk.get("choices")):
            delta = choices[0].get("delta") or {}
            if thoughts := next(filter(None, map(delta.get, _THOUGHT_FIELDS)), None):
                converted.message.additional_kwargs["reasoning_content"] = thoughts
        return converted
