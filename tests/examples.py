"""The number of examples that Hypothesis tries for a property."""

from __future__ import annotations

from hypothesis import settings


def examples(count: int) -> int:
    """Return ``count`` with ``--hypothesis-profile=thorough``, else a fifth of it."""
    if settings.get_current_profile_name() == "thorough":
        return count
    return max(5, count // 5)
