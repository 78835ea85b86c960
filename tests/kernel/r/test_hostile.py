"""Reading the variables of R runs none of the person's code, and leaves no trace (P18)."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from aiserver.kernel.bundle import bundle_r

from .conftest import RKernel

pytestmark = pytest.mark.thorough

CALLS = (
    "list_data(variables)",
    'profile_columns(variables, "df", 0, 100)',
    'profile_columns(variables, "own", 0, 100)',
    'first_rows(variables, "df", 5)',
    "describe(variables, 3, TRUE)",
)
HOSTILE = """
run <- function(...) { options(has_run = TRUE); stop("hostile") }
methods <- c("length", "dim", "dimnames", "names", "format", "print", "as.character", "[", "[[",
  "$", "is.na", "unique", "summary", "levels", "as.list", "xtfrm", "mean", "range", "Ops", "Math",
  "Summary", "as.data.frame", "row.names", "nchar", "toString", "sort", "rep", "as.vector")
for (name in methods) {
  for (class in c("evil", "numeric", "double", "integer", "character", "list", "factor")) {
    if (class == "evil" || name %in% c("print", "summary", "mean", "toString"))
      assign(paste0(name, ".", class), run)
  }
}
for (name in c("c", "list", "length", "lapply", "vapply", "tryCatch", "paste", "is.null", "min",
  "get", "ls", "structure", "names", "format.Date", "getOption", "nchar", "T", "F", "pi"))
  assign(name, run)
"""
DATA = """
delayedAssign("promised", { options(has_run = TRUE); iris })
makeActiveBinding("active", function() options(has_run = TRUE), environment())
df <- data.frame(x = 1:3, when = as.Date("2024-01-01") + 0:2)
df$evil <- structure(c(1, 2, 4), class = "evil")
df$text <- structure(c("a", "b", "a"), class = c("evil", "character"))
own <- structure(df, class = c("evil", "data.frame"))
alone <- structure(list(a = 1), class = "evil")
lazy <- structure(list(), class = c("evil", "tbl_lazy", "tbl"))
setClass("Evil", representation(x = "numeric")); s4 <- new("Evil", x = 1)
setMethod("length", "Evil", function(x) { options(has_run = TRUE); 1L })
sub <- setRefClass("R", fields = list(a = "numeric"))$new(a = 1)
df$s4 <- c(s4, s4, s4)
bad <- structure(list(1:3, 1:2), names = "a", class = "data.frame", row.names = "x")
broken <- structure(c(1L, 9L), levels = 5, class = "factor")
bytes <- c("\\xff\\xfe", "ok"); Encoding(bytes) <- "bytes"; invalid <- c("caf\\xe9", "b")
"""


# A vector whose elements another package computes, and the number of times that it was asked to.
ALTREP = """
#include <Rinternals.h>
#include <R_ext/Altrep.h>
#include <R_ext/Rdynload.h>
static R_altrep_class_t lazy;
static int count = 0;
static R_xlen_t length_of(SEXP x) { count++; return 3; }
static int element_of(SEXP x, R_xlen_t i) { count++; return i; }
static void *data_of(SEXP x, Rboolean writable) { static int v[3] = {1, 2, 3}; count++; return v; }
SEXP create(void) { return R_new_altrep(lazy, R_NilValue, R_NilValue); }
SEXP computed(void) { int n = count; count = 0; return ScalarInteger(n); }
void R_init_lazy(DllInfo *library) {
  lazy = R_make_altinteger_class("lazy", "package", library);
  R_set_altrep_Length_method(lazy, length_of);
  R_set_altinteger_Elt_method(lazy, element_of);
  R_set_altvec_Dataptr_method(lazy, data_of);
}
"""


def test_nothing_of_the_person_runs(r: RKernel) -> None:
    r.run(DATA)
    r.run(HOSTILE)
    r.run("base::options(has_run = FALSE)")
    for call in CALLS:
        result = r.call(call)
        assert "problem" not in result, (call, result)
    items = r.items()
    assert {"df", "own", "lazy"} <= set(items)
    assert not {"promised", "active", "alone", "s4", "sub"} & set(items)
    assert items["lazy"]["isLazy"] and items["lazy"]["rowCount"] is None
    assert r.call('profile_columns(variables, "lazy", 0, 9)') == {"problem": "lazy"}
    assert r.columns("own")["evil"]["numbers"]["max"] == 4
    assert r.columns("own")["text"]["top"][0] == {"value": "a", "count": 2}
    assert r.columns("df")["s4"]["note"] == "nested"
    for name in ("bad", "broken", "bytes", "invalid"):
        r.call(f'profile_columns(variables, "{name}", 0, 9)')
    assert r.columns("invalid")[""]["distinct"] == 2
    assert r.run("base::cat(base::getOption('has_run'))") == "FALSE"
    assert r.run("promised; base::cat(base::getOption('has_run'))").endswith("TRUE")


def test_vectors_of_another_package_are_not_computed(r: RKernel, tmp_path: Path) -> None:
    (tmp_path / "lazy.c").write_text(ALTREP, "utf-8")
    build = ["R", "CMD", "SHLIB", "lazy.c"]
    if subprocess.run(build, cwd=tmp_path, capture_output=True).returncode:
        pytest.skip("no C compiler for R")
    r.run(
        f"dyn.load('{tmp_path}/lazy.so'); vector <- .Call('create'); l <- list(vector)\n"
        "df <- structure(list(a = vector, b = 1:3), class = 'data.frame', row.names = 1:3)\n"
        "invisible(.Call('computed'))"
    )
    for call in CALLS:
        r.call(call)
        assert r.run("cat(.Call('computed'))") == "0", call
    items = r.items()
    assert items["df"]["isLazy"] and items["df"]["columns"][0] == {"name": "a", "dtype": "integer"}
    assert items["vector"]["isLazy"]


def test_a_promise_is_listed_after_the_person_has_used_it(r: RKernel) -> None:
    r.run("data(mtcars)")
    assert r.items() == {}
    r.run("invisible(mtcars$mpg)")
    assert r.items()["mtcars"]["rowCount"] == 32


def test_reading_leaves_no_trace(r: RKernel) -> None:
    state = (
        "local(for (part in list(ls(globalenv(), all.names = TRUE), .Random.seed, search(), "
        "Filter(is.atomic, options()), loadedNamespaces(), geterrmessage(), Sys.getenv('TZ'), "
        "dev.list(), as.list(df)))"
        " cat(digest::digest(part), ''))"
    )
    r.run("set.seed(1); df <- data.frame(x = rnorm(150000), t = Sys.time()); n <- 'df'")
    r.call(CALLS[0])  # loads what IRkernel itself loads on its first request
    before = r.run(state)
    for call in CALLS:
        r.call(call)
    r.call("stop('an error')")
    assert r.run(state) == before
    assert r.run("cat(runif(1)); set.seed(2); invisible(runif(3))")
    r.call(CALLS[1])
    assert r.run("cat(runif(1))") == r.run("set.seed(2); invisible(runif(3)); cat(runif(1))")


def test_an_error_cancels_no_waiting_cell(r: RKernel) -> None:
    assert r.call("stop('an error')") == {"problem": "failed"}
    assert r.call("no_such_function()") == {"problem": "failed"}


def test_promises_are_recognised_without_rlang(tmp_path: Path) -> None:
    """IRkernel loads rlang. Without it, a promise that was evaluated isn't listed, either."""
    code = (
        "delayedAssign('x', stop('forced')); df <- iris; s <- quote(a); y <- 1:3\n"
        "options(jupyter.base_display_func = function(data)"
        " cat(rawToChar(jsonlite::base64_dec(data[[1]]))))\n"
        f"{bundle_r().replace('__CALL__', 'variable_names(variables)')}"
    )
    if not shutil.which("Rscript"):
        pytest.skip("no R kernel: r-cran-irkernel")
    script = tmp_path / "script.R"
    script.write_text(code, "utf-8")
    text = subprocess.check_output(["Rscript", "--vanilla", script], text=True)
    assert json.loads(text) == ["df", "y"]
