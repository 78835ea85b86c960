"""Compare AI Server's stores with those of other projects: how fast they are, and what they lose.

    python -m benchmarks.stores [--quick] [--rivals python | --no-rivals] [--servers]

One run measures all stores alternately, so that other load on the machine affects all of them
equally. The results are medians. They are written to ``docs/stores.md`` and
``docs/images/stores.svg``, or into the folder ``--out``. Use a folder on a real disk
(``--folder``): in a file system in memory, fsync takes no time, so the ratios have no meaning.

The other projects' stores, called “rivals”, are not dependencies of AI Server. The packages of
``benchmarks/rivals.txt`` are installed into an environment in the folder ``.rivals``, unless
``--rivals`` names a Python that has them. ``--servers`` also measures PostgreSQL, MariaDB and
Redis. Their servers are started, unless the environment variables ``AISERVER_TEST_POSTGRES_URL``,
``AISERVER_TEST_MYSQL_URL`` and ``AISERVER_TEST_REDIS_URL`` have the URLs of running ones.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from tests.servers import MariaDB, PostgreSQL, Redis

from .contenders import report
from .contenders.field import ROOT, Field
from .contenders.losing import lost_by_kills, lost_by_writers
from .contenders.serving import request_times
from .contenders.timing import among_many, by_turns

SERVERS = {
    "PostgreSQL": (PostgreSQL, "AISERVER_TEST_POSTGRES_URL"),
    "MariaDB": (MariaDB, "AISERVER_TEST_MYSQL_URL"),
    "Redis": (Redis, "AISERVER_TEST_REDIS_URL"),
}


def rivals_python(folder: Path) -> str:
    """Return the Python of the rivals' environment, which is created if it doesn't exist."""
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not python.exists():
        print(f"making {folder} (some minutes) …", file=sys.stderr)
        venv.create(folder, with_pip=True)
        needs = Path(__file__).with_name("rivals.txt")
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", needs], check=True)
    return str(python)


def servers(stack: contextlib.ExitStack) -> dict[str, str]:
    """Return the URLs of the available database servers; start servers if necessary."""
    urls = {}
    for name, (kind, variable) in SERVERS.items():
        if url := os.environ.get(variable):
            urls[name] = url
        elif not kind.missing():
            urls[name] = stack.enter_context(kind()).url
        else:
            print(f"no {name}: {', '.join(kind.missing())} not found", file=sys.stderr)
    return urls


def log(text: str) -> None:
    """Print what is being measured now."""
    print(f"  {text}", file=sys.stderr, flush=True)


def measure(options: argparse.Namespace, folder: Path, stack: contextlib.ExitStack) -> None:
    """Measure everything and write the tables."""
    quick = options.quick
    sizes = [3, 12] if quick else [10, 200, 1000]
    sessions, rounds = (20, 3) if quick else (10_000, 15)
    turns_of_two, turns_of_eight, kills = (5, 3, 1) if quick else (500, 100, 10)
    field = Field(folder, options.rivals, servers(stack) if options.servers else {})
    figures = by_turns(field, sizes, 1 if quick else 5, log)
    many = among_many(field, sessions, rounds, log)
    few = lost_by_writers(field, "two", 2, turns_of_two, log)
    crowd = lost_by_writers(field, "eight", 8, turns_of_eight, log)
    by_kills = lost_by_kills(field, kills, log)
    answers = request_times(folder / "server", [20, 200], 30 if quick else 500)
    heads = (f"2 writers × {turns_of_two}", f"8 writers × {turns_of_eight}", f"{kills} × kill -9")
    text = "\n\n".join(
        [
            f"Measured on {report.machine()}.",
            "## Our targets",
            report.targets(figures, sizes, many, sessions, answers),
            "## By the length of a session",
            "![Milliseconds of a save, a load and a history, by turns](images/stores.svg)",
            report.figures_of_turns(figures, sizes),
            f"## Among {sessions:,} sessions",
            "The times are in milliseconds. The session that is saved and read has 10 turns.",
            report.figures_of_many(many, sessions),
            "## What was lost",
            "Turns that the store acknowledged as saved, but that could not be read later.",
            report.losses_table(few, crowd, by_kills, heads),
        ]
    )
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "images").mkdir(exist_ok=True)
    (options.out / "images" / "stores.svg").write_text(
        report.plot(figures, sizes), encoding="utf-8"
    )
    document = options.out / "stores.md"
    if not document.exists():
        document.write_text(f"{report.BEGIN}\n{report.END}\n", encoding="utf-8")
    report.put(text, document)
    print(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--quick", action="store_true", help="save only a few turns, to test the benchmark itself"
    )
    parser.add_argument("--servers", action="store_true", help="measure database servers, too")
    parser.add_argument(
        "--rivals", default="", help="a Python with the packages of benchmarks/rivals.txt"
    )
    parser.add_argument(
        "--no-rivals", action="store_true", help="measure only AI Server's stores and bare writes"
    )
    parser.add_argument("--folder", type=Path, help="an existing folder for temporary stores")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "docs", help="the folder of stores.md (docs)"
    )
    options = parser.parse_args()
    if options.no_rivals:
        options.rivals = ""
    elif not options.rivals:
        options.rivals = rivals_python(ROOT / ".rivals")
    with contextlib.ExitStack() as stack:
        folder_ = stack.enter_context(tempfile.TemporaryDirectory(dir=options.folder))
        measure(options, Path(folder_), stack)


if __name__ == "__main__":
    main()
