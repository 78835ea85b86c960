"""The catalogue of local models, the suggested model, and how models are prompted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aiserver.llm.registry import ModelRegistry
from aiserver.plugins.local_models import catalogue, weights
from aiserver.plugins.local_models.catalogue import CATALOGUE, CatalogueModel
from aiserver.plugins.local_models.model import LocalModel

ROOT = Path(__file__).parents[2]
GB = 10**9


pytestmark = pytest.mark.usefixtures("bare_machine")


def install(model: CatalogueModel, content: bytes = b"GGUF") -> Path:
    """Write a small file that counts as the model's weights."""
    path = weights.folder() / model.file
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    weights.write_info(path, weights.WeightsInfo("00", len(content), "hub"))
    return path


@pytest.mark.parametrize("model", CATALOGUE, ids=lambda model: model.name)
def test_each_entry_is_consistent(model: CatalogueModel) -> None:
    assert re.fullmatch(r"[a-z0-9.-]+", model.name)
    assert re.fullmatch(r"[0-9a-f]{64}", model.sha256)
    assert model.file.lower().endswith("-q4_k_m.gguf")
    assert model.licence == "Apache-2.0"
    assert model.memory > model.size
    # Quantized to four bits, a parameter takes about 0.6 bytes; small models have more embeddings.
    parameters = float(model.parameters.removesuffix("B")) * 1e9
    assert 0.5 < model.size / parameters < 1
    # The longest prompt and the longest answer fit into the context.
    assert model.prompt_tokens + model.context // 4 <= model.context
    for quality in filter(None, [model.quality]):
        assert 0 <= quality.right <= quality.of


def test_only_measured_models_have_a_quality() -> None:
    """P47"""
    measured = {model.name: model.quality for model in CATALOGUE if model.quality}
    assert set(measured) == {"qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"}


def test_the_end_of_a_name_is_enough() -> None:
    for end in ("0.5b", "1.5B", "7b", "4b", "30b"):
        model = catalogue.find(end)
        assert model is not None and model.name.endswith(end.lower())
    assert catalogue.find("qwen2.5-coder-7b") is catalogue.by_id("local:qwen2.5-coder-7b")
    assert catalogue.find("5b") is None  # neither 0.5b nor 1.5b
    assert catalogue.find("") is None


@pytest.mark.parametrize(
    ("memory", "cores", "name"),
    [
        (6 * GB, 8, "qwen2.5-coder-0.5b"),
        (7 * GB, 4, "qwen2.5-coder-0.5b"),
        (8 * GB, 1, "qwen2.5-coder-0.5b"),
        (8 * GB, 2, "qwen2.5-coder-1.5b"),
        (64 * GB, 32, "qwen2.5-coder-1.5b"),
        (None, 32, "qwen2.5-coder-0.5b"),
    ],
)
def test_the_suggested_model_depends_on_memory_and_cores(
    memory: int | None, cores: int, name: str
) -> None:
    assert catalogue.suggested_model(memory, cores, {}).name == name


@pytest.mark.parametrize(
    ("speeds", "name"),
    [
        ({"0.5b": 7.0}, "0.5b"),  # the 1.5B is expected to write 3.1 tokens per second
        ({"0.5b": 20.0}, "1.5b"),
        ({"1.5b": 3.9}, "0.5b"),
        ({"1.5b": 4.0}, "1.5b"),
        ({"0.5b": 7.0, "1.5b": 4.0}, "1.5b"),
        ({"0.5b": 20.0, "1.5b": 2.0}, "1.5b"),  # its only answer was at a busy moment
        ({"7b": 0.5}, "1.5b"),
    ],
)
def test_the_suggested_model_depends_on_the_measured_speed(
    speeds: dict[str, float], name: str
) -> None:
    measured = {f"qwen2.5-coder-{end}": speed for end, speed in speeds.items()}
    assert catalogue.suggested_model(8 * GB, 2, measured).name == f"qwen2.5-coder-{name}"


@pytest.mark.parametrize(
    ("name", "style", "budget", "context"),
    [
        ("0.5b", "compact", 600, 4096),
        ("1.5b", "compact", 600, 4096),
        ("2b", "compact", 600, 4096),
        ("4b", "full", 4000, 8192),
        ("qwen3.5-4b", "full", 4000, 8192),
        ("7b", "full", 4000, 8192),
        ("30b", "full", 4000, 8192),
    ],
)
async def test_the_catalogue_decides_style_and_budget(
    name: str, style: str, budget: int, context: int
) -> None:
    model = catalogue.find(name)
    assert model is not None
    install(model)
    chat = await ModelRegistry(local_gpu_layers=7).get(model.id)
    assert isinstance(chat, LocalModel)
    assert (chat.style, chat.prompt_tokens) == (style, budget)
    settings = chat.process._settings
    assert (settings["context"], settings["gpu_layers"]) == (context, 7)
    assert chat.process.memory == model.memory


async def test_a_configured_file_is_recognised_by_its_name(tmp_path: Path) -> None:
    """A file of the catalogue is prompted like its model, any other file like a small model."""
    own, downloaded = tmp_path / "own.gguf", tmp_path / "Qwen3-4B-Instruct-2507-Q4_K_M.gguf"
    for path, style, budget in ((own, "compact", 600), (downloaded, "full", 4000)):
        path.write_bytes(b"GGUF")
        chat = await ModelRegistry(model=f"local:{path}").get()
        assert (chat.info.id, chat.style, chat.prompt_tokens) == (
            f"local:{path.stem}",
            style,
            budget,
        )


@pytest.mark.parametrize("cores", [1, 8])
async def test_the_suggested_model_is_the_default_if_several_are_installed(
    cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    small, standard, large = CATALOGUE[0], CATALOGUE[1], CATALOGUE[-1]
    monkeypatch.setattr("aiserver.plugins.local_models.machine.cores", lambda: cores)
    monkeypatch.setattr("aiserver.plugins.local_models.machine.memory", lambda: 16 * GB)
    models = ModelRegistry()
    install(large)
    default = await models.default()
    assert default is not None and default.id == large.id
    install(small)
    install(standard)
    default = await models.default()
    assert default is not None and default.id == (small if cores == 1 else standard).id
    listed = [info.id for info in (await models.overview()).models]
    assert sorted(listed) == sorted(model.id for model in (small, standard, large))
    # A person's choice counts more.
    await models.choose(large.id)
    default = await models.default()
    assert default is not None and default.id == large.id


def test_the_page_of_the_docs_shows_the_catalogue() -> None:
    page = (ROOT / "docs" / "models.md").read_text("utf-8")
    rows = re.findall(r"^\| `(.*?)` \| (.*?) \| (.*?) \| .*? ?\| (.*?) ?\| .*\((.*?)\)", page, re.M)
    assert rows == [
        (
            model.name,
            f"{model.size / 1e9:.1f} GB",
            f"{model.memory / 1e9:.1f} GB",
            f"{model.quality.right} of {model.quality.of}" if model.quality else "",
            f"https://huggingface.co/{model.repo}",
        )
        for model in CATALOGUE
    ]


def test_the_tests_install_the_smallest_model_and_make_lab_the_suggested_one() -> None:
    makefile = (ROOT / "Makefile").read_text()
    assert "\nmodel: $(DONE)/python\n\t@jupyter aiserver model install 0.5b --yes\n" in makefile
    assert (
        "\nlab-model: $(DONE)/python\n\t@jupyter aiserver model install $(MODEL) --yes " in makefile
    )
