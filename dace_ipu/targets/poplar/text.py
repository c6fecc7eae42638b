"""Small things about printed C++: indentation and comments."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dace_ipu.tile_graph.nodes import Source

__all__ = ["Lines", "comment", "source_comment"]


class Lines:
    """Lines of C++, indented by two blanks a level."""

    def __init__(self, level: int = 0) -> None:
        self._lines: list[str] = []
        self._level = level

    def add(self, *lines: str) -> None:
        """Append lines; empty ones stay empty."""
        self._lines.extend(f"{'  ' * self._level}{line}" if line else "" for line in lines)

    @contextmanager
    def block(self, opening: str, closing: str = "}") -> Iterator[None]:
        """``opening {``, then what is added inside, then ``closing``."""
        self.add(f"{opening} {{")
        self._level += 1
        yield
        self._level -= 1
        self.add(closing)

    def drop_last(self) -> None:
        """Remove the last line."""
        self._lines.pop()

    def text(self) -> str:
        """All lines, each with its end."""
        return "".join(f"{line}\n" for line in self._lines)


def comment(text: str) -> list[str]:
    """A one-line comment. Line ends and a last backslash, which would continue it, become harmless."""
    plain = "".join(c if c.isprintable() else " " for c in text).strip().rstrip("\\").rstrip()
    return [f"// {plain}"] if plain else []


def source_comment(source: Source) -> list[str]:
    """The place and the text of a line of the user's program, as far as they are known."""
    place = f"{source.file.rpartition('/')[2]}:{source.line}" if source.file and source.line else source.file
    return comment("   ".join(part for part in (place, source.text.strip()) if part))
