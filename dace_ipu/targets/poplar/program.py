"""The files of a DaCe program's IPU part: the host program, the codelets, and the codelets as a string."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dace_ipu.targets.poplar.codelets import print_codelets
from dace_ipu.targets.poplar.embedded import embedded_text
from dace_ipu.targets.poplar.headers import includes_text, using_text
from dace_ipu.targets.poplar.host import HOST_STYLE, BuildFunction, print_build, symbol_names
from dace_ipu.targets.poplar.indices import IndexPrinter
from dace_ipu.targets.poplar.names import HOST_NAMES, Names
from dace_ipu.targets.poplar.types import host_type
from dace_ipu.tile_graph.body import Expr
from dace_ipu.tile_graph.nodes import HostArray, TileGraph

__all__ = ["Options", "Texts", "run_declaration", "run_name", "texts"]

_REPORT_CYCLES = """\
  dace_ipu::forEachStep(__state->ipu_programs, "{name}", [&](const char *step, std::uint64_t cycles) {{
    __state->report.add_counter(step, "IPU", "cycles", cycles);
  }});"""


@dataclass(frozen=True)
class Options:
    """What a program assumes unless the environment says otherwise: ``compiler.ipu.*`` of DaCe's configuration."""

    target: str = "ipu2"
    ipus: int = 1
    tiles: int = 0
    graph_cache_size: int = 4
    report_cycles: bool = False  # into DaCe's performance report, which is then a member of the state


@dataclass(frozen=True)
class Texts:
    """Three C++ files: the host program, the codelets, the codelets as a string constant."""

    host: str
    codelets: str
    embedded: str


def texts(
    graphs: Sequence[TileGraph],
    name: str,
    state_struct: str,
    init_signature: str,
    header: str = "",
    options: Options | None = None,
) -> Texts:
    """Print the device programs of one SDFG.

    ``name`` is the SDFG's, ``state_struct`` the type of its state, ``init_signature`` the parameters of DaCe's
    initialiser behind the state. ``header`` is DaCe's file header: includes and the definition of the state, which has
    a member ``dace_ipu::Programs *ipu_programs``.
    """
    codelets = print_codelets(graphs)
    builds = [print_build(graph, codelets) for graph in graphs]
    options = options or Options()
    runs = [
        _run_function(graph, build, state_struct, options.report_cycles)
        for graph, build in zip(graphs, builds, strict=True)
    ]
    functions = "\n".join(build.text for build in builds)
    life = _life_cycle(name, state_struct, init_signature, options, _notes(graphs))
    code = "\n".join([functions, *runs, life])
    host = "\n".join(
        [
            f"// The device programs of {name}: how their graphs are built, and what DaCe's code calls to run them.",
            *([header.rstrip()] if header else []),
            includes_text(code),
            f"extern const char *const {name}_codelets;",
            "",
            "namespace {",
            "",
            using_text(functions),
            functions,
            "} // namespace",
            "",
            "\n".join(runs),
            life,
        ]
    )
    return Texts(host, codelets.text, embedded_text(name, codelets.text))


def run_name(graph: TileGraph) -> str:
    """The function that DaCe's code calls to run a device program."""
    return f"__dace_ipu_run_{Names(()).fresh(graph.name)}"


def run_declaration(graph: TileGraph, state_struct: str) -> str:
    """Declare that function: state, host arrays (pointers; scalars by value), symbols."""
    return f'extern "C" {_run_head(graph, state_struct)};'


def _run_head(graph: TileGraph, state_struct: str) -> str:
    hosts, symbols = _parameters(graph)
    parameters = [f"{state_struct} *__state"]
    for host, parameter in zip(graph.hosts, hosts, strict=True):
        parameters.append(f"{host_type(host.dtype).cpp} {'' if host.scalar else '*'}{parameter}")
    for (_, dtype), parameter in zip(graph.symbols, symbols, strict=True):
        parameters.append(f"{host_type(dtype).cpp} {parameter}")
    return f"void {run_name(graph)}({', '.join(parameters)})"


def _parameters(graph: TileGraph) -> tuple[list[str], list[str]]:
    """The names of the parameters: host arrays, then symbols. Symbols are named as in the graph-building function."""
    symbols = list(symbol_names(graph).values())
    names = Names([*HOST_NAMES, *symbols])
    return [names.fresh(host.name) for host in graph.hosts], symbols


def _run_function(graph: TileGraph, function: BuildFunction, state_struct: str, cycles: bool) -> str:
    hosts, _ = _parameters(graph)
    index = IndexPrinter(HOST_STYLE, symbol_names(graph))
    keys = ", ".join(f'{{"{name}", {cpp}}}' for name, cpp in function.symbols)
    arrays = [f"       {_array(h, p, index)}," for h, p in zip(graph.hosts, hosts, strict=True)]
    arguments = ", ".join(["graph", "streams", *(cpp for _, cpp in function.symbols)])
    return "\n".join(
        [
            f'extern "C" {_run_head(graph, state_struct)} {{',
            f'  dace_ipu::run(__state->ipu_programs, "{graph.name}", {{{keys}}},',
            "      {",
            *arrays,
            "      },",
            f"      [&](Graph &graph, dace_ipu::Streams &streams) {{ return {function.name}({arguments}); }});",
            *(_REPORT_CYCLES.format(name=graph.name).splitlines() if cycles else ()),
            "}",
            "",
        ]
    )


def _array(host: HostArray, parameter: str, index: IndexPrinter) -> str:
    def box(values: tuple[Expr, ...]) -> str:
        return f"{{{', '.join(index.text(v) for v in values)}}}"

    pointer = f"&{parameter}" if host.scalar else parameter
    kind = f"dace_ipu::HostType::{host_type(host.dtype).runtime}"
    return f'{{"{host.name}", {pointer}, {kind}, {box(host.shape)}, {box(host.strides)}, {index.text(host.offset)}}}'


def _notes(graphs: Sequence[TileGraph]) -> str:
    """The notes of all programs as the last argument of ``create``, a line each."""
    lines = [
        f"      {{{json.dumps(graph.name)}, {json.dumps(note, ensure_ascii=False)}}},"
        for graph in graphs
        for note in graph.notes
    ]
    return "\n".join([", {", *lines, "  }"]) if lines else ""


def _life_cycle(name: str, state_struct: str, init_signature: str, options: Options, notes: str) -> str:
    parameters = f"{state_struct} *__state" + (f", {init_signature}" if init_signature else "")
    settings = f'{{"{options.target}", {options.ipus}, {options.tiles}, {options.graph_cache_size}}}'
    return "\n".join(_functions(name, state_struct, parameters, settings + notes))


def _functions(name: str, state_struct: str, parameters: str, settings: str) -> Iterator[str]:
    yield "// DaCe ignores the result of an initialiser, so that nothing may fail here: graphs come later."
    yield f'extern "C" int __dace_init_ipu({parameters}) {{'
    yield f'  __state->ipu_programs = dace_ipu::create("{name}", {name}_codelets, {settings});'
    yield "  return 0;\n}\n"
    yield f'extern "C" int __dace_exit_ipu({state_struct} *__state) {{'
    yield "  dace_ipu::destroy(__state->ipu_programs);"
    yield "  __state->ipu_programs = nullptr;"
    yield "  return 0;\n}\n"
    yield f'extern "C" DACE_EXPORTED const char *__dace_ipu_last_error({state_struct} *__state) {{'
    yield "  return dace_ipu::takeError(__state->ipu_programs);\n}\n"
    yield f'extern "C" DACE_EXPORTED void __dace_ipu_clear_error({state_struct} *__state) {{'
    yield "  dace_ipu::clearError(__state->ipu_programs);\n}\n"
    yield f'extern "C" DACE_EXPORTED const char *__dace_ipu_report({state_struct} *__state) {{'
    yield "  return dace_ipu::report(__state->ipu_programs);\n}\n"
