"""Find out which models can see images: by the profiles in LangChain's packages, which are read
from the package's file because importing it takes seconds, or by the administrator's setting.
"""

from __future__ import annotations

import fnmatch
import importlib.util
import runpy
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from .providers import provider_of

_PROFILES = Path("data", "_profiles.py")


def sees_images(model_id: str, patterns: Sequence[str]) -> bool:
    """Return whether a model accepts images. ``patterns`` are those of ``image_models``."""
    provider, _, name = model_id.partition(":")
    if provider == "local":
        return False
    if any(fnmatch.fnmatchcase(model_id, pattern) for pattern in patterns):
        return True
    profile = _profiles(provider_of(provider).module).get(name)
    return isinstance(profile, Mapping) and profile.get("image_inputs") is True


@cache
def _profiles(module: str) -> Mapping[str, Any]:
    try:
        spec = importlib.util.find_spec(module)
        folders = (spec and spec.submodule_search_locations) or []
        files = [path for folder in folders if (path := Path(folder) / _PROFILES).is_file()]
        return runpy.run_path(str(files[0]))["_PROFILES"] if files else {}
    except Exception:  # another version of the package may have another format
        return {}
