"""Timing, and tables in a terminal."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table


def median_seconds(action: Callable[[], object], runs: int) -> float:
    """The median wall time of ``runs`` calls, after one that is not counted."""
    action()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def show(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table; the first column is text, the others are numbers."""
    table = Table(title=title)
    for index, column in enumerate(columns):
        table.add_column(column, justify="left" if index == 0 else "right")
    for row in rows:
        table.add_row(*(f"{value:.3g}" if isinstance(value, float) else str(value) for value in row))
    Console(width=120).print(table)
