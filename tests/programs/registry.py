"""Lists of programs, each with what makes its arguments, for test modules that keep programs of one kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Maker", "registry"]

Maker = Callable[[], dict[str, Any]]
Cases = list[tuple[Any, Maker]]


def registry() -> tuple[Cases, Callable[[Maker], Callable[[Any], Any]]]:
    """An empty list, and the decorator that registers a program in it with a function that makes its arguments."""
    cases: Cases = []

    def case(make: Maker) -> Callable[[Any], Any]:
        def register(program: Any) -> Any:
            cases.append((program, make))
            return program

        return register

    return cases, case
