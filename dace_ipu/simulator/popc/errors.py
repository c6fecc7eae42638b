"""What popc reports to its user."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Place", "PopcError", "SourceError"]


@dataclass(frozen=True)
class Place:
    """A line of a source file, counted from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class PopcError(Exception):
    """Codelets could not be compiled. The text is complete, with file and line where there is one."""


class SourceError(PopcError):
    """Something in the user's source, found before the compiler sees it. Holds one or more findings."""

    def __init__(self, findings: Iterable[tuple[Place, str]]) -> None:
        super().__init__("\n".join(f"{place}: error: {message}" for place, message in findings))
