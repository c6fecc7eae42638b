"""Powers in indices that are the same for all iterations of a vertex: computed once, before its loops."""

from __future__ import annotations

import ast
from collections.abc import Set
from dataclasses import dataclass, field

import numpy as np
import sympy

from dace_ipu.passes.clean_up import map_codes
from dace_ipu.passes.domain import Domain
from dace_ipu.passes.rewrite import Body, Rewrite, claimed, expressions, fresh
from dace_ipu.tile_graph.body import Code, Declare, DType, Expr, Statement, symbol, walk
from dace_ipu.tile_graph.expressions import names
from dace_ipu.tile_graph.indices import index_text

__all__ = ["with_powers_first"]

_WIDE, _NARROW = np.dtype(np.int64), np.dtype(np.int32)


def with_powers_first(body: Body, domain: Domain, known: Set[str], taken: Set[str]) -> Body:
    """The statements after declarations of the powers in their indices and ranges that only ``known`` names make.

    Before: ``for k: B[k] = A[k % R**(K - t)]``. After: ``power = R**(K - t)``, ``for k: B[k] = A[k % power]``. A power
    that is no larger than the extent of an array has 32 bits: 64 bits take many times as long to divide by.
    """
    found = {power for s in walk(body) for expr in expressions(s) for power in expr.atoms(sympy.Pow)}
    powers = [p for p in found if p.exp.free_symbols and {s.name for s in p.free_symbols} <= known]
    new: dict[Expr, str] = {}
    for power in sorted(powers, key=str):
        new[power] = fresh("power", taken | set(new.values()))
    body = _with_powers_of_texts_first(body, domain, known, {*taken, *new.values()})
    declared = tuple(Declare(name, _type(power, domain), Code(index_text(power))) for power, name in new.items())
    return (*declared, *_Powers({}, powers={power: symbol(name) for power, name in new.items()}).body(body))


def _with_powers_of_texts_first(body: Body, domain: Domain, known: Set[str], taken: Set[str]) -> Body:
    """The same for the powers of sizes in computations, which keep their type: it decides what they are part of."""
    sizes = {name: dtype for name, dtype in domain.graph.symbols if dtype.kind == "i"}
    powers = _TextPowers(frozenset(known), frozenset(sizes))

    def change(_: Statement, code: Code) -> Code:
        if "**" not in code.text:
            return code
        powers.hidden = {name for name, _ in code.reads}
        return Code(ast.unparse(powers.visit(ast.parse(code.text.strip(), mode="eval"))), code.reads)

    powers.taken |= taken
    changed = map_codes(body, change)
    return (*(Declare(name, sizes[base], Code(text)) for text, (name, base) in powers.found.items()), *changed)


def _type(power: Expr, domain: Domain) -> DType:
    """Of what holds the power: exponents grow up to those of the sizes of arrays, which 32 bits hold."""
    sizes = {p for v in domain.graph.variables for size in v.shape for p in size.atoms(sympy.Pow)}
    small = (p for p in sizes if p.base == power.base and domain.iterating.at_most(power.exp, p.exp))
    return _NARROW if any(small) else _WIDE


class _TextPowers(ast.NodeTransformer):
    """Replaces powers of sizes by names, and keeps what they stand for, with the size."""

    def __init__(self, known: frozenset[str], sizes: frozenset[str]) -> None:
        self.known, self.sizes = known, sizes
        self.taken: set[str] = set()
        self.hidden: set[str] = set()  # names that stand for elements
        self.found: dict[str, tuple[str, str]] = {}

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        text = ast.unparse(node)
        base = node.left.id if isinstance(node.left, ast.Name) else ""
        exponent = names(ast.unparse(node.right))
        is_power = isinstance(node.op, ast.Pow) and base in self.sizes and exponent and exponent <= self.known
        if not is_power or self.hidden & {base, *exponent}:
            self.generic_visit(node)
            return node
        if text not in self.found:
            self.found[text] = (claimed("power", self.taken), base)
        return ast.Name(self.found[text][0], ast.Load())


@dataclass(frozen=True)
class _Powers(Rewrite):
    """Replaces powers in indices and ranges."""

    powers: dict[Expr, Expr] = field(default_factory=dict)

    def expr(self, expr: Expr) -> Expr:
        return expr.xreplace(self.powers)
