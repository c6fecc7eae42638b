"""What turns store, and where; what makes them depend on each other."""

from __future__ import annotations

import pytest
from pass_graphs import graph, statements, variables

from dace_ipu.passes.turn_stores import At, Counts, stores_of

ARRAYS = variables(
    A="N", B="N", C="N, M", row="int32 N", n="int32 1", m="int64 1", f="float32 1", mask="bool_ N", flag="int8 N"
)


def counts(body: str) -> Counts | None:
    return stores_of(statements(body), "i", graph(ARRAYS))


def places(body: str) -> list[At]:
    found = counts(body)
    assert found is not None
    return [each.at for each in found.stores]


COMPACT = "if mask[i]:\n    k: int32 = n[0]\n    B[k] = A[i]\n    n[0] = k + 1"


def test_a_store_at_a_counter():
    found = counts(COMPACT)
    assert found is not None
    (store,) = found.stores
    assert (store.at, store.counter, store.offset, store.in_place) == (At.COUNT, "n", 0, False)
    assert found.advances["n"].is_one
    assert not found.is_late(store)


def test_a_store_behind_the_advance():
    found = counts("if mask[i]:\n    n[0] = n[0] + 1\n    k: int32 = n[0]\n    B[k - 1] = A[i]")
    assert found is not None
    assert [store.offset for store in found.stores] == [0]


def test_a_store_at_the_digits_of_a_counter():
    assert places("if mask[i]:\n    k: int32 = n[0]\n    C[floor(k / M), Mod(k, M)] = A[i]\n    n[0] = n[0] + 1") == [
        At.COUNT
    ]


def test_compaction_in_place():
    found = counts("if mask[i]:\n    k: int32 = n[0]\n    A[k] = A[i]\n    n[0] = n[0] + 1")
    assert found is not None
    assert found.stores[0].in_place


def test_stores_at_the_place_of_the_turn():
    found = counts("n[0] = n[0] + flag[i]\nB[i] = n[0] * 2")
    assert found is not None
    assert [store.at for store in found.stores] == [At.OWN]
    assert found.is_late(found.stores[0])
    assert not found.advances["n"].is_one


def test_stores_where_data_says():
    assert places("r: int32 = row[i]\nB[r] = A[i]\nC[i, 2] = A[i]") == [At.DATA, At.OWN]


@pytest.mark.parametrize(
    "body",
    [
        "if A[i] > n[0]:\n    n[0] = n[0] + 1\n    B[i] = 1",  # whether depends on the counter
        "if mask[i]:\n    k: int32 = n[0]\n    n[0] = n[0] + row[k]\n    B[i] = 1",  # and how far
        "f[0] = f[0] + A[i]\nB[i] = f[0]",  # floats
        "n[0] = n[0] + A[i]\nB[i] = n[0]",  # an integer that a float is added to
        "n[0] = n[0] * 2\nB[i] = n[0]",
        "n[0] = row[i]\nB[i] = A[i]",  # the last turn decides
        "B[i] = A[i]\nA[i + 1] = B[i]",  # what the turn before has stored
        "r: int32 = row[i]\nB[r] = B[r] + 1",
        "r: int32 = row[i]\nB[r] += A[i]",
        "if mask[i]:\n    k: int32 = n[0]\n    B[k] = A[i]\n    A[i] = B[i]\n    n[0] = n[0] + 1",
        "if mask[i]:\n    k: int32 = n[0]\n    A[k + 1] = A[i]\n    n[0] = n[0] + 1",  # overtakes
        "if mask[i]:\n    k: int32 = n[0]\n    A[k] = A[i + 1]\n    n[0] = n[0] + 1",
        "B[i] = 1\nB[i] = A[i]",  # two places
        "for k in range(0, 3):\n    n[0] = n[0] + 1\nB[i] = n[0]",
        "n[0] = n[0] - 1\nB[i] = n[0]",  # only additions are known
    ],
)
def test_turns_that_depend_on_each_other(body: str):
    assert counts(body) is None
