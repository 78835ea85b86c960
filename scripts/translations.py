"""Maintain the translations of the interface: ``make translations``.

    translations/aiserver.pot   the template: the interface's English texts
    translations/<locale>.po    a PO file, which translators edit

The command collects the texts from the frontend (``strings.mjs``), from the server's
``UserText("…")`` calls, from the schemas of the settings and from the first-steps notebook. Then it
merges the texts into the PO files. ``--add LOCALE`` adds a language. ``--check`` changes nothing;
it prints what is missing or stale, and fails if there is anything. The build compiles the PO files
(``compile_po.mjs``).

Invariants:

- No translation is ever lost: if a text is removed from the code, its translation stays at the end
  of the PO file, in lines that begin with ``#~``.
- The same sources always produce the same files, byte for byte.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po
from jupyterlab_server.translation_utils import _prepare_schema_patterns

ROOT = Path(__file__).parent.parent
PO_FOLDER = ROOT / "translations"
TEMPLATE = PO_FOLDER / "aiserver.pot"
FIRST_STEPS = ROOT / "examples" / "first-steps.ipynb"
DOMAIN = "aiserver"
HEADER = """# AI Server in {name}.
# How to translate: docs/translating.md"""
# JupyterLab replaces %1, %2 and so on; CodeMirror replaces a $ before a space by a number.
PLACEHOLDER = re.compile(r"%\d+|\$(?= )")


class Text(NamedTuple):
    """A text of the interface: ``id`` is the English text, ``at`` the file and line with it."""

    context: str | None
    id: str
    plural: str | None
    at: str
    comments: tuple[str, ...] = ()


class SourceTexts(NamedTuple):
    """The texts in the sources.

    ``untranslatable`` are the places of texts that people read but that ``strings.mjs`` can't
    collect for translators.
    """

    texts: list[Text]
    untranslatable: list[str]


def find_texts() -> SourceTexts:
    """Return the texts of the frontend, the server and the schemas, in the order of the files."""
    out = subprocess.check_output(["node", ROOT / "scripts" / "strings.mjs"], cwd=ROOT)
    strings = json.loads(out)
    texts = [Text(**{**text, "comments": tuple(text["comments"])}) for text in strings["messages"]]
    for path in sorted((ROOT / "aiserver").glob("**/*.py")):
        texts += server_texts(path.read_text("utf-8"), path.relative_to(ROOT).as_posix())
    for path in sorted((ROOT / "schema").glob("*.json")):
        schema = json.loads(path.read_text("utf-8"))
        texts += schema_texts(schema, path.relative_to(ROOT).as_posix())
    texts += notebook_texts(FIRST_STEPS)
    return SourceTexts(texts, strings["untranslatable"])


def server_texts(source: str, at: str) -> Iterator[Text]:
    """Yield the template of each ``UserText(…)`` call. The template must be a literal."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "UserText":
            if not isinstance(node.args[0], ast.Constant):
                raise SystemExit(f"{at}:{node.lineno}: the template is not a literal")
            yield Text(None, node.args[0].value, None, at)


def schema_texts(schema: dict[str, Any], at: str) -> Iterator[Text]:
    """Yield the texts of a schema that jupyterlab_server translates, found by its own patterns."""
    patterns = _prepare_schema_patterns(schema)

    def walk(node: Any, path: str) -> Iterator[Text]:
        if isinstance(node, dict):
            for key, value in node.items():
                yield from walk(value, f"{path}/{key}")
        elif isinstance(node, list):
            for number, value in enumerate(node):
                if isinstance(value, dict):
                    yield from walk(value, f"{path}[{number}]")
        elif isinstance(node, str) and node:
            context = next((to for pattern, to in patterns.items() if pattern.fullmatch(path)), "")
            if context:
                yield Text(context, node, None, at)

    return walk(schema, "")


def notebook_texts(path: Path) -> Iterator[Text]:
    """Yield the text of each Markdown cell, which ``src/firstSteps`` translates."""
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "markdown":
            yield Text(None, "".join(cell["source"]), None, path.relative_to(ROOT).as_posix())


def template(texts: list[Text]) -> Catalog:
    """Return the template, with one entry for each distinct text."""
    catalog = Catalog(project="aiserver", charset="utf-8", fuzzy=False)
    for text in texts:
        existing = catalog.get(text.id, text.context)
        if existing and isinstance(existing.id, str) != (text.plural is None):
            # JupyterLab would find neither of the two translations.
            raise SystemExit(
                f"{text.at}: “{text.id}” has a plural in one place and none in another."
            )
        # Leave out the line numbers: any edit of the code above a text would change the files.
        file = text.at.partition(":")[0]
        catalog.add(
            text.id if text.plural is None else (text.id, text.plural),
            locations=[(file, None)],  # type: ignore[list-item]
            auto_comments=list(text.comments),
            context=text.context,
        )
    return catalog


def locales() -> list[str]:
    """Return the existing languages."""
    return sorted(path.stem for path in PO_FOLDER.glob("*.po"))


def po_path(locale: str) -> Path:
    """Return the path of a language's PO file."""
    return PO_FOLDER / f"{locale}.po"


def read(locale: str) -> Catalog:
    """Read the catalog of a language from its PO file."""
    with po_path(locale).open("rb") as file:
        # Without `abort_invalid`, unresolved merge conflicts would be read as texts.
        return read_po(file, locale=locale, domain=DOMAIN, abort_invalid=True)


def serialize(catalog: Catalog, locale: str = "") -> bytes:
    """Return a catalog as a PO file, sorted and without dates and names of people.

    Without a ``locale``, the catalog is the template.
    """
    out = BytesIO()
    write_po(out, catalog, width=100, omit_header=True, include_lineno=False, sort_by_file=True)
    head = "# AI Server: the texts of the interface. Made by `make translations`."
    fields = ["Project-Id-Version: aiserver"]
    if locale:
        head = catalog.header_comment.strip()
        fields += [f"Language: {locale}", f"Plural-Forms: {catalog.plural_forms}"]
    fields += ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 8bit"]
    lines = [head, 'msgid ""', 'msgstr ""', *(f'"{field}\\n"' for field in fields)]
    return "\n".join(lines).encode() + b"\n\n" + out.getvalue().strip() + b"\n"


def merge(into: Catalog, texts: Catalog) -> Catalog:
    """Update the catalog of a language to the current texts. New texts have no translation."""
    header = into.header_comment
    into.update(texts, no_fuzzy_matching=True)
    into.header_comment = header
    return into


def new_catalog(locale: str) -> Catalog:
    """Return the catalog of a new language, without translations."""
    catalog = Catalog(locale=locale, domain=DOMAIN, charset="utf-8", fuzzy=False)
    name = Locale.parse(locale).get_display_name("en")
    catalog.header_comment = HEADER.format(name=name)
    return catalog


def plural_forms(message: Message) -> list[str]:
    """Return the translations of a text: one for each plural form, or only one."""
    translations = message.string
    return (
        [translations]
        if isinstance(translations, str)
        else [form or "" for form in translations or ("",)]
    )


def problems(catalog: Catalog) -> Iterator[str]:
    """Describe each missing translation, and each one that would break the interface."""
    for message in catalog:
        if not message.id:
            continue
        ids = [message.id] if isinstance(message.id, str) else list(message.id)
        translations = plural_forms(message)
        name = f"“{ids[0]}”" + (f" ({message.context})" if message.context else "")
        if message.fuzzy:
            yield f"{name} is marked as fuzzy"
        elif not all(translations):
            yield f"{name} is not translated"
        elif message.pluralizable and len(translations) != catalog.num_plurals:
            yield f"{name} has {len(translations)} plural forms, not {catalog.num_plurals}"
        else:
            expected = set(PLACEHOLDER.findall(ids[-1]))
            if any(set(PLACEHOLDER.findall(form)) != expected for form in translations):
                yield f"{name} does not contain the same %1, %2 …"
            if any(form.strip() != form for form in translations) and ids[0].strip() == ids[0]:
                yield f"{name} begins or ends with a space"


def update() -> None:
    """Write the template and the PO files."""
    texts = template(find_texts().texts)
    TEMPLATE.write_bytes(serialize(texts))
    for locale in locales():
        catalog = merge(read(locale), texts)
        po_path(locale).write_bytes(serialize(catalog, locale))
        problem_count = sum(1 for _ in problems(catalog))
        to_do = f", {problem_count} to do" if problem_count else ""
        print(f"{locale}: {len(catalog)} texts{to_do}")


def check() -> list[str]:
    """Return the problems and the stale files, without changing anything."""
    sources = find_texts()
    issues = [f"this text can't be translated: {place}" for place in sources.untranslatable]
    texts = template(sources.texts)
    stale = []
    if TEMPLATE.read_bytes() != serialize(texts):
        stale.append(TEMPLATE)
    for locale in locales():
        catalog = merge(read(locale), texts)
        issues += [f"{locale}: {problem}" for problem in problems(catalog)]
        if po_path(locale).read_bytes() != serialize(catalog, locale):
            stale.append(po_path(locale))
    issues += [f"{path.relative_to(ROOT)} is stale: make translations" for path in stale]
    return issues


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Maintains the translations of the interface.")
    parser.add_argument(
        "--check", action="store_true", help="change nothing; print problems, and fail if any"
    )
    parser.add_argument("--add", metavar="LOCALE", help="add a language, such as pt_BR")
    options = parser.parse_args()
    if options.check:
        issues = check()
        print("\n".join(issues) or "The translations are complete.")
        sys.exit(1 if issues else 0)
    if options.add and not po_path(options.add).exists():
        PO_FOLDER.mkdir(exist_ok=True)
        po_path(options.add).write_bytes(serialize(new_catalog(options.add), options.add))
    update()


if __name__ == "__main__":
    main()
