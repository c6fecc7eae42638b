"""Small things about printed C++: indentation and comments."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dace_ipu.tile_graph.nodes import Source

__all__ = ["Lines", "comment", "source_comment"]

_COLUMNS = 120


class Lines:
    """Lines of C++, indented by two blanks a level."""

    def __init__(self, level: int = 0) -> None:
        self._lines: list[str] = []
        self._level = level

    def add(self, *lines: str) -> None:
        """Append lines; an empty one stays empty and does not follow another. Long ones are broken behind commas."""
        indent = "  " * self._level
        for line in lines:
            if line:
                self._lines.extend(_broken(indent + line, indent + "    "))
            elif self._lines and self._lines[-1]:
                self._lines.append("")

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


def _broken(line: str, indent: str) -> list[str]:
    """A line as several of at most 120 columns, if it is a list of arguments: behind the outermost comma that fits."""
    if len(line) <= _COLUMNS or line.lstrip().startswith("//"):
        return [line]
    places = _commas(line)
    outermost = min((depth for _, depth in places), default=0)
    at = max((place for place, depth in places if depth == outermost), default=0)
    return [line[:at], *_broken(indent + line[at:].lstrip(), indent)] if at > len(indent) else [line]


def _commas(line: str) -> list[tuple[int, int]]:
    """The places behind commas that are early enough, and how deep in brackets they are. None inside of strings."""
    places, depth, quoted = [], 0, False
    for place, char in enumerate(line[: _COLUMNS - 1], start=1):
        quoted ^= char == '"'
        if not quoted:
            depth += (char in "([{") - (char in ")]}")
        if char == "," and not quoted and place < len(line):
            places.append((place, depth))
    return places


def comment(text: str) -> list[str]:
    """A one-line comment. Line ends and a last backslash, which would continue it, become harmless."""
    plain = "".join(c if c.isprintable() else " " for c in text).strip().rstrip("\\").rstrip()
    return [f"// {plain}"] if plain else []


def source_comment(source: Source) -> list[str]:
    """The place and the text of a line of the user's program, as far as they are known."""
    place = f"{source.file.rpartition('/')[2]}:{source.line}" if source.file and source.line else source.file
    return comment("   ".join(part for part in (place, source.text.strip()) if part))
