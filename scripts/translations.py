"""Maintain the translations of the interface: ``make translations``.

    translations/aiserver.pot                          every text of the interface, in English
    translations/<locale>.po                           what people translate (the source of truth)
    aiserver/locale/<locale>/LC_MESSAGES/aiserver.json what JupyterLab reads, made of the PO file

Takes the texts from the frontend (``strings.mjs``), from the server's ``UserText("…")`` calls and
from the settings' schemas, merges them into the PO files and compiles these. ``--add LOCALE``
begins a new language, and ``--check`` changes nothing but says what is missing, and fails.

Invariants: no translation is ever dropped (that of a removed text stays at the PO file's end, as
``#~``), and the same sources always produce the same files, byte for byte.
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
POS = ROOT / "translations"
TEMPLATE = POS / "aiserver.pot"
COMPILED = ROOT / "aiserver" / "locale"
DOMAIN = "aiserver"
HEADER = """# AI Server in {name}.
# How to translate: docs/translating.md"""
# %1 is JupyterLab's; a lone $ is where CodeMirror puts a number.
PLACEHOLDER = re.compile(r"%\d+|\$(?= )")


class Text(NamedTuple):
    """A text of the interface, and where it stands."""

    context: str | None
    id: str
    plural: str | None
    at: str
    comments: tuple[str, ...] = ()


class SourceTexts(NamedTuple):
    """The texts in the sources; ``bare`` are those that can't be translated."""

    texts: list[Text]
    bare: list[str]


def find_texts() -> SourceTexts:
    """Every text of the interface, in the order of the sources."""
    out = subprocess.check_output(["node", ROOT / "scripts" / "strings.mjs"], cwd=ROOT)
    read = json.loads(out)
    texts = [Text(**{**text, "comments": tuple(text["comments"])}) for text in read["messages"]]
    for path in sorted((ROOT / "aiserver").glob("**/*.py")):
        texts += server_texts(path.read_text("utf-8"), path.relative_to(ROOT).as_posix())
    for path in sorted((ROOT / "schema").glob("*.json")):
        schema = json.loads(path.read_text("utf-8"))
        texts += schema_texts(schema, path.relative_to(ROOT).as_posix())
    return SourceTexts(texts, read["bare"])


def server_texts(source: str, at: str) -> Iterator[Text]:
    """The templates of the server's texts for people, which are written out at each call."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "UserText":
            if not isinstance(node.args[0], ast.Constant):
                raise SystemExit(f"{at}:{node.lineno}: the template is not written out")
            yield Text(None, node.args[0].value, None, at)


def schema_texts(schema: dict[str, Any], at: str) -> Iterator[Text]:
    """The texts of a schema, by the rules of the server that will translate them."""
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


def template(texts: list[Text]) -> Catalog:
    """The template: one entry for each distinct text."""
    catalog = Catalog(project="aiserver", charset="utf-8", fuzzy=False)
    for text in texts:
        existing = catalog.get(text.id, text.context)
        if existing and isinstance(existing.id, str) != (text.plural is None):
            # JupyterLab would find neither.
            raise SystemExit(
                f"{text.at}: “{text.id}” has a plural in one place and none in another."
            )
        # No line numbers: each edit above would change the files.
        file = text.at.partition(":")[0]
        catalog.add(
            text.id if text.plural is None else (text.id, text.plural),
            locations=[(file, None)],  # type: ignore[list-item]
            auto_comments=list(text.comments),
            context=text.context,
        )
    return catalog


def locales() -> list[str]:
    """The existing languages."""
    return sorted(path.stem for path in POS.glob("*.po"))


def po_path(locale: str) -> Path:
    """The PO file of a language."""
    return POS / f"{locale}.po"


def json_path(locale: str) -> Path:
    """The file of a language that JupyterLab reads."""
    return COMPILED / locale / "LC_MESSAGES" / f"{DOMAIN}.json"


def read(locale: str) -> Catalog:
    """Read the catalog of a language."""
    with po_path(locale).open("rb") as file:
        # Otherwise unresolved merge conflicts would be read as text.
        return read_po(file, locale=locale, domain=DOMAIN, abort_invalid=True)


def serialize(catalog: Catalog, locale: str = "") -> bytes:
    """A catalog as bytes: no dates, no names, sorted."""
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
    """Update a language to the current texts; new ones are empty."""
    header = into.header_comment
    into.update(texts, no_fuzzy_matching=True)
    into.header_comment = header
    return into


def new_catalog(locale: str) -> Catalog:
    """A new language without translations."""
    catalog = Catalog(locale=locale, domain=DOMAIN, charset="utf-8", fuzzy=False)
    name = Locale.parse(locale).get_display_name("en")
    catalog.header_comment = HEADER.format(name=name)
    return catalog


def key(message: Message) -> str:
    """The key of a text in the file that JupyterLab reads."""
    text = message.id if isinstance(message.id, str) else message.id[0]
    return f"{message.context}\x04{text}" if message.context else text


def plural_forms(message: Message) -> list[str]:
    """Its translation, one for each plural form."""
    translations = message.string
    return (
        [translations]
        if isinstance(translations, str)
        else [form or "" for form in translations or ("",)]
    )


def compile_catalog(catalog: Catalog, locale: str) -> bytes:
    """A language in the format that JupyterLab reads, without missing and fuzzy translations."""
    entries: dict[str, Any] = {}
    for message in catalog:
        translations = plural_forms(message)
        if message.id and all(translations) and not message.fuzzy:
            # Where a language has one form only, JupyterLab's gettext overlooks a list of one.
            entries[key(message)] = (
                translations * 2
                if message.pluralizable and len(translations) == 1
                else translations
            )
    head = {
        "domain": DOMAIN,
        "language": locale.replace("_", "-"),
        "plural_forms": catalog.plural_forms,
    }
    ordered = {"": head, **dict(sorted(entries.items()))}
    return json.dumps(ordered, ensure_ascii=False, indent=1).encode() + b"\n"


def problems(catalog: Catalog) -> Iterator[str]:
    """Missing translations, and those that would break the interface."""
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
                yield f"{name} does not hold the same %1, %2 …"
            if any(form.strip() != form for form in translations) and ids[0].strip() == ids[0]:
                yield f"{name} begins or ends with a space"


def update() -> None:
    """Write the template, the PO files and the compiled files."""
    texts = template(find_texts().texts)
    TEMPLATE.write_bytes(serialize(texts))
    for locale in locales():
        catalog = merge(read(locale), texts)
        po_path(locale).write_bytes(serialize(catalog, locale))
        target = json_path(locale)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(compile_catalog(catalog, locale))
        left = sum(1 for _ in problems(catalog))
        print(f"{locale}: {len(catalog)} texts" + (f", {left} to do" if left else ""))


def check() -> list[str]:
    """Report problems and stale files without changing anything."""
    sources = find_texts()
    issues = [f"no translator ever sees this: {place}" for place in sources.bare]
    texts = template(sources.texts)
    stale = []
    if TEMPLATE.read_bytes() != serialize(texts):
        stale.append(TEMPLATE)
    for locale in locales():
        catalog = merge(read(locale), texts)
        issues += [f"{locale}: {problem}" for problem in problems(catalog)]
        if po_path(locale).read_bytes() != serialize(catalog, locale):
            stale.append(po_path(locale))
        target = json_path(locale)
        if not target.is_file() or target.read_bytes() != compile_catalog(catalog, locale):
            stale.append(target)
    issues += [f"{path.relative_to(ROOT)} is stale: make translations" for path in stale]
    return issues


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="Keeps the translations of the interface.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail if one is due")
    parser.add_argument("--add", metavar="LOCALE", help="begin a new language, such as pt_BR")
    options = parser.parse_args()
    if options.check:
        issues = check()
        print("\n".join(issues) or "The translations are whole.")
        sys.exit(1 if issues else 0)
    if options.add and not po_path(options.add).exists():
        POS.mkdir(exist_ok=True)
        po_path(options.add).write_bytes(serialize(new_catalog(options.add), options.add))
    update()


if __name__ == "__main__":
    main()
