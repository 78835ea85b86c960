"""Programs that changed a notebook's file, with real repositories: named only if it is certain."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from aiserver.models import Contributor, NewEvent
from aiserver.notebooks.disk_writers import FILE_ON_DISK, name_writer

TIME = "2026-01-27T10:00:00.000Z"


def write(path: Path, *sources: str, **metadata: Any) -> None:
    cells = [{"cell_type": "code", "source": text.splitlines(True)} for text in sources]
    path.write_text(json.dumps({"nbformat": 4, "metadata": metadata, "cells": cells}))


def names(path: Path, *events: tuple[str, str]) -> list[str | None]:
    """Return the names of the writers of events, which are types and sources."""
    recorded = [
        NewEvent(
            type=type_,
            timestamp=TIME,
            source=source,
            contributor=Contributor(kind="unknown", name=FILE_ON_DISK),
        )
        for type_, source in events
    ]
    name_writer(path, recorded)
    return [event.contributor.name for event in recorded if event.contributor]


class Repository:
    """A repository with a notebook: ``a = 1`` in the branch main, ``a = 2`` in the branch other."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / "an analysis.ipynb"
        self.git("init", "-q", "-b", "main")
        write(self.path, "a = 1", "b = 1")
        self.commit()
        self.git("checkout", "-q", "-b", "other")
        write(self.path, "a = 2")
        self.commit()

    def git(self, *arguments: str) -> None:
        identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=self.folder, check=True)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "checkout: of the work")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def test_git_is_named_after_a_checkout(repository: Repository) -> None:
    repository.git("checkout", "-q", "main")
    assert names(repository.path, ("edit", "a = 1"), ("undelete", "b = 1")) == ["git", "git"]
    repository.git("checkout", "-q", "other")
    assert names(repository.path, ("edit", "a = 2"), ("delete", "b = 1")) == ["git", "git"]


def test_git_is_not_named_for_what_another_program_wrote(repository: Repository) -> None:
    commit = names(repository.path, ("edit", "a = 2"))
    repository.git("checkout", "-q", "main")
    not_in_the_file = names(repository.path, ("edit", "a = 1"), ("edit", "a = 3"))
    write(repository.path, "a = 1", "c = 1")
    later = names(repository.path, ("edit", "a = 1"))
    repository.git("checkout", "-q", "--", ".")
    repository.git("checkout", "-q", "-b", "equal")
    same = names(repository.path, ("edit", "a = 1"))
    write(repository.path, "a = 2")
    repository.git("reset", "-q", "--soft", "other")
    reset = names(repository.path, ("edit", "a = 2"))
    file = [FILE_ON_DISK]
    assert (commit, not_in_the_file, later, same, reset) == (file, file * 2, file, file, file)


@pytest.mark.parametrize("text", [None, "", "{}", "[]", '{"nbformat": 4, "metadata": {}}'])
def test_an_unreadable_notebook_names_no_program(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "a.ipynb"
    if text is not None:
        path.write_text(text)
    assert names(path, ("edit", "")) == [FILE_ON_DISK]


@pytest.mark.parametrize(("seconds", "name"), [(0.5, "papermill"), (60, FILE_ON_DISK)])
def test_papermill_is_named_for_its_parameters(tmp_path: Path, seconds: float, name: str) -> None:
    path = tmp_path / "a.ipynb"
    end = datetime.now(timezone.utc)
    write(
        path,
        "year = 2026",
        "plot(year)",
        papermill={"end_time": end.replace(tzinfo=None).isoformat()},
    )
    notebook = json.loads(path.read_text())
    notebook["cells"][0]["metadata"] = {"tags": ["injected-parameters"]}
    path.write_text(json.dumps(notebook))
    modified = (end + timedelta(seconds=seconds)).timestamp()
    os.utime(path, (modified, modified))
    assert names(path, ("edit", "year = 2026"), ("edit", "plot(year)")) == [name, FILE_ON_DISK]
