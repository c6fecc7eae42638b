"""Loops: how the machine counts them, and the arithmetic that its addressing does for nothing.

Loads and stores take a base, a register offset scaled by the size of the access and an immediate one, or move their
pointer on; the compiler reduces addresses that are affine in a loop's counter to that. A loop whose counter serves for
nothing else is closed by one instruction, ``brnzdec``; with a trip count known to fit ``rpt`` it costs nothing a turn
(graphcore/llvm-project-fork, hardware loops and counted loops).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from dace_ipu.simulator.pricing.ir import Block, Function, Instruction

__all__ = ["Analysis", "Loop", "analyse", "is_wrap"]

_AFFINE = ("add", "sub", "mul", "shl", "zext", "sext", "trunc", "getelementptr", "or")
_ADDRESS_ARITHMETIC = ("getelementptr", "zext", "sext", "trunc", "add", "or", "shl")


@dataclass(frozen=True)
class Loop:
    """``header`` is the block that the branch at the end of ``latch`` goes back to; ``blocks`` are all its names.

    ``counted`` says that the latch compares a counter with something that does not change in the loop; ``limit`` is an
    upper bound of the trip count, 0 if none is known.
    """

    header: str
    latch: str
    blocks: frozenset[str]
    counted: bool
    limit: int


@dataclass(frozen=True)
class Analysis:
    """``free`` are values that cost nothing, ``latches`` the innermost loop that each latch closes."""

    free: frozenset[str]
    latches: dict[str, Loop]
    innermost: dict[str, Loop]


def analyse(function: Function) -> Analysis:
    """Return what is known of a function's loops."""
    definitions = function.definitions()
    home = {i.result: block.name for block in function.blocks for i in block.instructions if i.result}
    loops = _loops(function, definitions, home)
    innermost: dict[str, Loop] = {}
    for loop in sorted(loops, key=lambda each: -len(each.blocks)):
        for name in loop.blocks:
            innermost[name] = loop
    free = _addresses(function, definitions)
    free |= _counters(function, definitions, home, innermost, free)
    return Analysis(frozenset(free), {loop.latch: loop for loop in loops}, innermost)


def _loops(function: Function, definitions: dict[str, Instruction], home: dict[str, str]) -> list[Loop]:
    order = {block.name: number for number, block in enumerate(function.blocks)}
    predecessors: dict[str, list[str]] = {}
    for block in function.blocks:
        for successor in block.successors:
            predecessors.setdefault(successor, []).append(block.name)
    dominators = _dominators(function, predecessors)
    loops = []
    for block in function.blocks:
        for header in block.successors:
            if header in dominators[block.name]:
                inside = _natural(header, block.name, predecessors)
                loops.append(_loop(block, header, inside, definitions, home))
    return sorted(loops, key=lambda loop: order[loop.latch])


def _dominators(function: Function, predecessors: dict[str, list[str]]) -> dict[str, set[str]]:
    names = [block.name for block in function.blocks]
    result = {name: set(names) for name in names}
    result[names[0]] = {names[0]}
    changed = True
    while changed:
        changed = False
        for name in names[1:]:
            before = [result[p] for p in predecessors.get(name, [])]
            new = {name} | (set.intersection(*before) if before else set())
            if new != result[name]:
                result[name], changed = new, True
    return result


def _natural(header: str, latch: str, predecessors: dict[str, list[str]]) -> frozenset[str]:
    inside, work = {header, latch}, [latch]
    while work:
        name = work.pop()
        if name != header:
            new = [p for p in predecessors.get(name, []) if p not in inside]
            inside.update(new)
            work += new
    return frozenset(inside)


def _loop(
    latch: Block, header: str, inside: frozenset[str], definitions: dict[str, Instruction], home: dict[str, str]
) -> Loop:
    condition = definitions.get(latch.terminator.operands[0]) if latch.terminator.operands else None
    if condition is None or condition.opcode != "icmp":
        return Loop(header, latch.name, inside, counted=False, limit=0)
    moving = [name for name in condition.operands if home.get(name) in inside]
    counted = len(moving) == 1 and _counter_of(moving[0], header, definitions, home) is not None
    return Loop(header, latch.name, inside, counted, _limit(condition, definitions, moving) if counted else 0)


def _counter_of(
    name: str, header: str, definitions: dict[str, Instruction], home: dict[str, str], depth: int = 3
) -> Instruction | None:
    """Return the phi in ``header`` that ``name`` is, up to steps and casts."""
    found = definitions.get(name)
    if found is None or depth == 0:
        return None
    if found.opcode == "phi":
        return found if home[name] == header else None
    if found.opcode in _AFFINE and found.operands:
        return _counter_of(found.operands[0], header, definitions, home, depth - 1)
    return None


def _limit(condition: Instruction, definitions: dict[str, Instruction], moving: list[str]) -> int:
    """Return an upper bound of what a counter is compared with: a constant, or what a mask or a narrow type lets by."""
    constant = re.search(r", (-?\d+)$", condition.text)
    if constant:
        return max(0, int(constant[1]))
    others = [name for name in condition.operands if name not in moving]
    return _bound(others[0], definitions) if others else 0


def _bound(name: str, definitions: dict[str, Instruction], depth: int = 4) -> int:
    found = definitions.get(name)
    if found is None or depth == 0:
        return 0
    mask = re.search(r", (\d+)$", found.text)
    if found.opcode == "and" and mask and int(mask[1]) < 1 << 31:
        return int(mask[1])
    if found.opcode == "zext" and found.type in ("i8", "i16"):
        return (1 << int(found.type[1:])) - 1
    if found.opcode in ("zext", "sext", "trunc", "and", "freeze") and found.operands:
        return _bound(found.operands[0], definitions, depth - 1)
    if "@llvm.umin" in found.detail or "@llvm.smin" in found.detail:
        constant = re.search(r", i\d+ (\d+)\)", found.text)
        return int(constant[1]) if constant else 0
    return 0


def _addresses(function: Function, definitions: dict[str, Instruction]) -> set[str]:
    """Return the values that only make addresses and that addressing computes: pointers and what their offsets need."""
    users: dict[str, list[Instruction]] = {}
    for block in function.blocks:
        for instruction in block.instructions:
            for name in instruction.operands:
                users.setdefault(name, []).append(instruction)
    free: set[str] = set()
    changed = True
    while changed:
        changed = False
        for name, definition in definitions.items():
            if name in free or not (definition.opcode in _ADDRESS_ARITHMETIC or is_wrap(definition)):
                continue
            if all(_is_address_use(user, name, free) for user in users.get(name, [])):
                free.add(name)
                changed = True
    return free


def is_wrap(instruction: Instruction) -> bool:
    """Whether an instruction only cuts an index of 64 bits to the 32 that the device has: its lower bits are zero."""
    mask = re.search(r", (\d+)$", instruction.text.partition(", !")[0])
    if instruction.opcode != "and" or instruction.type != "i64" or mask is None:
        return False
    cut = (1 << 32) - int(mask[1])
    return 0 < cut < 1 << 31 and cut & (cut - 1) == 0


def _is_address_use(user: Instruction, name: str, free: set[str]) -> bool:
    if user.opcode in ("load", "getelementptr"):
        return True
    if user.opcode == "store":
        return user.operands[-1] == name and user.operands.count(name) == 1
    return user.result in free


def _counters(
    function: Function,
    definitions: dict[str, Instruction],
    home: dict[str, str],
    innermost: dict[str, Loop],
    free: set[str],
) -> set[str]:
    """Return steps and comparisons of counters that ``brnzdec`` or ``rpt`` stands for."""
    users: dict[str, set[str]] = {}
    for block in function.blocks:
        for instruction in block.instructions:
            for name in instruction.operands:
                users.setdefault(name, set()).add(instruction.result or "")
    blocks = {block.name: block for block in function.blocks}
    result: set[str] = set()
    for loop in {loop.latch: loop for loop in innermost.values()}.values():
        if not loop.counted:
            continue
        compare = blocks[loop.latch].terminator.operands[0]
        moving = next(name for name in definitions[compare].operands if home.get(name) in loop.blocks)
        phi = _counter_of(moving, loop.header, definitions, home)
        if phi is None or phi.result is None:
            continue
        chain = {phi.result, moving, *phi.operands} & {name for name in home if home[name] in loop.blocks}
        outside = {user for name in chain for user in users.get(name, set())} - chain - free - {compare}
        if not outside:
            result |= chain | {compare}
    return result
