"""The layers of the design, held by a test: imports go down only."""

from __future__ import annotations

import ast
import pathlib

import aiserver

ROOT = pathlib.Path(aiserver.__file__).parent

# From the ground up. A module may import from layers below its own, and from its own package.
LAYERS = [
    {
        "errors",
        "_version",
        "redact",
        "renumbering",
        "safe_traceback",
        "gc_pause",
        "child_process",
        "safe_git",
        "surrogates",
        "tokens",
        "i18n",
    },
    {"models", "durable"},
    {"requests"},
    {"replay", "sessions", "prompts", "llm", "schemas"},
    {"notebooks", "search"},
    {"sharing"},
    {"transfer", "git", "generation"},
    {"handlers"},
    {"extension"},
    {"cli"},
    {"__init__"},
]
WEB = {"handlers", "extension", "cli", "__init__"}
LANGCHAIN = {"prompts", "llm"}


def modules():
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        yield path, parts


def imports(path: pathlib.Path, parts: tuple[str, ...]):
    """Each import of a module, as an absolute dotted name; those inside functions too."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                package = ("aiserver", *parts)[: len(parts) + 1 - node.level]
                base = ".".join(package)
                if node.module:
                    yield f"{base}.{node.module}"
                else:
                    yield from (f"{base}.{alias.name}" for alias in node.names)
            else:
                yield node.module or ""


def level(unit: str) -> int:
    return next(number for number, names in enumerate(LAYERS) if unit in names)


def test_every_module_has_a_layer():
    units = {parts[0] for _, parts in modules()}
    assert units == {name for names in LAYERS for name in names if name in units}


def test_imports_go_down_only():
    wrong = []
    for path, parts in modules():
        for name in imports(path, parts):
            if not name.startswith("aiserver."):
                continue
            target = name.split(".")[1]
            if target in ("__version__",) or target == parts[0]:
                continue
            if level(target) >= level(parts[0]):
                wrong.append(f"{'.'.join(parts)} imports {name}")
    assert not wrong, "\n".join(wrong)


def test_only_the_edge_knows_the_web_and_only_two_packages_know_langchain():
    wrong = []
    for path, parts in modules():
        for name in imports(path, parts):
            top = name.split(".")[0]
            if top in ("tornado", "jupyter_server") and parts[0] not in WEB:
                wrong.append(f"{'.'.join(parts)} imports {name}")
            if top.startswith("langchain") and parts[0] not in LANGCHAIN:
                wrong.append(f"{'.'.join(parts)} imports {name}")
    assert not wrong, "\n".join(wrong)


def test_files_stay_small():
    long = {
        str(path.relative_to(ROOT)): lines
        for path, _ in modules()
        if (lines := len(path.read_text().splitlines())) > 500
    }
    assert not long
