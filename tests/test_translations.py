"""The translations of the interface are complete, current and well-formed."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest

from aiserver import errors
from aiserver.handlers.base import FRAMEWORK_ERRORS
from aiserver.prompts.language import cell_language
from aiserver.prompts.modes import Mode, split_slash_word

ROOT = Path(__file__).parent.parent
LOCALES = ["zh_CN", "zh_TW"]
TOOL = ROOT / "scripts" / "translations.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """Return the translation tool as a module."""
    spec = importlib.util.spec_from_file_location("keep_translations", TOOL)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def extracted(tool: ModuleType) -> Any:
    """Return the texts of the interface."""
    return tool.find_texts()


def test_every_text_is_translated_and_every_file_is_up_to_date(tool: ModuleType) -> None:
    assert tool.locales() == LOCALES
    assert tool.check() == [], "make translations"


def test_every_schema_has_our_translation_domain() -> None:
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


def test_texts_are_extracted_from_every_form_of_call(tmp_path: Path) -> None:
    """Texts that bypass the translator are reported."""
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
    assert [text.partition(": ")[2] for text in read["untranslatable"]] == [
        "bare title",
        "bare words",
        "trans.__(someVariable)",
        "bare content",
        "bare label",
        "bare busy",
    ]


def test_schema_texts_match_those_that_the_server_translates(tool: ModuleType) -> None:
    from jupyterlab_server.translation_utils import translator

    class RecordingTranslator:
        def __init__(self) -> None:
            self.texts: list[tuple[str, str]] = []

        def pgettext(self, context: str, text: str) -> str:
            self.texts.append((context, text))
            return text

    for path in sorted((ROOT / "schema").glob("*.json")):
        schema = json.loads(path.read_text("utf-8"))
        asked = RecordingTranslator()
        translator._translate_schema_strings(asked, schema)
        assert [(text.context, text.id) for text in tool.schema_texts(schema, "")] == asked.texts


def problems_of(tool: ModuleType, translation: str, **more: Any) -> list[str]:
    """Return the problems of a translation of “%1 of %2 cells”."""
    catalog = tool.new_catalog("zh_CN")
    catalog.add("%1 of %2 cells", translation, **more)
    return list(tool.problems(catalog))


def test_mistakes_of_translators_are_reported(tool: ModuleType) -> None:
    assert problems_of(tool, "%2 个中的 %1 个") == []
    assert problems_of(tool, "") == ["“%1 of %2 cells” is not translated"]
    assert "same %1" in problems_of(tool, "%1 个")[0]
    assert "same %1" in problems_of(tool, "%1 %2 %3")[0]
    assert "space" in problems_of(tool, "%2 个中的 %1 个 ")[0]
    assert "fuzzy" in problems_of(tool, "%2 个中的 %1 个", flags=["fuzzy"])[0]
    assert "(menu)" in problems_of(tool, "", context="menu")[0]
    plural = tool.new_catalog("pl")
    plural.add(("%1 cell", "%1 cells"), ("%1 a", "%1 b"))
    assert "plural forms" in next(tool.problems(plural))
    phrase = tool.new_catalog("zh_TW")
    phrase.add("$ unchanged lines", "行未變更")
    assert list(tool.problems(phrase))


@pytest.mark.parametrize("locale", LOCALES)
def test_the_build_compiles_every_translation(tool: ModuleType, locale: str) -> None:
    path = ROOT / "aiserver" / "locale" / locale / "LC_MESSAGES" / "aiserver.json"
    compiled = json.loads(path.read_text("utf-8"))
    expected = {}
    for message in tool.read(locale):
        forms = tool.plural_forms(message)
        # JupyterLab's gettext ignores a list with one form.
        expected[key(message)] = forms * 2 if message.pluralizable and len(forms) == 1 else forms
    del expected[""], compiled[""]
    assert compiled == expected, "make build"


def key(message: Any) -> str:
    """Return the key of a text in the compiled file."""
    text = message.id if isinstance(message.id, str) else message.id[0]
    return f"{message.context}\x04{text}" if message.context else text


HAN = "\u3400-\u9fff"
# A duration ends in Chinese ("8 分钟"), so no space follows it.
NO_SPACE = re.compile(
    f"[{HAN}][A-Za-z0-9%]|[A-Za-z0-9%](?<!%[12])[{HAN}]|%[12](?![前后後内內])[{HAN}]"
)
HALF_WIDTH = re.compile(f"[{HAN}] ?[,.:;?!()]|[,.;:?!()] ?[{HAN}]|\\.\\.\\.")


@pytest.mark.parametrize("locale", LOCALES)
def test_chinese_typography(tool: ModuleType, locale: str) -> None:
    """It has full-width punctuation, local quotation marks, and spaces around Latin letters."""
    translations = [
        form
        for problems_of in tool.read(locale)
        if problems_of.id
        for form in tool.plural_forms(problems_of)
    ]
    marks = re.compile({"zh_CN": "[「」]", "zh_TW": "[“”]"}[locale])
    for rule in (NO_SPACE, HALF_WIDTH, marks):
        assert [text for text in translations if rule.search(text)] == []


@pytest.mark.parametrize(("locale", "charset"), [("zh_CN", "gb2312"), ("zh_TW", "big5")])
def test_each_locale_has_its_own_characters(tool: ModuleType, locale: str, charset: str) -> None:
    """Simplified and traditional characters are not mixed."""
    texts = [
        form
        for problems_of in tool.read(locale)
        if problems_of.id
        for form in tool.plural_forms(problems_of)
    ]
    han = re.compile(f"[{HAN}]")
    wrong = []
    for text in texts:
        characters = "".join(han.findall(text))
        if characters.encode(charset, "ignore").decode(charset) != characters:
            wrong.append(text)
    assert wrong == []


WORDS = ROOT / "docs" / "translating.md"
# Text in brackets is only an explanation: "line (of code)", "纯文本（单元格）".
BRACKETS = re.compile(r" ?\(.*?\)|（.*?）")


@pytest.mark.parametrize(("locale", "column"), [("zh_CN", 1), ("zh_TW", 2)])
def test_the_interface_uses_the_terms_of_the_table(
    tool: ModuleType, locale: str, column: int
) -> None:
    """Each term of the table translates its English term in some text of the interface."""
    texts = [
        (key(text).lower(), tool.plural_forms(text)[0]) for text in tool.read(locale) if text.id
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
            if not any(
                word in translation and any(e in text for e in english)
                for text, translation in texts
            ):
                unused.append(f"{row[0]}: {word}")
    assert unused == []


@pytest.mark.parametrize("locale", LOCALES)
def test_the_first_steps_use_the_labels_of_the_interface(tool: ModuleType, locale: str) -> None:
    """Each label, such as “**View → Show Replay**”, is in the translation as the page shows it."""
    catalog = tool.read(locale)
    labels = []
    for text in tool.notebook_texts(tool.FIRST_STEPS):
        translation = catalog.get(text.id).string
        for bold in re.findall(r"\*\*([^*]+)\*\*", text.id):
            if label := catalog.get(bold.rpartition(" → ")[2]):
                labels.append(label.id)
                assert f"{label.string}**" in translation
    assert labels == ["Show Replay", "Restore", "Fix it"]


# --- messages of the server -----------------------------------------------------------------


@pytest.mark.parametrize("locale", LOCALES)
def test_the_server_accepts_the_slash_words(tool: ModuleType, locale: str) -> None:
    language = cell_language("python")
    catalog = tool.read(locale)
    words = {word: catalog.get(f"/{word}").string for word in get_args(Mode)}
    for mode, translated in words.items():
        assert [split_slash_word(text, language)[0] for text in (f"/{mode}", translated)] == [
            mode,
            mode,
        ]


def test_each_error_has_a_translated_message(extracted: Any) -> None:
    """The page shows it even if an error has a message for programs and the command line."""
    kinds = [kind for kind in vars(errors).values() if hasattr(kind, "default_message")]
    assert len(kinds) > 35
    collected = {text.id for text in extracted.texts}
    assert {kind.default_message.template for kind in kinds} <= collected
    assert {message.template for _, message in FRAMEWORK_ERRORS.values()} <= collected


# --- translations in JupyterLab -------------------------------------------------------------


@pytest.mark.parametrize("locale", LOCALES)
def test_jupyterlab_serves_the_translations(locale: str) -> None:
    from jupyterlab_server.translation_utils import get_language_pack

    packs, complaints = get_language_pack(locale)
    assert complaints.strip() == ""
    ours = packs["aiserver"]
    assert ours[""]["language"] == locale.replace("_", "-")
    assert ours["Accept"] == {"zh_CN": ["采纳"], "zh_TW": ["採用"]}[locale]
    # JupyterLab's gettext recognizes a plural only if the list has several forms.
    assert len(ours["%1 request"]) == 2


@pytest.fixture
def labextension(tmp_path: Path) -> Path:
    """Create a folder of extensions with our schemas, like an installation."""
    schemas = tmp_path / "labextensions" / "aiserver" / "schemas" / "aiserver"
    shutil.copytree(ROOT / "schema", schemas)
    (schemas / "package.json.orig").write_text('{"version": "1"}')
    (tmp_path / "schemas").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("locale", "title"), [("zh_CN", "AI Server：回放"), ("zh_TW", "AI Server：重播")]
)
def test_the_server_translates_the_settings(labextension: Path, locale: str, title: str) -> None:
    """Single schemas and the list in the settings editor are translated into our languages only."""
    from jupyterlab_server import settings_handler
    from jupyterlab_server.translation_utils import translator

    from aiserver.i18n import current_locale, install_translations

    def titles(name: str = "") -> dict[str, str]:
        options: dict[str, Any] = {"schemas_dir": str(labextension / "schemas"), "settings_dir": ""}
        extensions = [str(labextension / "labextensions")]
        settings, _ = settings_handler.get_settings(  # type: ignore[attr-defined]
            "",
            **options,
            labextensions_path=extensions,
            overrides={},
            schema_name=name,
            translator=translator.translate_schema,
        )
        return {
            item["id"]: item["schema"]["title"] for item in settings.get("settings") or [settings]
        }

    before = translator._LOCALE
    install_translations()
    install_translations()  # a second server in the same process
    try:
        translator.set_locale(locale)
        assert current_locale() == locale
        assert titles("aiserver:replay") == {"aiserver:replay": title}
        assert titles()["aiserver:replay"] == title
        assert len(titles()) == len(list((ROOT / "schema").glob("*.json")))
        for other in ("de_DE", "en"):
            translator.set_locale(other)
            assert titles()["aiserver:replay"] == "AI Server: Replay"
    finally:
        translator.set_locale(before)


def test_saved_settings_are_returned_unchanged(labextension: Path) -> None:
    """For a single plugin, “settings” in the response has the saved values, not a list."""
    from jupyterlab_server import settings_handler

    from aiserver.i18n import install_translations

    saved = labextension / "aiserver" / "replay.jupyterlab-settings"
    saved.parent.mkdir()
    saved.write_text('{"diff": "split"}')
    install_translations()
    response, _ = settings_handler.get_settings(  # type: ignore[attr-defined]
        "",
        schemas_dir=str(labextension / "schemas"),
        settings_dir=str(labextension),
        labextensions_path=[str(labextension / "labextensions")],
        overrides={},
        schema_name="aiserver:replay",
    )
    assert response["settings"] == {"diff": "split"}


def test_without_jupyterlab_no_translations_are_loaded() -> None:
    code = "import sys, aiserver.i18n as t; t.install_translations(); print(*sys.modules)"
    out = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert "jupyterlab_server" not in out.split()
    assert "babel" not in out.split()


@pytest.mark.parametrize("locale", LOCALES)
def test_no_translation_contains_an_english_sentence(locale: str) -> None:
    """A merge of two branches once joined a Chinese text with the English text below it."""
    path = ROOT / "aiserver" / "locale" / locale / "LC_MESSAGES" / "aiserver.json"
    compiled = json.loads(path.read_text("utf-8"))
    sentence = re.compile(r"(?:[A-Za-z’']+[ ,]+){5}")
    assert [forms for id_, forms in compiled.items() if id_ and sentence.search(str(forms))] == []


def test_texts_address_people_and_name_their_computer_in_one_way(tool: ModuleType) -> None:
    for locale in ("zh_CN", "zh_TW"):
        translations = [form for text in tool.read(locale) for form in tool.plural_forms(text)]
        assert [form for form in translations if "你" in form] == []
    texts = [key(text) for text in tool.template(tool.find_texts().texts) if text.id]
    assert [text for text in texts if "this machine" in text.lower()] == []
