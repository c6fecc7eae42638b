"""Control flow of SDFGs read as structured loops and straight-line code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sympy
from dace.properties import CodeBlock
from dace.sdfg.state import ContinueBlock, ControlFlowBlock, ControlFlowRegion, LoopRegion

from dace_ipu import compat
from dace_ipu.lowering import queries
from dace_ipu.lowering.scope import Scope
from dace_ipu.lowering.symbolic import Unsupported, convert
from dace_ipu.tile_graph.body import Expr

__all__ = [
    "Counted",
    "assignment",
    "assignment_value",
    "counted",
    "exclusive_end",
    "has_continue",
    "is_index_range",
    "names_in",
    "straight_line",
]


def names_in(text: str) -> set[str]:
    """The names of variables in a Python statement or expression."""
    return {node.id for node in ast.walk(ast.parse(text.strip())) if isinstance(node, ast.Name)}


def straight_line(region: ControlFlowRegion) -> Iterator[tuple[ControlFlowBlock, dict[str, str]]]:
    """The blocks of a region in order, each with the assignments behind it. Raises Unsupported for jumps."""
    block = region.start_block if region.number_of_nodes() else None
    while block is not None:
        edges = region.out_edges(block)
        if len(edges) > 1 or any(not edge.data.is_unconditional() for edge in edges):
            raise Unsupported(
                f"the jump behind '{block.label}': control flow that is not made of loops and conditionals"
            )
        assignments = {str(k): str(v) for edge in edges for k, v in edge.data.assignments.items()}
        yield block, assignments
        block = edges[0].dst if edges else None


@dataclass(frozen=True)
class Counted:
    """``for variable in range(begin, end, step)`` in DaCe's expressions; ``end`` is exclusive."""

    begin: Any
    end: Any
    step: Any


def counted(loop: LoopRegion) -> Counted | None:
    """The range of a loop with a constant stride whose variable nothing else changes; None for others."""
    if loop.inverted or not loop.loop_variable or loop.loop_variable in queries.assigned_symbols(loop):
        return None
    begin, last, step = compat.loop_range(loop)
    if begin is None or last is None or step is None or not sympy.sympify(step).is_Integer or step == 0:
        return None
    return Counted(begin, last + (1 if step > 0 else -1), step)


def is_index_range(loop: Counted, scope: Scope) -> bool:
    """Whether the bounds are index expressions that name no container."""
    names = {str(s) for value in (loop.begin, loop.end) for s in sympy.sympify(value).free_symbols}
    if names & set(scope.sdfg.arrays):
        return False
    try:
        for value in (loop.begin, loop.end, loop.step):
            convert(value, scope.environment)
    except Unsupported:
        return False
    return True


def exclusive_end(begin: Expr, last: Expr, step: Expr) -> Expr:
    """The exclusive end of DaCe's inclusive range."""
    if not step.is_number:
        return last + 1  # a symbolic step is positive
    return last + 1 if step > 0 else last - 1


def assignment(code: CodeBlock) -> tuple[str, str]:
    """Both sides of ``i = ...``. Raises Unsupported for any other statement."""
    statement = code.code[0]
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        raise Unsupported(f"the loop statement '{code.as_string}'")
    return statement.targets[0].id, ast.unparse(statement.value)


def assignment_value(code: CodeBlock) -> str:
    """The right side of ``i = ...``. Raises Unsupported for any other statement."""
    statement = code.code[0]
    if not isinstance(statement, ast.Assign):
        raise Unsupported(f"the loop statement '{code.as_string}'")
    return ast.unparse(statement.value)


def has_continue(loop: LoopRegion) -> bool:
    """Whether a ``continue`` of this loop may skip the rest of its body."""
    return any(isinstance(block, ContinueBlock) for block in loop.all_control_flow_blocks())
