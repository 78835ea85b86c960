"""P40: authorship in the formats of other tools keeps all kinds of authors apart."""

from __future__ import annotations

import copy
import json
import re
import warnings
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from aiserver.errors import SettingError
from aiserver.plugins.export.annotated import annotate
from aiserver.plugins.export.authorship.agent_trace import agent_trace
from aiserver.plugins.export.authorship.git_note import write_note
from aiserver.plugins.export.authorship.lines import Author, authors_of_lines, ranges_of
from aiserver.plugins.export.authorship.prov import prov
from aiserver.plugins.export.narrative import narrative
from aiserver.plugins.export.page_data import page_data

from .agents_demo import (
    MODEL,
    NOTEBOOK,
    OTHER_RUN,
    RUN,
    SECRET,
    SOURCES,
    file_text,
    history,
    lines_by_number,
    notebook,
)

DATA = Path(__file__).parent.parent / "data" / "authorship"
COMMIT = "7734793b756b3921c88db5375a8c156e9532447b"
PERSON = "Ann <ann@example.org>"


def described(text: str, content: dict[str, Any] | None = None) -> dict[str, set[str]]:
    """Return the authors of each line of source in a file."""
    line_authors = authors_of_lines(text, content or notebook(), history())
    return {
        line: {_name(author) for author in line_authors[number]}
        for number, line in lines_by_number(text).items()
        if number in line_authors
    }


def _name(author: Author) -> str:
    return "existing" if author.is_existing else author.name or author.model or author.kind


EXPECTED = {
    "import pandas as pd": {MODEL},
    "": {MODEL},
    'df = pd.read_csv("销售.csv")': {MODEL},
    f'key = "{SECRET}"': {"person"},
    "df = df.dropna()": {"Codex"},
    "ax = df.plot()": {"Claude Code"},
    "ax.set_title('A')": {"black"},
    "ax.grid( )": {"file on disk"},
    "# Sales": {"existing"},
}


def test_each_line_of_source_is_one_line_of_the_file() -> None:
    """P40: also one with a secret, of which the history has a mark only."""
    text = file_text()
    assert described(text) == EXPECTED
    assert described(text.replace("\n", "\r\n")) == EXPECTED
    assert described(json.dumps(json.loads(text), indent=4)) == EXPECTED


def test_a_line_with_several_lines_of_source_has_all_their_authors() -> None:
    text = json.dumps(notebook(), indent=1)
    line_authors = authors_of_lines(text, notebook(), history())
    names = [{_name(author) for author in authors} for authors in line_authors.values()]
    assert names == [
        {MODEL, "person", "Codex"},
        {"Claude Code", "black", "file on disk"},
        {"existing"},
    ]
    record = agent_trace(history(), "sales.ipynb", line_authors)
    types = [each["contributor"]["type"] for each in record["files"][0]["conversations"]]
    assert types == ["mixed", "unknown"]
    note = write_note(COMMIT, PERSON, {"sales.ipynb": line_authors}, None)
    assert note is None


def test_oddly_split_sources_have_authors_and_other_cells_have_none() -> None:
    content = notebook()
    content["cells"][0]["source"] = [
        "import pan",
        "das as pd\n\n",
        *SOURCES["load"].splitlines(True)[2:],
    ]
    content["cells"][1]["id"] = "other"
    content["metadata"]["cells"] = [{"source": ["x = 1"]}]
    text = json.dumps(content, indent=1)
    line_authors = authors_of_lines(text, content, history())
    lines = text.splitlines()
    names = {
        lines[number - 1].strip(): {_name(a) for a in line_authors[number]}
        for number in line_authors
    }
    assert names.pop('"import pan",') == names.pop('"das as pd\\n\\n",') == {MODEL}
    assert set(map(frozenset, names.values())) == {
        frozenset([name]) for name in (MODEL, "person", "Codex", "existing")
    }
    assert not any("ax" in line or "x = 1" in line for line in names)


def test_ranges_are_of_consecutive_lines() -> None:
    assert ranges_of([1, 2, 3, 7, 9, 10]) == [(1, 3), (7, 7), (9, 10)]
    assert ranges_of([]) == []


# git-ai


def read_note(note: str) -> tuple[dict[str, dict[str, set[int]]], dict[str, Any]]:
    """Read a note as the specification says; return the lines by file and key, and the metadata."""
    head, _, metadata = note.partition("---\n")
    files: dict[str, dict[str, set[int]]] = {}
    for line in head.splitlines():
        if not line.startswith("  "):
            entries = files.setdefault(line.strip('"'), {})
            continue
        match = re.fullmatch(
            r"  (s_[0-9a-f]{14}::t_[0-9a-f]{14}|h_[0-9a-f]{14}|[0-9a-f]{16}) ([0-9,-]+)", line
        )
        assert match, line
        numbers: list[int] = []
        for item in match[2].split(","):
            first, _, last = item.partition("-")
            numbers += range(int(first), int(last or first) + 1)
        assert numbers == sorted(set(numbers))
        entries[match[1]] = set(numbers)
    data = json.loads(metadata)
    assert data["schema_version"] == "authorship/3.0.0" and isinstance(data["prompts"], dict)
    records = data["prompts"] | data.get("humans", {}) | data.get("sessions", {})
    for entries in files.values():
        assert all(key.partition("::")[0] in records for key in entries)
    for session in data.get("sessions", {}).values():
        assert all(isinstance(session["agent_id"][name], str) for name in ("tool", "id", "model"))
    return files, data


def test_a_note_has_people_models_and_agents() -> None:
    """P40: programs and unknown authors aren't AI, so the note leaves their lines out."""
    text = file_text()
    line_authors = authors_of_lines(text, notebook(), history())
    note = write_note(COMMIT, PERSON, {"my sales.ipynb": line_authors}, None)
    assert note is not None and SECRET not in note
    files, data = read_note(note)
    lines = lines_by_number(text)
    names: dict[str, str] = {}
    for key, numbers in files["my sales.ipynb"].items():
        if key.startswith("h_"):
            author = data["humans"][key]["author"]
        else:
            agent = data["sessions"][key.partition("::")[0]]["agent_id"]
            author = f"{agent['tool']} {agent['id']} {agent['model']}"
        names |= {lines[number]: author for number in numbers}
    model = f"aiserver {NOTEBOOK}/load/1 {MODEL}"
    assert names == {
        "import pandas as pd": model,
        "": model,
        'df = pd.read_csv("销售.csv")': model,
        f'key = "{SECRET}"': PERSON,
        "df = df.dropna()": f"Codex {RUN} unknown",
        "ax = df.plot()": f"Claude Code {OTHER_RUN} unknown",
    }
    assert write_note(COMMIT, PERSON, {"my sales.ipynb": line_authors}, note) is None


@pytest.mark.parametrize("name", ["sessions", "legacy", "mixed"])
def test_a_note_of_git_ai_keeps_what_it_has(name: str) -> None:
    """The examples of the specification."""
    existing = (DATA / f"git-ai-{name}.txt").read_text("utf-8")
    before, old = read_note(existing)
    line_authors = authors_of_lines(file_text(), notebook(), history())
    note = write_note(COMMIT, PERSON, {"sales.ipynb": line_authors}, existing)
    assert note is not None
    after, new = read_note(note)
    assert after.pop("sales.ipynb") and after == before
    for key, value in old.items():
        old_part = {each: new[key][each] for each in value} if isinstance(value, dict) else new[key]
        assert old_part == value


@pytest.mark.parametrize(
    "note",
    [
        "no note of git-ai",
        "---\n[]",
        '---\n{"schema_version": "authorship/4.0.0"}',
        '  h_31dce776f88375 1\n---\n{"schema_version": "authorship/3.0.0"}',
        'sales.ipynb\n  h_31dce776f88375 1\n---\n{"schema_version": "authorship/3.0.0"}',
    ],
)
def test_other_notes_are_not_changed(note: str) -> None:
    line_authors = authors_of_lines(file_text(), notebook(), history())
    with pytest.raises(SettingError, match="wasn't changed"):
        write_note(COMMIT, PERSON, {"sales.ipynb": line_authors}, note)


# Agent Trace and PROV


def test_agent_trace_is_valid_and_keeps_the_kinds_apart() -> None:
    schema = json.loads((DATA / "agent-trace-0.1.0.json").read_text("utf-8"))
    text = file_text()
    record = agent_trace(
        history(), "sales.ipynb", authors_of_lines(text, notebook(), history()), COMMIT
    )
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    jsonschema.validate(record, schema, format_checker=checker)
    assert SECRET not in json.dumps(record) and record["vcs"]["revision"] == COMMIT
    lines = lines_by_number(text)
    (file,) = record["files"]
    details = record["metadata"]["aiserver"]["contributors"]
    authors = {}
    for conversation, more in zip(file["conversations"], details, strict=True):
        for each in conversation["ranges"]:
            for number in range(each["start_line"], each["end_line"] + 1):
                authors[lines[number]] = conversation["contributor"] | more
    model = {"type": "ai", "model_id": MODEL.replace(":", "/"), "kind": "model", "model": MODEL}
    assert authors["import pandas as pd"] == model | {"request": f"{NOTEBOOK}/load/1"}
    assert authors[f'key = "{SECRET}"'] == {"type": "human", "kind": "person"}
    codex = {"type": "ai", "kind": "agent", "name": "Codex", "run": RUN}
    assert authors["df = df.dropna()"] == codex
    assert authors["ax.set_title('A')"] == {"type": "unknown", "kind": "program", "name": "black"}
    disk = {"type": "unknown", "kind": "unknown", "name": "file on disk"}
    assert authors["ax.grid( )"] == disk
    assert authors["# Sales"] == {"type": "unknown", "kind": "existing"}
    assert record == agent_trace(
        history(), "sales.ipynb", authors_of_lines(text, notebook(), history()), COMMIT
    )


def test_prov_is_read_by_another_program() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from prov.model import ProvDocument
    exported = prov(history(), "sales.ipynb")
    text = json.dumps(exported)
    assert SECRET not in text and "read_csv" not in text
    document = ProvDocument.deserialize(content=text, format="json")
    assert len(list(document.get_records())) == sum(
        len(exported[kind]) for kind in exported if kind != "prefix"
    )
    assert (
        ProvDocument.deserialize(content=document.serialize(format="json"), format="json")
        == document
    )
    labels = {id_: each.get("prov:label") for id_, each in exported["agent"].items()}
    assert sorted(filter(None, labels.values())) == [
        "Claude Code",
        "Codex",
        "Qwen2.5-Coder 0.5B",
        "black",
    ]
    associated = [
        (exported["activity"][each["prov:activity"]].get("prov:label"), labels[each["prov:agent"]])
        for each in exported["wasAssociatedWith"].values()
    ]
    assert ("Read the sales", "Qwen2.5-Coder 0.5B") in associated
    assert ("Read the sales", None) in associated  # the person, without a name
    assert ("Drop empty rows", "Codex") in associated and (
        "Clean the *data*",
        "Codex",
    ) in associated
    step = f"nb:{NOTEBOOK}/step/plot/3"  # the change on disk, by an unknown author
    assert step in exported["activity"]
    assert step not in [each["prov:activity"] for each in exported["wasAssociatedWith"].values()]


# The other exports


def test_exports_name_agents_and_runs() -> None:
    """P40"""
    for text in (narrative(history(), "a"), _first_cell(annotate(history(), "a", notebook()))):
        assert (
            "Runs of agents:\n\n- Codex 1.2 · Clean the \\*data\\* · Empty rows are gone." in text
        )
        assert "run 3f2a0c4d · 1 cell" in text
    text = narrative(history(), "a")
    assert "Codex · run 3f2a0c4d" in text and "> Drop empty rows" in text
    assert "Claude Code · run 77aa77aa" in text
    assert "Runs of agents" in narrative(history(), "a", "load")
    assert "Runs of agents" not in narrative(history(), "a", "plot")
    page = page_data(history(), "a", {})
    assert page["runs"] == [["Codex", "Clean the *data*", 1]]
    titles = [step["title"] for cell in page["cells"] for step in cell["steps"]]
    assert "Drop empty rows" in titles
    assert page["report"]["total"]["names"] == {
        "Codex": 1,
        "Claude Code": 1,
        "black": 1,
        "file on disk": 1,
    }
    assert page["report"]["total"]["byAgent"] == 2


def _first_cell(exported: dict[str, Any]) -> str:
    return "".join(copy.deepcopy(exported["cells"][0]["source"]))
