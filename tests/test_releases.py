"""The changelog, the tags, the version and the classifiers agree."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent


def changelog_versions() -> list[str]:
    """Return the versions that the changelog says are released, the newest first."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    headings = re.findall(r"^## (.*)$", text, re.M)
    released = [heading for heading in headings if heading != "Unreleased"]
    dated = [re.fullmatch(r"(\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)", heading) for heading in released]
    assert all(dated), released
    return [match[1] for match in dated if match]


def test_the_version_of_the_package_is_the_newest_of_the_changelog() -> None:
    package = json.loads((ROOT / "package.json").read_text("utf-8"))
    assert changelog_versions()[0] == package["version"]


def test_each_version_of_the_changelog_has_a_tag() -> None:
    """A clone of one commit, such as that of a workflow, and an unpacked archive have no tags."""
    git = subprocess.run(
        ["git", "tag", "--list", "v*"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    tags = set(git.stdout.split())
    assert not tags or {f"v{version}" for version in changelog_versions()} <= tags


def test_the_classifiers_name_the_python_versions_that_the_workflow_runs() -> None:
    workflow = (ROOT / ".github/workflows/ci.yml").read_text("utf-8")
    tested = set(re.findall(r"'(3\.\d+)'", workflow))
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    claimed = set(re.findall(r'"Programming Language :: Python :: (3\.\d+)"', project))
    assert claimed == tested
