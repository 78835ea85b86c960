#!/usr/bin/env python3
"""Print the texts that run in kernels as JSON, for ``scripts/generate.mjs``."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from aiserver.kernel.bundle import (
    PROFILE_MODULES,
    SIGNALS_MODULES,
    VARIABLES_MODULES,
    bundle,
    bundle_r,
)

texts = {
    "variables": bundle(VARIABLES_MODULES),
    "check": bundle(),
    "profile": bundle(PROFILE_MODULES),
    "signals": bundle(SIGNALS_MODULES),
    "r": bundle_r(),
}
print(json.dumps(texts))
