"""A text as a C++ string constant, so that a program carries its codelets with it."""

from __future__ import annotations

__all__ = ["embedded_text"]

_LONGEST = 8000  # characters of one literal; compilers limit it, MSVC to 16380 bytes


def embedded_text(name: str, codelets_text: str) -> str:
    """Return a C++ file that defines ``extern const char *const <name>_codelets`` as this text."""
    delimiter = _delimiter(codelets_text)
    pieces = [f'R"{delimiter}({piece}){delimiter}"' for piece in _pieces(codelets_text)] or ['""']
    lines = "\n".join(pieces)
    return (
        f"// The codelets of {name}, compiled for the IPU when a graph is built.\n"
        f"extern const char *const {name}_codelets;\n"
        f"const char *const {name}_codelets =\n{lines};\n"
    )


def _pieces(text: str) -> list[str]:
    """Parts of at most the longest length, divided between lines where a line is not longer by itself."""
    pieces: list[str] = []
    for line in text.splitlines(keepends=True):
        for part in (line[i : i + _LONGEST] for i in range(0, len(line), _LONGEST)):
            if pieces and len(pieces[-1]) + len(part) <= _LONGEST:
                pieces[-1] += part
            else:
                pieces.append(part)
    return pieces


def _delimiter(text: str) -> str:
    """A delimiter of a raw string that does not end inside the text."""
    number = 0
    delimiter = "codelets"
    while f'){delimiter}"' in text:
        number += 1
        delimiter = f"codelets{number}"
    return delimiter
