"""The layers of the architecture: imports go down only."""

from __future__ import annotations

import ast
import pathlib

import aiserver

ROOT = pathlib.Path(aiserver.__file__).parent

# From bottom to top. A module may import from lower layers and from its own package.
LAYERS = [
    {
        "_version",
        "child_process",
        "concurrency",
        "errors",
        "gc_pause",
        "i18n",
        "redact",
        "renumbering",
        "running_servers",
        "safe_git",
        "safe_traceback",
        "surrogates",
        "tokens",
    },
    {"models", "durable", "features", "plugin", "commands"},
    {"requests"},
    {"data_files"},
    {"project_files"},
    {"replay", "sessions", "prompts", "llm", "schemas", "kernel"},
    {"notebooks", "search", "usage", "magics"},
    {"sharing", "memory"},
    {"transfer", "git", "generation"},
    {"handlers"},
    {"plugins"},
    {"extension"},
    {"cli"},
    {"__init__"},
    {"testing"},
]
# The same within a package; parts of the same layer don't import each other.
INNER = {
    "sessions": [
        {"record"},
        {"base", "threads"},
        {"values"},
        {"key_value"},
        {"file", "memory", "redis", "sql"},
        {"factory"},
    ],
    "memory": [
        {"entries", "reviews", "thread"},
        {"document", "proposals"},
        {"limits", "listed", "stores"},
        {"notes"},
        {"manager"},
        {"factory", "recall"},
        {"past_answers", "settings"},
    ],
    "kernel": [
        {"problems", "source"},
        {"inspection"},
        {"scopes"},
        {"frames", "unchanged", "profiling"},
        {"overwrites"},
        {"check", "values"},
        {"bundle", "variables"},
        {"sample"},
    ],
}
WEB = {"handlers", "extension", "cli", "__init__"}
LANGCHAIN = {"prompts", "llm"}
TESTING = {"testing"}  # the only part that may need pytest; no other part imports it


# The modules of plugins that stand above the handlers, in folders of lower layers.
OF_PLUGINS = ("plugin", "handler", "cli")


def modules():
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        yield path, parts


def layer(parts: tuple[str, ...]) -> str:
    """Return the name of a module's layer."""
    if parts[0] in ("handlers", "cli") and parts[1:2] != ("project",):
        return parts[0]
    is_plugin = parts[:2] == ("handlers", "project") or (parts[1:2] and parts[1] in OF_PLUGINS)
    return "plugins" if is_plugin else parts[0]


def imports(path: pathlib.Path, parts: tuple[str, ...]):
    """Yield the imports of a module as absolute names, including those in functions."""
    tree = ast.parse(path.read_text())
    if parts == ("plugin",):  # the contract names what plugins get, only for types
        tree.body = [node for node in tree.body if not isinstance(node, ast.If)]
    for node in ast.walk(tree):
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


def level(unit: str, layers: list[set[str]]) -> int:
    return next(number for number, names in enumerate(layers) if unit in names)


def test_every_module_has_a_layer_and_no_layer_is_stale():
    units = {layer(parts) for _, parts in modules()} | {"_version"}  # created by the build
    assert units == set().union(*LAYERS)
    assert len(units) == sum(map(len, LAYERS)), "a part is in two layers"
    for package, layers in INNER.items():
        units = {parts[1] for _, parts in modules() if layer(parts) == package} - {"__init__"}
        assert units == set().union(*layers)


def test_imports_go_down_only():
    wrong = []
    for path, parts in modules():
        for name in imports(path, parts):
            target = name.split(".")[1:]
            if not name.startswith("aiserver.") or target[0] == "__version__":
                continue
            here, layers = [layer(parts), *parts[1:]], LAYERS
            target = [layer(tuple(target)), *target[1:]]
            if here[0] == "plugins" and target[0] in ("plugins", "cli"):
                continue  # a plugin brings commands; that of memories uses that of searches
            if target[0] == here[0]:
                layers = INNER.get(here[0], [])
                here, target = here[1:], target[1:]
                if not layers or not target or here[0] == "__init__" or here[0] == target[0]:
                    continue
            if level(target[0], layers) >= level(here[0], layers):
                wrong.append(f"{'.'.join(parts)} imports {name}")
    assert not wrong, "\n".join(wrong)


# Folders that only their own plugins and other plugins import.
PLUGINS = {"git", "sharing", "usage"}
OF_OTHER_PLUGINS = {"memory", "search", "transfer", "cli.ask", "cli.memory", "cli.replay"}


def test_the_core_imports_no_plugin():
    wrong = []
    for path, parts in modules():
        names = {parts[0], ".".join(parts[:2])}
        is_plugin = layer(parts) == "plugins" or names & (PLUGINS | OF_OTHER_PLUGINS)
        for name in () if is_plugin else imports(path, parts):
            if name.startswith("aiserver.") and name.split(".")[1] in PLUGINS:
                wrong.append(f"{'.'.join(parts)} imports {name}")
    assert not wrong, "\n".join(wrong)


def test_no_imports_form_a_cycle():
    """At the top of modules; a cycle through functions would be no better, but can be loaded."""
    names = {".".join(("aiserver", *parts)).removesuffix(".__init__") for _, parts in modules()}
    edges: dict[str, set[str]] = {}
    for path, parts in modules():
        module = ".".join(("aiserver", *parts)).removesuffix(".__init__")
        imported = {
            name if name in names else name.rpartition(".")[0] for name in imports(path, parts)
        }
        edges[module] = {name for name in imported & names if not module.startswith(f"{name}.")} - {
            module
        }
    done: set[str] = set()
    cycles: list[str] = []

    def visit(name: str, trail: tuple[str, ...]) -> None:
        if name in trail:
            cycles.append(" > ".join([*trail[trail.index(name) :], name]))
        elif name not in done:
            for target in sorted(edges[name]):
                visit(target, (*trail, name))
            done.add(name)

    for name in sorted(edges):
        visit(name, ())
    assert not cycles, "\n".join(cycles)


def test_web_langchain_and_pytest_are_imported_only_where_allowed():
    wrong = []
    for path, parts in modules():
        for name in imports(path, parts):
            top = name.split(".")[0]
            if top in ("tornado", "jupyter_server") and parts[0] not in WEB:
                wrong.append(f"{'.'.join(parts)} imports {name}")
            if top.startswith("langchain") and parts[0] not in LANGCHAIN:
                wrong.append(f"{'.'.join(parts)} imports {name}")
            if top in ("pytest", "_pytest", "hypothesis") and parts[0] not in TESTING:
                wrong.append(f"{'.'.join(parts)} imports {name}")
    assert not wrong, "\n".join(wrong)


def test_a_file_holds_one_idea():
    lines = {path: len(path.read_text().splitlines()) for path, _ in modules()}
    assert not {str(path): count for path, count in lines.items() if count > 600}
