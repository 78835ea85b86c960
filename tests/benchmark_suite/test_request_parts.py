"""The benchmarks of mentions and of rules files send what the page would send."""

from __future__ import annotations

import hashlib
import re

import pytest

from aiserver.kernel.values import value_text
from aiserver.requests import Mention, UsedRulesFile
from benchmarks import mentions, rules_files

DESCRIBED = {
    "variables": [
        {"name": name, "kind": type(value).__name__, "value": value_text(value)}
        for name, value in mentions.VALUES.items()
    ]
}


@pytest.mark.parametrize("case", mentions.CASES, ids=lambda case: case.name)
def test_a_mention_is_valid_and_is_in_the_request(case):
    assert case.name in case.request.format(case.name) and "@" not in case.plain
    mention = mentions.mention_of(case, DESCRIBED)
    if mention is not None:
        valid = Mention.model_validate(mention)
        assert valid.output or valid.source or valid.file


@pytest.mark.parametrize("case", rules_files.CASES, ids=lambda case: case.rule)
def test_the_pattern_of_a_rule_is_not_in_the_request_or_the_cells(case):
    for text in (case.request, *case.cells):
        assert not re.search(case.pattern, text)
    assert case.rule in rules_files.rules_of(case)


def test_the_rules_file_is_sent_with_its_digest(tmp_path):
    bodies = []

    class Server:
        is_small = True

        def ask(self, body):
            bodies.append(body)

    model = rules_files.WithFile(Server(), "Use polars.\n", tmp_path)
    model.ask({"intent": "a wish", "context": {"cells": []}})
    [file] = bodies[0]["context"]["rulesFiles"]
    data = (tmp_path / rules_files.FILE).read_bytes()
    assert UsedRulesFile.model_validate(file).sha256 == hashlib.sha256(data).hexdigest()
    assert bodies[0]["context"]["cells"] == [] and data == b"Use polars.\n"
