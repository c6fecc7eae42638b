"""Programs of which a part has to stay on the host, for users who allow that: the rest goes to the IPU, as one device
program for each stretch between what stays.

Before: ``A *= 2``, a callback, ``B = A + 1``. After: a device program, the callback, another device program. What stays
on the host, and why, is said in a warning.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Container, Iterator, Sequence

from dace import data
from dace.sdfg.sdfg import SDFG, InterstateEdge
from dace.sdfg.state import ConditionalBlock, ControlFlowBlock, ControlFlowRegion

from dace_ipu import compat
from dace_ipu.errors import Diagnostic, DiagnosticError, HostPartWarning, Place, render
from dace_ipu.lowering.queries import assigned_symbols
from dace_ipu.transformations import liveness
from dace_ipu.transformations.statements import split_statements

__all__ = ["offload_parts"]

Offload = Callable[[SDFG], None]
Findings = tuple[Diagnostic, ...]


def offload_parts(sdfg: SDFG, offload: Offload) -> None:
    """Let ``offload`` take each stretch of blocks that it can, in place. Nothing of what is computed changes.

    Raises DiagnosticError if the program forks, jumps or may return between its blocks, or if no block can be taken.
    """
    split_statements(sdfg)
    blocks = _sequence(sdfg)
    refused = _refused(sdfg, range(len(blocks)), offload)
    findings = [finding for found in refused.values() for finding in found]
    if len(refused) == len(blocks):
        raise DiagnosticError(findings)
    parts = [
        (numbers[0], blocks[numbers[0] : numbers[-1] + 1] if numbers[0] in refused else _taken(sdfg, numbers, offload))
        for numbers in _stretches(sdfg, blocks, refused)
    ]
    _assemble(sdfg, blocks, parts)
    warnings.warn(HostPartWarning(f"parts of '{sdfg.name}' stay on the host:\n{render(findings)}"), stacklevel=2)


def _sequence(sdfg: SDFG) -> list[ControlFlowBlock]:
    """The blocks in the order in which all of them run. Raises DiagnosticError if there is none."""
    blocks = [sdfg.start_block]
    while len(edges := sdfg.out_edges(blocks[-1])) == 1 and edges[0].data.is_unconditional():
        blocks.append(edges[0].dst)
    if len(blocks) != sdfg.number_of_nodes() or any(map(liveness.may_return, blocks)):
        place = Place.of(sdfg)
        raise DiagnosticError([Diagnostic(place, f"'{sdfg.name}' has no sequence of parts that the IPU could take")])
    return blocks


def _refused(sdfg: SDFG, numbers: Sequence[int], offload: Offload) -> dict[int, Findings]:
    """Why the IPU cannot take some blocks. Halves what is refused: most of a long program is tried once."""
    found = _refusal(sdfg, numbers, offload)
    if not found:
        return {}
    if len(numbers) == 1:
        return {numbers[0]: found}
    half = len(numbers) // 2
    return _refused(sdfg, numbers[:half], offload) | _refused(sdfg, numbers[half:], offload)


def _refusal(sdfg: SDFG, numbers: Sequence[int], offload: Offload) -> Findings:
    """Why the IPU cannot take all of these blocks; nothing if it can."""
    blocks = _sequence(sdfg)
    for block in (blocks[number] for number in numbers):
        for name in sorted(_symbols_assigned(block) & _symbols_elsewhere(sdfg, block)):
            return (Diagnostic(Place.of(block, sdfg), f"'{name}' is a symbol that is computed here and used later"),)
    try:
        offload(_part(sdfg, numbers))
    except DiagnosticError as error:
        return error.diagnostics
    return ()


def _symbols_assigned(block: ControlFlowBlock) -> set[str]:
    regions = (ControlFlowRegion, ConditionalBlock)
    return set(assigned_symbols(block)) if isinstance(block, regions) else set()


def _symbols_elsewhere(sdfg: SDFG, block: ControlFlowBlock) -> set[str]:
    others = (other for other in sdfg.nodes() if other is not block)
    found = {str(s) for other in others for s in other.free_symbols}
    return found | {str(s) for edge in sdfg.edges() for s in edge.data.free_symbols}


def _stretches(sdfg: SDFG, blocks: list[ControlFlowBlock], refused: Container[int]) -> Iterator[list[int]]:
    """The numbers of blocks that go to the IPU or stay together. The host computes what edges assign between them."""
    current = [0]
    for number in range(1, len(blocks)):
        (edge,) = sdfg.edges_between(blocks[number - 1], blocks[number])
        if edge.data.assignments or (number in refused) != (number - 1 in refused):
            yield current
            current = []
        current.append(number)
    yield current


def _part(sdfg: SDFG, numbers: Sequence[int]) -> SDFG:
    """A program of some blocks: what others use as well is its argument."""
    part = copy.deepcopy(sdfg)
    blocks = _sequence(part)
    others = [block for number, block in enumerate(blocks) if number not in numbers]
    outside = {name for block in others for name in liveness.touched(block)}
    outside |= {memlet.data for edge in sdfg.edges() for memlet in edge.data.get_read_memlets(sdfg.arrays)}
    for block in others:
        compat.remove_block(part, block)
    part.start_block = part.node_id(blocks[numbers[0]])
    used, written = liveness.used(part), liveness.written(part)
    for name, desc in list(part.arrays.items()):
        if name not in used:
            del part.arrays[name]
        elif name in outside and not isinstance(desc, data.View):
            part.arrays[name] = _argument(desc, name in written)
    for name in set(part.symbols) - set(map(str, part.used_symbols(all_symbols=False))):
        del part.symbols[name]
    return part


def _argument(desc: data.Data, is_written: bool) -> data.Data:
    """A container as an argument; a scalar that is written is an array, as the result of a call."""
    result = copy.deepcopy(desc)
    if isinstance(desc, data.Scalar) and is_written:
        result = data.Array(desc.dtype, (1,), debuginfo=desc.debuginfo)
    result.transient = False
    return result


def _taken(sdfg: SDFG, numbers: Sequence[int], offload: Offload) -> list[ControlFlowBlock]:
    part = _part(sdfg, numbers)
    offload(part)
    return _sequence(part)


def _assemble(sdfg: SDFG, blocks: list[ControlFlowBlock], parts: list[tuple[int, list[ControlFlowBlock]]]) -> None:
    """Let the program run the parts, each with the number of its first block, in their order."""
    into = {edge.dst: edge.data for edge in sdfg.edges()}
    for block in blocks:
        compat.remove_block(sdfg, block)
    last: ControlFlowBlock | None = None
    for first, part in parts:
        for block in part:
            sdfg.add_node(block, is_start_block=last is None, ensure_unique_name=True)
            if last is not None:
                edge = into[blocks[first]] if block is part[0] else InterstateEdge()
                sdfg.add_edge(last, block, edge)
            last = block
    compat.own_blocks(sdfg)
    for name in {n for n, desc in sdfg.arrays.items() if desc.transient} - liveness.used(sdfg):
        del sdfg.arrays[name]
