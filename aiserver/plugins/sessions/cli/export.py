"""``sessions export``: export histories as JSON, JSON Lines or Markdown.

Only JSON can be imported.

Invariants: files are written atomically, and only the user can read them. A file with other content
is not overwritten.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from ....cli.files import create_output_folder, write_new_file
from ....cli.selection import check_cell_of_one, select
from ....cli.stores import StoreContext
from ....cli.terminal import ProgressBar
from ....durable import translate_os_errors
from ....errors import NotFound, SettingError, StorageError
from ....models import Interaction, Session, SessionKey
from ....sessions.record import codec
from ....sessions.record.filenames import session_name
from .list_show import session_markdown

_SUFFIX_BY_FORMAT = {"json": ".json", "jsonl": ".jsonl", "markdown": ".md"}


async def run_export(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Export the selected sessions to a folder or standard output."""
    rows = await select(context, arguments.notebook)
    keys = [key for key, _ in rows if arguments.cell in (None, key.cell_id)]
    if arguments.cell:
        check_cell_of_one(keys)
    if not keys:
        raise NotFound(
            "No history with that name. Run “jupyter aiserver sessions list” to see all histories."
            if rows
            else "There are no histories to export."
        )
    failed_keys: list[SessionKey] = []
    if arguments.to is None:
        if arguments.format == "json" and len(keys) > 1:
            raise SettingError("Exporting several histories as JSON requires a folder: use --to.")
        async for _, session in _load_sessions(context, keys, failed_keys):
            sys.stdout.buffer.write(_encode(session, arguments.format))
        sys.stdout.flush()
        return 1 if failed_keys else 0
    folder = Path(arguments.to)
    existing_names: list[str] = []
    exported_count = 0
    with ProgressBar("exporting", len(keys)) as bar, translate_os_errors():
        create_output_folder(folder)
        async for key, session in _load_sessions(context, keys, failed_keys):
            name = session_name(key).removesuffix(".json") + _SUFFIX_BY_FORMAT[arguments.format]
            if write_new_file(folder, name, _encode(session, arguments.format)):
                exported_count += 1
            else:
                existing_names.append(name)
            bar.advance()
    for name in existing_names:
        print(f"Not overwritten: {folder / name}", file=sys.stderr)
    print(f"Exported {exported_count:,} histories to {folder}")
    return 1 if existing_names or failed_keys else 0


async def _load_sessions(
    context: StoreContext, keys: list[SessionKey], failed_keys: list[SessionKey]
) -> AsyncIterator[tuple[SessionKey, Session]]:
    """Yield the sessions. Report those that can't be loaded, and add them to ``failed_keys``."""
    for key in keys:
        try:
            session = await context.store.load_if_exists(key)
        except StorageError as error:
            print(
                f"Not exported: {key.notebook_id}/{key.cell_id}: {error.message}", file=sys.stderr
            )
            failed_keys.append(key)
            continue
        if session is not None:
            yield key, session


def _encode(session: Session, format_: str) -> bytes:
    if format_ == "json":
        return codec.encode(session)
    if format_ == "markdown":
        return session_markdown(session).encode("utf-8", "backslashreplace")
    return b"".join(_json_lines(session))


def _json_lines(session: Session) -> list[bytes]:
    meta = session.meta
    ids = {"notebook_id": meta.notebook_id, "cell_id": meta.cell_id}
    if meta.owner:
        ids["owner"] = meta.owner
    lines = []
    for record in session.ordered():
        kind = "turn" if isinstance(record, Interaction) else "event"
        fields = ids | {"kind": kind} | codec.to_dict(record)
        text = json.dumps(fields, ensure_ascii=False) + "\n"
        lines.append(text.encode("utf-8", "backslashreplace"))
    return lines
