"""The versions that ``pyproject.toml`` lets pip choose: none with an advisory that we know of.

``make audit`` looks at what is installed, which is new; these are the oldest that pip may leave.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.requirements import Requirement

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10; pytest brings it
    import tomli as tomllib

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
GROUPS = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
REQUIREMENTS = [Requirement(line) for group in GROUPS for line in group]

# The newest version with an advisory, and which.
FLAWED = {
    "tornado": ("6.5.9", "6.5.8: GHSA-3hv7-mjh2-fv65 and others; 6.5.9 stops Jupyter"),
    "langchain-core": ("1.4.8", "CVE-2025-68664, CVE-2026-34070, -40087, -44843, -45134"),
    "langchain-openai": ("1.1.13", "CVE-2026-41488"),
    "aiomysql": ("0.2.0", "CVE-2025-62611: a server reads the client's files"),
    "filelock": ("3.20.2", "CVE-2026-22701"),
}


@pytest.mark.parametrize("name", FLAWED)
def test_no_version_with_a_known_advisory_is_allowed(name: str) -> None:
    allowed = [one for one in REQUIREMENTS if one.name == name]
    assert allowed
    for requirement in allowed:
        assert not requirement.specifier.contains(FLAWED[name][0]), FLAWED[name][1]


def test_the_next_major_version_of_langchain_is_not_taken_unseen() -> None:
    ours = [one for one in REQUIREMENTS if one.name.startswith("langchain")]
    assert len(ours) > 6
    assert [str(one) for one in ours if one.specifier.contains("99")] == []


def test_no_extra_asks_for_what_is_under_the_gpl() -> None:
    """``jsonschema[format]`` brings rfc3987."""
    assert not [one for one in REQUIREMENTS if one.name == "jsonschema" and "format" in one.extras]
