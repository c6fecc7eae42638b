"""Functions, blocks and instructions of LLVM IR, as clang prints it. Only what pricing needs is understood."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["Block", "Function", "Instruction", "Module", "parse"]

# A local value; not the name of a type.
_NAME = r'%(?!"?(?:class|struct|union)\.)(?:[\w.$-]+|"[^"]*")'
_GLOBAL = r'@(?:[\w.$-]+|"[^"]*")'
_DEFINE = re.compile(rf"define .*?({_GLOBAL})\(")
_LABEL = re.compile(r'^([\w.$-]+|"[^"]*"):')
_RESULT = re.compile(rf"^({_NAME}) = (.*)$", re.DOTALL)
_LABELS = re.compile(rf"label ({_NAME})")
_TYPE = re.compile(r"(?:<\d+ x \w+>|\[\d+ x [^\]]+\]|\w+)")
_WORDS = {"tail", "notail", "musttail", "nuw", "nsw", "exact", "fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn"}
_WORDS |= {"reassoc", "inbounds", "volatile", "disjoint", "nneg", "samesign", "atomic", "nusw", "trunc nuw"}


@dataclass(frozen=True)
class Instruction:
    """One instruction. ``type`` is the first type written: of the operands, for load and call of the result.

    ``text`` is the line, ``operands`` are the local values it reads, in order, ``detail`` the predicate of a comparison
    or the callee of a call.
    """

    text: str
    result: str | None
    opcode: str
    type: str
    operands: tuple[str, ...]
    detail: str = ""


@dataclass
class Block:
    """A basic block: ``name`` is what branches call it ("" for an entry that nobody can branch to)."""

    name: str
    instructions: list[Instruction] = field(default_factory=list)

    @property
    def terminator(self) -> Instruction:
        return self.instructions[-1]

    @property
    def successors(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_LABELS.findall(self.terminator.text)))


@dataclass
class Function:
    """A defined function: its name with the @, the line that opens it, its parameters' names, its blocks in order."""

    name: str
    header: str
    parameters: tuple[str, ...]
    blocks: list[Block]

    def definitions(self) -> dict[str, Instruction]:
        """Return every instruction that has a result, by its name."""
        return {i.result: i for block in self.blocks for i in block.instructions if i.result}


@dataclass
class Module:
    """``parts`` are the functions, and the lines between them as they stand."""

    parts: list[str | Function]

    @property
    def functions(self) -> dict[str, Function]:
        return {part.name: part for part in self.parts if isinstance(part, Function)}


def parse(text: str) -> Module:
    """Return the module in ``text``."""
    parts: list[str | Function] = []
    lines = iter(text.split("\n"))
    for line in lines:
        if line.startswith("define "):
            parts.append(_function(line, lines))
        else:
            parts.append(line)
    return Module(parts)


def _function(header: str, lines: Iterator[str]) -> Function:
    match = _DEFINE.match(header)
    assert match, header
    blocks = [Block("")]
    for line in lines:
        if line == "}":
            break
        label = _LABEL.match(line)
        if label:
            if blocks[-1].instructions or blocks[-1].name:
                blocks.append(Block("%" + label[1]))
            else:
                blocks[-1] = Block("%" + label[1])
        elif line.strip() and not line.lstrip().startswith((";", "#dbg")):
            blocks[-1].instructions.append(_instruction(_whole(line, lines)))
    parameters = tuple(re.findall(rf"({_NAME})(?=[,)])", header[match.end() :]))
    return Function(match[1], header, parameters, blocks)


def _whole(line: str, lines: Iterator[str]) -> str:
    """Return an instruction that may go on over several lines, as switch does."""
    if line.lstrip().startswith("switch ") and not line.rstrip().endswith("]"):
        for more in lines:
            line += "\n" + more
            if more.strip().startswith("]"):
                break
    return line


def _instruction(line: str) -> Instruction:
    text = line.strip()
    match = _RESULT.match(text)
    result, body = (match[1], match[2]) if match else (None, text)
    body = re.sub(r", !.*$", "", body, flags=re.DOTALL) if not body.startswith("switch") else body
    words = body.split(" ")
    while words[0] in _WORDS:
        words.pop(0)
    opcode = words.pop(0)
    while words and words[0] in _WORDS:
        words.pop(0)
    rest = " ".join(words)
    detail = ""
    if opcode in ("icmp", "fcmp"):
        detail, _, rest = rest.partition(" ")
    elif opcode == "call":
        callee = re.search(rf"({_GLOBAL}|{_NAME})\(", rest)
        detail = callee[1].strip('"').replace('@"', "@") if callee else ""
        rest = re.sub(
            r"^(?:noundef|zeroext|signext|nonnull|range\([^)]*\)|align \d+|dereferenceable\(\d+\)) ", "", rest
        )
    type_ = _TYPE.match(rest.lstrip("("))
    operands = tuple(re.findall(_NAME, re.sub(rf"label {_NAME}", "", rest)))
    if opcode == "phi":
        operands = tuple(name for name in re.findall(rf"\[ ({_NAME})?", rest) if name)
    return Instruction(text, result, opcode, type_[0] if type_ else "", operands, detail)
