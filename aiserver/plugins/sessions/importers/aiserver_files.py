"""Import AI Server's own files and exports.

Their content isn't changed, with one exception: the files of AI Server's predecessor, which have no
``meta``. The predecessor didn't redact secrets, so the secrets in its files are redacted here.
"""

from __future__ import annotations

from ....errors import SessionTooNew
from ....models import Session
from ....redact import redact_json
from ....sessions.record import codec
from ....sessions.record.codec import DamagedData
from ....sessions.record.filenames import decode
from ....sessions.record.mutations import check_writable, number_turn
from ....sessions.record.recovery import parse_with_duplicate_keys
from .base import InputFile, ReadResult, UnreadableInput, load_json

FORMAT = "aiserver"


def read(file: InputFile) -> ReadResult:
    """Read the file of a session or of a notebook's change log."""
    if file.path.suffix == ".jsonl":
        return _read_log(file)
    try:
        session = parse_with_duplicate_keys(file.data)
        check_writable(session.meta, None)
    except DamagedData as exc:
        raise UnreadableInput("not an AI Server session, or damaged") from exc
    except SessionTooNew as exc:
        raise UnreadableInput(
            "written by a newer version of AI Server; update AI Server first"
        ) from exc
    content = load_json(file.data)
    if isinstance(content, dict) and "meta" not in content:
        session = _redact_secrets(session)
    return ReadResult([session])


def _read_log(file: InputFile) -> ReadResult:
    entries, damaged_count = codec.parse_log(file.data)
    problems = (
        [f"{damaged_count} lines of this notebook's log are damaged."] if damaged_count else []
    )
    if not entries:
        raise UnreadableInput("nothing to import")
    # The file's name begins with the notebook id. If the log has an owner, ``_`` and a hash of the
    # owner's name follow.
    encoded_id = file.path.stem.split("_")[0]
    return ReadResult(logs={("", decode(encoded_id)): entries}, unreadable=problems)


def _redact_secrets(session: Session) -> Session:
    # `number_turn` sets a turn's id and seq, and redacts the secrets in the turn. If the file
    # contains no seq for a turn, the turn's position in the file becomes its seq.
    session.interactions = [
        number_turn(turn, turn.turn_id, turn.seq or number)
        for number, turn in enumerate(session.interactions, 1)
    ]
    if session.events:
        events = [redact_json(codec.to_dict(event)) for event in session.events]
        session.events = [type(session.events[0]).model_validate(event) for event in events]
    return session
