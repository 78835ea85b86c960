#!/usr/bin/env python3
"""Write the text of the modules in aiserver/kernel to src/kernel.

python scripts/kernel_code.py           writes the files
python scripts/kernel_code.py --check   fails if a file is out of date
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "src" / "kernel"
sys.path.insert(0, str(ROOT))

from aiserver.kernel.bundle import (  # noqa: E402 (needs the path above)
    PROFILE_MODULES,
    SAMPLE_MODULES,
    VARIABLES_MODULES,
    bundle,
    bundle_r,
)


def main() -> None:
    """Write or check the files."""
    texts = {
        "variablesCode.ts": ("VARIABLES", bundle(VARIABLES_MODULES)),
        "sampleCode.ts": ("SAMPLE", bundle(SAMPLE_MODULES)),
        "checkCode.ts": ("CHECK", bundle()),
        "profileCode.ts": ("PROFILE", bundle(PROFILE_MODULES)),
        "rCode.ts": ("R", bundle_r()),
    }
    for name, (constant, code) in texts.items():
        literal = json.dumps(code, ensure_ascii=False)
        text = (
            "/** Written by scripts/kernel_code.py from aiserver/kernel. */\n"
            f"export const {constant} = {literal};\n"
        )
        if "--check" not in sys.argv:
            (TARGET / name).write_text(text, "utf-8")
        elif (TARGET / name).read_text("utf-8") != text:
            sys.exit(f"src/kernel/{name} is out of date: run {Path(__file__).name}")


if __name__ == "__main__":
    main()
