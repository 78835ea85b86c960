"""Write the authors of a commit's lines as a note of git-ai, format 3.0.0. Pure.

Source: https://github.com/git-ai-project/git-ai, specs/git_ai_standard_v3.0.0.md

- Lines of people are those of the commit's author, as git says.
- Of a request, git-ai's “session” is the request itself; of an agent, its run.
- Lines of programs and of unknown authors aren't in a note: the format has no place for them. So
  are lines of the file with several authors.

Invariant: what a note contains already stays as it is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from ....errors import SettingError
from .lines import Author, LineAuthors, ranges_of

REFERENCE = "refs/notes/ai"
_VERSION = "authorship/3.0.0"
_DIVIDER = "---"
_UNKNOWN = "unknown"  # what git-ai writes for a model that it doesn't know


def write_note(
    commit: str, person: str, files: Mapping[str, LineAuthors], existing: str | None
) -> str | None:
    """Return the note for the lines of a commit, by the files' paths in the repository.

    ``person`` is the commit's author, as ``Name <email>``. What isn't in the ``existing`` note is
    added; if that is nothing, None is returned. Raises SettingError if this note has another
    format, or other authors of a file.
    """
    blocks, metadata = _read(commit, existing) if existing else ([], _new_metadata(commit))
    old_blocks = {lines[0]: lines for lines in blocks}
    old_count = len(blocks)
    for path, authors in files.items():
        block, records = _block(path, authors, person)
        if len(block) == 1:
            continue
        if block[0] not in old_blocks:
            blocks.append(block)
        elif old_blocks[block[0]] != block:
            raise SettingError(
                f"The note of {commit[:7]} has other authors of “{path}”, so it wasn't changed."
            )
        for name, record in records.items():
            for key, value in record.items():
                metadata.setdefault(name, {}).setdefault(key, value)
    if len(blocks) == old_count:
        return None
    head = "".join(f"{line}\n" for block in blocks for line in block)
    return f"{head}{_DIVIDER}\n{json.dumps(metadata, ensure_ascii=False, indent=2)}"


def _new_metadata(commit: str) -> dict[str, Any]:
    return {"schema_version": _VERSION, "base_commit_sha": commit, "prompts": {}}


def _read(commit: str, note: str) -> tuple[list[list[str]], dict[str, Any]]:
    """Return the blocks of a note, each with its file's line first, and the metadata."""
    lines = note.split("\n")
    try:
        divider = lines.index(_DIVIDER)
        metadata = json.loads("\n".join(lines[divider + 1 :]))
        is_map = isinstance(metadata, dict)
        maps = [metadata.get(name, {}) for name in ("humans", "sessions")] if is_map else [metadata]
        if metadata["schema_version"] != _VERSION or not all(isinstance(m, dict) for m in maps):
            raise ValueError
        blocks: list[list[str]] = []
        for line in filter(None, lines[:divider]):
            if line.startswith("  "):
                blocks[-1].append(line)
            else:
                blocks.append([line])
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise SettingError(
            f"The note of {commit[:7]} isn't in git-ai's format 3.0.0, so it wasn't changed."
        ) from error
    return blocks, metadata


def _block(
    path: str, authors: LineAuthors, person: str
) -> tuple[list[str], dict[str, dict[str, Any]]]:
    """Return the lines of the note about a file, and the records to which they refer."""
    numbers_by_key: dict[str, list[int]] = {}
    records: dict[str, dict[str, Any]] = {"humans": {}, "sessions": {}}
    for number, line_authors in authors.items():
        named = {_attest(author, person) for author in line_authors}
        attested = named.pop() if len(named) == 1 else None
        if attested is not None:
            key, name, record = attested
            numbers_by_key.setdefault(key, []).append(number)
            records[name][key.partition("::")[0]] = json.loads(record)
    heading = f'"{path}"' if any(map(str.isspace, path)) else path
    lines = [heading]
    for key, numbers in numbers_by_key.items():
        ranges = (str(a) if a == b else f"{a}-{b}" for a, b in ranges_of(numbers))
        lines.append(f"  {key} {','.join(ranges)}")
    return lines, {name: record for name, record in records.items() if record}


def _attest(author: Author, person: str) -> tuple[str, str, str] | None:
    """Return the key of a note, the name of the map with its record, and the record as JSON."""
    if author.kind == "person":
        return _hash("h_", person), "humans", json.dumps({"author": person})
    if author.kind == "model":
        agent = {"tool": "aiserver", "id": author.request or author.change}
        agent["model"] = author.model or _UNKNOWN
    elif author.kind == "agent":
        agent = {"tool": author.name or _UNKNOWN, "id": author.run or author.change}
        agent["model"] = _UNKNOWN
    else:
        return None
    session = _hash("s_", f"{agent['tool']}:{agent['id']}")
    key = f"{session}::{_hash('t_', author.change)}"
    return key, "sessions", json.dumps({"agent_id": agent})


def _hash(prefix: str, text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return prefix + digest[:14]
