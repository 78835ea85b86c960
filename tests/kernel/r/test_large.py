"""Large data of R is read without a copy, so that it is fast and needs little memory."""

from __future__ import annotations

import pytest

from .conftest import RKernel

pytestmark = pytest.mark.thorough

MEGABYTES = 8  # the limit for all calls; the data has at least 20
CALLS = (
    "describe(variables, 3, TRUE)",
    "list_data(variables)",
    'profile_columns(variables, "x", 0, 1)',
    'first_rows(variables, "x", 5)',
)
DATA = {
    "numbers": "x <- numeric(4e6)",
    "names": "x <- structure(numeric(4e6), names = as.character(1:4e6))",
    "dates": "x <- structure(numeric(4e6), class = 'Date', names = as.character(1:4e6))",
    "sequence": "x <- 1:1e8",
    "converted sequence": "x <- as.character(1:4e6)",
    "factor": "x <- structure(rep(1:3e6, 2), levels = as.character(1:3e6), class = 'factor')",
    "matrix": "x <- matrix(0, 3e6, 2)",
    "array": "x <- array(0, c(100, 100, 300))",
    "list": "x <- structure(rep(list(1), 4e6), class = 'own')",
    "columns": "x <- data.frame(a = numeric(4e6)); x$b <- as.Date(x$a, '1970-01-01')",
    "list column": "x <- data.frame(a = 1:4e6); x$a <- rep(list(1), 4e6)",
    "converted column": "x <- data.frame(a = as.character(1:4e6))",
    "row names": (
        "x <- structure(list(1:3e6), class = 'data.frame', row.names = as.character(1:3e6))"
    ),
}


@pytest.mark.parametrize("data", DATA.values(), ids=DATA)
def test_no_call_copies_a_vector(r: RKernel, data: str) -> None:
    r.run(data)
    before = float(r.run("cat(gc(reset = TRUE)[2, 2])"))
    r.call(f"list({', '.join(CALLS)})")
    assert float(r.run("cat(gc()[2, 6])")) - before < MEGABYTES


def test_a_part_of_an_array_is_sampled_like_a_column(r: RKernel) -> None:
    r.run(
        "n <- 150001; m <- cbind(a = 0, b = c(seq_len(n - 1) - 1, NA)); df <- as.data.frame(m)\n"
        "days <- structure(0:3, dim = c(2L, 2L), class = 'Date')\n"
        "f <- structure(c(1L, 2L, 2L, 2L), dim = c(2L, 2L), levels = c('p', 'q'), class = 'factor')"
    )
    assert r.columns("m") == r.columns("df")
    assert r.columns("m")["b"]["all"] == {"rows": 150_001, "missing": 1}
    assert r.columns("days")["2"]["dates"] == {"min": "1970-01-03", "max": "1970-01-04"}
    assert r.columns("f")["2"]["top"] == [{"value": "q", "count": 2}]
