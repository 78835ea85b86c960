"""Report columns that would only contain NaN, because their index doesn't match the frame's index.

An example is ``frame["mean"] = frame.groupby("city")["price"].mean()``: pandas looks up each row's
number among the cities. Most people expect the mean of each row's city.
"""

from __future__ import annotations

import ast

from .values import Context, Frame, Groups, Series, Value


def check_alignment(context: Context, frame: Frame, value: Value, node: ast.AST) -> None:
    """Report a Series with texts as index labels, if it is assigned to a column of ``frame``.

    ``node`` is the expression whose value is assigned.
    """
    has_numbers = frame.has_number_index and frame.index == set()
    if not (has_numbers and isinstance(value, Series) and value.has_text_labels):
        return
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    name, owner = node.func.attr, context.value(node.func.value)
    if isinstance(owner, Groups) and not node.args and not node.keywords:
        position = context.problems.position_of_method(node)
        text = context.problems.text_of(position)
        message = f"{text} has one value for each group, but the column needs one for each row."
        candidate = f"transform({name!r})"
    elif isinstance(owner, Series) and name == "value_counts":
        position, text = node, context.problems.text_of(node)
        message = (
            "value_counts() has one value for each text, but the column needs one for each row."
        )
        candidate = f"{context.problems.text_of(node.func.value)}.map({text})"
    else:
        return
    candidates = [candidate] if owner.frame is frame else []
    context.report_code(position, "not_aligned", message, candidates)
