"""The kernel of an item: its state before the answer, and recorded runs of cells."""

from __future__ import annotations

import shutil
from pathlib import Path

from ..notebook_kernel import Kernel, Output
from .items import Item
from .judge import Record

RECORD = ".record.pickle"
_RECORDER = (Path(__file__).parent / "recorder.py").read_text("utf-8")
_SEED = """
import random as _random
_random.seed({seed})
try:
    import numpy as _numpy
    _numpy.random.seed({seed})
except ImportError:
    pass
"""


class CellsFailed(Exception):
    """The cells above an item fail. The exception has the name of their error."""


class Notebook:
    """Runs the cells of one item at a time in a kernel whose folder is ``folder``."""

    def __init__(self, kernel: Kernel, folder: Path) -> None:
        self.kernel = kernel
        self._folder = folder

    def restore(self, item: Item) -> None:
        """Bring the kernel into the state in which exactly the cells above the item were run.

        The random generators have the same seeds each time.

        Raises ``CellsFailed``.
        """
        for path in item.files:
            shutil.copy(path, self._folder / path.name)
        self.kernel.run("%reset -f")
        self.seed(0)
        for cell in item.cells:
            output = self.kernel.run(cell)
            if output.error:
                raise CellsFailed(output.error)

    def seed(self, seed: int) -> None:
        """Set the seed of the random generators."""
        self.kernel.run(_SEED.format(seed=seed))

    def run(self, code: str, shows_all: bool = False) -> tuple[Output, Record]:
        """Run a cell, and return its output and the values that it shows and changes.

        ``shows_all`` also records the values of expressions before the last statement.
        """
        path = self._folder / RECORD
        path.unlink(missing_ok=True)
        # The recorder isn't a variable, because the cell may delete all variables.
        self.kernel.run(
            f"_space = {{'__name__': 'recorder'}}; exec({_RECORDER!r}, _space)\n"
            "get_ipython().benchmark_recorder = _space['Recorder'](globals())\n"
            f"get_ipython().benchmark_recorder.start(get_ipython(), {shows_all})"
        )
        output = self.kernel.run(code)
        self.kernel.run(f"get_ipython().benchmark_recorder.save({RECORD!r}, {code!r})")
        # After an endless loop or a crash there is no record.
        record = Record.read(path, output.text) if path.exists() else Record(text=output.text)
        return output, record
