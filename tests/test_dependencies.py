"""``pyproject.toml`` excludes versions with known security advisories.

``make audit`` checks the installed versions, which are new; this checks the oldest allowed ones.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.requirements import Requirement

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10; pytest depends on it
    import tomli as tomllib  # type: ignore[no-redef]

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
GROUPS = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
REQUIREMENTS = [Requirement(line) for group in GROUPS for line in group]

# The newest version with an advisory, and its id.
FLAWED = {
    "tornado": ("6.5.9", "6.5.8: GHSA-3hv7-mjh2-fv65 and others; 6.5.9 stops Jupyter"),
    "langchain-core": ("1.4.8", "CVE-2025-68664, CVE-2026-34070, -40087, -44843, -45134"),
    "langchain-openai": ("1.1.13", "CVE-2026-41488"),
    "pymysql": ("1.1.0", "CVE-2024-36039: SQL injection with keys of JSON objects"),
    "filelock": ("3.20.2", "CVE-2026-22701"),
}


@pytest.mark.parametrize("name", FLAWED)
def test_versions_with_an_advisory_are_excluded(name: str) -> None:
    allowed = [item for item in REQUIREMENTS if item.name == name]
    assert allowed
    for requirement in allowed:
        assert not requirement.specifier.contains(FLAWED[name][0]), FLAWED[name][1]


def test_langchain_has_an_upper_bound() -> None:
    ours = [item for item in REQUIREMENTS if item.name.startswith("langchain")]
    assert len(ours) > 6
    assert [str(item) for item in ours if item.specifier.contains("99")] == []


def test_no_extra_depends_on_gpl_packages() -> None:
    """``jsonschema[format]`` depends on rfc3987, which is under the GPL."""
    assert not [
        item for item in REQUIREMENTS if item.name == "jsonschema" and "format" in item.extras
    ]
