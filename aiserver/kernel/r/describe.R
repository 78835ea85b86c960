# List the variables for a request, as variables.py does: data frames with their columns, and the
# kinds of the others. Without `examples` and `has_values`, the result has no values of the data.

MAX_FRAMES <- 50L
MAX_COLUMNS <- 200L
MAX_VARIABLES <- 200L
MAX_EXAMPLE <- 24L # characters of a value
SEARCHED_ROWS <- 50L

describe <- function(variables, examples, has_values) {
  frames <- others <- list()
  for (name in variable_names(variables)) {
    value <- get(name, envir = variables, inherits = FALSE)
    described <- tryCatch(
      {
        frame <- frame_of(value)
        if (is.null(frame)) described_variable(value, has_values) else described_frame(frame, examples)
      },
      error = function(problem) NULL
    )
    if (is.null(described)) {
      next
    }
    described <- c(list(name = substr(enc2utf8(name), 1L, MAX_NAME)), described)
    if (!is.null(described$columns)) {
      frames[[length(frames) + 1L]] <- described
    } else {
      others[[length(others) + 1L]] <- described
    }
  }
  list(
    frames = frames[seq_len(min(length(frames), MAX_FRAMES))],
    variables = others[seq_len(min(length(others), MAX_VARIABLES))]
  )
}

# Return the description of a data frame in memory; NULL for any other value.
frame_of <- function(value) {
  if ("data.frame" %in% oldClass(value)) {
    found <- container_of(value)
    if (!is.null(found$read)) c(found, list(frame = value))
  }
}

described_frame <- function(found, examples) {
  listed <- seq_len(min(length(found$names), MAX_COLUMNS))
  columns <- lapply(listed, function(i) {
    column <- list(name = found$names[[i]], dtype = found$dtypes[[i]])
    if (examples) c(column, column_examples(found$read(i), examples)) else column
  })
  described <- list(
    kind = found$kind,
    rowCount = found$row_count,
    columnCount = found$column_count,
    columns = columns
  )
  # A positive number means that the rows have names or, after rows were removed, old numbers.
  has_names <- found$row_count && .row_names_info(found$frame, 1L) > 0L
  names <- if (has_names) attr(found$frame, "row.names", exact = TRUE)
  if (is.character(names)) {
    index <- list(name = "", dtype = "character")
    described$index <- list(if (examples) c(index, column_examples(names, examples)) else index)
  }
  described
}

# Return the first different texts of a column as `examples`; NULL if it has no texts.
column_examples <- function(column, count) {
  class <- oldClass(column)
  rows <- seq_len(min(plain_length(column), SEARCHED_ROWS))
  if (is.character(column) && !length(class)) {
    texts <- elements_of(column, rows)
  } else if (typeof(column) == "integer" && "factor" %in% class) {
    texts <- elements_of(attr(column, "levels", exact = TRUE), elements_of(column, rows))
  } else {
    return(NULL)
  }
  texts <- vapply(texts[!is.na(texts)], whole_words, "", MAX_EXAMPLE, USE.NAMES = FALSE)
  texts <- unique.default(texts[grepl("[^[:space:]]", texts) & texts != "\u2026"])
  texts <- texts[seq_len(min(length(texts), count))]
  if (length(texts)) list(examples = as.list(texts))
}

described_variable <- function(value, has_values) {
  text <- if (has_values) value_text(value) else ""
  c(list(kind = substr(kind_text(value), 1L, MAX_NAME)), if (nzchar(text)) list(value = text))
}

# Describe a variable without its values: "numeric of 5", "matrix 3 x 4 numeric", "list of 2".
kind_text <- function(value) {
  kind <- class_text(value)
  if (isS4(value) || is_computed(value) || !typeof(value) %in% c(VECTOR_TYPES, "list")) {
    return(kind)
  }
  dim <- attr(value, "dim", exact = TRUE)
  if (length(dim)) {
    return(paste(kind, paste(dim, collapse = " x "), type_text(value)))
  }
  count <- plain_length(value)
  if (count == 1L && typeof(value) != "list") kind else paste(kind, "of", count)
}
