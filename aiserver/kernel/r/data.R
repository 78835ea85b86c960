# List the data in the kernel, and profile the columns of a variable, for the data view. The results
# are those of profiling/profile.py.

MAX_ITEMS <- 200L
MAX_LIST <- 4000000L # characters of the names of all columns
SECONDS <- 0.3

list_data <- function(variables) {
  items <- list()
  room <- MAX_LIST
  for (name in variable_names(variables)) {
    value <- get(name, envir = variables, inherits = FALSE)
    found <- tryCatch(container_of(value), error = function(problem) NULL)
    if (!is.null(found)) {
      room <- room - sum(nchar(c(found$names, found$dtypes)))
      if (length(items) == MAX_ITEMS || room < 0) {
        return(list(items = items, isComplete = FALSE))
      }
      items[[length(items) + 1L]] <- described_item(name, value, found)
    }
  }
  list(items = items, isComplete = TRUE)
}

described_item <- function(name, value, found) {
  count <- length(found$names)
  columns <- list(name = found$names, dtype = found$dtypes)
  item <- list(
    name = enc2utf8(name),
    kind = found$kind,
    rowCount = found$row_count,
    columnCount = found$column_count,
    bytes = found$size,
    isLazy = is.null(found$read),
    columns = structure(columns, class = "data.frame", row.names = .set_row_names(count)),
    identity = deparse(.Internal(address(value)))
  )
  if (is.null(found$shape)) item else c(item, list(shape = as.list(found$shape)))
}

# Profile `count` columns from the index `first`, which counts from 0. Stop after SECONDS, but not
# before one column is complete.
profile_columns <- function(variables, name, first, count) {
  value <- variable_value(name, variables)
  found <- tryCatch(container_of(value), error = function(problem) NULL)
  if (is.null(found) || is.null(found$read)) {
    return(list(problem = if (is.null(found)) "missing" else "lazy"))
  }
  started <- proc.time()[["elapsed"]]
  end <- min(first + count, length(found$names))
  columns <- list()
  index <- first
  while (index < end && (index == first || proc.time()[["elapsed"]] - started < SECONDS)) {
    head <- list(
      index = index,
      name = found$names[[index + 1L]],
      dtype = found$dtypes[[index + 1L]]
    )
    profile <- tryCatch(
      profile_column(found$read(index + 1L), if (!is.null(found$part)) found$part(index + 1L)),
      error = function(problem) unsupported()
    )
    index <- index + 1L
    columns[[length(columns) + 1L]] <- c(head, profile)
  }
  list(
    name = enc2utf8(name),
    kind = found$kind,
    rowCount = found$row_count,
    columns = columns,
    `next` = if (index < end) index
  )
}
