"""Stands in for the child process of the embedded model: the scripted model behind its protocol.

The model's file tells it what to do: ``refuse CODE``, ``die``, or anything else to serve.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from tests.scripted_model import ScriptedModel

settings = json.loads(sys.stdin.readline())
wish = Path(settings["model"]).read_text().split()
if wish[0] == "refuse":
    print(json.dumps({"error": wish[1]}), flush=True)
elif wish[0] != "die":
    with ScriptedModel() as model:
        with Path(settings["model"]).with_suffix(".starts").open("a") as starts:
            starts.write(f"{os.getpid()}\n")
        print(json.dumps({"url": model.url}), flush=True)
        sys.stdin.read()
