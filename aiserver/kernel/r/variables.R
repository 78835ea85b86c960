# Find the person's variables, and read what they are without running any code of theirs.
#
# Invariants:
# - Nothing is forced: neither active bindings, nor promises, nor vectors that another package
#   computes on demand (ALTREP).
# - No method is dispatched. Classes are read from the attribute, and values without their class.
# - A long vector isn't copied or converted as a whole: `elements_of` reads only some elements, and
#   the sequence `1:1e9` stays two numbers.

MAX_NAME <- 200L # characters of a name or class

# Return the names of the variables that have a value, in their order in the alphabet.
variable_names <- function(variables) {
  names <- ls(variables, sorted = FALSE)
  # Names in code from a page have no encoding mark, without which R can't sort them.
  names <- names[order(enc2utf8(names), method = "radix")]
  names <- names[make.names(names) == names]
  is_active <- vapply(names, function(name) bindingIsActive(name, variables), NA)
  names <- names[!is_active]
  names[!has_promise(names, variables)]
}

# Return for each variable whether it is a promise that hasn't been evaluated.
has_promise <- function(names, variables) {
  if (!length(names)) {
    return(logical())
  }
  if ("rlang" %in% loadedNamespaces()) {
    return(as.vector(rlang::env_binding_are_lazy(variables, names)))
  }
  # Without rlang, promises that have been evaluated count, too. Their code is read from a copy,
  # because substitute() doesn't read the global environment.
  copy <- new.env(parent = emptyenv())
  .Internal(importIntoEnv(copy, names, variables, names))
  is_code <- function(name) {
    typeof(eval(call("substitute", as.name(name), copy))) %in% c("language", "symbol", "promise")
  }
  vapply(names, is_code, NA, USE.NAMES = FALSE)
}

# Return the value of a variable; NULL if it has none or is a promise or an active binding.
variable_value <- function(name, variables) {
  if (name %in% variable_names(variables)) get(name, envir = variables, inherits = FALSE)
}

# Return whether another package computes the elements of a vector on demand.
is_computed <- function(vector) {
  class <- .Internal(altrep_class(vector))
  length(class) > 1L && !identical(class[[2L]], "base")
}

# Return the length of a value without a method. unclass() would copy a list, but no other vector.
plain_length <- function(value) {
  is_list <- typeof(value) == "list" && !isS4(value)
  length(if (is_list && !any(has_length_method(oldClass(value)))) value else unclass(value))
}

has_length_method <- function(class) {
  registered <- baseenv()[[".__S3MethodsTable__."]]
  is_defined <- function(name) exists(name) || exists(name, registered, inherits = FALSE)
  vapply(sprintf("length.%s", class), is_defined, NA)
}

# Return the elements of a vector at some positions, without attributes.
elements_of <- function(vector, positions) {
  elements <- .subset(vector, positions)
  attributes(elements) <- NULL
  elements
}

# Return the first class of an object, as text: "numeric", "factor", "Date".
class_text <- function(value) {
  class <- oldClass(value)
  if (length(class)) {
    text_of(class[[1L]], MAX_NAME)
  } else if (!is.null(attr(value, "dim", exact = TRUE))) {
    if (length(attr(value, "dim", exact = TRUE)) == 2L) "matrix" else "array"
  } else {
    type_text(value)
  }
}

type_text <- function(value) {
  type <- typeof(value)
  switch(type, double = "numeric", closure = , builtin = , special = "function", type)
}

# Return the names of the first `count` elements of a list or vector.
names_of <- function(value, count) {
  names <- attr(value, "names", exact = TRUE)
  if (!is.character(names)) {
    return(character(count))
  }
  text_of(elements_of(names, seq_len(count)), MAX_NAME)
}

# Return texts in valid UTF-8, at most `limit` characters each.
text_of <- function(texts, limit) {
  texts <- as.vector(texts)
  is_bytes <- Encoding(texts) == "bytes"
  Encoding(texts[is_bytes]) <- "UTF-8"
  texts <- enc2utf8(texts)
  is_invalid <- !validUTF8(texts)
  texts[is_invalid] <- iconv(texts[is_invalid], "UTF-8", "UTF-8", sub = "?")
  texts[is.na(texts)] <- "NA"
  substr(texts, 1L, limit)
}
