"""The body of a codelet: statements of the tile graph as C++."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import sympy

from dace_ipu.targets.poplar import sharing
from dace_ipu.targets.poplar.expressions import ATOM, INT, UNARY, ExpressionPrinter, Term
from dace_ipu.targets.poplar.indices import IndexPrinter, IndexStyle, is_nonnegative_form
from dace_ipu.targets.poplar.names import Names
from dace_ipu.targets.poplar.pairs import PairLoop
from dace_ipu.targets.poplar.reductions import combined, compound_operator, operand
from dace_ipu.targets.poplar.text import Lines
from dace_ipu.targets.poplar.types import element_type
from dace_ipu.tile_graph.body import (
    Access,
    Assign,
    Break,
    Code,
    Continue,
    Declare,
    DType,
    Expr,
    For,
    If,
    LocalArray,
    Reduction,
    Statement,
    Store,
    While,
    codes,
    symbol,
    walk,
)
from dace_ipu.tile_graph.nodes import WORKER, ComputeSet, Layout, Range, Value

__all__ = ["BodyPrinter", "mentions", "range_size", "uses_unsigned"]


def range_size(r: Range) -> Expr:
    """The number of elements of a range that is not empty."""
    length, step = (r.end - r.begin, r.step) if r.step > 0 else (r.begin - r.end, -r.step)
    size: Expr = sympy.expand(length) if step == 1 else sympy.floor((sympy.expand(length) + step - 1) / step)
    return size


def uses_unsigned(cs: ComputeSet) -> bool:
    """Whether all loop variables and sizes of a codelet may be unsigned.

    They may if no difference occurs in an index or a bound, no loop counts down, and no computation uses them as
    numbers, where the result might be negative.
    """
    statements = list(walk(cs.body))
    signed = {s.name for s in statements if isinstance(s, Declare)} | {v.name for v in cs.values if v.dtype.kind == "i"}
    numbers = {s.variable for s in statements if isinstance(s, For)} | {WORKER}
    numbers |= {v.name for v in cs.values if v.dtype.kind == "u"}
    exprs = [e for s in statements for e in _index_expressions(s)]
    data = {name for s in statements for c in codes(s) for name in _scalars(c)}
    return (
        all(is_nonnegative_form(e) for e in exprs)
        and all(s.step.is_positive for s in statements if isinstance(s, For))
        and not any(str(x) in signed for e in exprs for x in e.free_symbols)
        and not data & numbers
    )


def mentions(cs: ComputeSet, name: str) -> bool:
    """Whether an index, a bound or a computation of a body uses this name."""
    statements = list(walk(cs.body))
    indices = {str(x) for s in statements for e in _index_expressions(s) for x in e.free_symbols}
    return name in indices or any(name in _scalars(code) for s in statements for code in codes(s))


def _scalars(code: Code) -> set[str]:
    """The names in a computation that are no elements of arrays."""
    found = {n.id for n in ast.walk(ast.parse(code.text.strip())) if isinstance(n, ast.Name)}
    return found - {name for name, _ in code.reads}


def _index_expressions(statement: Statement) -> Iterable[Expr]:
    if isinstance(statement, For):
        yield from (statement.begin, statement.end)
    if isinstance(statement, Store):
        yield from statement.target.indices
    for code in codes(statement):
        for _, access in code.reads:
            yield from access.indices


@dataclass
class BodyPrinter:
    """Prints the body of one codelet.

    ``dtypes`` gives the element types of the fields. ``values`` holds the plain fields: those of the compute set and,
    as the printing goes on, those that the strides of a field need beside them. ``index`` is the C++ type of counters.
    """

    cs: ComputeSet
    dtypes: Mapping[str, DType]
    names: Names
    values: dict[str, Value] = field(default_factory=dict)
    cpp: dict[str, str] = field(default_factory=dict)
    lines: Lines = field(default_factory=lambda: Lines(2))

    def __post_init__(self) -> None:
        self.index = "unsigned" if uses_unsigned(self.cs) else "int"
        self.fields = {f.name: f for f in self.cs.fields}
        self.locals: dict[str, DType] = {}
        self.counters: set[str] = {WORKER} if self.cs.workers else set()
        self.cpp |= {WORKER: WORKER} | {f.name: self.names.fresh(f.name) for f in self.cs.fields}
        for value in self.cs.values:
            self._add_value(value)
        self.expressions = ExpressionPrinter(self._scalar)
        style = IndexStyle(nonnegative=self.index == "unsigned", shifts=True)
        self.indices = IndexPrinter(style, self._index_name, self.expressions.helpers, self.counters)

    def body(self) -> str:
        """Print all statements."""
        self.statements(self.cs.body)
        return self.lines.text()

    # ---- names -------------------------------------------------------------------------------------------------------

    def _add_value(self, value: Value) -> str:
        self.values[value.name] = value
        self.cpp[value.name] = self.names.fresh(value.name)
        return self.cpp[value.name]

    def declare(self, name: str) -> str:
        """The C++ name of a local."""
        if name not in self.cpp:
            self.cpp[name] = self.names.fresh(name)
        return self.cpp[name]

    def _index_name(self, name: str) -> str:
        """The C++ name of a symbol in an index. What the strides need and the vertex lacks becomes a plain field."""
        if name not in self.cpp:
            return self._add_value(Value(name, symbol(name), np.dtype(np.uint32)))
        return self.cpp[name]

    def _scalar(self, name: str) -> Term | None:
        if name in self.locals and name not in self.counters:
            return Term(self.cpp[name], self.locals[name])
        if name in self.counters:
            return Term(self.cpp[name], INT, weak=True)
        if name in self.values:
            dtype = self.values[name].dtype
            is_index = dtype.kind in "iu" and dtype.itemsize <= 4  # with 64 bits it is data
            return Term(self.cpp[name], INT if is_index else dtype, weak=is_index)
        if name in self.fields and self.fields[name].layout is Layout.SCALAR:
            return self._element(Access(name, ()))
        return None

    def value_type(self, value: Value) -> str:
        """The C++ type of a plain field."""
        return self.index if value.dtype == np.uint32 else element_type(value.dtype).cpp

    # ---- elements ----------------------------------------------------------------------------------------------------

    def _element(self, access: Access) -> Term:
        """An element to be read."""
        if access.data in self.locals:
            return Term(self._local_element(access), self.locals[access.data])
        dtype = self.dtypes[access.data]
        if dtype.kind == "c":
            self.expressions.helpers.add("load")
            return Term(f"load({', '.join(self._complex_place(access))})", dtype)
        return Term(self.place(access), dtype, UNARY if self.fields[access.data].layout is Layout.SCALAR else ATOM)

    def _local_element(self, access: Access) -> str:
        return self.cpp[access.data] + "".join(f"[{self.indices.bare(i)}]" for i in access.indices or (sympy.S.Zero,))

    def place(self, access: Access) -> str:
        """A real element of a field, as an lvalue."""
        declared, name = self.fields[access.data], self.cpp[access.data]
        if declared.layout is Layout.SCALAR:
            return f"*{name}"
        if declared.layout is Layout.ROWS:
            row = self._linear(access.indices[:-1], declared.ranges[:-1])
            return f"{name}[{row}][{self.indices.bare(access.indices[-1])}]"
        return f"{name}[{self._linear(access.indices, declared.ranges)}]"

    def _complex_place(self, access: Access) -> tuple[str, str]:
        """A vector of a field and the number of a complex element in it."""
        declared, name = self.fields[access.data], self.cpp[access.data]
        if declared.layout is Layout.SCALAR:
            return name, "0"
        if declared.layout is Layout.ROWS:
            row = self._linear(access.indices[:-1], declared.ranges[:-1])
            return f"{name}[{row}]", self.indices.bare(access.indices[-1])
        return name, self._linear(access.indices, declared.ranges)

    def _linear(self, indices: tuple[Expr, ...], ranges: tuple[Range, ...]) -> str:
        """The place of an element in the row-major box of these ranges."""
        total: Expr = sympy.S.Zero
        for i, r in zip(indices, ranges, strict=True):
            total = total * range_size(r) + i
        return self.indices.bare(sympy.expand(total) if len(indices) < 3 else total)

    # ---- statements --------------------------------------------------------------------------------------------------

    def statements(self, body: tuple[Statement, ...]) -> None:
        """Print statements one after the other."""
        for statement in body:
            self._statement(statement)

    def _statement(self, statement: Statement) -> None:
        match statement:
            case Declare():
                self._declaration(statement)
            case LocalArray(name=name, dtype=dtype, shape=shape):
                self.locals[name] = dtype
                extents = "".join(f"[{max(n, 1)}]" for n in shape or (1,))
                self.lines.add(f"{self._cpp_type(dtype)} {self.declare(name)}{extents};")
            case Assign(name=name, value=value, reduction=reduction):
                self._assign(self.cpp[name], Term(self.cpp[name], self.locals[name]), value, reduction)
            case Store(target=target, value=value, reduction=reduction):
                self._store(target, value, reduction)
            case For():
                self._for(statement)
            case While(condition=condition, body=body):
                with self.lines.block(f"while ({self._condition(condition)})"):
                    self.statements(body)
            case If():
                self._if(statement)
            case Break():
                self.lines.add("break;")
            case Continue():
                self.lines.add("continue;")

    def _cpp_type(self, dtype: DType) -> str:
        if dtype.kind == "c":
            self.expressions.helpers.add("complex64")
        return element_type(dtype).cpp

    def _declaration(self, statement: Declare) -> None:
        value = "" if statement.value is None else f" = {self._code(statement.value, statement.dtype)}"
        self.locals[statement.name] = statement.dtype
        const = "const " if statement.constant and value else ""
        self.lines.add(f"{const}{self._cpp_type(statement.dtype)} {self.declare(statement.name)}{value};")

    def _term(self, code: Code) -> Term:
        return self._with_names(code, lambda reads, name: self._element(reads[name]) if name in reads else None)

    def pair_term(self, code: Code, pairs: Mapping[str, Term]) -> Term:
        """A computation where some names stand for pairs of floats."""
        self.expressions.pairs = True
        try:
            return self._with_names(
                code, lambda reads, name: pairs.get(name) or (self._element(reads[name]) if name in reads else None)
            )
        finally:
            self.expressions.pairs = False

    def _with_names(self, code: Code, element: Callable[[Mapping[str, Access], str], Term | None]) -> Term:
        printer, outer = self.expressions, self.expressions.lookup
        reads = dict(code.reads)
        printer.lookup = lambda name: element(reads, name) or outer(name)
        try:
            return printer.term(code.text)
        finally:
            printer.lookup = outer

    def _code(self, code: Code, dtype: DType) -> str:
        return self.expressions.assigned(self._term(code), dtype).text

    def _condition(self, code: Code) -> str:
        return self.expressions.converted(self._term(code), np.dtype(np.bool_)).text

    def _assign(self, place: str, old: Term, value: Code, reduction: Reduction | None) -> None:
        if reduction is None:
            self.lines.add(f"{place} = {self._code(value, old.dtype)};")
            return
        operator = compound_operator(reduction, old)
        if operator is not None:
            self.lines.add(f"{place} {operator} {operand(self.expressions, old, self._term(value)).text};")
            return
        self.lines.add(f"{place} = {self._combined(old, value, reduction).text};")

    def _combined(self, old: Term, value: Code, reduction: Reduction) -> Term:
        new = self._term(value)
        if reduction.code.count("new") > 1 and new.rank < ATOM:
            name = self.names.fresh("update")
            self.lines.add(f"const {self._cpp_type(new.dtype)} {name} = {new.text};")
            new = Term(name, new.dtype)
        return combined(self.expressions, reduction, old, new)

    def _store(self, target: Access, value: Code, reduction: Reduction | None) -> None:
        old = self._element(target)
        if target.data in self.locals or old.dtype.kind != "c":
            self._assign(old.text, old, value, reduction)
            return
        new = self._code(value, old.dtype) if reduction is None else self._combined(old, value, reduction).text
        self.expressions.helpers.add("store")
        self.lines.add(f"store({', '.join(self._complex_place(target))}, {new});")

    def _if(self, statement: If, prefix: str = "") -> None:
        orelse = statement.orelse
        chained = orelse[0] if len(orelse) == 1 and isinstance(orelse[0], If) else None
        opening = f"{prefix}if ({self._condition(statement.condition)})"
        with self.lines.block(opening, closing="" if orelse else "}"):
            self.statements(statement.then)
        if chained is not None:
            self.lines.drop_last()
            self._if(chained, "} else ")
        elif orelse:
            self.lines.drop_last()
            with self.lines.block("} else"):
                self.statements(orelse)

    def _for(self, loop: For) -> None:
        self.counters.add(loop.variable)
        name = self.declare(loop.variable)
        if loop.pairs:
            PairLoop(self, loop, name).print()
            return
        if loop.shared and self.cs.workers:
            self._shared_for(loop, name)
            return
        with self.lines.block(self._for_header(loop, name)):
            self.statements(loop.body)

    def _for_header(self, loop: For, name: str) -> str:
        begin, end = self.indices.text(loop.begin), self._loop_constant(loop, loop.end, f"{loop.variable}_end")
        step = loop.step
        if not step.is_Integer:
            text = self._loop_constant(loop, step, f"{loop.variable}_step")
            test = f"{text} > 0 ? {name} < {end} : {name} > {end}"
            return f"for ({self.index} {name} = {begin}; {test}; {name} += {text})"
        size = abs(int(step))
        sign, compare = ("+", "<") if int(step) > 0 else ("-", ">")
        advance = f"{sign}{sign}{name}" if size == 1 else f"{name} {sign}= {size}"
        return f"for ({self.index} {name} = {begin}; {name} {compare} {end}; {advance})"

    def _turns_header(self, loop: For, name: str) -> str:
        """Iterations in turns, one a worker: where a share begins would take longer to compute than short loops run."""
        begin = WORKER if loop.begin == 0 else f"{self.indices.text(loop.begin)} + {WORKER}"
        end = self._loop_constant(loop, loop.end, f"{loop.variable}_end")
        return f"for ({self.index} {name} = {begin}; {name} < {end}; {name} += numWorkers())"

    def _loop_constant(self, loop: For, expr: Expr, hint: str) -> str:
        """A bound. Python evaluates it once: if the body changes what it is made of, it needs a name of its own."""
        changed = {s.name for s in walk(loop.body) if isinstance(s, Assign)}
        text = self.indices.text(expr)
        if not changed & {str(x) for x in expr.free_symbols}:
            return text
        name = self.names.fresh(hint)
        self.lines.add(f"const {self.index} {name} = {text};")
        return name

    def _shared_for(self, loop: For, name: str) -> None:
        border = sharing.border(loop, self.fields, self.dtypes)
        if border is None:
            self.lines.add("// One worker alone: two would write parts of the same word.")
            with self.lines.block("if (worker == 0)"), self.lines.block(self._for_header(loop, name)):
                self.statements(loop.body)
            return
        if border.grain == 1:
            with self.lines.block(self._turns_header(loop, name)):
                self.statements(loop.body)
            return
        self.expressions.helpers.add("share")
        arguments = [self.indices.bare(loop.begin), self.indices.bare(loop.end), WORKER]
        if border.phase != 0:
            arguments.append(self.indices.bare(border.phase))
        share = f"share<{border.grain}>({', '.join(arguments)})"
        with self.lines.block(f"for ({self.index} {name} : {share})"):
            self.statements(loop.body)
