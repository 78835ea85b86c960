"""``analyze-dataframe``: generate code about the DataFrames of a kernel."""

from __future__ import annotations

from ..requests import AnalyzeBody, GenerateBody
from .generate import GenerateHandler


class AnalyzeDataFrameHandler(GenerateHandler):
    """``generate`` with profiles of DataFrames in the request."""

    body_type: type[GenerateBody] = AnalyzeBody
