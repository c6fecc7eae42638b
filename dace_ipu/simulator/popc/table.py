"""The C++ that describes vertex classes to libpoplar; include/poplar/abi/codelet_registration.hpp does the work."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from dace_ipu.simulator.popc.classes import Field, Vertex
from dace_ipu.simulator.popc.errors import Place
from dace_ipu.simulator.pricing.count import ENTRY

__all__ = ["ASSERTION", "counted_entries", "generate"]

#: What the text of popc's own assertions begins with, so that they are known among the compiler's errors.
ASSERTION = "popc: "

_FIELD = """\
struct name_{name} {{
static constexpr const char *text = "{name}";
template <typename V> static auto type(int) -> Found<decltype(V::{name})>;
template <typename V> static Absent type(...);
template <typename V> static auto member(int) -> Found<decltype(&V::{name})>;
template <typename V> static Absent member(...);
template <typename V> static constexpr unsigned offset() {{ return __builtin_offsetof(V, {name}); }}
}};"""

_ENTRY = """\
extern "C" __attribute__((visibility("default"))) const DaceIpuCodeletModule *dace_ipu_codelet_module(void) {{
static DaceIpuVertexType types[{capacity}];
static const DaceIpuCodeletModule module = [] {{
unsigned count = 0;
{calls}
return DaceIpuCodeletModule{{dace_ipu_popc::abi, count, types, dace_ipu_take_cost}};
}}();
return &module;
}}"""

_WEAK = '__attribute__((weak, visibility("hidden")))'

_SET_TILE = """\
extern "C" __attribute__((visibility("default"))) void dace_ipu_set_tile(unsigned tile) {
poplar::detail::currentTile = tile;
}"""


def generate(vertices: Sequence[Vertex], uses_tile: bool) -> str:
    """Return text to append to the preprocessed source. It holds no macros and carries its own line markers.

    ``uses_tile`` says whether the source asks for the number of its tile.
    """
    names = sorted({field.name for vertex in vertices for field in vertex.fields})
    lines = [_marker(Place("<codelet table>", 1))]
    lines += (_alias(number, vertex) for number, vertex in enumerate(vertices))
    lines.append("namespace dace_ipu_popc {")
    lines += (_FIELD.format(name=name) for name in names)
    lines += (line for number, vertex in enumerate(vertices) for line in _checks(number, vertex))
    lines += [_marker(Place("<codelet table>", 1)), "}"]
    lines += (_declaration(number) for number in range(len(vertices)))
    lines.append(f'extern "C" {_WEAK} uint64_t dace_ipu_take_cost(void);')
    calls = "\n".join(_call(number, vertex) for number, vertex in enumerate(vertices))
    lines.append(_ENTRY.format(capacity=2 * len(vertices) + 1, calls=calls))
    if uses_tile:
        lines.append(_SET_TILE)
    return "\n".join(lines) + "\n"


def counted_entries(vertices: Sequence[Vertex]) -> str:
    """Return text to append to the source that pricing compiles: aliases, and an entry for every vertex."""
    lines = [_alias(number, vertex) for number, vertex in enumerate(vertices)]
    for number, vertex in enumerate(vertices):
        lines.append(f'extern "C" bool {ENTRY}{number}(void *state, unsigned worker) {{')
        lines.append(f"return dace_ipu_popc::runCounted<{_cpp_name(number, vertex)}>(state, worker); }}")
    return "\n".join(lines) + "\n"


def _declaration(number: int) -> str:
    """Declare what pricing makes; null where it does not."""
    entry = f"{ENTRY}{number}"
    return f'extern "C" {{ {_WEAK} bool {entry}(void *, unsigned); extern {_WEAK} const unsigned {entry}_flags; }}'


def _alias(number: int, vertex: Vertex) -> str:
    """Name the class in its own namespace, where its template arguments mean what they meant in the source."""
    opening = "".join(f"namespace {part} {{ " for part in vertex.scope)
    return f"{opening}using dace_ipu_vertex_{number} = {vertex.spelling};{' }' * len(vertex.scope)}"


def _cpp_name(number: int, vertex: Vertex) -> str:
    return "::" + "".join(f"{part}::" for part in vertex.scope if part) + f"dace_ipu_vertex_{number}"


def _checks(number: int, vertex: Vertex) -> Iterator[str]:
    """Yield what must hold for a class that is a vertex; a failure is reported at the user's line."""
    cpp = _cpp_name(number, vertex)
    for field in vertex.fields:
        yield _assert(field.place, cpp, f"isSupported<{cpp}, name_{field.name}>()", _unsupported(vertex, field))
    if not vertex.is_base:
        has_compute = f"hasCompute<{cpp}>()"
        yield _assert(vertex.place, cpp, f"!isMulti<{cpp}> || {has_compute}", _no_multi_compute(vertex))
        yield _assert(vertex.place, cpp, f"isMulti<{cpp}> || {has_compute}", _no_compute(vertex))
    if not vertex.has_body:
        yield _assert(vertex.place, cpp, f"!isExternal<{cpp}>", _assembly(vertex))


def _unsupported(vertex: Vertex, field: Field) -> str:
    return f"Field '{vertex.name}.{field.name}' has unsupported field type '{field.type}'"


def _no_compute(vertex: Vertex) -> str:
    return f"Vertex '{vertex.name}' has no method compute()"


def _no_multi_compute(vertex: Vertex) -> str:
    return f"MultiVertex '{vertex.name}' has no method compute(unsigned worker)"


def _assembly(vertex: Vertex) -> str:
    return f"Vertex '{vertex.name}' is written in assembly, which the simulator cannot run"


def _assert(place: Place, cpp: str, condition: str, message: str) -> str:
    return f"{_marker(place)}\nstatic_assert(!isVertex<{cpp}> || ({condition}), {json.dumps(ASSERTION + message)});"


def _call(number: int, vertex: Vertex) -> str:
    names = (f"dace_ipu_popc::name_{field.name}" for field in vertex.fields)
    arguments = ", ".join([_cpp_name(number, vertex), *names])
    place = f"{json.dumps(vertex.place.file)}, {vertex.place.line}"
    counted = f"{ENTRY}{number}, &{ENTRY}{number}_flags"
    return f"dace_ipu_popc::addVertex<{arguments}>(types, count, {json.dumps(vertex.name)}, {place}, {counted});"


def _marker(place: Place) -> str:
    return f"# {place.line} {json.dumps(place.file)}"
