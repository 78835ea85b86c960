"""Draw line charts with two logarithmic axes, as SVG. Needs no library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 430, 330, 56, 34, 40
LEGEND = 22  # the height of a line of the legend, in pixels
# Okabe and Ito's palette, whose colours can be distinguished by colour-blind people.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7f7f7f", "#000000")
Line = tuple[str, dict[int, float]]  # the name, and the value for each size of a session


def svg(panels: Sequence[tuple[str, Sequence[Line]]], thick: str) -> str:
    """Return a drawing with charts next to each other, above a common legend.

    ``panels`` has the title and the lines of each chart. Lines are thick if their name begins with
    the text ``thick``.
    """
    # Leave out the values that are 0, because a logarithmic axis has no place for them.
    panels = [
        (
            title,
            [
                (name, {size: value for size, value in points.items() if value > 0})
                for name, points in lines
            ],
        )
        for title, lines in panels
    ]
    names = list(dict.fromkeys(name for _, lines in panels for name, _ in lines))
    rows = math.ceil(len(names) / 3)
    height = HEIGHT + 20 + LEGEND * rows
    width = WIDTH * len(panels)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"'
        ' font-family="sans-serif" font-size="12">',
        "<title>Milliseconds by turns of a session, for each store</title>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for number, (title, lines) in enumerate(panels):
        parts.append(f'<g transform="translate({number * WIDTH} 0)">')
        parts += _panel(title, lines, names, thick)
        parts.append("</g>")
    for number, name in enumerate(names):
        x, y = LEFT + (number % 3) * (width - LEFT) / 3, HEIGHT + 14 + LEGEND * (number // 3)
        parts.append(f'<path d="M{x:.0f} {y}h26" {_style(name, names, thick)}/>')
        parts.append(f'<text x="{x + 32:.0f}" y="{y + 4}" fill="#222">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _panel(title: str, lines: Sequence[Line], names: list[str], thick: str) -> list[str]:
    """Return the SVG elements of one chart: title, grid, labels of the axes, and lines."""
    sizes = sorted({size for _, points in lines for size in points})
    values = [value for _, points in lines for value in points.values()]
    if not values:
        return []
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    low, high = (low, high) if high > low else (low, low + 1)
    bottom, right = HEIGHT - BOTTOM, WIDTH - 14

    def x(size: int) -> float:
        span = math.log10(sizes[-1] / sizes[0]) or 1
        return LEFT + (right - LEFT) * math.log10(size / sizes[0]) / span

    def y(value: float) -> float:
        return bottom - (bottom - TOP) * (math.log10(value) - low) / (high - low)

    parts = [f'<text x="{LEFT}" y="20" font-weight="bold" fill="#222">{escape(title)}</text>']
    for power in range(low, high + 1):
        grid_y = y(10**power)
        parts.append(f'<path d="M{LEFT} {grid_y:.1f}H{right}" stroke="#ddd" fill="none"/>')
        parts.append(_axis_label(LEFT - 6, grid_y + 4, f"{10**power:g}", "end"))
    for size in sizes:
        parts.append(_axis_label(x(size), bottom + 18, f"{size:,}", "middle"))
    for name, points in lines:
        path = " ".join(f"{x(size):.1f},{y(value):.1f}" for size, value in sorted(points.items()))
        parts.append(f'<polyline points="{path}" {_style(name, names, thick)}/>')
    return parts


def _axis_label(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="#555">{text}</text>'


def _style(name: str, names: list[str], thick: str) -> str:
    """Return the attributes of a line. If there are more names than colours, some are dashed."""
    number = names.index(name)
    width = 3 if name.startswith(thick) else 1.5
    dash = ' stroke-dasharray="5 3"' if number >= len(COLOURS) else ""
    return f'stroke="{COLOURS[number % len(COLOURS)]}" stroke-width="{width}" fill="none"{dash}'
