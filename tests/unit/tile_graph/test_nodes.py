"""Nodes that cannot be made, and how graphs find their parts."""

from __future__ import annotations

import pytest
import sympy

from dace_ipu.tile_graph.body import Break, Code, For, If, Op, Reduction, While, symbol, walk
from dace_ipu.tile_graph.nodes import Range


def test_a_range_has_a_step():
    with pytest.raises(ValueError, match="a range has a step"):
        Range(sympy.Integer(0), sympy.Integer(1), 0)


@pytest.mark.parametrize(("op", "code"), [(Op.SUM, "old + new"), (Op.CUSTOM, "")])
def test_only_custom_reductions_have_code(op, code):
    with pytest.raises(ValueError, match="a custom reduction, and only that, has code"):
        Reduction(op, code)


def test_symbols_of_one_name_are_one_symbol():
    assert symbol("N") == symbol("N")
    assert symbol("N") != sympy.Symbol("N")


def test_walk_goes_outer_before_inner():
    zero = sympy.Integer(0)
    choice = If(Code("1"), (Break(),), (While(Code("0"), ()),))
    loop = For("i", zero, zero, zero, (choice,))
    assert list(walk((loop, Break()))) == [loop, choice, choice.then[0], choice.orelse[0], Break()]


def test_graphs_find_their_parts_by_name(jacobi_vertices):
    assert jacobi_vertices.variable("B") is jacobi_vertices.variables[1]
    assert jacobi_vertices.partition("jacobi_blocks") is jacobi_vertices.partitions[0]
    with pytest.raises(KeyError, match="C"):
        jacobi_vertices.variable("C")
