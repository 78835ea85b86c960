"""Import AI Server's own files and exports, unchanged.

Only files of its predecessor (without ``meta``) may contain secrets, which are redacted.
"""

from __future__ import annotations

from ...errors import SessionTooNew
from ...models import Session
from ...redact import redact_json
from ...sessions.record import codec
from ...sessions.record.codec import DamagedData
from ...sessions.record.damage.recovery import parse_with_duplicates
from ...sessions.record.filenames import decode
from ...sessions.record.mutations import check_writable, number_turn
from .base import Read, Source, UnreadableSource, load_json

FORMAT = "aiserver"


def read(source: Source) -> Read:
    """Read a session's file or a notebook's log."""
    if source.path.suffix == ".jsonl":
        return _log(source)
    try:
        session = parse_with_duplicates(source.data)
        check_writable(session.meta, None)
    except DamagedData as exc:
        raise UnreadableSource("not an AI Server session, or damaged") from exc
    except SessionTooNew as exc:
        raise UnreadableSource(
            "written by a newer version of AI Server; update AI Server first"
        ) from exc
    content = load_json(source.data)
    if isinstance(content, dict) and "meta" not in content:
        session = _without_secrets(session)
    return Read([session])


def _log(source: Source) -> Read:
    entries, damaged = codec.parse_log(source.data)
    problems = [f"{damaged} lines of this notebook's log are damaged."] if damaged else []
    if not entries:
        raise UnreadableSource("nothing to import")
    name = source.path.stem.split("_")[0]  # in shared stores the owner follows the notebook id
    return Read(logs={("", decode(name)): entries}, unreadable=problems)


def _without_secrets(session: Session) -> Session:
    session.interactions = [
        number_turn(turn, turn.turn_id, turn.seq or number)
        for number, turn in enumerate(session.interactions, 1)
    ]
    if session.events:
        events = [redact_json(codec.to_dict(event)) for event in session.events]
        session.events = [type(session.events[0]).model_validate(event) for event in events]
    return session
