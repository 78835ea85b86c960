"""The data frames and variables of R, as a request contains them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .conftest import RKernel

pytestmark = pytest.mark.thorough


def described(r: RKernel, examples: int = 0, *, has_values: bool = False) -> tuple[Any, Any]:
    """Return the frames and the other variables, by name."""
    flag = "TRUE" if has_values else "FALSE"
    result = r.call(f"describe(variables, {examples}, {flag})")
    frames = {frame.pop("name"): frame for frame in result["frames"]}
    return frames, {variable.pop("name"): variable for variable in result["variables"]}


def test_data_frames_have_their_columns_and_the_names_of_their_rows(r: RKernel) -> None:
    r.run(
        "cars <- mtcars[1:3, 1:2]; some <- iris[iris$Species != 'setosa', 4:5]\n"
        "tb <- structure(some, class = c('tbl_df', 'tbl', 'data.frame'))\n"
        "dt <- structure(some, class = c('data.table', 'data.frame'))\n"
        "empty <- data.frame(); 销售 <- data.frame(`价 格` = 'a', check.names = FALSE)"
    )
    frames, _ = described(r)
    columns = [
        {"name": "Petal.Width", "dtype": "numeric"},
        {"name": "Species", "dtype": "factor"},
    ]
    some = {"kind": "data.frame", "rowCount": 100, "columnCount": 2, "columns": columns}
    assert frames["some"] == some  # the numbers of the rows say nothing
    assert frames["tb"] == {**some, "kind": "tibble"}
    assert frames["dt"] == {**some, "kind": "data.table"}
    assert frames["cars"]["index"] == [{"name": "", "dtype": "character"}]
    assert frames["empty"]["columns"] == []
    assert frames["销售"]["columns"] == [{"name": "价 格", "dtype": "character"}]


def test_names_and_texts_without_a_mark_of_their_encoding(r: RKernel) -> None:
    """JupyterLab sends code in UTF-8, which R doesn't mark. The escapes of our messages are."""
    r.run(
        "unmarked <- function(text) { Encoding(text) <- 'unknown'; text }\n"
        "df <- data.frame(x = unmarked(c('上海', '北京')), y = c('上海', '沪'))\n"
        "assign(unmarked('单价'), df); rm(df)\n"
        "a <- data.frame(1); names(a) <- unmarked('城市')"
    )
    frames, _ = described(r, 2)
    assert list(frames) == ["a", "单价"]
    assert frames["a"]["columns"][0]["name"] == "城市"
    assert frames["单价"]["columns"][0]["examples"] == ["上海", "北京"]
    assert list(r.items()) == ["a", "单价"]
    assert r.columns("单价")["x"]["top"][0] == {"value": "上海", "count": 1}
    assert r.call('first_rows(variables, "\\u5355\\u4ef7", 1)')["rows"] == [["上海", "上海"]]


def test_without_values_nothing_of_the_data_is_described(r: RKernel) -> None:
    """P15"""
    r.run(
        "canary <- 'canary'; l <- list('canary'); f <- factor('canary')\n"
        "df <- data.frame(x = c('canary', 'b'), f = factor('canary'), row.names = c('canary', 'b'))"
    )
    result = r.call("describe(variables, 0, FALSE)")
    assert json.dumps(result).count("canary") == 1  # the name of a variable
    frames, _ = described(r, 1)
    assert [column["examples"] for column in frames["df"]["columns"]] == [["canary"]] * 2
    assert frames["df"]["index"][0]["examples"] == ["canary"]


def test_an_example_has_no_part_of_a_key(r: RKernel) -> None:
    """P16: the part isn't recognised as a secret when the prompt is stored."""
    r.run("key <- strrep('aB3d', 9); df <- data.frame(x = c(key, paste('use', key)))")
    frames, _ = described(r, 2)
    assert frames["df"]["columns"][0]["examples"] == ["use …"]


def test_other_variables_have_kinds_and_values(r: RKernel) -> None:
    r.run(
        "n <- 5L; x <- c(a = 1.5, 2); word <- 'it\\'s'; m <- matrix(0, 2, 3); fun <- function() 1\n"
        "long <- 1:100; nested <- list(a = list(b = list(c = list(1))))\n"
        "day <- as.Date('2024-02-03'); f <- factor(c('p', 'q')); nothing <- NULL\n"
        "env <- new.env(); flag <- NA\n"
        "text <- paste(strrep('word ', 60), strrep('k', 300)); model <- lm(dist ~ speed, cars)"
    )
    _, variables = described(r, has_values=True)
    kinds = {name: variable["kind"] for name, variable in variables.items()}
    assert kinds == {
        "day": "Date",
        "env": "environment",
        "f": "factor of 2",
        "flag": "logical",
        "fun": "function",
        "long": "integer of 100",
        "m": "matrix 2 x 3 numeric",
        "model": "lm of 12",
        "n": "integer",
        "nested": "list of 1",
        "nothing": "NULL",
        "text": "character",
        "word": "character",
        "x": "numeric of 2",
    }
    values = {name: variable.get("value") for name, variable in variables.items()}
    assert values["n"] == "5L"
    assert values["x"] == "c(a = 1.5, 2)"
    assert values["word"] == '"it\'s"'
    assert values["long"].startswith("c(1L, 2L, ") and values["long"].endswith("20L, …)")
    assert values["nested"] == "list(a = list(b = list(c = list(…))))"
    assert values["day"] == 'as.Date("2024-02-03")'
    assert values["flag"] == "NA" and values["nothing"] == "NULL"
    assert values["text"].endswith('word …"') and "k" not in values["text"]
    for name in ("f", "m", "fun", "env", "model"):
        assert values[name] is None, name


def test_the_first_rows_are_texts(r: RKernel) -> None:
    r.run(
        "df <- data.frame(n = c(0.1, NA, 1e5), i = 1:3, f = factor(c('a', NA, 'b')))\n"
        "df$day <- as.Date(c('2024-01-31', NA, '2024-03-01')); df$l <- list(1, 2, 3)\n"
        "df$text <- c(paste('first', strrep('k', 100)), '价格', NA); df$flag <- c(TRUE, FALSE, NA)"
    )
    result = r.call('first_rows(variables, "df", 2)')
    assert result["columns"] == ["n", "i", "f", "day", "l", "text", "flag"]
    assert result["rows"] == [
        ["0.1", "1", "a", "2024-01-31", "<list>", "first …", "TRUE"],
        [None, "2", None, None, "<list>", "价格", "FALSE"],
    ]
    r.run("wide <- as.data.frame(matrix(strrep('长 ', 25), 5, 300)); one <- data.frame(x = 1)")
    rows = r.call('first_rows(variables, "wide", 5)')["rows"]
    assert len(rows[0]) == 200 and len(rows) == 3  # 64,000 bytes
    assert r.call('first_rows(variables, "one", 5)') == {"columns": ["x"], "rows": [["1"]]}
    assert r.call('first_rows(variables, "none", 5)') == {"problem": "missing"}
