"""The import system of an ordinary kernel, and the same dtype of texts with or without pyarrow."""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Iterator

import pandas as pd
import pytest

from aiserver.kernel import check


@pytest.fixture(autouse=True)
def only_standard_finders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide finders that other tests' libraries have installed: with them, no module is missing."""
    standard = {"_frozen_importlib", "_frozen_importlib_external"}
    finders = [
        finder
        for finder in sys.meta_path
        if isinstance(finder, type) and finder.__module__ in standard
    ]
    monkeypatch.setattr(sys, "meta_path", finders)


@pytest.fixture(autouse=True)
def no_hidden_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the check raise its own errors, which it hides from people."""
    expected = (TimeoutError, OSError)
    visible = types.SimpleNamespace(suppress=lambda *_: contextlib.suppress(*expected))
    monkeypatch.setattr(check, "contextlib", visible)


@pytest.fixture(autouse=True)
def text_dtype() -> Iterator[None]:
    """Let pandas store texts as Python objects: with pyarrow, other operations fail."""
    with pd.option_context("mode.string_storage", "python"):
        yield
