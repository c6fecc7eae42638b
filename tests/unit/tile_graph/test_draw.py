"""The dependences as a networkx graph."""

from __future__ import annotations

from dataclasses import replace

import networkx
import pytest
import sympy

from dace_ipu.tile_graph.body import Access, Code, Op, Reduction, Store, symbol
from dace_ipu.tile_graph.nodes import Combine, Copy, Dimension, MapStep, Range, Repeat, Slice

ALL = (Range(sympy.Integer(0), symbol("N")),)


def edges(graph):
    return [(a, b, label) for a, b, label in graph.to_networkx().edges(data="label")]


def test_a_program_is_a_chain_of_steps_and_variables(jacobi_vertices):
    drawn = jacobi_vertices.to_networkx()
    assert networkx.is_directed_acyclic_graph(drawn) is False  # B is written twice, the copy in comes first
    assert networkx.shortest_path(drawn, "host A", "host B") == [
        "host A", "0: copy in", "A", "2: jacobi", "B", "3: copy out", "host B",
    ]  # fmt: skip
    assert {kind for _, kind in drawn.nodes(data="kind")} == {"host", "variable", "step"}


def test_edges_of_vertices_have_the_slices_of_their_fields(jacobi_vertices):
    assert ("A", "2: jacobi", "A[i_begin:i_begin + i_size + 2]") in edges(jacobi_vertices)
    assert ("2: jacobi", "B", "B[i_begin + 1:i_begin + i_size + 1]") in edges(jacobi_vertices)


def test_edges_of_maps_have_each_access_once(jacobi_maps):
    found = [edge for edge in edges(jacobi_maps) if "2: jacobi" in edge]
    reads = [("A", "2: jacobi", f"A[{index}]") for index in ("i", "i + 1", "i + 2")]
    assert found == [*reads, ("2: jacobi", "B", "B[i + 1]")]


def test_a_reduction_reads_what_it_writes(jacobi_maps):
    store = Store(Access("B", (sympy.Integer(0),)), Code("1"), Reduction(Op.SUM))
    graph = replace(jacobi_maps, steps=(MapStep("count", (Dimension("i", symbol("N")),), (store,)),))
    assert edges(graph) == [("B", "0: count", "B[0]"), ("0: count", "B", "B[0]")]


def test_steps_know_the_repeats_around_them(jacobi_maps):
    copy = Copy(Slice("A", ALL), Slice("B", ALL))
    combine = Combine("A", Slice("B", ALL), Reduction(Op.SUM))
    graph = replace(jacobi_maps, steps=(copy, Repeat(sympy.Integer(3), (copy, Repeat(sympy.Integer(2), (combine,))))))
    repeats = {node: r for node, r in graph.to_networkx().nodes(data="repeats") if r is not None}
    assert repeats == {"0: copy": (), "1: copy": (1,), "2: combine": (1, 1)}
    assert [edge[:2] for edge in edges(graph) if "2: combine" in edge] == [
        ("A", "2: combine"), ("B", "2: combine"), ("2: combine", "B"),
    ]  # fmt: skip


def test_drawing_twice_gives_the_same(jacobi_vertices):
    assert edges(jacobi_vertices) == edges(jacobi_vertices)
    assert pytest.approx(len(edges(jacobi_vertices))) == 8
