"""Functions that the comparison of code treats in their own way, by their last names."""

from __future__ import annotations

# Functions that answer another question, such as the median instead of the mean. Replacing them
# changes the task.
QUESTIONS = frozenset(
    [
        *("abs", "all", "any", "argmax", "argmin", "bfill", "corr", "count", "cov", "cumprod"),
        *("cumsum", "describe", "diff", "dropna", "exp", "ffill", "fillna", "first", "head"),
        *("idxmax", "idxmin", "info", "isna", "isnull", "last", "len", "log", "log10", "log2"),
        *("lower", "max", "mean", "median", "min", "mode", "nlargest", "notna", "notnull"),
        *("nsmallest", "nth", "nunique", "pct_change", "prod", "quantile", "rank", "round"),
        *("sample", "sem", "size", "skew", "sqrt", "std", "strip", "sum", "tail", "title"),
        *("unique", "upper", "value_counts", "var"),
    ]
)

# Functions that draw charts. Another chart is another task, but another library is not.
CHARTS = frozenset(
    [
        *("area", "bar", "barh", "barplot", "box", "boxplot", "countplot", "ecdfplot"),
        *("heatmap", "hist", "histogram", "histplot", "kdeplot", "line", "lineplot", "pie"),
        *("plot", "pointplot", "regplot", "scatter", "scatterplot", "stripplot", "violin"),
        *("violinplot",),
    ]
)

# Functions with keywords that are names of columns or other data.
DATA_KEYWORDS = frozenset(
    [
        *("agg", "aggregate", "annotate", "assign", "assign_attrs", "assign_coords", "bind"),
        *("create", "debug", "dict", "error", "eval", "execute", "expand_dims", "filter"),
        *("format", "get", "info", "interp", "isel", "log", "mutate", "namedtuple", "params"),
        *("partial", "pipe", "post", "query", "reindex", "rename", "render", "replace", "Row"),
        *("savez", "savez_compressed", "sel", "select", "SimpleNamespace", "struct", "summarise"),
        *("summarize", "swap_dims"),
        *("transform_aggregate", "transform_calculate", "transmute", "update", "values"),
        *("warning", "where", "with_columns"),
    ]
)
