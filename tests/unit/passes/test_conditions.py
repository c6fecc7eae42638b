"""Conditions are taken apart and joined without changing what they mean."""

from __future__ import annotations

import ast
import itertools

import pytest

from dace_ipu.passes.conditions import all_of, conjuncts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a", ["a"]),
        ("a and b", ["a", "b"]),
        ("a and (b and 0 <= c < 2)", ["a", "b", "0 <= c", "c < 2"]),
        ("a or b", ["a or b"]),
        ("(a or b) and c", ["a or b", "c"]),
        ("a if b else c", ["a if b else c"]),
        ("not (a and b)", ["not (a and b)"]),
    ],
)
def test_together_the_parts_are_the_condition(text: str, parts: list[str]) -> None:
    assert [ast.unparse(part) for part in conjuncts(text)] == parts
    for joined in (all_of(parts), all_of(conjuncts(text))):
        for a, b, c in itertools.product((0, 1), repeat=3):
            assert bool(eval(joined)) == bool(eval(text)), (a, b, c)


def test_several_conditions_are_joined() -> None:
    assert all_of(["0 <= i", "i < 3 or j"]) == "0 <= i and (i < 3 or j)"
