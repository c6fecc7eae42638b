"""What a basic block costs: slots of a worker, or cycles of the supervisor."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass

from dace_ipu.simulator.pricing.ir import Block, Function, Instruction
from dace_ipu.simulator.pricing.loops import Analysis, is_wrap
from dace_ipu.simulator.pricing.slots import CALL, FREE, Price, is_wide_type, price

__all__ = ["RPT_MAX", "BlockPrice", "price_blocks"]

#: The largest count of `rpt`: 12 bits on Mk1, the smallest of all machines (Target::getRptCountMax).
RPT_MAX = 0xFFF

# The supervisor issues alone; a taken branch and the use of a value just loaded cost it a round of the six workers
# (graphcore/poplibs, comments of the estimators).
_SUPERVISOR_STALL = 5


@dataclass(frozen=True)
class BlockPrice:
    """``cost`` of one execution; ``moves`` are instructions whose cost also depends on a size, with slots a byte."""

    cost: int
    moves: tuple[tuple[Instruction, float], ...] = ()


@dataclass(frozen=True)
class _Issued:
    instruction: Instruction
    price: Price
    reads: frozenset[str]


@dataclass(frozen=True)
class _Context:
    """What is known of a function: where its values come from, where they go, which have 64 bits, and which functions
    count their own cost.
    """

    analysis: Analysis
    definitions: dict[str, Instruction]
    users: dict[str, list[Instruction]]
    wide: set[str]
    counting: Container[str]


def price_blocks(
    function: Function, analysis: Analysis, is_supervisor: bool, counting: Container[str] = ()
) -> dict[str, BlockPrice]:
    """Return the price of every block by name. Functions in ``counting`` count what they cost themselves."""
    definitions = function.definitions()
    context = _Context(analysis, definitions, _users(function), _wide_values(function, definitions), counting)
    result = {}
    for number, block in enumerate(function.blocks):
        following = function.blocks[number + 1].name if number + 1 < len(function.blocks) else ""
        issued = _issue(block, following, context)
        cost = _alone(issued, block) if is_supervisor else _bundled(issued)
        cost += _loop_entry(block, analysis)
        moves = tuple((each.instruction, each.price.per_byte) for each in issued if each.price.per_byte)
        result[block.name] = BlockPrice(cost, moves)
    entry = function.blocks[0].name
    result[entry] = BlockPrice(result[entry].cost + _constants(function), result[entry].moves)
    return result


def _users(function: Function) -> dict[str, list[Instruction]]:
    users: dict[str, list[Instruction]] = {}
    for block in function.blocks:
        for instruction in block.instructions:
            for name in instruction.operands:
                users.setdefault(name, []).append(instruction)
    return users


def _wide_values(function: Function, definitions: dict[str, Instruction]) -> set[str]:
    """Return the i64 that are data of the program: loaded from or stored to memory, not widened indices or sizes."""
    wide: set[str] = set()
    for block in function.blocks:
        for i in block.instructions:
            if i.opcode == "store" and i.type == "i64":
                wide.update(name for name in i.operands[:-1])
    changed = True
    while changed:
        changed = False
        for name, i in definitions.items():
            if name in wide and is_wide_type(i.type) and _is_arithmetic(i):
                new = {each for each in i.operands if each in definitions and is_wide_type(definitions[each].type)}
                changed |= not new <= wide
                wide |= new
    return wide


def _is_arithmetic(i: Instruction) -> bool:
    """Whether a result of 64 bits says that the operands are data too."""
    if i.opcode == "call":
        return i.detail.startswith(("@llvm.smax", "@llvm.smin", "@llvm.umax", "@llvm.umin", "@llvm.abs"))
    return i.opcode not in ("load", "zext", "sext")


def _issue(block: Block, following: str, context: _Context) -> list[_Issued]:
    """Return the instructions of a block that the machine executes, with what they read through those it does not."""
    issued: list[_Issued] = []
    roots: dict[str, frozenset[str]] = {}
    for i in block.instructions:
        reads = frozenset(root for name in i.operands for root in roots.get(name, frozenset((name,))))
        called = i.opcode == "call" and i.detail in context.counting
        cost = CALL if called else _price(i, block, following, context)
        if cost == FREE:
            if i.result:
                roots[i.result] = reads
        else:
            issued.append(_Issued(i, cost, reads))
    return issued


def _price(i: Instruction, block: Block, following: str, context: _Context) -> Price:
    definitions, users, wide = context.definitions, context.users, context.wide
    if i.result in context.analysis.free:
        return FREE
    if i.opcode == "br":
        return _branch(i, block, following, context.analysis)
    if i.opcode in ("sitofp", "uitofp") and _is_loaded_for(i, definitions, users):
        return Price("aux", 1)  # loaded straight into the auxiliary registers
    if i.opcode == "select" and _is_extremum(i, definitions):
        return Price("aux", 1)
    if i.opcode == "fcmp":
        return _comparison(i, definitions, users)
    if i.opcode == "icmp" and _is_zero_test(i, users):
        return FREE  # brz and brnz test a register themselves
    if is_wrap(i):
        return FREE  # sizes have 32 bits on the device
    return price(i, i.result in wide or any(name in wide for name in i.operands))


def _branch(i: Instruction, block: Block, following: str, analysis: Analysis) -> Price:
    loop = analysis.latches.get(block.name)
    is_innermost = loop is not None and analysis.innermost.get(block.name) == loop
    if loop and loop.counted and is_innermost and len(loop.blocks) == 1 and 0 < loop.limit <= RPT_MAX:
        return FREE if _fits_rpt(block) else Price("main", 1)
    if i.operands:
        return Price("main", 1)
    return FREE if block.successors[0] == following or loop is None else Price("main", 1)


def _fits_rpt(block: Block) -> bool:
    """The body of `rpt` holds no calls."""
    return all(price(i, False).pipe != "both" for i in block.instructions if i.opcode == "call")


def _loop_entry(block: Block, analysis: Analysis) -> int:
    """Return the slot that sets up the counter of a loop which is entered from this block."""
    heads = {loop.header for loop in analysis.latches.values() if loop.counted and block.name not in loop.blocks}
    return 1 if heads & set(block.successors) else 0


def _is_loaded_for(i: Instruction, definitions: dict[str, Instruction], users: dict[str, list[Instruction]]) -> bool:
    source = definitions.get(i.operands[0]) if i.operands else None
    return source is not None and source.opcode == "load" and len(users[i.operands[0]]) == 1


def _is_extremum(i: Instruction, definitions: dict[str, Instruction]) -> bool:
    """Whether a select between what its condition compares is one instruction, max or min."""
    condition = definitions.get(i.operands[0]) if i.operands else None
    if condition is None or condition.opcode != "fcmp":
        return False
    values = re.findall(r"(?:float|half|>) ([^ ,]+)", i.text.partition(",")[2])
    compared = re.search(r"fcmp .*? ([^ ,]+), ([^ ,]+)$", condition.text.partition(", !")[0])
    return compared is not None and set(values) == {compared[1], compared[2]}


def _comparison(i: Instruction, definitions: dict[str, Instruction], users: dict[str, list[Instruction]]) -> Price:
    own = users.get(i.result or "", [])
    if own and all(user.opcode == "select" and _is_extremum(user, definitions) for user in own):
        return FREE
    cost = price(i, False)
    if all(user.opcode == "select" for user in own):
        return cost  # the mask stays in the auxiliary registers
    return Price("both", cost.slots + 1)  # it goes to a main register, for a branch or as a number


def _is_zero_test(i: Instruction, users: dict[str, list[Instruction]]) -> bool:
    is_test = i.detail in ("eq", "ne") and re.search(r", (?:0|null)(?:, !|$)", i.text) is not None
    return is_test and all(user.opcode == "br" for user in users.get(i.result or "", []))


def _bundled(issued: list[_Issued]) -> int:
    """Return the slots: two neighbours of different pipes share a bundle unless the second reads the first's result.

    So does the compiler, after scheduling (graphcore/llvm-project-fork, ColossusCoissueUtil).
    """
    total, number = 0, 0
    while number < len(issued):
        first = issued[number]
        total += first.price.slots
        number += 1
        if number < len(issued) and _can_share(first, issued[number]):
            total += max(0, issued[number].price.slots - first.price.slots)
            number += 1
    return total


def _can_share(first: _Issued, second: _Issued) -> bool:
    pipes = {first.price.pipe, second.price.pipe}
    return pipes == {"main", "aux"} and first.instruction.result not in second.reads


def _alone(issued: list[_Issued], block: Block) -> int:
    cycles = sum(each.price.slots for each in issued)
    for first, second in zip(issued, issued[1:], strict=False):
        if first.instruction.opcode == "load" and first.instruction.result in second.reads:
            cycles += _SUPERVISOR_STALL
    branches = block.terminator.opcode == "br" and len(block.successors) > 1
    return cycles + (_SUPERVISOR_STALL if branches else 0)


def _constants(function: Function) -> int:
    """Return the slots that put constants of floating point into registers, once a call of the function."""
    found = {
        (i.type, value)
        for block in function.blocks
        for i in block.instructions
        if i.opcode in ("fadd", "fsub", "fmul", "fdiv", "fcmp")
        for value in re.findall(r"[ ,](-?\d\.\d+e[+-]\d+|0x[0-9A-F]+)", i.text)
    }
    return len(found)
