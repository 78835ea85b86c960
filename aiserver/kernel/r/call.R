# Send the result of a call to the page, as JSON in base64. IRkernel doesn't evaluate expressions of
# a request, as Python's kernel does, but it sends what is displayed, even if the request is silent.

RESULT_TYPE <- "application/vnd.aiserver.result"

send <- function(result) {
  json <- jsonlite::toJSON(result, auto_unbox = TRUE, null = "null", na = "null", digits = NA)
  data <- list(jsonlite::base64_enc(charToRaw(enc2utf8(json))))
  names(data) <- RESULT_TYPE
  display <- getOption("jupyter.base_display_func")
  if (is.function(display)) display(data)
}

# Evaluate a call and send its result. An error is a result, too: IRkernel would otherwise cancel the
# cells that wait to run.
answer <- function(call) {
  failed <- function(problem) list(problem = "failed")
  tryCatch(send(suppressWarnings(call)), error = function(problem) send(failed(problem)))
  invisible(NULL)
}

variables <- globalenv()
