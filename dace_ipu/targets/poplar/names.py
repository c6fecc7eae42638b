"""Names in generated C++: the user's own where C++ allows it, something close to them where it does not."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

__all__ = ["CODELET_NAMES", "HOST_NAMES", "Names"]

_KEYWORDS = """
    alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor bool break case catch
    char char8_t char16_t char32_t class co_await co_return co_yield compl concept const const_cast consteval constexpr
    constinit continue decltype default delete do double dynamic_cast else enum explicit export extern false final float
    for friend goto if import inline int long module mutable namespace new noexcept not not_eq nullptr operator or or_eq
    override private protected public reflexpr register reinterpret_cast requires restrict return short signed sizeof
    static static_assert static_cast struct switch synchronized template this thread_local throw true try typedef typeid
    typename typeof union unsigned using virtual void volatile wchar_t while xor xor_eq
"""
# Macros of the C library, of POSIX and of g++'s gnu dialects, and what generated text uses from the standard library.
_MACROS_AND_LIBRARY = """
    BUFSIZ EOF HUGE_VAL HUGE_VALF I INFINITY M_PI NAN NULL RAND_MAX assert errno i386 linux main major makedev minor
    offsetof std stderr stdin stdout unix int64_t size_t
"""
_CODELET_ONLY = """
    Input InOut MultiVertex Output Share Vector VectorLayout Vertex absolute angle ceil_div circular complex64 compute
    conj cosine divide erf exp float2 float4 floor_div gcd half half2 half4 heaviside int2 ipow ipu lcm load max min mod
    numWorkers pairs poplar quarter select share sign sine sqrt store worker
"""
_HOST_ONLY = """
    BOOL CHAR ComputeSet Copy DataStream Engine Execute FLOAT Graph HALF INT LONGLONG Mapping Program Repeat RepeatWhileTrue If SHORT
    SIGNED_CHAR Sequence Target Tensor Type UNSIGNED_CHAR UNSIGNED_INT UNSIGNED_LONGLONG UNSIGNED_SHORT VertexRef at
    block concat dace dace_ipu graph poplar program sequence shape state streams target tiles vertex
"""

#: Names that fields, locals and classes in a codelet file may not have.
CODELET_NAMES = frozenset((_KEYWORDS + _MACROS_AND_LIBRARY + _CODELET_ONLY).split())
#: Names that locals of a graph-building function may not have.
HOST_NAMES = frozenset((_KEYWORDS + _MACROS_AND_LIBRARY + _HOST_ONLY).split())


class Names:
    """Hands out distinct identifiers of one C++ scope, none of them ``reserved``."""

    def __init__(self, reserved: Iterable[str]) -> None:
        self._used = set(reserved)

    def fresh(self, hint: str) -> str:
        """Return ``hint`` as a new identifier: itself if possible, or with ``_2``, ``_3``, ... appended."""
        base = _identifier(hint)
        name, number = base, 2
        while name in self._used:
            name, number = f"{base}_{number}", number + 1
        self._used.add(name)
        return name

    def inner(self) -> Names:
        """Return the names of a scope inside this one: what is taken here is taken there, not the other way round."""
        return Names(self._used)


def _identifier(hint: str) -> str:
    """Return the nearest identifier that is not reserved for the implementation (``__``, ``_X``, a leading digit)."""
    plain = "".join(map(_ascii, unicodedata.normalize("NFKD", hint)))
    name = re.sub(r"_+", "_", re.sub(r"\W", "_", plain, flags=re.ASCII)).strip("_")
    if not name:
        return "unnamed"
    return f"n{name}" if name[0].isdigit() else name


def _ascii(char: str) -> str:
    """Return an ASCII character as it is and another letter by the last word of its Unicode name: α is ``alpha``."""
    if char.isascii():
        return char
    if unicodedata.combining(char):
        return ""
    return unicodedata.name(char, "_").split()[-1].lower() if char.isalpha() else "_"
