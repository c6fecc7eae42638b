"""The two codelets that fold partial results: from partials to fewer partials, and from partials into the target."""

from __future__ import annotations

from dataclasses import dataclass

from dace_ipu.targets.poplar.expressions import ExpressionPrinter, Term
from dace_ipu.targets.poplar.names import Names as CppNames
from dace_ipu.targets.poplar.reductions import combined, compound_operator
from dace_ipu.targets.poplar.text import Lines
from dace_ipu.targets.poplar.types import element_type
from dace_ipu.tile_graph.body import DType, Reduction
from dace_ipu.tile_graph.nodes import Combine, TileGraph

__all__ = ["Key", "Names", "Printed", "key", "print_classes"]

#: A reduction, the element type of the partial results, that of the target.
Key = tuple[Reduction, DType, DType]


@dataclass(frozen=True)
class Names:
    """The class that folds partials into partials and the one that folds partials into the target."""

    fold: str
    update: str


@dataclass(frozen=True)
class Printed:
    """Text and names of the two classes and what they need."""

    text: str
    names: Names
    helpers: set[str]
    cmath: bool


def key(graph: TileGraph, step: Combine) -> Key:
    """What a Combine's codelets depend on."""
    return step.reduction, graph.variable(step.partial).dtype, graph.variable(step.target.variable).dtype


def print_classes(of: Key, names: CppNames) -> Printed:
    """Print both classes; ``names`` are those of the codelet file."""
    reduction, partial, target = of
    suffix = f"{reduction.op.value}_{partial.name}"
    chosen = Names(names.fresh(f"fold_{suffix}"), names.fresh(f"update_{suffix}"))
    printer = ExpressionPrinter(lambda _: None)
    fold = _class(printer, chosen.fold, reduction, partial, partial, update=False)
    update = _class(printer, chosen.update, reduction, partial, target, update=True)
    return Printed(f"{fold}\n{update}", chosen, printer.helpers, printer.cmath)


def _class(
    printer: ExpressionPrinter, name: str, reduction: Reduction, partial: DType, target: DType, update: bool
) -> str:
    lines = Lines()
    direction = "InOut" if update else "Output"
    what = "result[k] and all of partials[lane][k]" if update else "all of partials[lane][k]"
    lines.add(f"// result[k] = {reduction.op.value} of {what}; partials holds its lanes one behind the other.")
    lines.add(f"class {name} : public poplar::Vertex {{", "public:")
    layout = "poplar::VectorLayout::ONE_PTR, 8>>"
    lines.add(f"  poplar::Input<poplar::Vector<{element_type(partial).field}, {layout} partials;")
    lines.add(f"  poplar::{direction}<poplar::Vector<{element_type(target).field}, {layout} result;")
    lines.add("  unsigned lanes, size;", "")
    with lines.block("  bool compute()", "  }"):
        lines.add("  for (unsigned k = 0; k < size; ++k) {")
        lines.add(*(f"    {line}" for line in _fold(printer, reduction, partial, target, update)))
        lines.add("  }", "  return true;")
    lines.add("};")
    return lines.text()


def _fold(printer: ExpressionPrinter, reduction: Reduction, partial: DType, target: DType, update: bool) -> list[str]:
    """The statements for one element."""
    total = Term("total", partial)
    first = _element(printer, "result", "k", target) if update else _element(printer, "partials", "k", partial)
    next_one = _element(printer, "partials", "lane * size + k", partial)
    operator = compound_operator(reduction, total)
    step = f"total {operator} {next_one.text};" if operator else ""
    step = step or f"total = {combined(printer, reduction, total, next_one).text};"
    return [
        f"{element_type(partial).cpp} total = {printer.converted(first, partial).text};",
        f"for (unsigned lane = {0 if update else 1}; lane < lanes; ++lane) {{",
        f"  {step}",
        "}",
        _put(printer, printer.converted(total, target)),
    ]


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
