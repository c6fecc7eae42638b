"""Names that C++ does not allow, or that generated text uses itself, become others; distinct ones stay distinct."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dace_ipu.targets.poplar.names import CODELET_NAMES, HOST_NAMES, Names

FRESH = {
    "A": "A",
    "graph": "graph_2",
    "int": "int_2",
    "worker": "worker",
    "Copy": "Copy_2",
    "std": "std_2",
    "A-B": "A_B",
    "map sum [i, j]": "map_sum_i_j",
    "__tmp0": "tmp0",
    "_X": "X",
    "a__b": "a_b",
    "2D": "n2D",
    "": "unnamed",
    "-+-": "unnamed",
    "α": "alpha",
    "Größe": "Grose",
    "x²": "x2",
    "I": "I_2",
    "main": "main_2",
    "linux": "linux_2",
    "FLOAT": "FLOAT_2",
    "size_t": "size_t_2",
}


@pytest.mark.parametrize(("hint", "expected"), FRESH.items())
def test_host_name(hint: str, expected: str) -> None:
    assert Names(HOST_NAMES).fresh(hint) == expected


@pytest.mark.parametrize("hint", ["worker", "share", "half", "poplar", "Vector", "compute", "min", "load", "class"])
def test_codelet_name(hint: str) -> None:
    assert Names(CODELET_NAMES).fresh(hint) == f"{hint}_2"


def test_equal_hints_are_numbered() -> None:
    names = Names(())
    assert [names.fresh(hint) for hint in ("A", "A", "A_2", "A", "A-")] == ["A", "A_2", "A_2_2", "A_3", "A_4"]


def test_inner_scope_knows_the_outer_one_only() -> None:
    outer = Names(())
    outer.fresh("A")
    assert outer.inner().fresh("A") == "A_2"
    assert outer.fresh("B") == "B"
    assert outer.inner().fresh("C") == outer.fresh("C") == "C"


@given(st.lists(st.text(max_size=12), max_size=12))
def test_any_text_gives_distinct_identifiers(hints: list[str]) -> None:
    names = Names(CODELET_NAMES)
    fresh = [names.fresh(hint) for hint in hints]
    assert len(set(fresh)) == len(fresh)
    for name in fresh:
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name)
        assert "__" not in name and name not in CODELET_NAMES
