"""The tile graph as text: for golden files, dumps and people. Deterministic; nothing reads it back."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from dace_ipu.tile_graph.body import (
    Assign,
    Break,
    Code,
    Continue,
    Declare,
    Expr,
    For,
    If,
    LocalArray,
    Op,
    Reduction,
    Statement,
    Store,
    While,
)
from dace_ipu.tile_graph.conditions import condition_text
from dace_ipu.tile_graph.expressions import access_text, code_text
from dace_ipu.tile_graph.indices import difference, index_text
from dace_ipu.tile_graph.nodes import (
    WORKERS_PER_TILE,
    BlockMapping,
    Branch,
    Choice,
    Combine,
    ComputeSet,
    Control,
    Copy,
    CopyIn,
    CopyOut,
    Field,
    Follow,
    HostArray,
    LaneMapping,
    LinearMapping,
    Mapping,
    MapStep,
    Moves,
    OperandMapping,
    Partition,
    Product,
    Range,
    Repeat,
    RepeatWhile,
    Slice,
    Source,
    Step,
    TileGraph,
    TileMapping,
    Variable,
)

__all__ = ["slice_text", "statements_text", "step_text", "to_text"]

_WIDTH = 100
_SIGNS = {Op.SUM: "+", Op.PRODUCT: "*", Op.BITWISE_AND: "&", Op.BITWISE_OR: "|", Op.BITWISE_XOR: "^"}
_CONSTANTS_SHOWN = 8

Lines = Iterator[str]


def to_text(graph: TileGraph) -> str:
    """The whole graph, ending in a newline: parameters, data, partitions, notes, and the steps in order.

    A map reads ``jacobi: for i in 0:N - 2 { B[i + 1] = 0.33 * (A[i] + A[i + 1] + A[i + 2]) }``.
    """
    symbols = ", ".join(f"{name}: {dtype}" for name, dtype in graph.symbols)
    sections = {
        "hosts": [_host_text(host) for host in graph.hosts],
        "variables": [_variable_text(variable) for variable in graph.variables],
        "partitions": [_partition_text(partition) for partition in graph.partitions],
        "notes": list(graph.notes),
        "steps": [line for step in graph.steps for line in step_lines(step)],
    }
    lines = [f"program {graph.name}({symbols})"]
    for title, content in sections.items():
        if content:
            lines += ["", title, *_indented(content)]
    return "\n".join(lines) + "\n"


def step_text(step: Step) -> str:
    """One step, without a trailing newline."""
    return "\n".join(step_lines(step))


def statements_text(body: tuple[Statement, ...]) -> str:
    """The statements of a body, without a trailing newline."""
    return "\n".join(_body_lines(body))


def _indented(lines: Any) -> Lines:
    return (f"  {line}" for line in lines)


# ---- data ------------------------------------------------------------------------------------------------------------


def _list_text(exprs: tuple[Expr, ...]) -> str:
    return ", ".join(map(index_text, exprs))


def _is_packed(host: HostArray) -> bool:
    packed = [math.prod(host.shape[k + 1 :]) for k in range(len(host.shape))]
    return host.offset == 0 and all(difference(a, b) == 0 for a, b in zip(host.strides, packed, strict=False))


def _host_text(host: HostArray) -> str:
    text = f"{host.name}: {host.dtype}[{_list_text(host.shape)}]"
    if host.scalar:
        return text + " by value"
    if _is_packed(host):
        return text
    return f"{text} strides [{_list_text(host.strides)}] offset {index_text(host.offset)}"


def _variable_text(variable: Variable) -> str:
    words = [f"{variable.name}: {variable.dtype}[{_list_text(variable.shape)}]"]
    if variable.lanes_of is not None:
        partition, factor = variable.lanes_of
        words.append(f"times {factor} lanes a block of {partition}")
    if variable.persistent:
        words.append("persistent")
    if variable.constant is not None:
        shown = [str(value) for value in variable.constant[:_CONSTANTS_SHOWN]]
        words.append("= " + ", ".join(shown) + (", ..." if len(variable.constant) > len(shown) else ""))
    if variable.bounds is not None:
        words.append(f"from {index_text(variable.bounds[0])} to {index_text(variable.bounds[1])}")
    if variable.mapping is not None:
        words.append(_mapping_text(variable.mapping))
    return " ".join(words)


def _mapping_text(mapping: Mapping) -> str:
    match mapping:
        case LinearMapping():
            return "on all tiles"
        case TileMapping(tile=tile):
            return f"on tile {tile}"
        case BlockMapping(partition=partition, follow=follow):
            return f"on the blocks of {partition} [{', '.join(map(_follow_text, follow))}]"
        case LaneMapping(partition=partition, lanes_per_block=lanes):
            return f"on the blocks of {partition}, {lanes} rows each"
        case OperandMapping(product=product, is_left=is_left):
            return f"as the {'left' if is_left else 'right'} operand of {product}"


def _follow_text(follow: Follow | None) -> str:
    """``t0`` is the iteration of dimension 0 of the partition; ``:`` a dimension that is not divided."""
    if follow is None:
        return ":"
    factor = "" if abs(follow.stride) == 1 else f"{abs(follow.stride)} * "
    sign = "-" if follow.stride < 0 else "+"
    start = index_text(follow.offset)
    return (
        f"{factor}t{follow.dimension}"
        if start == "0" and sign == "+"
        else f"{start} {sign} {factor}t{follow.dimension}"
    )


def _partition_text(partition: Partition) -> str:
    extents = " x ".join(map(index_text, partition.extents)) or "1"
    workers = "" if partition.workers == WORKERS_PER_TILE else f", {partition.workers} a tile"
    rows = ", in rows" if partition.of_rows else ""
    return f"{partition.name}: {extents}{workers}{rows}"


def slice_text(box: Slice) -> str:
    """``A[1:N - 1, 0:M:2]``."""
    return f"{box.variable}[{', '.join(map(_range_text, box.ranges))}]"


def _range_text(interval: Range) -> str:
    step = "" if interval.step == 1 else f":{interval.step}"
    return f"{index_text(interval.begin)}:{index_text(interval.end)}{step}"


# ---- steps -----------------------------------------------------------------------------------------------------------


def step_lines(step: Step) -> Lines:
    """The lines of one step; where it comes from stands in a comment before it."""
    yield from _source_lines(getattr(step, "source", Source()))
    match step:
        case MapStep():
            loops = "".join(f"for {d.name} in 0:{index_text(d.extent)} " for d in step.domain)
            yield from _braced(f"{step.name}: {loops}", step.body)
        case ComputeSet():
            yield from _compute_set_lines(step)
        case Copy():
            yield f"{slice_text(step.target_slice)} = {slice_text(step.source_slice)}"
        case Moves():
            yield from _moves_lines(step)
        case CopyIn():
            yield f"{step.variable} = host {step.host}"
        case CopyOut():
            yield f"host {step.host} = {step.variable}"
        case Combine():
            yield _combine_text(step)
        case Product():
            sign, operands = "+=" if step.adds else "=", f"{slice_text(step.left)} * {slice_text(step.right)}"
            yield f"{step.name}: {slice_text(step.target)} {sign} {operands} as {step.notation}"
        case Repeat() | RepeatWhile() | Branch() | Choice():
            yield from _control_lines(step)


def _control_lines(step: Control) -> Lines:
    match step:
        case Repeat():
            yield from _block_lines(f"repeat {index_text(step.count)} times", step.body)
        case RepeatWhile():
            yield from _block_lines("repeat", step.condition)
            yield from _block_lines(f"while {step.predicate}", step.body)
        case Branch():
            yield from _choice_lines(f"if {step.predicate}", step.then, step.orelse)
        case Choice():
            yield from _choice_lines(f"if {condition_text(step.condition)} when built", step.then, step.orelse)


def _choice_lines(head: str, then: tuple[Step, ...], orelse: tuple[Step, ...]) -> Lines:
    yield from _block_lines(head, then)
    if orelse:
        yield from _block_lines("else", orelse)


def _block_lines(head: str, steps: tuple[Step, ...]) -> Lines:
    yield f"{head} {{"
    yield from _indented(line for inner in steps for line in step_lines(inner))
    yield "}"


def _moves_lines(step: Moves) -> Lines:
    yield "at once {"
    for move in step.moves:
        value = slice_text(move.value) if isinstance(move.value, Slice) else move.value
        yield f"  {slice_text(move.target)} = {value}"
    yield "}"


def _source_lines(source: Source) -> Lines:
    if source.line:
        yield f"# {PurePath(source.file).name}:{source.line}   {source.text.strip()}".rstrip()


def _compute_set_lines(step: ComputeSet) -> Lines:
    runner = "six workers" if step.workers else "one worker"
    names = ", ".join(f"{d.begin} + {d.size} of dimension {d.index}" for d in step.block)
    where = "once, on tile 0" if step.partition is None else f"for each block of {step.partition}"
    yield f"{step.name}: {where}{f' ({names})' if names else ''}, by {runner}, in {index_text(step.slots)} slots {{"
    if step.note:
        yield f"  # {step.note}"
    yield from _indented(_field_text(edge) for edge in step.fields)
    yield from _indented(f"value {value.name}: {value.dtype} = {index_text(value.expr)}" for value in step.values)
    yield from _indented(_body_lines(step.body))
    yield "}"


def _field_text(edge: Field) -> str:
    box = slice_text(Slice(edge.variable, edge.ranges))
    return f"{edge.direction.value.lower()} {edge.name} = {box} as {edge.layout.value}"


# ---- statements ------------------------------------------------------------------------------------------------------


def _body_lines(body: tuple[Statement, ...]) -> Lines:
    for statement in body:
        yield from _statement_lines(statement)


def _statement_lines(statement: Statement) -> Lines:
    match statement:
        case Declare():
            value = "" if statement.value is None else f" = {code_text(statement.value)}"
            yield f"{'const ' if statement.constant else ''}{statement.dtype} {statement.name}{value}"
        case LocalArray():
            yield f"{statement.dtype} {statement.name}[{', '.join(map(str, statement.shape))}]"
        case Assign():
            yield _update_text(statement.name, code_text(statement.value), statement.reduction)
        case Store():
            yield _update_text(access_text(statement.target), code_text(statement.value), statement.reduction)
        case For():
            yield from _braced(_for_text(statement), statement.body)
        case While():
            yield from _braced(f"while {code_text(statement.condition)} ", statement.body)
        case If():
            yield from _if_lines(statement)
        case Break():
            yield "break"
        case Continue():
            yield "continue"


def _combine_text(step: Combine) -> str:
    target, lanes = slice_text(step.target), f"lanes of {step.partial}"
    if step.overwrites:
        return f"{target} = {step.reduction.op.value} of {lanes}"
    return _update_text(target, lanes, step.reduction)


def _update_text(target: str, value: str, reduction: Reduction | None) -> str:
    if reduction is None:
        return f"{target} = {value}"
    if reduction.op in _SIGNS:
        return f"{target} {_SIGNS[reduction.op]}= {value}"
    if reduction.op is Op.CUSTOM:
        order = "" if reduction.associative else ", in order"
        return f"{target} = {code_text(Code(reduction.code))} where new = {value}{order}"
    return f"{target} = {reduction.op.value}({target}, {value})"


def _for_text(loop: For) -> str:
    step = "" if loop.step == 1 else f":{index_text(loop.step)}"
    word = "share" if loop.shared else "for"
    word += " pairs of" if loop.pairs else ""
    return f"{word} {loop.variable} in {index_text(loop.begin)}:{index_text(loop.end)}{step} "


def _if_lines(statement: If) -> Lines:
    yield from _braced(f"if {code_text(statement.condition)} ", statement.then)
    if statement.orelse:
        yield from _braced("else ", statement.orelse)


def _braced(head: str, body: tuple[Statement, ...]) -> Lines:
    """The body in braces, on one line if it is one line."""
    lines = list(_body_lines(body))
    if len(lines) == 1 and len(head) + len(lines[0]) + 4 <= _WIDTH:
        yield f"{head}{{ {lines[0]} }}"
    else:
        yield head + "{"
        yield from _indented(lines)
        yield "}"
