"""Texts for people: made from templates, sent as templates, found again in a history."""

from __future__ import annotations

import pickle

import pytest

from aiserver import errors
from aiserver.errors import UserText
from aiserver.errors.stored import find_text
from aiserver.handlers.base import error_fields


def test_a_text_is_its_english_sentence() -> None:
    text = UserText("%2 has no %1.", "key", UserText("The provider"))
    assert text == "The provider has no key."
    assert text.to_wire() == {
        "template": "%2 has no %1.",
        "params": ["key", {"template": "The provider", "params": []}],
    }
    assert UserText.from_wire(UserText("%1", "%2").to_wire()) == "%2"
    assert pickle.loads(pickle.dumps(text)).to_wire() == text.to_wire()


def test_an_error_is_sent_with_its_text() -> None:
    fields = error_fields(errors.NotFound(UserText("%1 is not connected.", "OpenAI")))
    assert fields["message"] == "OpenAI is not connected."
    assert fields["text"] == {"template": "%1 is not connected.", "params": ["OpenAI"]}


def test_a_message_for_programs_is_sent_with_the_text_of_its_class() -> None:
    fields = error_fields(errors.StorageUnreachable("The database refused the password."))
    assert fields["message"] == "The database refused the password."
    assert fields["text"] == errors.StorageUnreachable.default_message.to_wire()


def test_a_field_is_a_parameter() -> None:
    error = errors.InvalidField("key", errors.InvalidField.too_long.fill("9"))
    assert error.message == "key: must be at most 9 characters"
    assert error_fields(error)["text"]["params"][0] == "key"


MODEL_ERRORS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type)
    and issubclass(kind, errors.ModelError)
    and kind is not errors.ModelPackageMissing
]


@pytest.mark.parametrize("kind", MODEL_ERRORS)
def test_a_stored_sentence_of_this_version_is_found(kind: type[errors.ModelError]) -> None:
    assert find_text(kind().message) == kind().message
    named = kind()
    named.set_server_label(None, "host (a.b)")
    found_text = find_text(named.message)
    assert found_text is not None
    assert found_text.to_wire() == named.text.to_wire()


def test_the_name_of_an_unnamed_server_is_translated_too() -> None:
    text = find_text("The provider rejected the request. Try another model.")
    assert text is not None
    assert text.to_wire()["params"] == [{"template": "The provider", "params": []}]


def test_a_foreign_sentence_is_not_found() -> None:
    assert find_text("ZeroDivisionError: division by zero") is None
    assert find_text("The model could not answer.") is None  # so in an earlier version
