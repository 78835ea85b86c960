"""``sessions export``: export as JSON (which import reads), JSON Lines or Markdown.

Invariants: files are written atomically and private to their owner. Existing files with other
content are not overwritten.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from ...durable import ensure_folder, replace_file, translate_os_errors
from ...errors import NotFound, SettingError, StorageError
from ...models import Interaction, Session, SessionKey
from ...sessions.record import codec
from ...sessions.record.filenames import session_name
from ...transfer.markdown import session_markdown
from ..progress import ProgressBar
from .selection import select
from .stores import StoreContext

_SUFFIX = {"json": ".json", "jsonl": ".jsonl", "markdown": ".md"}


async def run_export(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Export the selected sessions to a folder or standard output."""
    rows = await select(context, arguments.notebook)
    keys = [key for key, _ in rows if arguments.cell in (None, key.cell_id)]
    if not keys:
        raise NotFound(
            "No history with that name. Run “jupyter aiserver sessions list” to see all histories."
            if rows
            else "There are no histories to export."
        )
    if arguments.to is None:
        if arguments.format == "json" and len(keys) > 1:
            raise SettingError("Exporting several histories as JSON requires a folder: use --to.")
        async for _, session in _sessions(context, keys):
            sys.stdout.buffer.write(_encoded(session, arguments.format))
        sys.stdout.flush()
        return 0
    folder = Path(arguments.to)
    existing: list[str] = []
    with ProgressBar("exporting", len(keys)) as bar, translate_os_errors():
        ensure_folder(folder)
        async for key, session in _sessions(context, keys):
            name = session_name(key).removesuffix(".json") + _SUFFIX[arguments.format]
            if not put(folder, name, _encoded(session, arguments.format)):
                existing.append(name)
            bar.step()
    for name in existing:
        print(f"Not overwritten: {folder / name}", file=sys.stderr)
    print(f"Exported {len(keys) - len(existing):,} histories to {folder}")
    return 1 if existing else 0


async def _sessions(
    context: StoreContext, keys: list[SessionKey]
) -> AsyncIterator[tuple[SessionKey, Session]]:
    for key in keys:
        try:
            session = await context.store.load_if_exists(key)
        except StorageError as error:
            print(
                f"Not exported: {key.notebook_id}/{key.cell_id}: {error.message}", file=sys.stderr
            )
            continue
        if session is not None:
            yield key, session


def _encoded(session: Session, format_: str) -> bytes:
    if format_ == "json":
        return codec.encode(session)
    if format_ == "markdown":
        return session_markdown(session).encode("utf-8", "backslashreplace")
    return b"".join(_lines(session))


def _lines(session: Session) -> list[bytes]:
    """Return a line for each turn and event, with the ids of its cell."""
    meta = session.meta
    names = {"notebook_id": meta.notebook_id, "cell_id": meta.cell_id}
    if meta.owner:
        names["owner"] = meta.owner
    lines = []
    for item in session.ordered():
        kind = "turn" if isinstance(item, Interaction) else "event"
        row = names | {"kind": kind} | codec.to_dict(item)
        text = json.dumps(row, ensure_ascii=False) + "\n"
        lines.append(text.encode("utf-8", "backslashreplace"))
    return lines


def put(folder: Path, name: str, data: bytes) -> bool:
    """Write a file; return False if it exists with other content."""
    file = folder / name
    if file.exists() or file.is_symlink():
        return file.is_file() and file.read_bytes() == data
    replace_file(folder, name, data)
    return True
