"""``auto_optimize`` for the IPU reaches this package's pipeline, for everything else DaCe's."""

from __future__ import annotations

import sys
import types

import dace
import pytest
from dace.transformation.auto import auto_optimize as dace_auto_optimize

from dace_ipu import auto_optimize

N = dace.symbol("N")


@pytest.fixture
def pipeline_calls(monkeypatch):
    """The calls of the pipeline, which is replaced by one that does nothing."""
    calls = []

    def recorder(sdfg, **options):
        calls.append((sdfg.name, options))
        return sdfg

    package = types.ModuleType("dace_ipu.transformations")
    package.pipeline = types.SimpleNamespace(auto_optimize=recorder)
    monkeypatch.setitem(sys.modules, "dace_ipu.transformations", package)
    return calls


def empty(name="empty") -> dace.SDFG:
    sdfg = dace.SDFG(name)
    sdfg.add_state("main")
    return sdfg


def test_sdfg_method(pipeline_calls):
    empty().auto_optimize(dace.DeviceType.IPU, validate=False, symbols={"N": 4})
    assert pipeline_calls == [("empty", {"validate": False, "validate_all": False, "symbols": {"N": 4}})]


def test_function_returns_the_sdfg(pipeline_calls):
    sdfg = empty()
    assert dace_auto_optimize.auto_optimize(sdfg, device=dace.DeviceType.IPU) is sdfg
    assert pipeline_calls == [("empty", {})]


def test_decorated_program(pipeline_calls):
    @dace.program(device=dace.DeviceType.IPU, auto_optimize=True)
    def doubled(x: dace.float32[N]):
        x[:] = x + x

    doubled.auto_optimize(doubled.f and empty("doubled"), symbols={"N": 8})
    assert pipeline_calls == [("doubled", {"symbols": {"N": 8}})]


def test_other_devices_go_to_dace(pipeline_calls):
    sdfg = empty()
    assert dace_auto_optimize.auto_optimize(sdfg, dace.DeviceType.CPU) is sdfg
    assert pipeline_calls == []


def test_gpu_storage_is_refused(pipeline_calls):
    with pytest.raises(ValueError, match="cannot use GPU storage"):
        empty().auto_optimize(dace.DeviceType.IPU, use_gpu_storage=True)
    assert pipeline_calls == []


def test_installing_twice_calls_once(pipeline_calls):
    auto_optimize.install()
    auto_optimize.install()
    empty().auto_optimize(dace.DeviceType.IPU)
    assert len(pipeline_calls) == 1


def test_the_wrapper_looks_like_the_original():
    original = dace_auto_optimize.auto_optimize.__dace_ipu_original__
    assert dace_auto_optimize.auto_optimize.__doc__ == original.__doc__
    assert dace_auto_optimize.auto_optimize.__name__ == "auto_optimize"
