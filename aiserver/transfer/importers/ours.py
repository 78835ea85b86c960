"""What AI Server itself kept or exported: taken to the letter.

Only the predecessor's files (without ``meta``) may hold keys and passwords, which are taken out.
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
from .base import NotUnderstood, Read, Source, decoded, loads

FORMAT = "aiserver"


def read(source: Source) -> Read:
    """A session's file, or a notebook's log."""
    if source.path.suffix == ".jsonl":
        return _log(source)
    try:
        session = parse_with_duplicates(source.data)
        check_writable(session.meta, None)
    except DamagedData as exc:
        raise NotUnderstood("not an AI Server session, or damaged") from exc
    except SessionTooNew as exc:
        raise NotUnderstood(
            "written by a newer version of AI Server; update AI Server first"
        ) from exc
    content = loads(decoded(source.data))
    if isinstance(content, dict) and "meta" not in content:
        session = _without_secrets(session)
    return Read([session])


def _log(source: Source) -> Read:
    entries, damaged = codec.parse_log(source.data)
    complaints = [f"{damaged} lines of this notebook's log are damaged."] if damaged else []
    if not entries:
        raise NotUnderstood("nothing to import")
    name = source.path.stem.split("_")[0]  # an owner's log names them behind it
    return Read(logs={("", decode(name)): entries}, not_understood=complaints)


def _without_secrets(session: Session) -> Session:
    session.interactions = [
        number_turn(turn, turn.turn_id, turn.seq or place)
        for place, turn in enumerate(session.interactions, 1)
    ]
    if session.events:
        events = [redact_json(codec.to_dict(event)) for event in session.events]
        session.events = [type(session.events[0]).model_validate(event) for event in events]
    return session
