import pytest
import sympy

from dace_ipu.passes.domain import Domain
from dace_ipu.passes.footprints import Interval, sites

BLOCK = {"i": ("b", "s")}


@pytest.fixture
def footprint(program):
    """The box of the only access to A in a map over ``i`` in one block of size s at b."""

    def of(text: str, shape: str = "N", extent: str = "N"):
        graph = program(f"i: {extent}", text, A=("float32", shape), B=("float32", "N"), index=("int32", "N"))
        domain = Domain(graph, graph.steps[0])
        (site,) = (site for site in domain.sites if site.access.data == "A")
        return tuple(
            f"{at.low}..{at.high}" + (f" by {at.step}" if at.step > 1 else "")
            for at in domain.block(BLOCK).clamped(site, domain.shape("A"))
        )

    return of


@pytest.mark.parametrize(
    ("at", "box"),
    [
        ("i", "b..b + s - 1"),
        ("i + 1", "b + 1..b + s"),
        ("N - 1 - i", "N - b - s..N - b - 1"),
        ("2*i + 1", "2*b + 1..2*b + 2*s - 1 by 2"),
        ("-2*i + 2*N", "2*N - 2*b - 2*s + 2..2*N - 2*b"),
        ("floor(i/4)", "floor(b/4)..floor(b/4 + s/4 - 1/4)"),
        ("Mod(i, 3)", "0..2"),
        ("Max(i - 1, 0)", "Max(0, b - 1)..Max(0, b + s - 2)"),
        ("Min(i + 1, N - 1)", "Min(N - 1, b + 1)..Min(N - 1, b + s)"),
        ("3", "3..3"),
        ("K", "K..K"),
        ("i*i", "b**2..b**2 + 2*b*s - 2*b + s**2 - 2*s + 1"),
        ("(i - 3)*(i - 3)", "0..N - 1"),  # neither rises nor falls: not understood
    ],
)
def test_an_unconditional_access_touches_what_its_index_says(footprint, at, box):
    assert footprint(f"B[i] = A[{at}]") == (box,)


@pytest.mark.parametrize(
    ("loop", "box"),
    [
        ("range(0, 4)", "b..b + s + 2"),
        ("range(3, -1, -1)", "b..b + s + 2"),
        ("range(0, 8, 3)", "b..b + s + 5"),
        ("range(0, i)", "b..2*b + 2*s - 3"),
    ],
)
def test_inner_loops_are_eliminated(footprint, loop, box):
    assert footprint(f"for k in {loop}: B[i] = A[i + k]", shape="2*N + 9") == (box,)


def test_a_flattened_index_is_bounded(footprint):
    assert footprint("for k in range(0, M): B[i] = A[i*M + k]", shape="N*M") == ("M*b..M*b + M*s - 1",)


def test_a_tile_that_may_be_cut_off(footprint):
    box = footprint("for k in range(4*i, Min(N, 4*i + 4)): B[i] = A[k]", extent="floor((N + 3)/4)")
    assert box == ("4*b..Min(N, 4*b + 4*s) - 1",)


def test_an_index_from_data_may_be_anywhere(footprint):
    assert footprint("at: int32 = index[i]\nB[i] = A[at + 1]") == ("0..N - 1",)


@pytest.mark.parametrize(
    ("text", "box"),
    [
        ("if i > 0: B[i] = A[i - 1]", "Max(0, b - 1)..b + s - 2"),
        ("if i < N - 1: B[i] = A[i + 1]", "b + 1..Min(N - 1, b + s)"),
        ("if i > 0: B[i] = A[i]", "b..b + s - 1"),
    ],
)
def test_a_guarded_access_stays_inside_the_array(footprint, text, box):
    assert footprint(text) == (box,)


def test_a_range_that_may_be_empty_has_no_negative_slice(footprint):
    assert footprint("for k in range(0, K): B[i] = A[k]") == ("0..N - 1",)  # K may be negative, A is there in any case


def test_sites_know_their_order_their_loops_and_their_guards(body):
    found = sites(body("if A[0] > 0:\n  for k in range(0, 3): B[k] = A[k]\nC[0] += 1"))
    assert [site.access.data for site in found] == ["A", "A", "B", "C"]
    assert [site.guarded for site in found] == [False, True, True, False]
    assert [len(site.loops) for site in found] == [0, 1, 1, 0]
    assert [site.writes for site in found] == [False, False, True, True]
    assert [site.position for site in found] == [0, 1, 2, 3]


def test_what_comes_with_a_break_may_be_skipped(body):
    assert all(site.guarded for site in sites(body("for k in range(0, 3):\n  if A[k] > 1: break\n  B[k] = 1")))


def test_arrays_of_the_body_are_no_sites(body):
    assert [site.access.data for site in sites(body("t: float32[8]\nt[0] = A[0]\nB[0] = t[0]"))] == ["A", "B"]


def test_intervals_become_half_open_ranges():
    made = Interval(sympy.Integer(2), sympy.Integer(8), 3).to_range()
    assert (made.begin, made.end, made.step) == (2, 9, 3)
