"""Profiles of R's data are equal to R's own answers."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from aiserver.kernel.profiling.columns import sampled_positions

from .conftest import RKernel

pytestmark = pytest.mark.thorough

DATA_SETS = (
    "airquality",
    "ChickWeight",
    "CO2",
    "esoph",
    "infert",
    "iris",
    "mtcars",
    "quakes",
    "sleep",
    "swiss",
    "ToothGrowth",
    "warpbreaks",
)
# R's own answers about the columns of a data frame, as JSON.
ANSWERS = """
cat(jsonlite::toJSON(lapply(as.list(as.data.frame({name})), function(x) list(
  class = class(x)[1], missing = sum(is.na(x)), distinct = length(unique(x[!is.na(x)])),
  numbers = if (is.numeric(x)) as.list(c(min = min(x, na.rm = TRUE), max = max(x, na.rm = TRUE),
    mean = mean(x, na.rm = TRUE), std = sd(x, na.rm = TRUE))),
  quartiles = if (is.numeric(x)) unname(quantile(x, 1:3 / 4, na.rm = TRUE)),
  counts = as.list(sort(as.vector(table(x, useNA = "no")), decreasing = TRUE))
)), auto_unbox = TRUE, digits = NA, null = "null"))
"""


@pytest.mark.parametrize("name", DATA_SETS)
def test_a_profile_equals_the_answers_of_r(r: RKernel, name: str) -> None:
    r.run(f"df <- datasets::{name}")
    answers = json.loads(r.run(ANSWERS.format(name="df")))
    item = r.items()["df"]
    profiles = r.columns("df")
    assert list(profiles) == list(answers)
    assert [column["name"] for column in item["columns"]] == list(answers)
    assert item["kind"] == "data.frame"
    assert item["rowCount"] == int(r.run("cat(nrow(df))"))
    for column, answer in answers.items():
        profile = profiles[column]
        assert profile["dtype"] == answer["class"]
        assert profile["rows"] == item["rowCount"]
        assert profile["missing"] == answer["missing"]
        assert profile["distinct"] == answer["distinct"]
        present = profile["rows"] - profile["missing"]
        if answer["numbers"]:
            assert_equal(profile["numbers"], {**answer["numbers"]}, answer["quartiles"])
            assert sum(profile["histogram"]["counts"]) == present
        counts = [value["count"] for value in profile.get("top", [])]
        assert counts == answer["counts"][: len(counts)]
        assert counts or answer["numbers"]


def assert_equal(numbers: dict[str, Any], expected: dict[str, float], quartiles: Any) -> None:
    for name, number in expected.items():
        assert math.isclose(numbers[name], number, rel_tol=1e-9, abs_tol=1e-9), name
    for actual, number in zip(numbers["quartiles"], quartiles, strict=True):
        assert math.isclose(actual, number, rel_tol=1e-9, abs_tol=1e-9)


def test_matrices_vectors_and_time_series(r: RKernel) -> None:
    r.run(
        "m <- as.matrix(mtcars); ap <- AirPassengers; eu <- EuStockMarkets; hec <- HairEyeColor\n"
        "v <- c(2, 4); word <- 'x'; f <- factor(c('a', 'b', 'a')); plain <- matrix(1:6, 2)"
    )
    items = r.items()
    shapes = {
        name: (item["kind"], item["rowCount"], item["columnCount"]) for name, item in items.items()
    }
    assert shapes == {
        "ap": ("ts", 144, 1),
        "eu": ("matrix", 1860, 4),
        "f": ("factor", 3, 1),
        "hec": ("array", 32, 1),
        "m": ("matrix", 32, 11),
        "plain": ("matrix", 2, 3),
        "v": ("numeric", 2, 1),
    }
    assert items["hec"]["shape"] == [4, 4, 2]
    assert items["plain"]["columns"][0] == {"name": "1", "dtype": "integer"}
    assert r.columns("m")["mpg"]["numbers"]["max"] == 33.9
    assert r.columns("eu")["DAX"]["numbers"]["min"] == 1402.34
    assert r.columns("plain")["3"]["numbers"]["mean"] == 5.5
    assert r.columns("hec")["1"]["rows"] == 32
    assert r.columns("f")[""]["top"] == [{"value": "a", "count": 2}, {"value": "b", "count": 1}]
    assert items["m"]["bytes"] == 32 * 11 * 8


def test_dates_times_texts_and_columns_that_are_not_summarised(r: RKernel) -> None:
    r.run(
        "df <- data.frame(x = 1:3)\n"
        "df$day <- as.Date(c('2024-01-31', NA, '2024-03-01'))\n"
        "df$time <- as.POSIXct(c(0, 86400, 90061), origin = '1970-01-01', tz = 'Asia/Shanghai')\n"
        "df$naive <- as.POSIXct(c(0, 1, 2), origin = '1970-01-01')\n"
        "df$`列 名` <- c(strrep('长', 100), NA, '价格')\n"
        "df$empty <- NA_real_\n"
        "df$flag <- c(TRUE, NA, TRUE)\n"
        "df$list <- list(1, NULL, 'a')\n"
        "df$lt <- as.POSIXlt(df$day)\n"
        "df$complex <- 1:3 + 1i\n"
        "df$matrix <- matrix(1:6, 3)\n"
        "df$big <- structure(c(1, 2, 3), class = 'integer64')\n"
        "df$infinite <- c(Inf, 1, -Inf)\n"
        "df$took <- as.difftime(c(1, 2, 3), units = 'mins')\n"
        "names(df)[1] <- 'flag'; none <- iris[0, ]; nothing <- data.frame()"
    )
    first = r.call('profile_columns(variables, "df", 0, 1)')["columns"][0]
    assert (first["name"], first["distinct"]) == ("flag", 3)  # a name that occurs twice
    profiles = r.columns("df")
    assert profiles["day"]["dates"] == {"min": "2024-01-31", "max": "2024-03-01"}
    assert profiles["day"]["missing"] == 1
    assert sum(profiles["day"]["histogram"]["counts"]) == 2
    assert profiles["time"]["dates"]["max"] == "1970-01-02T09:01:01+0800"
    assert profiles["naive"]["dates"]["min"] == "1970-01-01T00:00:00"
    assert profiles["列 名"]["top"][0] == {"value": "长" * 59 + "…", "count": 1}
    assert profiles["empty"]["missing"] == 3 and "numbers" not in profiles["empty"]
    assert profiles["flag"]["top"] == [{"value": "TRUE", "count": 2}]
    assert profiles["list"]["note"] == "nested" and profiles["list"]["missing"] == 1
    for name in ("lt", "complex", "matrix", "big"):
        assert profiles[name]["note"] == "unsupported", name
    assert profiles["infinite"]["numbers"]["max"] is None
    assert "histogram" not in profiles["infinite"]
    assert profiles["took"]["numbers"]["mean"] == 2
    assert r.columns("none")["Species"]["distinct"] == 0
    assert r.columns("nothing") == {}


def test_large_data_is_sampled_like_pandas_and_the_range_is_exact(r: RKernel) -> None:
    r.run(
        "n <- 150001; df <- data.frame(x = c(seq_len(n - 1) - 1, NA), t = as.character(seq_len(n)))"
        "\nx <- df$x"
    )
    profile = r.columns("df")["x"]
    sample = [float(place) for place in sampled_positions(150_001)]
    assert profile["rows"] == 20_000
    assert profile["all"] == {"rows": 150_001, "missing": 1}
    assert profile["numbers"]["min"] == 0 and profile["numbers"]["max"] == 149_999
    assert profile["numbers"]["mean"] == 149_999 / 2
    assert profile["distinct"] == len({place for place in sample if place < 150_000})
    middle = sorted(sample)[len(sample) // 2]
    assert math.isclose(profile["numbers"]["quartiles"][1], middle, abs_tol=10)
    assert r.columns("df")["t"]["top"][0] == {"value": "1", "count": 1}


def test_wide_and_slow_data_is_profiled_in_several_calls(r: RKernel) -> None:
    r.run("wide <- as.data.frame(matrix(0, 2, 6000)); m <- matrix(rep(c(1.5, 2), 3e6), ncol = 40)")
    item = r.items()["wide"]
    assert item["columnCount"] == 6000 and len(item["columns"]) == 5000
    assert len(r.call('profile_columns(variables, "wide", 4990, 50)')["columns"]) == 10
    starts, first = [], 0
    while first is not None:
        starts.append(first)
        first = r.call(f'profile_columns(variables, "m", {first}, 40)')["next"]
    assert starts == sorted(set(starts))
    assert r.call('profile_columns(variables, "nothing", 0, 1)') == {"problem": "missing"}
