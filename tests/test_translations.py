"""The translations of the interface are whole: nothing is missing, stale or in the wrong form."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from aiserver import errors
from aiserver.handlers.base import FRAMEWORK_ERRORS

ROOT = Path(__file__).parent.parent
LOCALES = ["zh_CN", "zh_TW"]
TOOL = ROOT / "scripts" / "translations.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """The command that keeps the translations, as a module."""
    spec = importlib.util.spec_from_file_location("keep_translations", TOOL)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def found(tool: ModuleType) -> Any:
    """The texts of the interface."""
    return tool.find_texts()


def test_every_text_is_translated_and_every_file_is_up_to_date(tool: ModuleType) -> None:
    assert tool.locales() == LOCALES
    assert tool.check() == [], "make translations"


def test_every_schema_names_the_domain_that_its_texts_are_looked_up_in() -> None:
    for path in (ROOT / "schema").glob("*.json"):
        schema = json.loads(path.read_text("utf-8"))
        assert schema["jupyter.lab.internationalization"] == {"domain": "aiserver"}, path.name


SOURCE = """
const a = trans.__('One %1', x);
const b = trans._n('%1 cell', '%1 cells', n);
// Translators: the verb
const c = this._trans._p('menu', 'Run');
const d = trans.__('A ' + 'long one');
const e = trans.__(`plain`);
const f = other.__('no text of ours');
const g = <p title="bare title">{trans.__('Inside')}</p>;
const h = <b>bare words</b>;
const i = trans.__(someVariable);
node.textContent = 'bare content';
node.setAttribute('aria-label', 'bare label');
const j = <input placeholder="https://example.org/v1" aria-label={busy ? 'bare busy' : ''} />;
"""


def test_the_sources_are_read_as_the_compiler_reads_them(tmp_path: Path) -> None:
    """Every form of a call is found, and whatever bypasses the translator is told."""
    (tmp_path / "src").mkdir()
    (tmp_path / "scripts").mkdir()
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    (tmp_path / "src" / "x.tsx").write_text(SOURCE, "utf-8")
    (tmp_path / "src" / "x.spec.tsx").write_text("trans.__('of a test')", "utf-8")
    script = tmp_path / "scripts" / "strings.mjs"
    script.write_text((ROOT / "scripts" / "strings.mjs").read_text("utf-8"), "utf-8")
    read = json.loads(subprocess.check_output(["node", script]))
    assert [(m["context"], m["id"], m["plural"]) for m in read["messages"]] == [
        (None, "One %1", None),
        (None, "%1 cell", "%1 cells"),
        ("menu", "Run", None),
        (None, "A long one", None),
        (None, "plain", None),
        (None, "Inside", None),
    ]
    assert read["messages"][2]["comments"] == ["the verb"]
    assert read["messages"][0]["at"] == "src/x.tsx:2"
    assert [bare.partition(": ")[2] for bare in read["bare"]] == [
        "bare title",
        "bare words",
        "trans.__(someVariable)",
        "bare content",
        "bare label",
        "bare busy",
    ]


def test_the_texts_of_a_schema_are_those_that_the_server_translates(tool: ModuleType) -> None:
    from jupyterlab_server.translation_utils import translator

    class Asked:
        def __init__(self) -> None:
            self.texts: list[tuple[str, str]] = []

        def pgettext(self, context: str, text: str) -> str:
            self.texts.append((context, text))
            return text

    for path in sorted((ROOT / "schema").glob("*.json")):
        schema = json.loads(path.read_text("utf-8"))
        asked = Asked()
        translator._translate_schema_strings(asked, schema)
        assert [(text.context, text.id) for text in tool.schema_texts(schema, "")] == asked.texts


def message(tool: ModuleType, said: str, **more: Any) -> list[str]:
    """What is wrong with a translation of “%1 of %2 cells”."""
    catalog = tool.new_catalog("zh_CN")
    catalog.add("%1 of %2 cells", said, **more)
    return list(tool.problems(catalog))


def test_what_a_translator_can_get_wrong_is_told(tool: ModuleType) -> None:
    assert message(tool, "%2 个中的 %1 个") == []
    assert message(tool, "") == ["“%1 of %2 cells” is not translated"]
    assert "same %1" in message(tool, "%1 个")[0]
    assert "same %1" in message(tool, "%1 %2 %3")[0]
    assert "space" in message(tool, "%2 个中的 %1 个 ")[0]
    assert "fuzzy" in message(tool, "%2 个中的 %1 个", flags=["fuzzy"])[0]
    assert "(menu)" in message(tool, "", context="menu")[0]
    plural = tool.new_catalog("pl")
    plural.add(("%1 cell", "%1 cells"), ("%1 a", "%1 b"))
    assert "plural forms" in next(tool.problems(plural))
    phrase = tool.new_catalog("zh_TW")
    phrase.add("$ unchanged lines", "行未變更")
    assert list(tool.problems(phrase))


def test_a_language_can_be_begun_and_nothing_is_thrown_away(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool, "POS", tmp_path)
    texts = tool.template([tool.Text(None, "Old", None, "a.ts:1")])
    catalog = tool.merge(tool.new_catalog("pt_BR"), texts)
    catalog["Old"].string = "Velho"
    path = tmp_path / "pt_BR.po"
    path.write_bytes(tool.serialize(catalog, "pt_BR"))
    assert b"Language: pt_BR" in path.read_bytes()
    newer = tool.template([tool.Text(None, "New", None, "a.ts:1")])
    path.write_bytes(tool.serialize(tool.merge(tool.read("pt_BR"), newer), "pt_BR"))
    assert '#~ msgstr "Velho"' in path.read_text("utf-8")
    again = tool.merge(tool.read("pt_BR"), texts)
    assert again["Old"].string == "Velho"
    compiled = json.loads(tool.compile_catalog(again, "pt_BR"))
    assert compiled[""]["language"] == "pt-BR"
    assert compiled["Old"] == ["Velho"]


HAN = "\u3400-\u9fff"
# A duration ends in Chinese ("8 分钟"), so what follows it is set without a space.
NO_SPACE = re.compile(
    f"[{HAN}][A-Za-z0-9%]|[A-Za-z0-9%](?<!%[12])[{HAN}]|%[12](?![前后後内內])[{HAN}]"
)
HALF_WIDTH = re.compile(f"[{HAN}] ?[,.:;?!()]|[,.;:?!()] ?[{HAN}]|\\.\\.\\.")


@pytest.mark.parametrize("locale", LOCALES)
def test_chinese_is_set_as_chinese_is(tool: ModuleType, locale: str) -> None:
    """Full-width punctuation, each place's quotation marks, and room around Latin letters."""
    said = [
        form for message in tool.read(locale) if message.id for form in tool.plural_forms(message)
    ]
    marks = re.compile({"zh_CN": "[「」]", "zh_TW": "[“”]"}[locale])
    for rule in (NO_SPACE, HALF_WIDTH, marks):
        assert [text for text in said if rule.search(text)] == []


PAGE = ROOT / "aiserver" / "sharing" / "page" / "words.js"


@pytest.mark.parametrize(("locale", "charset"), [("zh_CN", "gb2312"), ("zh_TW", "big5")])
def test_each_locale_has_its_own_characters(tool: ModuleType, locale: str, charset: str) -> None:
    """No text of one place stands in the other's file: neither set has the other's forms."""
    texts = [
        form for message in tool.read(locale) if message.id for form in tool.plural_forms(message)
    ]
    page = re.findall(r"\[\s*'([^']*)',\s*'([^']*)'\s*\]", PAGE.read_text("utf-8"))
    assert len(page) > 100
    texts += [pair[LOCALES.index(locale)] for pair in page]
    han = re.compile(f"[{HAN}]")
    wrong = []
    for text in texts:
        characters = "".join(han.findall(text))
        if characters.encode(charset, "ignore").decode(charset) != characters:
            wrong.append(text)
    assert wrong == []


WORDS = ROOT / "docs" / "translating.md"
# What stands in brackets only explains: "line (of code)", "纯文本（单元格）".
BRACKETS = re.compile(r" ?\(.*?\)|（.*?）")


@pytest.mark.parametrize(("locale", "column"), [("zh_CN", 1), ("zh_TW", 2)])
def test_the_settled_words_are_those_of_the_interface(
    tool: ModuleType, locale: str, column: int
) -> None:
    """Each word of the table translates its English in some text of the interface."""
    texts = [
        (tool.key(text).lower(), tool.plural_forms(text)[0])
        for text in tool.read(locale)
        if text.id
    ]
    table = WORDS.read_text("utf-8").partition("## Words that are settled")[2]
    rows = [
        [BRACKETS.sub("", cell).strip() for cell in line.strip("|").split("|")]
        for line in table.splitlines()
        if line.startswith("| ")
    ][1:]
    assert len(rows) > 30
    unused = []
    for row in rows:
        english = [word.lower() for word in row[0].split(", ")]
        for word in row[column].split("、"):
            if not any(word in said and any(e in text for e in english) for text, said in texts):
                unused.append(f"{row[0]}: {word}")
    assert unused == []


@pytest.mark.parametrize("locale", LOCALES)
def test_the_first_steps_name_things_as_the_interface_does(tool: ModuleType, locale: str) -> None:
    """Each name of the interface follows in Chinese: “**… → 显示回放**（View → Show Replay）”."""
    cells = json.loads((ROOT / "examples" / "first-steps.ipynb").read_text("utf-8"))["cells"]
    catalog = tool.read(locale)
    names = 0
    for cell in cells:
        for bold in re.findall(r"\*\*([^*]+)\*\*", cell["source"]):
            if said := catalog.get(bold.rpartition(" → ")[2]):
                names += 1
                name = f"{said.string}**（{bold.removeprefix('⋯ → ')}）"
                assert name in cell["source"]
    assert names == 3


# --- what the server says -----------------------------------------------------------------

# Errors whose sentence the page shows as it comes (failures.spec.ts holds this list, too).
SHOWN = {
    "AIServerError",
    "InvalidRequest",
    "NotFound",
    "NoModel",
    "ModelError",
    "InstallFailed",
    "InstallError",
    "HubUnreachable",
}
# A field of a request, as the API names it; the page says it in the words of its form.
FIELD = re.compile(r"'((?:key|address|onThisMachine|intent|q): [^']+)'")
# A server without a name, where the listed sentence has %1.
UNNAMED = re.compile(r"[Tt]he provider|The model(?= did)")
# Those of them that only another program can bring about.
BY_PROGRAMS = re.compile(
    r"JSON|ETag|must be a whole number|^\w+: %1$|^%1: %2$|checksum|[Tt]o the model hub|hub's client"
    r"|_ -$|each cell may be named once|none of this number|words or meaning|must be one of"
    r"|is not a PNG"
)


def sentences() -> Iterator[str]:
    """What the server may say in the page, with %1, %2 … for what it puts in."""
    yield from default_messages()
    yield from (message for _, message in FRAMEWORK_ERRORS.values() if "Log in" not in message)
    shown = SHOWN | {name for name, kind in vars(errors).items() if is_of_model(kind)}
    for folder in ("llm", "handlers", "generation", "."):
        pattern = "*.py" if folder == "." else "**/*.py"
        for path in sorted((ROOT / "aiserver" / folder).glob(pattern)):
            tree = ast.parse(path.read_text("utf-8"))
            constants = {
                node.targets[0].id: node.value
                for node in tree.body
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
            }
            for node in ast.walk(tree):
                if isinstance(node, ast.Call) and node.args and called(node) in shown:
                    yield from worded(node.args[0], constants)
                elif isinstance(node, ast.Assign) and "problem" in ast.unparse(node.targets[0]):
                    yield from worded(node.value, constants)


def default_messages() -> Iterator[str]:
    """Those of the errors that are shown, and of those that a turn may be kept with."""
    for kind in vars(errors).values():
        if is_of_model(kind) or getattr(kind, "__name__", "") in SHOWN:
            yield kind.default_message
            if named := getattr(kind, "named_message", ""):
                yield named


def is_of_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, errors.ModelError)


def called(node: ast.Call) -> str:
    return ast.unparse(node.func).rpartition(".")[2]


def worded(node: ast.expr, constants: dict[str, ast.expr]) -> Iterator[str]:
    if isinstance(node, ast.Tuple):
        for part in node.elts:
            yield from worded(part, constants)
    elif isinstance(node, ast.IfExp):
        yield from worded(node.body, constants)
        yield from worded(node.orelse, constants)
    elif isinstance(node, ast.Name) and node.id in constants:
        yield from worded(constants[node.id], constants)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        if " " in node.value and not node.value.startswith("pip "):
            yield node.value
    elif isinstance(node, ast.JoinedStr):
        numbers = iter(range(1, 10))
        yield "".join(
            str(part.value) if isinstance(part, ast.Constant) else f"%{next(numbers)}"
            for part in node.values
        )


def test_what_the_server_says_in_the_page_is_translated(found: Any) -> None:
    """By its own sentence, which the page knows to the letter."""
    known = {text.id for text in found.texts if text.at.startswith("src/labels/serverMessages.ts")}
    known |= set(FIELD.findall((ROOT / "src/labels/serverMessages.ts").read_text("utf-8")))
    said = {sentence for sentence in sentences() if not BY_PROGRAMS.search(sentence)}
    assert len(said) > 40
    missing = said - known
    assert {text for text in missing if UNNAMED.sub("%1", text, count=1) not in known} == set()


# Errors of which the page shows the server's own sentence, or puts something of its own around it.
NOT_OF_THE_PAGE = {"bad_setting", "no_model", "model_package_missing"}


def test_an_error_is_worded_once(found: Any) -> None:
    """What the page words by an error's code is to the letter what the server says of it."""
    source = (ROOT / "src/labels/failureText.ts").read_text("utf-8")
    codes = set(re.findall(r"case '(\w+)'", source)) - NOT_OF_THE_PAGE
    words = {text.id for text in found.texts if text.at.startswith("src/labels/failureText.ts")}
    kinds = [kind for kind in vars(errors).values() if getattr(kind, "code", "") in codes]
    said = {kind.default_message for kind in kinds}
    said |= {named for kind in kinds if (named := getattr(kind, "named_message", ""))}
    assert len(said) > 30
    assert {text for text in said - words if UNNAMED.sub("%1", text, count=1) not in words} == set()


# --- how JupyterLab gets at it ------------------------------------------------------------


@pytest.mark.parametrize("locale", LOCALES)
def test_jupyterlab_hands_the_language_to_the_page(locale: str) -> None:
    from jupyterlab_server.translation_utils import get_language_pack

    packs, complaints = get_language_pack(locale)
    assert complaints.strip() == ""
    ours = packs["aiserver"]
    assert ours[""]["language"] == locale.replace("_", "-")
    assert ours["Accept"] == {"zh_CN": ["采纳"], "zh_TW": ["採用"]}[locale]
    # JupyterLab's gettext takes a plural for one only where the list is longer than one.
    assert len(ours["%1 request"]) == 2


@pytest.fixture
def labextension(tmp_path: Path) -> Path:
    """A folder of extensions that holds our schemas, as an installation does."""
    schemas = tmp_path / "labextensions" / "aiserver" / "schemas" / "aiserver"
    shutil.copytree(ROOT / "schema", schemas)
    (schemas / "package.json.orig").write_text('{"version": "1"}')
    (tmp_path / "schemas").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("locale", "title"), [("zh_CN", "AI Server：回放"), ("zh_TW", "AI Server：重播")]
)
def test_the_server_translates_the_settings(labextension: Path, locale: str, title: str) -> None:
    """One by one and in the list, which the settings editor shows; and only in our languages."""
    from jupyterlab_server import settings_handler
    from jupyterlab_server.translation_utils import translator

    from aiserver.i18n import install_translations

    def titles(name: str = "") -> dict[str, str]:
        folders = {"schemas_dir": str(labextension / "schemas"), "settings_dir": ""}
        extensions = [str(labextension / "labextensions")]
        found, _ = settings_handler.get_settings(
            "",
            **folders,
            labextensions_path=extensions,
            overrides={},
            schema_name=name,
            translator=translator.translate_schema,
        )
        return {one["id"]: one["schema"]["title"] for one in found.get("settings") or [found]}

    before = translator._LOCALE
    install_translations()
    install_translations()  # a second server in the same process
    try:
        translator.set_locale(locale)
        assert titles("aiserver:replay") == {"aiserver:replay": title}
        assert titles()["aiserver:replay"] == title
        assert len(titles()) == len(list((ROOT / "schema").glob("*.json")))
        for other in ("de_DE", "en"):
            translator.set_locale(other)
            assert titles()["aiserver:replay"] == "AI Server: Replay"
    finally:
        translator.set_locale(before)


def test_what_a_person_set_is_read_as_it_was_saved(labextension: Path) -> None:
    """Of one plugin, "settings" in the answer is what was set, and no list of plugins."""
    from jupyterlab_server import settings_handler

    from aiserver.i18n import install_translations

    saved = labextension / "aiserver" / "replay.jupyterlab-settings"
    saved.parent.mkdir()
    saved.write_text('{"diff": "split"}')
    install_translations()
    found, _ = settings_handler.get_settings(
        "",
        schemas_dir=str(labextension / "schemas"),
        settings_dir=str(labextension),
        labextensions_path=[str(labextension / "labextensions")],
        overrides={},
        schema_name="aiserver:replay",
    )
    assert found["settings"] == {"diff": "split"}


def test_a_text_or_a_language_that_is_missing_is_english() -> None:
    from aiserver.i18n import Translations, load_texts

    assert load_texts("../zh_CN") == load_texts("de_DE") == load_texts("") == {}
    assert Translations("zh_CN").gettext("no text of ours") == "no text of ours"
    assert Translations("zh-cn").gettext("Accept") == "采纳"
    assert Translations("zh_CN").gettext("") == ""


def test_a_server_without_jupyterlab_loads_nothing_for_it() -> None:
    code = "import sys, aiserver.i18n as t; t.install_translations(); print(*sys.modules)"
    out = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert "jupyterlab_server" not in out.split()
    assert "babel" not in out.split()
