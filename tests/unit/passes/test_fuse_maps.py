import dataclasses

import pytest

from dace_ipu.passes.fuse_maps import LONGEST, FuseMaps
from dace_ipu.tile_graph.body import walk
from dace_ipu.tile_graph.nodes import Copy, MapStep, Range, Repeat, Slice

ARRAYS = dict.fromkeys("ABC", ("float32", "N, M")) | dict.fromkeys("xyz", ("float32", "N"))


@pytest.fixture
def fused(program):
    """The steps after fusing two maps, each a domain and a body."""

    def fuse(*maps: tuple[str, str], between=()):
        graphs = [program(domain, text, **ARRAYS, s=("float32", "1")) for domain, text in maps]
        steps = [dataclasses.replace(graph.steps[0], name=f"m{n}") for n, graph in enumerate(graphs)]
        return FuseMaps().apply(dataclasses.replace(graphs[0], steps=(steps[0], *between, *steps[1:]))).steps

    return fuse


def test_an_initialisation_joins_the_reduction_that_follows(fused, lines):
    (step,) = fused(("i: N, j: M", "C[i, j] = 0"), ("p: N, q: M, k: M", "C[p, q] += A[p, k]"))
    assert step.name == "m1"
    assert [dimension.name for dimension in step.domain] == ["i", "j"]
    assert lines(step.body) == "C[i, j] = 0 for k in 0:M { C[i, j] += A[i, k] }"


def test_scalars_and_loops_of_the_second_get_names_of_their_own(fused, lines):
    text = "t: float32 = x[i]\nfor k in range(0, 3):\n  y[i] += t"
    (step,) = fused(("i: N", text), ("i: N", text))
    assert lines(step.body) == (
        "float32 t = x[i] for k in 0:3 { y[i] += t } float32 t_2 = x[i] for k_2 in 0:3 { y[i] += t_2 }"
    )


def test_chains_become_one_map(fused):
    assert len(fused(("i: N", "y[i] = x[i]"), ("j: N", "z[j] = y[j]"), ("k: N", "y[k] = z[k] + y[k]"))) == 1


def test_a_product_joins_its_sum(fused):
    assert len(fused(("i: N", "y[i] = x[i] * z[i]"), ("j: N", "s[0] += y[j]"))) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("i: N", "y[i] = x[i]"), ("i: M", "z[i] = x[i]")),  # other extents
        (("i: N - 1", "y[i] = x[i]"), ("i: N - 1", "z[i] = y[i + 1]")),  # reads what another iteration writes
        (("i: N - 1", "z[i] = y[i + 1]"), ("i: N - 1", "y[i] = x[i]")),  # writes what another iteration reads
        (("i: N", "y[i] = x[i]"), ("i: N, j: M", "C[i, j] = y[i]")),  # the second is divided along j too
        (("i: N", "s[0] += x[i]"), ("i: N", "y[i] = s[0]")),  # needs the whole sum
        (("i: N", "y[i] = x[i]"), ("i: N", "y[N - 1 - i] = x[i]")),  # the last write counts
    ],
)
def test_maps_that_depend_on_each_other_stay_apart(fused, first, second):
    assert [step.name for step in fused(first, second)] == ["m0", "m1"]


def test_what_stands_between_keeps_maps_apart(fused, index):
    whole = (Range(index("0"), index("N")),)
    copy = Copy(Slice("x", whole), Slice("z", whole))
    assert len(fused(("i: N", "y[i] = x[i]"), ("i: N", "y[i] = z[i]"), between=(copy,))) == 3


def test_maps_in_a_loop_are_fused(program, index):
    graph = program("i: N", "y[i] = x[i]", **ARRAYS)
    step = graph.steps[0]
    graph = dataclasses.replace(graph, steps=(Repeat(index("K"), (step, dataclasses.replace(step, name="again"))),))
    (loop,) = FuseMaps().apply(graph).steps
    assert isinstance(loop, Repeat)
    assert len(loop.body) == 1


def test_a_codelet_stays_readable(fused):
    text = "\n".join(f"y[i] = y[i] + {n}" for n in range(LONGEST - 1))
    steps = fused(("i: N", text), ("i: N", "y[i] = 1"), ("i: N", "y[i] = 2"))
    assert [sum(1 for _ in walk(step.body)) for step in steps if isinstance(step, MapStep)] == [LONGEST, 1]


@pytest.mark.parametrize(("second", "steps"), [("w", 2), ("x", 1), ("few", 2)])
def test_arrays_of_which_data_chooses_elements_are_fetched_one_at_a_time(program, second, steps):
    arrays = dict.fromkeys("wxyz", ("float32", "N")) | {"few": ("float32", "8"), "at": ("int32", "N")}
    bodies = ("a: int32 = at[i]\ny[i] = x[a]", f"b: int32 = at[i]\nz[i] = {second}[b]")
    graphs = [program("i: N", text, **arrays) for text in bodies]
    both = tuple(dataclasses.replace(graph.steps[0], name=f"m{n}") for n, graph in enumerate(graphs))
    assert len(FuseMaps().apply(dataclasses.replace(graphs[0], steps=both)).steps) == steps


def test_small_tables_are_fetched_together(program):
    arrays = dict.fromkeys("vw", ("float32", "8")) | dict.fromkeys("yz", ("float32", "N")) | {"at": ("int32", "N")}
    bodies = ("a: int32 = at[i]\ny[i] = v[a]", "b: int32 = at[i]\nz[i] = w[b]")
    graphs = [program("i: N", text, **arrays) for text in bodies]
    both = tuple(dataclasses.replace(graph.steps[0], name=f"m{n}") for n, graph in enumerate(graphs))
    assert len(FuseMaps().apply(dataclasses.replace(graphs[0], steps=both)).steps) == 1


def test_slices_that_a_scalar_of_the_device_chooses_are_no_reason_to_stay_alone(program):
    arrays = dict.fromkeys("vwyz", ("float32", "N")) | {"t": ("int32", "1")}
    bodies = ("t_value: int32 = t[0]\ny[i] = v[t_value]", "t_value: int32 = t[0]\nz[i] = w[t_value]")
    graphs = [program("i: N", text, **arrays) for text in bodies]
    steps = []
    for graph in graphs:
        (scalar, *rest), (step,) = graph.steps[0].body, graph.steps
        fixed = dataclasses.replace(scalar, constant=True)
        steps.append(dataclasses.replace(step, name=f"m{len(steps)}", body=(fixed, *rest)))
    assert len(FuseMaps().apply(dataclasses.replace(graphs[0], steps=tuple(steps))).steps) == 1
