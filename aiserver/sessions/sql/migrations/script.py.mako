"""${message}"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}


def upgrade() -> None:
    """Nothing may be lost; each step must be able to find itself done already."""
    ${upgrades if upgrades else "pass"}
