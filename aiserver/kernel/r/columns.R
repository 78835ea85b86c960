# Profile one column as profiling/columns.py does: missing and distinct values, range, histogram and
# most frequent values. The limits are the same, and so are the rows of a sample.

EXACT_ROWS <- 100000L # data with at most so many rows is examined completely
SAMPLED_ROWS <- 20000L
WHOLE_RANGE_ROWS <- 2000000L
BINS <- 20L
FEW_VALUES <- 10L # whole numbers with at most so many distinct values are also counted by value
MAX_TOP <- 5L
MAX_VALUE <- 60L # characters
GOLDEN_RATIO <- (sqrt(5) - 1) / 2

# Return the positions of SAMPLED_ROWS of `count` rows, one in each of as many equal parts.
sampled_positions <- function(count) {
  parts <- seq_len(SAMPLED_ROWS) - 1
  places <- floor((parts + (parts * GOLDEN_RATIO) %% 1) * (count / SAMPLED_ROWS))
  pmin(places, count - 1) + 1
}

# Profile a vector, or the part of an array that is a column.
profile_column <- function(column, part = NULL) {
  class <- oldClass(column)
  type <- typeof(column)
  is_matrix <- is.null(part) && length(attr(column, "dim", exact = TRUE)) > 1L
  is_vector <- type %in% c("logical", "integer", "double", "character", "list")
  if (isS4(column) || !is_vector || is_matrix || "integer64" %in% class || "POSIXlt" %in% class) {
    return(unsupported())
  }
  levels <- attr(column, "levels", exact = TRUE)
  zone <- attr(column, "tzone", exact = TRUE)
  if (is.null(part)) {
    part <- list(skipped = 0, count = plain_length(column))
  }
  count <- part$count
  read <- function(rows) elements_of(column, part$skipped + rows)
  sample <- read(if (count > EXACT_ROWS) sampled_positions(count) else seq_len(count))
  if (type == "list") {
    missing <- sum(vapply(sample, is.null, NA))
    return(list(rows = length(sample), missing = missing, distinct = NULL, note = "nested"))
  }
  is_missing <- is.na(sample)
  present <- if (any(is_missing)) sample[!is_missing] else sample
  profile <- list(rows = length(sample), missing = sum(is_missing))
  if ("factor" %in% class) {
    c(profile, profile_factor(present, levels))
  } else if ("Date" %in% class || "POSIXct" %in% class) {
    c(profile, profile_times(present, class, zone))
  } else if (type %in% c("integer", "double")) {
    profile <- c(profile, profile_numbers(present))
    is_sample <- length(sample) < count
    if (is_sample && count <= WHOLE_RANGE_ROWS) {
      profile <- with_whole_range(profile, read(seq_len(count)))
    }
    profile
  } else {
    distinct <- unique.default(present)
    counts <- tabulate(match(present, distinct), length(distinct))
    c(profile, list(distinct = length(distinct), top = top_values(distinct, counts)))
  }
}

unsupported <- function() {
  list(rows = 0L, missing = NULL, distinct = NULL, note = "unsupported")
}

profile_factor <- function(codes, levels) {
  codes <- as.integer(codes)
  used <- sort.int(unique.default(codes), method = "radix")
  used <- used[used >= 1L & used <= length(levels)]
  counts <- tabulate(match(codes, used), length(used))
  list(distinct = length(used), top = top_values(elements_of(levels, used), counts))
}

profile_numbers <- function(present) {
  present <- as.double(present)
  count <- length(present)
  ordered <- sort.int(present, method = "radix")
  distinct <- unique.default(ordered)
  profile <- list(distinct = length(distinct))
  if (count) {
    spread <- number_range(present)
    spread$quartiles <- finite(vapply(1:3, function(i) quantile_of(ordered, i / 4), 0))
    profile$numbers <- spread
    profile$histogram <- histogram(present, ordered[[1L]], ordered[[count]])
  }
  if (length(distinct) <= FEW_VALUES && all(distinct == trunc(distinct))) {
    counts <- tabulate(match(present, distinct), length(distinct))
    profile$top <- top_values(sprintf("%.15g", distinct), counts)
  }
  profile
}

number_range <- function(present) {
  count <- length(present)
  mean <- sum(present) / count
  std <- if (count > 1L) sqrt(sum((present - mean)^2) / (count - 1)) else NA
  list(
    min = finite(min(present)),
    max = finite(max(present)),
    mean = finite(mean),
    std = finite(std)
  )
}

# Replace the range and the mean of a sample by those of all rows, and add `all`.
with_whole_range <- function(profile, values) {
  present <- as.double(values[!is.na(values)])
  profile$all <- list(rows = length(values), missing = length(values) - length(present))
  if (length(present)) {
    profile$numbers <- c(number_range(present), profile$numbers["quartiles"])
  }
  profile
}

quantile_of <- function(ordered, share) {
  place <- (length(ordered) - 1) * share
  low <- ordered[[floor(place) + 1]]
  high <- ordered[[min(floor(place) + 2, length(ordered))]]
  if (low == high) low else low + (high - low) * (place - floor(place))
}

histogram <- function(values, low, high) {
  if (!is.finite(high - low)) {
    return(NULL)
  }
  bins <- if (low < high) floor((values - low) / (high - low) * BINS) else 0 * values
  counts <- tabulate(pmin(bins, BINS - 1) + 1, BINS)
  list(min = finite(low), max = finite(high), counts = counts)
}

profile_times <- function(present, class, zone) {
  present <- as.double(present)
  profile <- list(distinct = length(unique.default(present)))
  if (length(present)) {
    first <- min(present)
    offsets <- present - first
    texts <- time_texts(c(first, max(present)), class, zone)
    profile$dates <- list(min = texts[[1L]], max = texts[[2L]])
    profile$histogram <- histogram(offsets, 0, max(offsets))
  }
  profile
}

# Write numbers of days (Date) or seconds (POSIXct) since 1970 as ISO 8601.
time_texts <- function(numbers, class, zone) {
  if ("Date" %in% class) {
    return(format.Date(structure(numbers, class = "Date"), "%Y-%m-%d"))
  }
  zone <- if (is.character(zone) && length(zone)) zone[[1L]] else ""
  times <- structure(numbers, class = c("POSIXct", "POSIXt"), tzone = zone)
  format.POSIXct(times, if (nzchar(zone)) "%Y-%m-%dT%H:%M:%S%z" else "%Y-%m-%dT%H:%M:%S")
}

top_values <- function(values, counts) {
  largest <- order(-counts, method = "radix")
  largest <- largest[seq_len(min(length(largest), MAX_TOP))]
  texts <- short_values(as.character(values[largest]))
  lapply(seq_along(largest), function(i) list(value = texts[[i]], count = counts[[largest[[i]]]]))
}

short_values <- function(texts) {
  texts <- text_of(texts, MAX_VALUE + 1L)
  is_long <- nchar(texts) > MAX_VALUE
  texts[is_long] <- paste0(substr(texts[is_long], 1L, MAX_VALUE - 1L), "\u2026")
  texts
}

# Return numbers for JSON, which has neither infinity nor NaN.
finite <- function(numbers) {
  numbers[!is.finite(numbers)] <- NA
  numbers
}
