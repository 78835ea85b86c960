"""``analyze-dataframe``: ask for code about DataFrames of the kernel."""

from __future__ import annotations

from ..requests import AnalyzeBody, GenerateBody
from .generate import GenerateHandler


class AnalyzeDataFrameHandler(GenerateHandler):
    """``generate`` with the profiles of DataFrames: the same path, the same session."""

    body_type: type[GenerateBody] = AnalyzeBody
