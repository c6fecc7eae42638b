"""The function that builds a program's Poplar graph: variables, compute sets, and the control program over them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import sympy

from dace_ipu.targets.poplar import combines
from dace_ipu.targets.poplar.codelets import Codelets, print_codelets
from dace_ipu.targets.poplar.constants import constant_lines
from dace_ipu.targets.poplar.expressions import ExpressionPrinter
from dace_ipu.targets.poplar.indices import IndexPrinter, IndexStyle
from dace_ipu.targets.poplar.names import HOST_NAMES, Names
from dace_ipu.targets.poplar.slices import conditions, coordinates, element_text, slice_text
from dace_ipu.targets.poplar.statements import range_size
from dace_ipu.targets.poplar.text import Lines, comment, source_comment
from dace_ipu.targets.poplar.types import element_type
from dace_ipu.tile_graph.body import Expr, symbol
from dace_ipu.tile_graph.conditions import condition_text
from dace_ipu.tile_graph.nodes import (
    WORKERS_PER_TILE,
    BLOCK,
    BlockMapping,
    Branch,
    Choice,
    Combine,
    ComputeSet,
    Copy,
    CopyIn,
    CopyOut,
    Field,
    LaneMapping,
    Layout,
    LinearMapping,
    Mapping,
    MapStep,
    Move,
    Moves,
    OperandMapping,
    Product,
    Repeat,
    RepeatWhile,
    Slice,
    Source,
    Step,
    TileGraph,
    TileMapping,
    Variable,
    walk_steps,
)
from dace_ipu.tile_graph.products import Notation, lies_in_blocks

__all__ = ["HOST_STYLE", "BuildFunction", "host_text", "print_build", "symbol_names"]

#: How integer expressions are written in code of the host.
HOST_STYLE = IndexStyle(
    floor_div="dace_ipu::floor_div",
    mod="dace_ipu::mod",
    minimum="std::min<std::int64_t>",
    maximum="std::max<std::int64_t>",
    power="dace_ipu::ipow",
)


@dataclass(frozen=True)
class BuildFunction:
    """A printed graph-building function; ``symbols`` are those that the graph depends on: names and C++ names."""

    name: str
    text: str
    symbols: tuple[tuple[str, str], ...]


def host_text(graph: TileGraph, codelets: Codelets | None = None) -> str:
    """Return the graph-building function of a level-2 graph. See :func:`print_build`."""
    return print_build(graph, codelets or print_codelets((graph,))).text


def print_build(graph: TileGraph, codelets: Codelets) -> BuildFunction:
    """Print the graph-building function of a level-2 graph, to stand where ``poplar`` and ``dace_ipu`` are in scope.

    ``codelets`` are those of the whole program. Raises ``ValueError`` for a graph that is not at level 2.
    """
    return _HostPrinter(graph, codelets).function()


def symbol_names(graph: TileGraph) -> dict[str, str]:
    """The C++ names of the symbols of a program."""
    names = Names(HOST_NAMES)
    return {name: names.fresh(name) for name, _ in graph.symbols}


def _symbol_type(dtype: np.dtype[np.generic]) -> str:
    return "std::int64_t" if dtype.kind in "iub" else "double" if dtype.itemsize == 8 else "float"


class _HostPrinter:
    def __init__(self, graph: TileGraph, codelets: Codelets) -> None:
        self._graph = graph
        self._codelets = codelets
        self._names = Names(HOST_NAMES)
        self._symbols = {name: self._names.fresh(name) for name, _ in graph.symbols}  # as in symbol_names
        self._used: set[str] = set()
        self._partitions = {p.name: self._names.fresh(p.name) for p in graph.partitions}
        self._tensors = {v.name: self._names.fresh(v.name) for v in graph.variables}
        self._block: dict[str, str] = {}
        self._indices = IndexPrinter(HOST_STYLE, self._name)
        self._lines = Lines(1)
        self._said: list[str] = []

    def function(self) -> BuildFunction:
        """Print everything."""
        self._prologue()
        self._steps(self._graph.steps, "sequence")
        self._lines.add("return sequence;")
        name = f"build_{Names(()).fresh(self._graph.name)}"
        used = [(symbol, dtype) for symbol, dtype in self._graph.symbols if symbol in self._used]
        parameters = ["Graph &graph", "dace_ipu::Streams &streams"]
        parameters += [f"{_symbol_type(dtype)} {self._symbols[symbol]}" for symbol, dtype in used]
        text = (
            f"// Builds the graph of {self._graph.name} and returns the program that runs on the device.\n"
            f"DACE_IPU_GRAPH_CODE Sequence {name}({', '.join(parameters)}) {{\n{self._lines.text()}}}\n"
        )
        return BuildFunction(name, text, tuple((symbol, self._symbols[symbol]) for symbol, _ in used))

    # ---- expressions -------------------------------------------------------------------------------------------------

    def _name(self, name: str) -> str:
        text = self._block.get(name) or self._symbols.get(name)
        if text is None:
            raise ValueError(f"'{name}' is no symbol of the program {self._graph.name}")
        self._used.add(name)
        return text

    def _index(self, expr: Expr) -> str:
        return self._indices.text(expr)

    @contextmanager
    def _inside(self, cs: ComputeSet) -> Iterator[None]:
        """Names of the block's own values, while one vertex is printed."""
        self._block = {BLOCK: "block.number()"}
        for d in cs.block:
            self._block |= {d.begin: f"block.begin({d.index})", d.size: f"block.size({d.index})"}
            self._block[_end(d.begin)] = f"block.end({d.index})"
        self._ends = [(symbol(d.begin), symbol(d.size), symbol(_end(d.begin))) for d in cs.block]
        yield
        self._block = {}

    def _vertex_index(self, expr: Expr) -> str:
        """An expression in the values of a block; begin + size is its end."""
        for begin, size, end in self._ends:
            with_end = sympy.expand(expr.subs(begin, end - size))
            if size not in with_end.free_symbols and {begin, size} <= expr.free_symbols:
                expr = with_end
        return self._indices.text(expr)

    # ---- data --------------------------------------------------------------------------------------------------------

    def _prologue(self) -> None:
        self._lines.add("Sequence sequence;", "")
        if any(isinstance(step, Product) for step in walk_steps(self._graph.steps)):
            self._lines.add("dace_ipu::addProductCodelets(graph);", "")
        for partition in self._graph.partitions:
            extents = ", ".join(self._index(e) for e in partition.extents)
            workers = "" if partition.workers == WORKERS_PER_TILE else f", {partition.workers}"
            tiles = "graph.getTarget().getNumTiles()"
            arguments, name = f"({{{extents}}}, {tiles}{workers})", self._partitions[partition.name]
            cut = " = dace_ipu::Blocks::ofRows" if partition.of_rows else ""
            self._lines.add(f"const dace_ipu::Blocks {name}{cut}{arguments};")
        if self._graph.partitions:
            self._lines.add("")
        for variable in self._graph.variables:
            self._variable(variable)
        kept = ", ".join(f'"{v.name}"' for v in self._graph.variables if v.persistent)
        if kept:
            self._lines.add(f"streams.keep({{{kept}}});")
        if self._graph.variables:
            self._lines.add("")

    def _variable(self, variable: Variable) -> None:
        name = self._tensors[variable.name]
        element = element_type(variable.dtype)
        shape = [*variable.shape, *([sympy.Integer(2)] if element.components == 2 else [])]
        if isinstance(variable.mapping, OperandMapping):
            self._lines.add(f"Tensor {name} = {self._operand_variable(variable, variable.mapping)};")
            return
        if variable.constant is not None:
            self._lines.add(*constant_lines(variable, name, self._shape(shape)))
        elif variable.lanes_of is not None:
            partition, factor = variable.lanes_of
            rest = "".join(f", {self._index(e)}" for e in shape[1:])
            first = "" if shape[0] == 1 else f" * {self._indices.factor(shape[0])}"
            lanes = f"shape({self._partitions[partition]}.size() * {factor}{first}{rest})"
            self._lines.add(f'Tensor {name} = graph.addVariable({element.poplar}, {lanes}, "{name}");')
        else:
            self._lines.add(f'Tensor {name} = graph.addVariable({element.poplar}, {self._shape(shape)}, "{name}");')
        self._lines.add(self._mapping(variable, name, variable.mapping))

    def _shape(self, shape: list[Expr]) -> str:
        return coordinates("shape", shape, self._index)

    def _mapping(self, variable: Variable, name: str, mapping: Mapping | None) -> str:
        match mapping:
            case LinearMapping():
                return f"poputil::mapTensorLinearly(graph, {name});"
            case TileMapping(tile=tile):
                return f"graph.setTileMapping({name}, {tile});"
            case LaneMapping(partition=partition, lanes_per_block=lanes):
                return f"dace_ipu::mapLanes(graph, {name}, {self._partitions[partition]}, {lanes});"
            case BlockMapping():
                return self._block_mapping(variable, name, mapping)
            case _:
                raise ValueError(f"variable '{variable.name}' has no mapping: the graph is not at level 2")

    def _block_mapping(self, variable: Variable, name: str, mapping: BlockMapping) -> str:
        follows = []
        for follow in mapping.follow:
            parts = [] if follow is None else [str(follow.dimension), self._index(follow.offset), str(follow.stride)]
            follows.append(f"{{{', '.join(parts)}}}")
        if element_type(variable.dtype).components == 2:
            follows.append("{}")
        blocks = self._partitions[mapping.partition]
        return f"dace_ipu::mapToBlocks(graph, {name}, {blocks}, {{{', '.join(follows)}}});"

    def _operand_variable(self, variable: Variable, mapping: OperandMapping) -> str:
        """The call that makes a variable in the layout of a product."""
        steps = walk_steps(self._graph.steps)
        product = next(step for step in steps if isinstance(step, Product) and step.name == mapping.product)
        notation = Notation.of(product)
        shapes = []
        for box, runs in ((product.left, notation.left), (product.right, notation.right)):
            shapes.append(f'{{{self._shape([range_size(r) for r in box.ranges])}, "{runs}"}}')
        side = "left" if mapping.is_left else "right"
        element = element_type(variable.dtype).poplar
        arguments = f'graph, {element}, {", ".join(shapes)}, "{notation.target}", "{variable.name}"'
        return f"dace_ipu::{side}Operand({arguments})"

    # ---- steps -------------------------------------------------------------------------------------------------------

    def _steps(self, steps: tuple[Step, ...], sequence: str) -> None:
        for step in steps:
            self._step(step, sequence)

    def _step(self, step: Step, sequence: str) -> None:
        match step:
            case CopyIn(host=host, variable=variable):
                self._lines.add(f'streams.copyIn({sequence}, "{host}", {self._tensors[variable]});')
            case CopyOut(host=host, variable=variable):
                self._lines.add(f'streams.copyOut({sequence}, "{host}", {self._tensors[variable]});')
            case ComputeSet():
                self._compute_set(step, sequence)
            case Copy():
                self._copy(step, sequence)
            case Moves():
                self._moves(step, sequence)
            case Combine():
                self._combine(step, sequence)
            case Product():
                self._product(step, sequence)
            case Repeat():
                self._repeat(step, sequence)
            case RepeatWhile():
                self._repeat_while(step, sequence)
            case Branch():
                self._branch(step, sequence)
            case Choice():
                self._choice(step, sequence)
            case MapStep():
                raise ValueError(f"the map '{step.name}' is not a compute set: the graph is not at level 2")

    def _origin(self, source: Source) -> list[str]:
        """The line of the user's program that a step comes from, unless the step before came from it, too."""
        lines = source_comment(source)
        new = lines != self._said
        self._said = lines
        return lines if new else []

    def _compute_set(self, cs: ComputeSet, sequence: str) -> None:
        codelet = self._codelets.of[self._graph.name, cs.name]
        name = self._names.fresh(cs.name)
        self._lines.add("", *self._origin(cs.source), *comment(cs.note))
        self._lines.add(f'ComputeSet {name} = graph.addComputeSet("{codelet.name}");')
        with self._inside(cs):
            if cs.partition is None:
                vertex = self._names.fresh(f"{name}_vertex")
                self._vertex(cs, name, vertex, "0")
            else:
                with self._lines.block(f"for (const auto &block : {self._partitions[cs.partition]})"):
                    self._vertex(cs, name, "vertex", "block.tile()")
        self._lines.add(f"{sequence}.add(Execute({name}));")

    def _vertex(self, cs: ComputeSet, name: str, vertex: str, tile: str) -> None:
        codelet = self._codelets.of[self._graph.name, cs.name]
        self._lines.add(f'VertexRef {vertex} = graph.addVertex({name}, "{codelet.name}");')
        self._lines.add(f"graph.setTileMapping({vertex}, {tile});")
        for field in cs.fields:
            self._lines.add(f'graph.connect({vertex}["{codelet.fields[field.name]}"], {self._edge(field)});')
        for value, expr in codelet.values:
            self._lines.add(f'graph.setInitialValue({vertex}["{value}"], {self._vertex_index(expr)});')
        slots = self._vertex_index(_whole_numbers(cs.slots))
        cycles = f"dace_ipu::multiVertexCycles({slots})" if cs.workers else f"dace_ipu::vertexCycles({slots})"
        self._lines.add(f"graph.setPerfEstimate({vertex}, {cycles});")

    def _edge(self, field: Field) -> str:
        variable = self._graph.variable(field.variable)
        tensor = self._tensors[variable.name]
        pairs = element_type(variable.dtype).components == 2
        if field.layout is Layout.SCALAR:
            return element_text(tensor, field.ranges, self._vertex_index)
        part = slice_text(tensor, field.ranges, self._real_shape(variable), self._vertex_index)
        if field.layout is Layout.ROWS:
            return f"dace_ipu::rows({part}{', 2' if pairs else ''})"
        return f"{part}.flatten()" if len(field.ranges) > 1 or pairs else part

    def _real_shape(self, variable: Variable) -> tuple[Expr, ...]:
        """The shape; the number of lanes, which only the partition knows, is a symbol that equals nothing else."""
        return (symbol("lanes of " + variable.name), *variable.shape[1:]) if variable.lanes_of else variable.shape

    def _slice(self, part: Slice) -> str:
        variable = self._graph.variable(part.variable)
        return slice_text(self._tensors[variable.name], part.ranges, self._real_shape(variable), self._index)

    def _copy(self, step: Copy, sequence: str) -> None:
        source, target = self._slice(step.source_slice), self._slice(step.target_slice)
        sizes = [[range_size(r) for r in part.ranges] for part in (step.source_slice, step.target_slice)]
        if sizes[0] != sizes[1]:
            source, target = f"{source}.flatten()", f"{target}.flatten()"
        self._lines.add(*self._origin(step.source))
        tests = [test for part in (step.source_slice, step.target_slice) for test in self._conditions(part)]
        if tests:
            self._lines.add(f"if ({' && '.join(dict.fromkeys(tests))})")
        self._lines.add(f"{'  ' if tests else ''}{sequence}.add(Copy({source}, {target}));")

    def _moves(self, step: Moves, sequence: str) -> None:
        """One Copy for all: one exchange at most."""
        sources, targets = [], []
        for move in step.moves:
            target = f"{self._slice(move.target)}.flatten()"
            sources.append(self._moved(move, target))
            targets.append(target)
        self._lines.add(*self._origin(step.source))
        if len(step.moves) > 1:
            lines = ["    concat({", *(f"        {source}," for source in sources), "    }),"]
            lines += ["    concat({", *(f"        {target}," for target in targets), "    })));"]
            self._lines.add(f"{sequence}.add(Copy(", *lines)
            return
        tests = self._conditions(step.moves[0].target)
        if tests:
            self._lines.add(f"if ({' && '.join(tests)})")
        self._lines.add(f"{'  ' if tests else ''}{sequence}.add(Copy({sources[0]}, {targets[0]}));")

    def _moved(self, move: Move, target: str) -> str:
        """What a target gets: a slice, or a constant on the tiles where the elements live."""
        if isinstance(move.value, Slice):
            sizes = [sympy.prod([range_size(r) for r in part.ranges]) for part in (move.value, move.target)]
            spread = f".broadcast({self._index(sizes[1])}, 0)" if sizes[0] == 1 != sizes[1] else ""
            return f"{self._slice(move.value)}.flatten(){spread}"
        dtype = self._graph.variable(move.target.variable).dtype
        value = ExpressionPrinter(lambda _: None).literal_text(move.value, dtype)
        return f"dace_ipu::constantLike(graph, {target}, {value})"

    def _conditions(self, part: Slice) -> list[str]:
        variable = self._graph.variable(part.variable)
        return conditions(part.ranges, self._real_shape(variable), self._index)

    def _combine(self, step: Combine, sequence: str) -> None:
        fold, last = (self._codelets.combining[key] for key in combines.keys(self._graph, step))
        components = element_type(self._graph.variable(step.partial).dtype).components
        pairs = ", 2" if components == 2 else ""
        self._lines.add(*self._origin(step.source))
        codelets = f'"{fold}"' if fold == last else f'"{fold}", "{last}"'
        self._lines.add(
            f"dace_ipu::combine(graph, {sequence}, {self._tensors[step.partial]}, {self._slice(step.target)}, "
            f"{{{codelets}}}{pairs});"
        )

    def _product(self, step: Product, sequence: str) -> None:
        boxes = (step.left, step.right, step.target)
        pairs = zip(boxes, Notation.of(step), strict=True)
        operands = ", ".join(f'{{{self._slice(box)}, "{runs}"}}' for box, runs in pairs)
        tests = list(dict.fromkeys(test for box in boxes for test in self._conditions(box)))
        in_place = lies_in_blocks(step, self._graph)
        function = "multiplyAdd" if step.adds else "multiplyInPlace" if in_place else "multiply"
        self._lines.add(*self._origin(step.source))
        if tests:
            self._lines.add(f"if ({' && '.join(tests)})")
        indent = "  " if tests else ""
        self._lines.add(f'{indent}dace_ipu::{function}(graph, {sequence}, {operands}, "{step.name}");')

    def _repeat(self, step: Repeat, sequence: str) -> None:
        self._lines.add("", *self._origin(step.source))
        body = self._inner_sequence("body", step.body)
        count = self._index(step.count)
        if not (step.count.is_Integer and step.count >= 0):
            count = f"dace_ipu::count({count})"
        self._lines.add(f"{sequence}.add(Repeat({count}, {body}));", "")

    def _repeat_while(self, step: RepeatWhile, sequence: str) -> None:
        self._lines.add("", *self._origin(step.source))
        condition = self._inner_sequence("condition", step.condition) if step.condition else "Sequence()"
        body = self._inner_sequence("body", step.body) if step.body else "Sequence()"
        self._lines.add(f"{sequence}.add(RepeatWhileTrue({condition}, {self._predicate(step.predicate)}, {body}));", "")

    def _branch(self, step: Branch, sequence: str) -> None:
        self._lines.add("", *self._origin(step.source))
        then = self._inner_sequence("then", step.then) if step.then else "Sequence()"
        orelse = self._inner_sequence("otherwise", step.orelse) if step.orelse else "Sequence()"
        self._lines.add(f"{sequence}.add(If({self._predicate(step.predicate)}, {then}, {orelse}));", "")

    def _choice(self, step: Choice, sequence: str) -> None:
        self._lines.add("", *self._origin(step.source))
        with self._lines.block(f"if ({condition_text(step.condition, self._index, ('&&', '||', '!'))})"):
            self._steps(step.then, sequence)
        if step.orelse:
            with self._lines.block("else"):
                self._steps(step.orelse, sequence)

    def _inner_sequence(self, hint: str, steps: tuple[Step, ...]) -> str:
        name = self._names.fresh(hint)
        self._lines.add(f"Sequence {name};")
        self._steps(steps, name)
        return name

    def _predicate(self, variable: str) -> str:
        return f"{self._tensors[variable]}{'[0]' * len(self._graph.variable(variable).shape)}"


def _end(begin: str) -> str:
    """A name for the end of a block that no program can have."""
    return f"end of {begin}"


def _whole_numbers(expr: Expr) -> Expr:
    """An estimate with whole coefficients."""
    rounded: Expr = expr.xreplace({x: sympy.Integer(round(float(x))) for x in expr.atoms(sympy.Float)})
    return rounded
