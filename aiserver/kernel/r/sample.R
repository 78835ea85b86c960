# Read the first rows of a data frame as texts, for a request whose privacy level is `sample`. The
# limits are those of variables.py.

MAX_BYTES <- 64000L # of all values, in UTF-8

first_rows <- function(variables, name, count) {
  found <- frame_of(variable_value(name, variables))
  if (is.null(found)) {
    return(list(problem = "missing"))
  }
  listed <- seq_len(min(length(found$names), MAX_COLUMNS))
  rows <- seq_len(min(count, found$row_count))
  columns <- lapply(listed, function(i) cell_texts(found$read(i), rows))
  sizes <- vapply(rows, function(row) {
    sum(nchar(vapply(columns, `[[`, "", row), "bytes", keepNA = FALSE))
  }, 0)
  rows <- rows[cumsum(sizes) <= MAX_BYTES]
  list(
    columns = as.list(found$names[listed]),
    rows = lapply(rows, function(row) lapply(columns, `[[`, row))
  )
}

# Return the first values of a column as texts, NA if a value is missing.
cell_texts <- function(column, rows) {
  class <- oldClass(column)
  type <- typeof(column)
  is_plain <- type %in% c("logical", "integer", "double", "character")
  has_dim <- !is.null(attr(column, "dim", exact = TRUE))
  if (isS4(column) || !is_plain || has_dim || "integer64" %in% class) {
    return(rep(paste0("<", substr(class_text(column), 1L, MAX_VALUE - 2L), ">"), length(rows)))
  }
  values <- elements_of(column, rows)
  if ("factor" %in% class) {
    values <- elements_of(attr(column, "levels", exact = TRUE), values)
  }
  is_missing <- is.na(values)
  texts <- if ("Date" %in% class || "POSIXct" %in% class) {
    time_texts(as.double(values), class, attr(column, "tzone", exact = TRUE))
  } else if (is.double(values)) {
    sprintf("%.15g", values)
  } else {
    vapply(as.character(values), whole_words, "", MAX_VALUE, USE.NAMES = FALSE)
  }
  texts[is_missing] <- NA
  texts
}
