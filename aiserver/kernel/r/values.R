# Write the values of variables as R code, for requests that mention the variables by `@`. Only plain
# vectors and lists are written, and dates; the length of the text is limited as in variables.py.

MAX_VALUE_TEXT <- 1000L # characters of a value
MAX_ELEMENTS <- 20L
MAX_DEPTH <- 3L
MAX_ELEMENT_TEXT <- 200L

# Return a value as code; "" if its class isn't supported.
value_text <- function(value, depth = 1L) {
  type <- typeof(value)
  class <- oldClass(value)
  if (isS4(value) || !is.null(attr(value, "dim", exact = TRUE)) || is_computed(value)) {
    return("")
  }
  if (identical(class, "Date")) {
    return(joined(sprintf("as.Date(\"%s\")", time_texts(first_of(value), class, NULL)), value))
  }
  if (length(class) || !type %in% c(VECTOR_TYPES, "list", "NULL")) {
    return("")
  }
  if (type == "NULL") {
    return("NULL")
  }
  if (type == "list" && depth > MAX_DEPTH) {
    return("list(\u2026)")
  }
  texts <- vapply(first_of(value), function(element) element_text(element, depth), "")
  joined(texts, value)
}

first_of <- function(value) elements_of(value, seq_len(min(plain_length(value), MAX_ELEMENTS)))

element_text <- function(element, depth) {
  if (is_computed(element)) {
    paste0("<", class_text(element), ">")
  } else if (typeof(element) == "list" || isS4(element) || plain_length(element) != 1L) {
    text <- value_text(element, depth + 1L)
    if (nzchar(text)) text else paste0("<", class_text(element), ">")
  } else if (is.character(element) && !is.na(element)) {
    encodeString(whole_words(element, MAX_ELEMENT_TEXT), quote = "\"")
  } else if (length(oldClass(element)) || !typeof(element) %in% VECTOR_TYPES) {
    paste0("<", class_text(element), ">")
  } else {
    deparse(as.vector(element))[[1L]]
  }
}

# Join the texts of a value's first elements to a call, with their names.
joined <- function(texts, value) {
  count <- plain_length(value)
  names <- names_of(value, length(texts))
  if (count == 1L && typeof(value) != "list" && !any(nzchar(names))) {
    return(texts[[1L]])
  }
  named <- nzchar(names)
  texts[named] <- paste(names[named], "=", texts[named])
  fits <- cumsum(nchar(texts) + 2L) <= MAX_VALUE_TEXT
  rest <- if (!all(fits) || count > length(texts)) "\u2026"
  call <- if (typeof(value) == "list") "list" else "c"
  paste0(call, "(", paste(c(texts[fits], rest), collapse = ", "), ")")
}

# Shorten a text, without a part of a word: a part of a key isn't recognised as a secret.
whole_words <- function(text, limit) {
  text <- text_of(text, limit + 1L)
  if (nchar(text) <= limit) text else paste0(sub("[!-~]*$", "", substr(text, 1L, limit - 1L)), "\u2026")
}
