"""P39: random merges, rebases, cherry-picks and stashes in a row lose nothing.

``AISERVER_GIT_WALKS=30 AISERVER_GIT_STEPS=25 pytest -s --timeout=0 tests/git/test_random_walks.py``
runs more than 1,000 of them with real git, and prints how many.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from aiserver.cli import main as cli

from .branches import Repository
from .quick import quick_driver

WALKS = range(int(os.environ.get("AISERVER_GIT_WALKS", "1")))
STEPS = int(os.environ.get("AISERVER_GIT_STEPS", "8"))
BRANCHES = ("one", "two", "three")

Labels = set[tuple[str, str]]


class Walk:
    """Branches of a repository with their expected content, and random steps on them."""

    def __init__(self, repository: Repository) -> None:
        self.repository, self.random = repository, repository.random
        self.labels: dict[str, Labels] = {}
        self.merges = 0

    def present(self) -> Labels:
        labels = self.repository.labels()
        return {(cell, name) for cell, names in labels.items() for name in names}

    def check(self, branch: str, expected: Labels) -> None:
        """Check that the work tree of this branch has the expected records and no wrong ones."""
        present = self.present()
        assert expected <= present, (branch, sorted(expected - present))
        self.labels[branch] = present
        self.repository.check_order()
        self.repository.check([])

    def output(self, *words: str) -> list[str]:
        return self.repository.output(*words).split()

    def commit(self, branch: str, other: str) -> None:
        """Record something, with or without an entry in the log."""
        repository = self.repository
        for name in (branch, other):
            repository.git("switch", "-q", name)
            repository.record(name, log=self.random.random() < 0.8)
            repository.git("add", "-A")
            repository.git("commit", "-q", "--allow-empty", "-m", f"{name} {repository.count}")
            self.check(name, self.labels[name])

    def merge(self, branch: str, other: str) -> None:
        self.repository.git("switch", "-q", branch)
        self._count(branch, lambda: self.repository.git("merge", "-q", other, "-m", "m"))
        self.check(branch, self.labels[branch] | self.labels[other])

    def criss_cross(self, branch: str, other: str) -> None:
        before = dict(self.labels)
        [head] = self.output("rev-parse", branch)
        self.merge(branch, other)
        self.repository.git("switch", "-q", other)
        self._count(other, lambda: self.repository.git("merge", "-q", head, "-m", "m"))
        self.check(other, before[branch] | before[other])

    def rebase(self, branch: str, other: str) -> None:
        self.repository.git("switch", "-q", branch)
        self._count(branch, lambda: self.repository.git("rebase", "-q", other))
        self.check(branch, self.labels[branch] | self.labels[other])

    def cherry_pick(self, branch: str, other: str) -> None:
        commits = self.output("rev-list", "--no-merges", other, f"^{branch}")
        if not commits:
            return
        chosen = self.random.choice(commits)
        self._pick(branch, chosen)

    def _pick(self, branch: str, chosen: str) -> None:
        self.repository.git("switch", "-q", branch)
        words = ("cherry-pick", "--allow-empty", "--keep-redundant-commits", chosen)
        self._count(branch, lambda: self._git_with_new_files(*words))
        subject = self.repository.output("log", "-1", "--format=%s", chosen).strip()
        self.check(branch, self.labels[branch] | self.repository.added[subject])

    def two_cherry_picks(self, branch: str, other: str) -> None:
        """Cherry-pick two commits onto one head, and merge the results."""
        commits = self.output("rev-list", "--no-merges", other, f"^{branch}")
        if len(commits) < 2:
            return
        self.repository.git("branch", "-q", "-f", "aside", branch)
        self.labels["aside"] = self.labels[branch]
        for name in (branch, "aside"):
            chosen = commits.pop(self.random.randrange(len(commits)))
            self.repository.git("switch", "-q", name)
            self._pick(name, chosen)
        self.merge(branch, "aside")

    def stash(self, branch: str, other: str) -> None:
        """Stash uncommitted changes while another branch is merged."""
        self.repository.git("switch", "-q", branch)
        self.repository.record(branch)
        self.repository.git("add", "-A")
        self.labels[branch] = self.present()
        self.repository.git("stash", "-q")
        self._count(branch, lambda: self.repository.git("merge", "-q", other, "-m", "m"))
        self.repository.git("stash", "pop", "-q")
        self.merges += 1
        self.check(branch, self.labels[branch] | self.labels[other])
        self.repository.git("add", "-A")
        self.repository.git(
            "commit", "-q", "--allow-empty", "-m", f"{branch} {self.repository.count}"
        )

    def step(self) -> None:
        branch, other = self.random.sample(BRANCHES, 2)
        self.commit(branch, other)
        works = (self.merge, self.criss_cross, self.rebase, self.cherry_pick)
        work = self.random.choice([*works, self.two_cherry_picks, self.stash])
        print(work.__name__, branch, other)
        work(branch, other)

    def _git_with_new_files(self, *words: str) -> None:
        """Cherry-pick; if a file is from an earlier commit, git asks whether to add it."""
        if self.repository.git(*words, check=False):
            states = self.repository.output("status", "--porcelain").splitlines()
            assert {line[:2] for line in states if "U" in line[:2]} == {"DU"}, states
            self.repository.git("add", "-A")
            self.repository.git("cherry-pick", "--continue")

    def _count(self, branch: str, work: Callable[[], object]) -> None:
        before = self.output("rev-parse", branch)
        work()
        self.merges += self.output("rev-parse", branch) != before


@pytest.mark.parametrize("seed", WALKS)
def test_random_work_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    monkeypatch.chdir(root)
    repository = Repository(root, 3, seed)
    assert cli.main(["git", "install"]) == 0
    with quick_driver(tmp_path) as driver:
        repository.git("config", "merge.aiserver.driver", driver.command)
        repository.commit("main")
        walk = Walk(repository)
        for name in BRANCHES:
            repository.git("branch", "-q", name)
            walk.labels[name] = walk.present()
        for _ in range(STEPS):
            walk.step()
        assert driver.files >= walk.merges > 0
        print(f"{walk.merges} merges, rebases, cherry-picks and stashes; {driver.files} files")
