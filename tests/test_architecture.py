"""The layers of the architecture: imports go down only."""

from __future__ import annotations

import ast
import pathlib
from runpy import run_path

import aiserver
from aiserver.loaded_plugins import OWN

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
        "merged_numbers",
        "running_servers",
        "safe_git",
        "safe_traceback",
        "surrogates",
        "unicode",
        "tokens",
    },
    {"models", "payload", "durable", "features", "plugin", "commands"},
    {"loaded_plugins"},
    {"requests"},
    {"replay", "sessions", "prompts", "llm", "schemas"},
    {"notebooks"},
    {"generation"},
    {"handlers"},
    {"extension"},
    {"cli"},
    {"__init__"},
    {"a plugin"},
]
# The same within a package; parts of the same layer don't import each other.
INNER = {
    "sessions": [
        {"record"},
        {"base", "threads"},
        {"runner"},
        {"key_value"},
        {"file", "memory", "redis", "sql"},
        {"factory"},
    ],
    "plugins/memory": [
        {"entries", "bodies"},
        {"document"},
        {"limits", "stores"},
        {"reviews", "proposals"},
        {"notes"},
        {"manager"},
        {"recall", "forgetting"},
        {"past_answers", "remembered", "cli"},
        {"plugin"},
        {"handler"},
    ],
    "kernel": [
        {"problems", "source"},
        {"inspection"},
        {"scopes"},
        {"frames", "profiling"},
        {"overwrites", "signals"},
        {"check"},
        {"bundle", "variables"},
    ],
}
WEB = {"handlers", "extension", "cli", "__init__"}
LANGCHAIN = {"prompts", "llm", "local_models", "wording"}  # the last one is the prompt of a plugin
TESTING = {"testing"}  # the only part that may need pytest; no other part imports it

# Which file belongs to which plugin is written down in one place.
plugin_of = run_path(str(ROOT.parent / "scripts" / "lines"))["plugin_of"]


def modules():
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        yield path, parts


def layer(parts: tuple[str, ...]) -> str:
    """Return the name of a module's layer."""
    return "a plugin" if plugin(parts) or parts[0] == "plugins" else parts[0]


def plugin(parts: tuple[str, ...]) -> str:
    """Return the plugin that a module or package belongs to; "" for the core."""
    path = f"aiserver/{'/'.join(parts)}"
    return plugin_of(f"{path}.py") or plugin_of(f"{path}/__init__.py")


def imports(path: pathlib.Path, parts: tuple[str, ...]):
    """Yield the imports of a module as absolute names, including those in functions."""
    tree = ast.parse(path.read_text())
    if parts[0] in (
        "plugin",
        "loaded_plugins",
    ):  # the contract names what plugins get, only for types
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
        depth = package.count("/") + 1
        own = [parts for _, parts in modules() if "/".join(parts[:depth]) == package]
        units = {parts[depth] for parts in own} - {"__init__"}
        assert units == set().union(*layers)


def aims(path: pathlib.Path, parts: tuple[str, ...]):
    """Yield the names of our modules, or of what is in them, that a module imports."""
    for name in imports(path, parts):
        target = tuple(name.split(".")[1:])
        if name.startswith("aiserver.") and target[0] != "__version__":
            yield target


def test_imports_go_down_only():
    wrong = []
    for path, parts in modules():
        for target in aims(path, parts):
            depth = 2 if parts[0] == "plugins" else 1
            if parts[:depth] == target[:depth]:
                layers = INNER.get("/".join(parts[:depth]), [])
                here, aim = parts[depth : depth + 1], target[depth : depth + 1]
                if not layers or not aim or here == ("__init__",) or here == aim:
                    continue
                here, aim = here[0], aim[0]
            else:
                layers, here, aim = LAYERS, layer(parts), layer(target)
                if here == aim == "a plugin":
                    continue  # a plugin may use another one; there are no cycles
            if level(aim, layers) >= level(here, layers):
                wrong.append(f"{'.'.join(parts)} imports {'.'.join(target)}")
    assert not wrong, "\n".join(wrong)


def test_the_core_imports_no_plugin():
    wrong = [
        f"{'.'.join(parts)} imports {'.'.join(target)}"
        for path, parts in modules()
        if not plugin(parts)
        for target in aims(path, parts)
        if plugin(target) or plugin(target[:-1])
    ]
    assert not wrong, "\n".join(wrong)


def test_the_folder_of_a_plugin_is_no_part_of_the_core():
    for path in OWN.values():
        assert plugin(tuple(path.split(".")[1:-1]))


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


def is_web(parts: tuple[str, ...]) -> bool:
    return parts[0] in WEB or parts[-1] == "handler"


def test_web_langchain_and_pytest_are_imported_only_where_allowed():
    wrong = []
    for path, parts in modules():
        for name in imports(path, parts):
            top = name.split(".")[0]
            if top in ("tornado", "jupyter_server") and not is_web(parts):
                wrong.append(f"{'.'.join(parts)} imports {name}")
            if top.startswith("langchain") and not {*parts} & LANGCHAIN:
                wrong.append(f"{'.'.join(parts)} imports {name}")
            if top in ("pytest", "_pytest", "hypothesis") and parts[0] not in TESTING:
                wrong.append(f"{'.'.join(parts)} imports {name}")
    assert not wrong, "\n".join(wrong)


def test_a_file_holds_one_idea():
    lines = {path: len(path.read_text().splitlines()) for path, _ in modules()}
    assert not {str(path): count for path, count in lines.items() if count > 600}
