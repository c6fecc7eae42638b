"""Every program of the catalogue, compiled and run on the simulator and in the interpreter of the tile graph, against
NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dace_ipu
from dace_ipu import passes
from dace_ipu.lowering import HOST_VALUE_SUFFIX, lower
from dace_ipu.tile_graph import interpreter
from dace_ipu.transformations.checks import device_scopes
from tests.programs import (  # noqa: F401  register their cases
    carried_loops,
    control_flow,
    element_loops,
    irregular,
    linear_algebra,
    pairs,
    products,
)
from tests.programs.catalogue import CASES, Case, oracle

Arguments = dict[str, Any]

# DaCe warns about maps over nothing, which users may write all the same.
pytestmark = [
    pytest.mark.filterwarnings("ignore:The iteration range of Map:UserWarning"),
    pytest.mark.filterwarnings("ignore:Using sets for connectors:UserWarning"),  # by its einsum
    pytest.mark.filterwarnings("ignore:Dimensionality mismatch between src/dst subsets:UserWarning"),  # its reshape
]


def fresh(case: Case, seed: int) -> Arguments:
    """Arguments of a case; arrays are copies that the program may change."""
    return case.arguments(np.random.default_rng(seed))


def expected(case: Case, seed: int) -> tuple[Arguments, list[np.ndarray[Any, Any]]]:
    """The arguments after a call, and what the program returns, in NumPy."""
    arguments = fresh(case, seed)
    returned = oracle(case, arguments)
    results = returned if isinstance(returned, tuple) else () if returned is None else (returned,)
    return arguments, [np.asarray(result) for result in results]


def compare(got: Any, want: np.ndarray[Any, Any]) -> None:
    """Equal up to the rounding of the type; integers exactly."""
    rtol = {"e": 4e-3, "f": 2e-5, "F": 2e-5, "d": 1e-5}.get(want.dtype.char, 0)
    np.testing.assert_allclose(np.squeeze(got), np.squeeze(want), rtol=rtol, atol=rtol)


def check(case: Case, seed: int, arguments: Arguments, returned: Any) -> None:
    after, results = expected(case, seed)
    for name, want in after.items():
        if isinstance(want, np.ndarray):
            compare(arguments[name], want)
    for got, want in zip(returned if isinstance(returned, (tuple, list)) else [returned], results, strict=False):
        compare(got, want)


@pytest.mark.parametrize("name", sorted(CASES))
def test_on_the_simulator(name: str) -> None:
    """Called twice with fresh data: what one call leaves behind must not show in the next."""
    case = CASES[name]
    program = dace_ipu.to_ipu(case.program.to_sdfg(), float64=case.float64).compile()
    for seed in (0, 1):
        arguments = fresh(case, seed)
        returned = program(**arguments, **case.symbols, **_closure(case))
        check(case, seed, arguments, returned)


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("name", sorted(CASES))
def test_in_the_interpreter(name: str, level: int) -> None:
    """The tile graph means the same before and after the passes."""
    case = CASES[name]
    sdfg = dace_ipu.to_ipu(case.program.to_sdfg(), float64=case.float64)
    (scope,) = device_scopes(sdfg)
    graph = lower(scope, sdfg.name)
    graph = passes.run(graph) if level == 2 else graph
    arguments = fresh(case, 0)
    given = {**arguments, **case.symbols, **_closure(case)}
    arrays = {host.name: _host(given.get(host.name), host, case) for host in graph.hosts}
    symbols = {name: int(given[name.removesuffix(HOST_VALUE_SUFFIX)]) for name, _ in graph.symbols}
    interpreter.run(graph, symbols, arrays, tiles=7)
    returned = [array for name, array in sorted(arrays.items()) if name.startswith("__return")]
    check(case, 0, arguments, returned or None)


def _host(value: Any, host: Any, case: Case) -> np.ndarray[Any, Any]:
    if value is None:
        return np.zeros([int(size.subs(case.symbols)) for size in host.shape], host.dtype)
    return value if isinstance(value, np.ndarray) else np.array([value], host.dtype)


def _closure(case: Case) -> Arguments:
    """Global arrays that a program uses are arguments of its SDFG."""
    names = [name for name in case.program.to_sdfg().arglist() if name.startswith("__g_")]
    return {name: case.program.f.__globals__[name.removeprefix("__g_")].copy() for name in names}
