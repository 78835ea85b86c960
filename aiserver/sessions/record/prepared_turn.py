"""A turn made ready to be kept before it is known which one of its cell it is. Pure.

What must hold: with its numbers it is, byte for byte, what ``codec.encode`` gives for it; it
holds no secret.

To encode a turn and to look for secrets in it is a third of the work of a small save. Where it is
made ready by whoever saves, no lock is held meanwhile, and another thread need not begin by
fetching all that this takes into its processor's caches.
"""

from __future__ import annotations

from ...models import Interaction, NewTurn
from ...redact import may_hold_secrets, redact, redact_json
from . import codec

_TURN_ID = b'{\n  "turn_id": '
_SEQ = b'\n  "seq": '  # a line begins so only once: no string has a line break in it


class PreparedTurn:
    """One turn; ``numbered`` is called once."""

    def __init__(self, turn: NewTurn) -> None:
        """Raises InvalidRequest for what JSON can't hold."""
        self._turn, data = _encoded(turn)
        self._before, _, behind = data.removeprefix(_TURN_ID + b"1").partition(_SEQ + b"1")
        self._behind = behind

    def with_numbers(self, turn_id: int, seq: int) -> tuple[Interaction, bytes]:
        """The turn as it is kept, and its bytes."""
        # Straight into it: there is nothing to check in our own counters.
        self._turn.__dict__.update(turn_id=turn_id, seq=seq)
        numbers = (b"%d" % turn_id, b"%d" % seq)
        return self._turn, b"".join(
            (_TURN_ID, numbers[0], self._before, _SEQ, numbers[1], self._behind)
        )


def _encoded(turn: NewTurn) -> tuple[Interaction, bytes]:
    """The turn as if it were the first of its cell."""
    numbers = {"turn_id": 1, "seq": 1}
    # Most hold no secret. To read them anew would be a tenth of what a whole save may cost.
    names = turn.model_fields_set | numbers.keys()
    ready = Interaction.model_construct(names, **(turn.__dict__ | numbers))
    # Keys that we don't know may have any name, also that of an argument or of our numbers.
    for name, value in (turn.__pydantic_extra__ or {}).items():
        if name not in numbers and ready.__pydantic_extra__ is not None:
            ready.__pydantic_extra__[name] = value
    data = codec.encode(ready)
    if may_hold_secrets(data) or codec.may_have_long_numbers(data):
        fields = redact_json(codec.to_dict(turn))
        fields["user_request"]["intent"] = redact(fields["user_request"]["intent"], is_prose=True)
        ready = Interaction.model_validate(fields | numbers)
        data = codec.encode(ready)
    return ready, data
