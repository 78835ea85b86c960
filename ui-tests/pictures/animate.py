"""Join pictures to an animation: ``animate.py FRAMES.json ANIMATION.webp``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from PIL import Image

frames = json.loads(Path(sys.argv[1]).read_text("utf-8"))
pictures = [Image.open(frame["file"]).convert("RGB") for frame in frames]
pictures[0].save(
    sys.argv[2],
    save_all=True,
    append_images=pictures[1:],
    duration=[frame["duration"] for frame in frames],
    loop=0,
    lossless=True,
    quality=100,
    method=6,
)
