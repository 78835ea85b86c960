"""Connect agents: write, show and remove the settings by which they start ``jupyter aiserver mcp``.

Invariants: a file is written atomically, and keeps everything but AI Server's entry. If it can't be
edited, nothing is written, and the sentence says what to add by hand. In a project, nothing outside
of it is written, even if the project contains links.
"""

from __future__ import annotations

import shutil
import stat
import sys
import sysconfig
from pathlib import Path

from ....cli.terminal import make_safe
from ....durable import NotRegularFile, read_file, remove, replace_file
from ....errors import SettingError
from .clients import CLIENTS, Client, Place
from .config_formats import Entry, Unsuitable, command_of, is_own
from .server_choice import NoServer, ServerChoice, without_secrets
from .skill import FILE, FOLDER, has_skill, remove_empty, remove_skill, write_skill


def connect(name: str, is_user: bool) -> int:
    """Connect a client in this folder, or for the person; return the exit status."""
    client = CLIENTS[name]
    place = client.place(Path.cwd(), is_user=is_user)
    entry = client.entry(bridge_command())
    text = _read(place)
    try:
        existing = None if text is None else client.format.entry(text)
        if existing is not None and not is_own(existing):
            raise Unsuitable("has a server of another program with the name “aiserver”")
        if existing != entry:
            _write(place, client.format.add(text, entry))
    except Unsuitable as error:
        advice = f"To connect {client.label}, add this:\n\n{client.format.describe(entry)}"
        raise _unchanged(place, error, advice) from None
    print(f"{client.label} now finds the tools for notebooks in {_scope(place)}.")
    print(f"  {_shown(place.file)}")
    if _is_inside(place, place.skills / FOLDER / FILE) and write_skill(place.skills):
        print(f"  {_shown(place.skills / FOLDER / FILE)}")
    else:
        print(f"  {_shown(place.skills / FOLDER / FILE)} isn’t AI Server’s and was not changed.")
    print(
        f"Start {client.label} again to use them. {client.approval if place.root else ''}".strip()
    )
    return 0


def disconnect(name: str, is_user: bool) -> int:
    """Remove what ``connect`` wrote; return the exit status."""
    client = CLIENTS[name]
    place = client.place(Path.cwd(), is_user=is_user)
    text = _read(place)
    was_connected = False
    try:
        existing = None if text is None else client.format.entry(text)
        if text is not None and existing is not None and is_own(existing):
            was_connected = True
            _write(place, client.format.remove(text))
    except Unsuitable as error:
        raise _unchanged(place, error, "Remove the entry “aiserver” by hand.") from None
    if _is_inside(place, place.skills / FOLDER / FILE):
        was_connected |= has_skill(place.skills)
        remove_skill(place.skills, place.root or Path.home())
    if was_connected:
        print(f"{client.label} is no longer connected in {_scope(place)}.")
    else:
        print(f"{client.label} is not connected in {_scope(place)}.")
        if place.root is not None and _state(client, client.place(Path.cwd(), is_user=True)):
            print(
                f"It is in all of your projects: jupyter aiserver agents disconnect {name} --user"
            )
    return 0


def status() -> int:
    """Print where each client is connected, and which server its calls go to."""
    width = max(len(client.label) for client in CLIENTS.values())
    for client in CLIENTS.values():
        places = {client.place(Path.cwd(), is_user=is_user) for is_user in (False, True)}
        states = [state for place in places if (state := _state(client, place))]
        print(f"{client.label:{width}}  {'; '.join(sorted(states)) or 'not connected'}")
    print()
    try:
        server = ServerChoice().find()
    except NoServer as error:
        print(make_safe(str(error)))
    else:
        folder = f", which serves {server.root_dir}" if server.root_dir else ""
        print(make_safe(f"Agents in this folder use {without_secrets(server.url)}{folder}."))
    return 0


def bridge_command() -> list[str]:
    """Return the command that starts the bridge, with an absolute path. Raises SettingError.

    It is the installed script, because ``python -m`` would first import modules from the folder in
    which the agent works.
    """
    started = Path(sys.argv[0])
    folders = [started.parent] if started.is_absolute() else []
    folders += [Path(sys.executable).parent, Path(sysconfig.get_path("scripts"))]
    for folder in folders:
        for name in ("jupyter-aiserver", "jupyter-aiserver.exe"):
            if (folder / name).is_file():
                return [str(folder / name), "mcp"]
    raise SettingError("The command “jupyter-aiserver” isn’t installed next to this Python.")


def _state(client: Client, place: Place) -> str:
    """Return where a client is connected; empty if it isn't connected at a place."""
    try:
        text = _read(place)
        entry = None if text is None else client.format.entry(text)
    except (Unsuitable, SettingError) as error:
        reason = error.message if isinstance(error, SettingError) else f"it {error}"
        return f"{_shown(place.file)} can’t be read: {reason}"
    if entry is None or not is_own(entry):
        return ""
    text = f"connected in {_scope(place)} ({_shown(place.file)})"
    return text if _has_program(entry) else f"{text}, but its program is gone: connect it again"


def _has_program(entry: Entry) -> bool:
    return shutil.which(command_of(entry)[0]) is not None


def _scope(place: Place) -> str:
    return "all of your projects" if place.root is None else "this project"


def _shown(path: Path) -> str:
    """Return a path as it is printed: relative to this folder or to the home."""
    for folder, prefix in ((Path.cwd(), ""), (Path.home(), "~/")):
        if path.is_relative_to(folder):
            return make_safe(prefix + path.relative_to(folder).as_posix())
    return make_safe(str(path))


def _is_inside(place: Place, path: Path) -> bool:
    """Return whether a path of a project isn't a link, and leads nowhere else."""
    if place.root is None:
        return True
    return path.resolve() == place.root.resolve() / path.relative_to(place.root)


def _unchanged(place: Place, reason: object, advice: str) -> SettingError:
    return SettingError(f"{_shown(place.file)} {reason}, so it was not changed. {advice}")


def _read(place: Place) -> str | None:
    """Return the text of the settings, None if there are none. Raises SettingError."""
    if not _is_inside(place, place.file):
        raise _unchanged(place, "is a link or in a linked folder", "Replace the link by a file.")
    try:
        content = read_file(place.file.resolve())
        return content and content[0].decode()
    except UnicodeDecodeError:
        raise _unchanged(place, "isn’t in UTF-8", "Save it in UTF-8.") from None
    except (NotRegularFile, OSError):
        raise _unchanged(place, "can’t be read", "Check that it is a readable file.") from None


def _write(place: Place, text: str | None) -> None:
    """Replace the settings, or delete the file if ``text`` is None. Raises SettingError."""
    # A person's file may be a link, to the folder of a tool that manages such files.
    file = place.file.resolve()
    try:
        if text is None:
            remove(file.parent, [file.name])
            remove_empty(file.parent, place.root or file.parent)
            return
        mode = stat.S_IMODE(file.stat().st_mode) if file.exists() else None
        file.parent.mkdir(parents=True, exist_ok=True)
        is_public = mode is None and place.root is not None
        replace_file(file.parent, file.name, text.encode(), public=is_public)
        if mode is not None:
            file.chmod(mode)
    except (OSError, UnicodeEncodeError):
        raise _unchanged(place, "can’t be written", "Check the permissions.") from None
