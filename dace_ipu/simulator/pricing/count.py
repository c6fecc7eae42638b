"""IR whose code adds up its own cost while it runs."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from pathlib import Path

from dace_ipu.simulator.pricing.blocks import BlockPrice, price_blocks
from dace_ipu.simulator.pricing.clang import Clang, ClangError
from dace_ipu.simulator.pricing.dependence import CYCLE_COUNTER, depends_on_data
from dace_ipu.simulator.pricing.ir import Block, Function, Module, parse
from dace_ipu.simulator.pricing.loops import analyse
from dace_ipu.simulator.pricing.slots import is_device_function

__all__ = ["ENTRY", "compile_counted", "counted"]

#: What the entries of vertices are called, with a number behind; `<entry>_flags` says what is known of one.
ENTRY = "dace_ipu_counted_"

_LINKAGE = re.compile(r"^define (?:(?:linkonce_odr|weak_odr|hidden|dso_local|internal|available_externally) )*")
_LIBRARY = ("@_ZNSt3__1", "@_ZNKSt3__1", "@_ZSt")
# Headers that sources use without including them.
_HABITUAL = ("algorithm", "array", "cmath", "cstdint", "cstdlib", "cstring", "limits", "numeric", "tuple", "utility")
_SUPERVISOR = "@dace_ipu_supervisor"
_COUNTER = "@dace_ipu_cost"
_TAKE = f"""
{_COUNTER} = internal thread_local global i64 0
define hidden i64 @dace_ipu_take_cost() {{
  %cost = load i64, ptr {_COUNTER}
  store i64 0, ptr {_COUNTER}
  ret i64 %cost
}}"""


def compile_counted(text: str, options: Sequence[str], clang: Clang, output: Path) -> None:
    """Compile a source with entries to an object that counts. Raises :class:`~.clang.ClangError`."""
    ir = _to_ir(text, tuple(options), clang)
    try:
        counting = counted(ir)
    except (LookupError, ValueError, AssertionError) as error:  # a form of IR that the parser does not know
        raise ClangError(f"pricing does not understand the compiler's output: {error!r}") from error
    clang.to_object(counting, output)


def _to_ir(text: str, options: tuple[str, ...], clang: Clang) -> str:
    """Compile, if need be with headers that libstdc++ brings along and clang's own library does not."""
    try:
        return clang.to_ir(text, options)
    except ClangError as error:
        try:
            return clang.to_ir(text, (*options, *(word for name in _HABITUAL for word in ("-include", name))))
        except ClangError:
            raise error from None


def counted(ir: str) -> str:
    """Return ``ir`` with its functions counting their cost, entries first of all for others to call."""
    module = parse(ir)
    entries = [name for name in module.functions if name.startswith("@" + ENTRY) and _links(module, name)]
    reachable = _reachable(module, entries + _used_by_constants(module))
    counting = {name for name in reachable & module.functions.keys() if not is_device_function(name)}
    lines: list[str] = []
    for part in module.parts:
        if isinstance(part, str):
            lines += [] if _is_keeper(part) else [_without_memory(part)]
        elif part.name in reachable:
            lines += _function(part, counting)
    return "\n".join([*lines, _TAKE, *_flags(module, entries), ""])


def _links(module: Module, entry: str) -> bool:
    """Whether an entry does without the compiled parts of clang's own C++ library, which the host does not have."""
    return not any(name.startswith(_LIBRARY) and name not in module.functions for name in _reachable(module, [entry]))


def _used_by_constants(module: Module) -> list[str]:
    constants = "\n".join(part for part in module.parts if isinstance(part, str) and not _is_keeper(part))
    constants = "\n".join(line for line in constants.split("\n") if not line.startswith("declare"))
    return [name for name in module.functions if re.search(rf"{re.escape(name)}\b", constants)]


def _reachable(module: Module, roots: Sequence[str]) -> set[str]:
    """Return the names that ``roots`` use, themselves included; popc's own are in the module's other half."""
    functions, work = module.functions, list(roots)
    seen: set[str] = set()
    while work:
        name = work.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in functions:
            text = "\n".join(i.text for block in functions[name].blocks for i in block.instructions)
            work += re.findall(r'@(?:[\w.$-]+|"[^"]*")', text)
    return seen


def _is_keeper(line: str) -> bool:
    """Whether a line keeps unused symbols, which the module's other half has."""
    return line.startswith(("@llvm.used", "@llvm.compiler.used"))


def _without_memory(line: str) -> str:
    """Drop what says that a function writes no memory: all write the counter."""
    return re.sub(r"\bmemory\([^)]*\) ?", "", line) if line.startswith("attributes") else line


def _function(function: Function, counting: Container[str]) -> Iterator[str]:
    if is_device_function(function.name):
        prices = {block.name: BlockPrice(0) for block in function.blocks}
    else:
        prices = price_blocks(function, analyse(function), _is_supervisor(function), counting)
    header = re.sub(r"\bmemory\([^)]*\) ?", "", function.header)
    if not function.name.startswith("@" + ENTRY):
        header = _LINKAGE.sub("define internal ", header)
        header = re.sub(r" comdat(?:\([^)]*\))?(?= |$)", "", header)
    yield header
    for number, block in enumerate(function.blocks):
        yield from _block(block, prices[block.name], number)
    yield "}"


def _is_supervisor(function: Function) -> bool:
    return any(i.detail == _SUPERVISOR for block in function.blocks for i in block.instructions)


def _block(block: Block, price: BlockPrice, number: int) -> Iterator[str]:
    if block.name:
        yield f"{block.name[1:]}:"
    moves, charges = dict(price.moves), _charges(block, price.cost)
    for place, i in enumerate(block.instructions):
        if charges.get(place):
            yield from _charge(f"{number}.{place}", str(charges[place]))
        if i in moves and len(i.operands) > 2:
            yield from _charge_bytes(f"{number}.{place}", i.operands[2], moves[i])
        if i.detail != _SUPERVISOR:
            yield "  " + i.text


def _charges(block: Block, cost: int) -> dict[int, int]:
    """Return what to charge before which instruction.

    It is all of the cost before the first, unless the block reads the cycle counter: then before each reading what the
    instructions up to it cost, each the same, and the rest after the last.
    """
    places = [place for place, i in enumerate(block.instructions) if i.opcode != "phi"]
    charges, charged = {}, 0
    next_place = places[0]
    for count, place in enumerate(places, 1):
        if block.instructions[place].detail == CYCLE_COUNTER:
            charges[place] = cost * count // len(places) - charged
            charged += charges[place]
            next_place = place + 1
    return {**charges, next_place: cost - charged}


def _charge(suffix: str, amount: str) -> Iterator[str]:
    yield f"  %cost.old.{suffix} = load i64, ptr {_COUNTER}"
    yield f"  %cost.new.{suffix} = add i64 %cost.old.{suffix}, {amount}"
    yield f"  store i64 %cost.new.{suffix}, ptr {_COUNTER}"


def _charge_bytes(suffix: str, size: str, slots_per_byte: float) -> Iterator[str]:
    yield f"  %cost.quarters.{suffix} = mul i64 {size}, {round(4 * slots_per_byte)}"
    yield f"  %cost.size.{suffix} = lshr i64 %cost.quarters.{suffix}, 2"
    yield from _charge(f"size.{suffix}", f"%cost.size.{suffix}")


def _flags(module: Module, entries: Sequence[str]) -> Iterator[str]:
    for name in entries:
        yield f"{name}_flags = hidden constant i32 {int(depends_on_data(module, module.functions[name]))}"
