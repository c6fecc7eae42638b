"""The codelets that fold partial results: from partials to fewer partials, and from partials into the target."""

from __future__ import annotations

from dataclasses import dataclass

from dace_ipu.targets.poplar.expressions import ExpressionPrinter, Term
from dace_ipu.targets.poplar.reductions import combined, compound_operator
from dace_ipu.targets.poplar.text import Lines
from dace_ipu.targets.poplar.types import element_type
from dace_ipu.tile_graph.body import DType, Reduction
from dace_ipu.tile_graph.nodes import Combine, TileGraph
from dace_ipu.tile_graph.reductions import identity

__all__ = ["Key", "Printed", "keys", "name_hint", "print_class"]

@dataclass(frozen=True)
class Key:
    """What one of these classes depends on: the reduction, the element types of partials and result, and whether it
    goes on from what the result holds."""

    reduction: Reduction
    partial: DType
    result: DType
    updates: bool


@dataclass(frozen=True)
class Printed:
    """Text of a class and what it needs."""

    text: str
    helpers: set[str]
    cmath: bool


def keys(graph: TileGraph, step: Combine) -> tuple[Key, Key]:
    """The classes that fold partials into fewer partials, and those into the target."""
    partial, target = graph.variable(step.partial).dtype, graph.variable(step.target.variable).dtype
    return (
        Key(step.reduction, partial, partial, updates=False),
        Key(step.reduction, partial, target, updates=not step.overwrites),
    )


def name_hint(of: Key) -> str:
    """``fold_sum_float32``; with the type of the result where it is another one."""
    same = of.partial == of.result or (of.updates and _total_type(of) == of.partial)
    types = of.partial.name if same else f"{of.partial.name}_to_{of.result.name}"
    return f"{'update' if of.updates else 'fold'}_{of.reduction.op.value}_{types}"


def print_class(of: Key, name: str) -> Printed:
    """Print one class."""
    printer = ExpressionPrinter(lambda _: None)
    text = _class(printer, name, of)
    return Printed(text, printer.helpers, printer.cmath)


def _class(printer: ExpressionPrinter, name: str, of: Key) -> str:
    lines = Lines()
    direction = "InOut" if of.updates else "Output"
    what = "result[k] and all of partials[lane][k]" if of.updates else "all of partials[lane][k]"
    lines.add(f"// result[k] = {of.reduction.op.value} of {what}; partials holds its lanes one behind the other.")
    lines.add(f"class {name} : public poplar::Vertex {{", "public:")
    layout = "poplar::VectorLayout::ONE_PTR, 8>>"
    lines.add(f"  poplar::Input<poplar::Vector<{element_type(of.partial).field}, {layout} partials;")
    lines.add(f"  poplar::{direction}<poplar::Vector<{element_type(of.result).field}, {layout} result;")
    lines.add("  unsigned lanes, size;", "")
    with lines.block("  bool compute()", "  }"):
        lines.add("  for (unsigned k = 0; k < size; ++k) {")
        lines.add(*(f"    {line}" for line in _fold(printer, of)))
        lines.add("  }", "  return true;")
    lines.add("};")
    return lines.text()


def _fold(printer: ExpressionPrinter, of: Key) -> list[str]:
    """The statements for one element. No lanes give the identity, or leave what is there."""
    total = Term("total", _total_type(of))
    next_one = _element(printer, "partials", "at", of.partial)
    operator = compound_operator(of.reduction, total)
    step = f"total {operator} {next_one.text};" if operator else ""
    step = step or f"total = {combined(printer, of.reduction, total, next_one).text};"
    return [
        f"{element_type(total.dtype).cpp} total = {_first(printer, of)};",
        "for (unsigned lane = 0, at = k; lane < lanes; ++lane, at += size) {",
        f"  {step}",
        "}",
        _put(printer, printer.converted(total, of.result)),
    ]


def _total_type(of: Key) -> DType:
    """That of the partials; of the result where counts of 32 bits go on from a wider one."""
    goes_on = of.updates and of.partial.kind in "iu" and of.result.itemsize > of.partial.itemsize
    return of.result if goes_on else of.partial


def _first(printer: ExpressionPrinter, of: Key) -> str:
    if of.updates:
        return printer.converted(_element(printer, "result", "k", of.result), _total_type(of)).text
    start = identity(of.reduction, of.result)
    assert start is not None  # lanes start from it
    return printer.assigned(printer.term(start), of.partial).text


def _element(printer: ExpressionPrinter, name: str, index: str, dtype: DType) -> Term:
    if dtype.kind == "c":
        printer.helpers.add("load")
        return Term(f"load({name}, {index})", dtype)
    return Term(f"{name}[{index}]", dtype)


def _put(printer: ExpressionPrinter, value: Term) -> str:
    if value.dtype.kind == "c":
        printer.helpers.add("store")
        return f"store(result, k, {value.text});"
    return f"result[k] = {value.text};"
