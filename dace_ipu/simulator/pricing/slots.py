"""What one instruction costs a worker: pipeline and slots.

A worker issues one bundle a slot: at most one instruction of the main pipeline (integers, addresses, loads and stores,
branches) and one of the auxiliary pipeline (floating point). Sources of the figures: graphcore/llvm-project-fork
(Colossus scheduler model, ColossusTargetTransformInfo, compiler-rt/lib/builtins/ipu) and graphcore/poplibs
(lib/popops/popopsCycleEstimators.cpp, whose averages over random data stand for what depends on data).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from dace_ipu.simulator.pricing.ir import Instruction

__all__ = ["CALL", "FREE", "Price", "is_device_function", "is_wide_type", "lanes", "price"]


@dataclass(frozen=True)
class Price:
    """``pipe`` is "both" for what shares no bundle with a neighbour: calls of routines, sequences over both pipes.

    ``per_byte`` is added for every byte that a call moves, given by its operand number 2 at run time.
    """

    pipe: Literal["main", "aux", "both", "none"]
    slots: int
    per_byte: float = 0


FREE = Price("none", 0)
_MAIN = Price("main", 1)
_AUX = Price("aux", 1)

# Values pass from the auxiliary to the main registers by `atom`; the way back is a store and a load.
_TO_MAIN = 1
_TO_AUX = 2

_CALL = 2  # call and return
CALL = Price("both", _CALL)
_SUB_WORD_STORE = 12 + _CALL  # compiler-rt ipu/st8.S: twelve instructions that read, modify and write a word
_DOUBLE = 20  # ColossusTargetTransformInfo prices any operation on double so

# popops: averages for one element, signed and unsigned.
_DIVIDE = {"sdiv": 277, "udiv": 265, "srem": 292, "urem": 282}
# On 64 bits they are 30 for a product, 115 and 130 for quotients, 9 for logic and 11 for the rest, in loops that load
# two operands and store a result, two words each, and branch: seven slots that are counted by themselves here. What is
# left for logic is one instruction a word, for a sum two more for the carry.
_WIDE = {"mul": 23, "sdiv": 123, "udiv": 108, "srem": 123, "urem": 108, "and": 2, "or": 2, "xor": 2}
_WIDE_OTHER = 4  # 64-bit add, subtract, shift, compare
_WORDS = 2
# A comparison, or the sign and a subtraction from nothing, and a conditional move of each word.
_WIDE_FUNCTIONS = dict.fromkeys(("smax", "smin", "umax", "umin", "abs"), _WIDE_OTHER + _WORDS)

# Functions of the mathematical library for one float: popops' unary and binary tables, instructions and routines alike.
_FUNCTIONS = {
    **{"exp": 3, "exp2": 3, "log": 6, "log2": 7, "log10": 7, "tanh": 5, "sqrt": 5, "sigmoid": 5, "rsqrt": 4},
    **{"sin": 2300, "cos": 2300, "tan": 5100, "asin": 102, "acos": 102, "atan": 136, "atan2": 136, "pow": 312},
    **{"sinh": 12, "cosh": 12, "expm1": 8, "log1p": 22, "cbrt": 27, "erf": 41, "fmod": 67, "hypot": 9, "powi": 32},
    **{"floor": 1, "ceil": 1, "rint": 1, "nearbyint": 1, "round": 2, "trunc": 2, "roundeven": 1},
    **{"fabs": 1, "copysign": 2, "minnum": 1, "maxnum": 1, "minimum": 1, "maximum": 1, "fmin": 1, "fmax": 1},
    **{"fma": 2, "fmuladd": 2, "fmodf": 67},
}
_IS_INSTRUCTION = {"exp", "exp2", "log", "log2", "tanh", "sqrt", "floor", "ceil", "rint", "nearbyint", "fabs"}
_IS_INSTRUCTION |= {"minnum", "maxnum", "minimum", "maximum", "fmin", "fmax", "sigmoid", "rsqrt", "roundeven", "fma"}
_INTEGER_FUNCTIONS = {"abs": 1, "smax": 1, "smin": 1, "umax": 2, "umin": 2, "ctpop": 1, "ctlz": 1, "cttz": 3}
_INTEGER_FUNCTIONS |= {"bitreverse": 2, "bswap": 4, "fshl": 3, "fshr": 3}
# Functions of namespace ipu, which are instructions on pairs of float and on pairs of half: slots a float, slots a pair
# of half (popops' tables and the comments in them; half by way of float where there is no instruction).
_DEVICE = {
    **{"exp": (3, 2), "exp2": (3, 2), "log": (6, 2), "log2": (7, 3), "log10": (7, 3), "tanh": (5, 1)},
    **{"sigmoid": (5, 2), "sqrt": (5, 12), "rsqrt": (4, 10), "sin": (2300, 50), "cos": (2300, 50)},
}
# And those that take one or two slots for 64 bits.
_DEVICE_WIDE = {"fabs": 1, "fmin": 1, "fmax": 1, "floor": 1, "ceil": 1, "rint": 1, "round": 2, "copysign": 2, "fma": 2}
_DEVICE_NAME = re.compile(r"@_ZN3ipu\d+(?P<name>[a-z]+\d*)I(?:Dv(?P<lanes>\d+)_)?(?P<element>f|DF16_)E")
_SATURATING = 4
_OTHER_CALL = 50  # a routine that nothing is known of

_MATH_NAME = re.compile(r"@(?:llvm\.)?(?P<name>[a-z]+\d*?(?:10|2)?)(?:f|f16)?(?:\.(?P<suffix>[\w.]+))?$")
_FLOATS = ("half", "float", "double")


def lanes(type_: str) -> tuple[int, str]:
    """Return number and type of a type's elements."""
    match = re.match(r"<(\d+) x (\w+)>", type_)
    return (int(match[1]), match[2]) if match else (1, type_)


def is_wide_type(type_: str) -> bool:
    return lanes(type_)[1] == "i64"


def price(instruction: Instruction, is_wide: bool) -> Price:
    """Return what an instruction costs by itself; ``is_wide`` says that its i64 are 64-bit data, not addresses."""
    opcode = instruction.opcode
    if opcode in _BY_OPCODE:
        return _BY_OPCODE[opcode]
    if opcode in ("fadd", "fsub", "fmul", "fneg", "fcmp"):
        return _float(instruction.type, 1)
    if opcode == "fdiv":
        return _division(instruction.type)
    if opcode == "frem":
        return Price("both", lanes(instruction.type)[0] * _FUNCTIONS["fmod"])
    if opcode in ("load", "store"):
        return _memory(instruction)
    if opcode in _CONVERSIONS:
        return _conversion(instruction)
    if opcode == "call":
        return _call(instruction, is_wide)
    if opcode == "select":
        return _select(instruction, is_wide)
    if opcode == "insertelement":
        return _insert(instruction)
    return _integer(instruction, is_wide)


_BY_OPCODE = {
    **dict.fromkeys(("phi", "freeze", "bitcast", "alloca", "unreachable", "fence", "inttoptr", "ptrtoint"), FREE),
    **dict.fromkeys(("extractvalue", "insertvalue"), FREE),
    **{"ret": _MAIN, "getelementptr": _MAIN, "switch": Price("main", 3), "indirectbr": _MAIN},
    **{"extractelement": FREE, "shufflevector": _AUX},
    **{"atomicrmw": Price("main", 3), "cmpxchg": Price("main", 4)},
}
_CONVERSIONS = ("sitofp", "uitofp", "fptosi", "fptoui", "fpext", "fptrunc")


def _float(type_: str, slots: int) -> Price:
    """A vector instruction takes 64 bits: two float or four half."""
    count, element = lanes(type_)
    if element == "double":
        return Price("both", count * _DOUBLE)
    width = 4 if element == "half" else 2
    return Price("aux", slots * -(-count // width))


def _division(type_: str) -> Price:
    count, element = lanes(type_)
    if element == "double":
        return Price("both", count * _DOUBLE)
    if element == "half":  # popops: 21 for four, by way of float; a single one converts, divides and converts back
        return Price("aux", 21 * -(-count // 4) if count > 1 else 5)
    return Price("aux", 3 * count)


def _conversion(instruction: Instruction) -> Price:
    opcode = instruction.opcode
    target = re.search(r" to (<\d+ x \w+>|\w+)", instruction.text)
    result = target[1] if target else ""
    count, element = lanes(instruction.type)
    if "double" in (element, lanes(result)[1]):
        return Price("both", count * _DOUBLE)
    if opcode in ("fpext", "fptrunc"):
        return Price("aux", -(-count // 2))
    if "i64" in (element, lanes(result)[1]):
        return Price("both", count * _DOUBLE)
    if opcode in ("sitofp", "uitofp"):
        return Price("both", count * (_TO_AUX + 1))
    return Price("both", count * (2 + _TO_MAIN))  # round towards zero, convert


def _memory(instruction: Instruction) -> Price:
    count, element = lanes(_accessed(instruction))
    size = {"i1": 1, "i8": 1, "i16": 2, "half": 2, "i64": 8, "double": 8, "ptr": 4}.get(element, 4)
    if element == "i64" and "!tbaa" not in instruction.text and count == 1:
        size = 8
    align = re.search(r"align (\d+)", instruction.text)
    unit = min(size * count, 8, int(align[1]) if align else size)
    if element in ("i64", "double"):  # two words each
        unit = 4
    if element == "ptr":
        unit = 4
    if instruction.opcode == "store" and unit < 4:
        return Price("both", _SUB_WORD_STORE * (size * count // unit))
    accesses = max(1, size * count // unit)
    joins = accesses if unit < 4 and count > 1 else 0  # halves that arrive one by one are put together
    return Price("main" if joins == 0 else "both", accesses + joins)


def _accessed(instruction: Instruction) -> str:
    return instruction.type


def _insert(instruction: Instruction) -> Price:
    """Pairs of floats are pairs of registers, which instructions write one by one; half values are put together."""
    return FREE if lanes(instruction.type)[1] == "float" else _AUX


def _select(instruction: Instruction, is_wide: bool) -> Price:
    types = re.findall(r", (<\d+ x \w+>|\w+) ", instruction.text)
    count, element = lanes(types[0] if types else "i32")
    if element in _FLOATS:  # and, and-not, or with the mask that the comparison left
        width = 4 if element == "half" else 2
        return Price("aux", 3 * -(-count // width))
    words = _WORDS if element == "i64" and is_wide else 1  # a conditional move each
    return Price("main", count * words)


def _integer(instruction: Instruction, is_wide: bool) -> Price:
    count, element = lanes(instruction.type)
    opcode = instruction.opcode
    if element == "i64" and is_wide:
        return Price("both", count * _WIDE.get(opcode, _WIDE_OTHER))
    if opcode in _DIVIDE:
        return Price("both", count * _DIVIDE[opcode])
    if opcode in ("zext", "trunc"):
        return FREE
    if opcode == "sext":
        return FREE if element in ("i32", "i64", "i1") else Price("main", count)
    if opcode == "br":
        return _MAIN
    return Price("main", count)


def _call(instruction: Instruction, is_wide: bool) -> Price:
    callee = instruction.detail
    if callee.startswith(("@llvm.lifetime", "@llvm.assume", "@llvm.dbg", "@llvm.experimental", "@llvm.invariant")):
        return FREE
    if callee.startswith(("@llvm.threadlocal", "@llvm.expect", "@llvm.launder")):
        return FREE
    if callee.startswith(("@llvm.memcpy", "@llvm.memmove", "@llvm.memset", "@memcpy", "@memmove", "@memset")):
        return _block_move(instruction)
    if callee in ("@dace_ipu_random_bits", "@dace_ipu_cycle_counter"):
        return _AUX if callee == "@dace_ipu_random_bits" else _MAIN  # urand, get
    if is_device_function(callee):
        return _device_function(callee)
    if callee.startswith("@llvm.vector.reduce"):
        return Price("aux", 2)
    match = _MATH_NAME.match(callee)
    if match:
        known = _function(match["name"], instruction.type, is_wide)
        if known is not None:
            return known
    if callee.startswith("@llvm.") and (".sat." in callee or "with.overflow" in callee):
        return Price("main", _SATURATING)
    return Price("both", _OTHER_CALL)


def is_device_function(name: str) -> bool:
    """Whether a function of the codelet library is an instruction: its calls are priced, its body is not."""
    match = _DEVICE_NAME.match(name)
    return match is not None and (match["name"] in _DEVICE or match["name"] in _DEVICE_WIDE)


def _device_function(name: str) -> Price:
    match = _DEVICE_NAME.match(name)
    assert match is not None
    count, is_half = int(match["lanes"] or 1), match["element"] != "f"
    if match["name"] in _DEVICE_WIDE:
        return Price("aux", _DEVICE_WIDE[match["name"]] * -(-count // (4 if is_half else 2)))
    of_float, of_pair = _DEVICE[match["name"]]
    return Price("aux", of_pair * -(-count // 2) if is_half else of_float * count)


def _block_move(instruction: Instruction) -> Price:
    """memcpy and memset move 8 bytes in a loop of two accesses at best, a word at a time as they know no alignment."""
    size = re.search(r"i64 (\d+)", instruction.text)
    per_word = 2 if "memset" not in instruction.detail else 1
    if size is None:
        return Price("both", 10 + _CALL, per_byte=per_word / 4)
    words = -(-int(size[1]) // 4)
    return Price("main", per_word * words) if words <= 16 else Price("both", 10 + _CALL + per_word * words)


def _function(name: str, type_: str, is_wide: bool) -> Price | None:
    count, element = lanes(type_)
    if element == "i64" and is_wide and name in _WIDE_FUNCTIONS:
        return Price("both", count * _WIDE_FUNCTIONS[name])
    if name in _INTEGER_FUNCTIONS:
        return Price("main", count * _INTEGER_FUNCTIONS[name])
    if name not in _FUNCTIONS:
        name = name.removesuffix("f")
    if name not in _FUNCTIONS:
        return None
    slots = _FUNCTIONS[name]
    if element == "double":
        return Price("both", count * max(_DOUBLE, slots))
    if name in _IS_INSTRUCTION:
        width = {1: 4 if element == "half" else 2}.get(slots, 1)
        return Price("aux", slots * -(-count // width) + (2 if element == "half" and slots > 1 else 0))
    return Price("both", count * slots + _CALL)
