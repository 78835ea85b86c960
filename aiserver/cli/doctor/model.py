"""Check that a model is available and, with the option ``--ask``, that the model answers.

Without ``--ask`` no request is sent to a model. With ``--ask`` one short request is sent to the
default model, which may be remote.
"""

from __future__ import annotations

import time

from ...errors import AIServerError
from ...llm.base import ModelInfo
from ...llm.registry import ModelRegistry
from .base import Finding, note, ok, problem

_NO_MODEL = (
    "Install the local model (jupyter aiserver model install), or connect a provider in JupyterLab."
)


async def check_model(models: ModelRegistry, *, ask: bool) -> list[Finding]:
    """Check the default model, and report whether the other models are available.

    If ``ask`` is set and the default model is ready, also send a test request to it. At the end,
    close ``models``.
    """
    try:
        overview = await models.overview()
        default = overview.default
        other_models = [
            info for info in overview.models if default is None or info.id != default.id
        ]
        findings = [_check_default(default), *(_check_other(info) for info in other_models)]
        if ask and default is not None and default.ready:
            findings.append(await _check_answer(models))
        return findings
    finally:
        await models.close()


def _check_default(info: ModelInfo | None) -> Finding:
    if info is None:
        return problem("No model is set up.", _NO_MODEL)
    if not info.ready:
        return problem(f"{info.label}: {info.problem}", info.install or _NO_MODEL)
    return ok(f"{info.label} is the active model ({_location(info)}).")


def _check_other(info: ModelInfo) -> Finding:
    if info.ready:
        return ok(f"{info.label} is available ({_location(info)}).")
    return note(f"{info.label}: {info.problem}", info.install or "")


def _location(info: ModelInfo) -> str:
    return "on this computer" if info.on_this_machine else "remote"


async def _check_answer(models: ModelRegistry) -> Finding:
    """Ask the default model for one line of code. Stop as soon as any text is received."""
    from ...prompts.context import build_messages
    from ...prompts.parsed_request import parse_request
    from ...prompts.prompt_input import PromptInput

    started = time.monotonic()
    try:
        model = await models.get()
        messages, _ = await build_messages(
            PromptInput(parse_request("print the number 1", "", "python")),
            style=model.style,
            budget=model.prompt_tokens,
            count=model.count_tokens,
        )
        async for delta in model.stream(messages, language="python"):
            if delta.text:
                return ok(f"The first response came after {time.monotonic() - started:.1f} s.")
    except AIServerError as error:
        return problem(
            f"The test request failed: {error.message}", "Fix this, then run the command again."
        )
    return problem("The model returned an empty answer.", "Choose another model.")
