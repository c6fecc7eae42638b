"""Loops in pairs: two floats of a row at a time, and the last one alone if their number is odd."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import sympy

from dace_ipu.targets.poplar.expressions import FLOAT, Term
from dace_ipu.targets.poplar.reductions import combined, compound_operator
from dace_ipu.tile_graph.body import Access, Assign, Code, Declare, Expr, For, If, Reduction, Statement, Store, symbol
from dace_ipu.tile_graph.nodes import WORKER, Direction
from dace_ipu.tile_graph.pairs import guard_of, moves, odd_strides, pair_names, row_accesses

if TYPE_CHECKING:
    from dace_ipu.targets.poplar.statements import BodyPrinter

__all__ = ["PairLoop"]


@dataclass
class PairLoop:
    """Prints one loop. ``rows`` holds the C++ names of pointers to pairs, ``sums`` those of accumulators. ``pair`` is the
    name of what counts pairs: the counter itself, unless single iterations need it.
    """

    printer: BodyPrinter
    loop: For
    counter: str
    rows: dict[Access, str] = field(default_factory=dict)
    sums: dict[str, str] = field(default_factory=dict)
    pair: str = ""

    def print(self) -> None:
        """Pointers and accumulators, the loop over pairs, the last element."""
        names = self.printer.names
        count = names.fresh(f"{self.counter}_pairs")
        self.pair = self.counter if guard_of(self.loop) is None else names.fresh(f"{self.counter}_pair")
        self._declare_rows()
        self._declare_sums()
        self.printer.lines.add(f"const {self.printer.index} {count} = {self._count()};")
        with self.printer.lines.block(self._header(self.pair, "0", count)):
            self._body()
        self._fold_sums()
        self._rest(count)

    def _count(self) -> str:
        """How many pairs there are: none if rows of odd length follow each other, as most would not be aligned."""
        indices = self.printer.indices
        half = sympy.floor(self.loop.end / 2)
        tests = [f"{indices.factor(sympy.Mod(length, 2))} == 0" for length in self._lengths()]
        tests += [f"{indices.text(self.loop.end)} > 0"] if tests and self.printer.index == "int" else []
        return f"{' && '.join(tests)} ? {indices.text(half)} : 0" if tests else indices.bare(half)

    def _lengths(self) -> list[Expr]:
        strides = (odd_strides(access, self.printer.fields[access.data]) for access in self.rows)
        return list(dict.fromkeys(length for lengths in strides for length in lengths))

    def _header(self, name: str, first: str, end: str) -> str:
        index = self.printer.index
        if self._is_shared:
            first = WORKER if first == "0" else f"{first} + {WORKER}"
            return f"for ({index} {name} = {first}; {name} < {end}; {name} += numWorkers())"
        return f"for ({index} {name} = {first}; {name} < {end}; ++{name})"

    @property
    def _is_shared(self) -> bool:
        return self.loop.shared and self.printer.cs.workers

    # ---- before and after --------------------------------------------------------------------------------------------

    def _declare_rows(self) -> None:
        start = {symbol(self.loop.variable): 0}
        self.printer.expressions.helpers.add("pairs")
        for access in dict.fromkeys(a for a in row_accesses(self.loop) if moves(self.loop, a)):
            name = self.rows[access] = self.printer.names.fresh(f"{access.data}_pairs")
            first = Access(access.data, tuple(index.subs(start) for index in access.indices))
            const = "const " if self.printer.fields[access.data].direction is Direction.INPUT else ""
            self.printer.lines.add(f"{const}float2 *{name} = pairs(&{self.printer.place(first)});")

    def _declare_sums(self) -> None:
        for statement in self._accumulations():
            name = self.sums[statement.name] = self.printer.names.fresh(f"{statement.name}_pairs")
            start = self._start(statement)
            self.printer.lines.add(f"float2 {name} = {{{start}, {start}}};")

    def _start(self, statement: Assign) -> str:
        """Sums start from nothing, as their total is added at the end; others from what they update."""
        assert statement.reduction is not None
        neutral = {"+=": "0.0f", "*=": "1.0f"}
        operator = compound_operator(statement.reduction, Term("", FLOAT))
        return neutral[operator] if operator in neutral else self.printer.cpp[statement.name]

    def _fold_sums(self) -> None:
        for statement in self._accumulations():
            name = self.printer.cpp[statement.name]
            for lane in ("x", "y"):
                part = Term(f"{self.sums[statement.name]}.{lane}", FLOAT)
                self._update(name, statement.reduction, part)

    def _accumulations(self) -> list[Assign]:
        return [statement for statement in self.loop.body if isinstance(statement, Assign)]

    def _rest(self, count: str) -> None:
        """The last element, or all of them if there are no pairs."""
        if self._lengths():
            with self.printer.lines.block(self._header(self.counter, f"2 * {count}", self.printer.indices.text(self.loop.end))):
                self.printer.statements(self.loop.body)
        else:
            self._last_element()

    def _last_element(self) -> None:
        printer = self.printer
        end = printer.indices.text(self.loop.end)
        tests = [f"{WORKER} == numWorkers() - 1"] if self._is_shared else []
        tests += [] if printer.index == "unsigned" else [f"{end} > 0"]
        tests.append(f"{printer.indices.factor(sympy.Mod(self.loop.end, 2))} != 0")
        with printer.lines.block(f"if ({' && '.join(tests)})"):
            printer.lines.add(f"const {printer.index} {self.counter} = {end} - 1;")
            printer.statements(self.loop.body)

    # ---- a pair ------------------------------------------------------------------------------------------------------

    def _body(self) -> None:
        for statement in self.loop.body:
            match statement:
                case Declare(name=name, value=Code() as value, dtype=dtype):
                    self.printer.locals[name] = dtype
                    is_answer = dtype == np.bool_
                    text = self._answer(_tree(value), value) if is_answer else self._value(value)
                    kind = "int2" if is_answer else "float2"
                    self.printer.lines.add(f"const {kind} {self.printer.declare(name)} = {text};")
                case Assign(name=name, value=value, reduction=reduction):
                    self._update(self.sums[name], reduction, Term(self._value(value), FLOAT, rank=0), "_pairs")
                case Store(target=target, value=value, reduction=reduction):
                    place = f"{self.rows[target]}[{self.pair}]"
                    self._update(place, reduction, Term(self._value(value), FLOAT, rank=0))
                case If(condition=condition, then=then):
                    self._guarded(condition, then)

    def _guarded(self, condition: Code, then: tuple[Statement, ...]) -> None:
        """The condition for both lanes, then what it guards for each that fulfils it."""
        tree = _tree(condition)
        parts = tree.values if isinstance(tree, ast.BoolOp) else [tree]
        sign = " | " if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.Or) else " & "
        texts = [self._answer(part, condition) for part in parts]
        answer = sign.join(f"({text})" for text in texts) if len(texts) > 1 else texts[0]
        found = self.printer.names.fresh("found")
        self.printer.lines.add(f"const int2 {found} = {answer};")
        for lane, place in (("x", f"2 * {self.pair}"), ("y", f"2 * {self.pair} + 1")):
            with self.printer.lines.block(f"if ({found}.{lane})"):
                self.printer.lines.add(f"const {self.printer.index} {self.counter} = {place};")
                self.printer.statements(then)

    def _update(self, place: str, reduction: Reduction | None, value: Term, suffix: str = "") -> None:
        operator = "=" if reduction is None else compound_operator(reduction, Term(place, FLOAT))
        if operator is not None:
            self.printer.lines.add(f"{place} {operator} {value.text};")
            return
        assert reduction is not None
        if suffix:
            self.printer.expressions.helpers.add(f"{reduction.op.value}{suffix}")
            self.printer.lines.add(f"{place} = {reduction.op.value}({place}, {value.text});")
        else:
            new = combined(self.printer.expressions, reduction, Term(place, FLOAT), value)
            self.printer.lines.add(f"{place} = {new.text};")

    def _value(self, code: Code) -> str:
        """The right side of an assignment to a pair."""
        tree = _tree(code)
        if not isinstance(tree, ast.IfExp):
            return self._pair(tree, code)
        self.printer.expressions.helpers.add("select_pairs")
        then, orelse = self._pair(tree.body, code), self._pair(tree.orelse, code)
        return f"select({self._answer(tree.test, code)}, {then}, {orelse})"

    def _answer(self, tree: ast.expr, code: Code) -> str:
        return self._term(tree, code).text

    def _pair(self, tree: ast.expr, code: Code) -> str:
        """An expression; a single number fills both lanes."""
        text = self.printer.expressions.assigned(self._term(tree, code), FLOAT).text
        is_pair = any(isinstance(node, ast.Name) and node.id in pair_names(self.loop, code) for node in ast.walk(tree))
        return text if is_pair else f"float2{{{text}, {text}}}"

    def _term(self, tree: ast.expr, code: Code) -> Term:
        reads = {name: read for name, read in code.reads if read in self.rows}
        pairs = {name: Term(f"{self.rows[read]}[{self.pair}]", FLOAT) for name, read in reads.items()}
        return self.printer.pair_term(Code(ast.unparse(tree), code.reads), pairs)


def _tree(code: Code) -> ast.expr:
    return ast.parse(code.text.strip(), mode="eval").body
