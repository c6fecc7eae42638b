"""SDFG files that name the IPU, read with and without this package."""

from __future__ import annotations

import dace
import pytest

from dace_ipu.registration import IPU_L1, IPU_Multicore

HOOK = "dace_ipu.loader.hook"

LOAD = """
import dace
sdfg = dace.SDFG.from_file('on_chip.sdfg')
print(sdfg.arrays['x'].storage.name, *(n.map.schedule.name for n in sdfg.nodes()[0].nodes() if hasattr(n, 'map')))
"""
UNPICKLE = """
import pickle, dace
print(pickle.load(open('on_chip.pickle', 'rb')).arrays['x'].storage.name)
"""


@pytest.fixture
def saved(tmp_path):
    """An SDFG with an array in IPU_L1 and a map scheduled IPU_Multicore, saved and pickled in the test's folder."""
    import pickle

    sdfg = dace.SDFG("on_chip")
    sdfg.add_array("x", [16], dace.float32, IPU_L1)
    sdfg.add_state("compute").add_mapped_tasklet(
        "set", {"i": "0:16"}, {}, "a = 1", {"a": dace.Memlet("x[i]")}, schedule=IPU_Multicore, external_edges=True
    )
    sdfg.save(str(tmp_path / "on_chip.sdfg"))
    (tmp_path / "on_chip.pickle").write_bytes(pickle.dumps(sdfg))


def test_dace_alone_loses_what_it_does_not_know(saved, run_python):
    """Not wanted, but DaCe's behaviour, which the README warns of. If this fails, the warning can go."""
    assert run_python(LOAD).stdout.split() == ["Undefined", "Undefined", "Undefined"]


def test_dace_alone_cannot_unpickle(saved, run_python):
    result = run_python(UNPICKLE, check=False)
    assert result.returncode != 0
    assert "AttributeError: IPU_L1" in result.stderr or "no attribute 'IPU_L1'" in result.stderr


def test_with_the_package_nothing_is_lost(saved, run_python):
    assert run_python("import dace_ipu\n" + LOAD).stdout.split() == ["IPU_L1", "IPU_Multicore", "IPU_Multicore"]


def test_the_call_hook_makes_dace_import_the_package(saved, run_python):
    assert run_python(LOAD, DACE_call_hooks=HOOK).stdout.split() == ["IPU_L1", "IPU_Multicore", "IPU_Multicore"]
    assert run_python(UNPICKLE, DACE_call_hooks=HOOK).stdout.split() == ["IPU_L1"]


def test_the_call_hook_is_harmless_when_the_package_is_imported_first(run_python):
    code = "import dace_ipu, dace; print(dace.DeviceType.IPU.name)"
    result = run_python(code, DACE_call_hooks=HOOK, PYTHONWARNINGS="error::UserWarning")
    assert result.stdout.split() == ["IPU"]


def test_a_program_runs_with_the_call_hook(run_python):
    code = """
import dace, numpy as np
sdfg = dace.SDFG('one')
sdfg.add_array('x', [4], dace.float32)
sdfg.add_state().add_mapped_tasklet('set', {'i': '0:4'}, {}, 'a = 1', {'a': dace.Memlet('x[i]')}, external_edges=True)
x = np.zeros(4, np.float32)
sdfg(x=x)
print(x.sum())
"""
    assert run_python(code, DACE_call_hooks=HOOK).stdout.split()[-1] == "4.0"
