# Describe variables that contain data: data frames, matrices and vectors.

MAX_LISTED_COLUMNS <- 5000L
FRAME_KINDS <- c(tbl_df = "tibble", data.table = "data.table")
LAZY_CLASSES <- c("tbl_lazy", "dtplyr_step") # tables in a database, and steps to compute
VECTOR_TYPES <- c("logical", "integer", "double", "complex", "character")
ELEMENT_BYTES <- c(logical = 4, integer = 4, complex = 16, raw = 1)

# Return the description of a variable; NULL if it contains no data. `read(i)` of the description
# returns the vector of a column; a description without it is of lazy data. Columns of an array are
# parts of one vector: `part(i)` returns how many elements come before the column's, and their count.
container_of <- function(value) {
  if (isS4(value)) {
    return(NULL)
  }
  type <- typeof(value)
  if (type == "list") {
    class <- oldClass(value)
    is_lazy <- class %in% LAZY_CLASSES
    if ("data.frame" %in% class) {
      frame_container(value)
    } else if (any(is_lazy)) {
      container(class[is_lazy][[1L]])
    }
  } else if (type %in% VECTOR_TYPES) {
    dim <- attr(value, "dim", exact = TRUE)
    if (length(dim) >= 2L) {
      array_container(value, dim)
    } else if (is_computed(value)) {
      container(class_text(value))
    } else if (plain_length(value) > 1L) {
      vector_container(value)
    }
  }
}

container <- function(kind, names = character(), dtypes = character()) {
  list(kind = kind, names = names, dtypes = dtypes)
}

frame_kind <- function(frame) {
  kind <- FRAME_KINDS[oldClass(frame)]
  kind <- kind[!is.na(kind)]
  if (length(kind)) kind[[1L]] else "data.frame"
}

frame_container <- function(frame) {
  columns <- unclass(frame)
  width <- length(columns)
  listed <- seq_len(min(width, MAX_LISTED_COLUMNS))
  dtypes <- vapply(listed, function(i) class_text(.subset2(columns, i)), "")
  described <- container(frame_kind(frame), names_of(frame, length(listed)), dtypes)
  described$column_count <- width
  if (!any(vapply(columns, is_computed, NA))) {
    described$row_count <- abs(.row_names_info(frame, 2L))
    described$size <- sum(vapply(columns, vector_bytes, 0))
    described$read <- function(i) .subset2(columns, i)
  }
  described
}

array_container <- function(value, dim) {
  is_matrix <- length(dim) == 2L
  width <- if (is_matrix) dim[[2L]] else 1L
  height <- if (is_matrix) dim[[1L]] else prod(dim)
  listed <- seq_len(min(width, MAX_LISTED_COLUMNS))
  names <- attr(value, "dimnames", exact = TRUE)
  names <- if (is_matrix && length(names) == 2L) .subset2(names, 2L)
  names <- if (is.character(names)) elements_of(names, listed) else as.character(listed)
  described <- container(if (is_matrix) "matrix" else "array", text_of(names, MAX_NAME))
  described$dtypes <- rep(type_text(value), length(listed))
  described$column_count <- width
  if (!is_computed(value)) {
    described$row_count <- height
    described$size <- vector_bytes(value)
    described$shape <- if (!is_matrix) dim
    described$read <- function(i) value
    described$part <- function(i) list(skipped = (i - 1) * height, count = height)
  }
  described
}

vector_container <- function(value) {
  described <- container(class_text(value), "", class_text(value))
  described$column_count <- 1L
  described$row_count <- plain_length(value)
  described$size <- vector_bytes(value)
  described$read <- function(i) value
  described
}

# Return the bytes of a vector's elements. R stores equal texts once, so only their addresses count.
vector_bytes <- function(vector) {
  bytes <- ELEMENT_BYTES[typeof(vector)]
  plain_length(vector) * if (is.na(bytes)) 8 else bytes[[1L]]
}
