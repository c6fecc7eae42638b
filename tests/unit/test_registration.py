"""What ``import dace_ipu`` does to DaCe: members, tables, wrapped functions; and that it can be repeated."""

from __future__ import annotations

import copy
import importlib
import pickle

import dace
import pytest
from dace import DeviceType, InstrumentationType, ScheduleType, StorageType, dtypes
from dace.codegen.target import TargetCodeGenerator
from dace.sdfg import infer_types

import dace_ipu
from dace_ipu import compat, registration
from dace_ipu.registration import IPU_L1, IPU_Device, IPU_Global, IPU_Multicore

MEMBERS = [
    (StorageType, "IPU_L1"),
    (StorageType, "IPU_Global"),
    (ScheduleType, "IPU_Device"),
    (ScheduleType, "IPU_Multicore"),
    (DeviceType, "IPU"),
    (InstrumentationType, "IPU_Cycles"),
]


def doubling(storage=IPU_L1, schedule=ScheduleType.Default) -> dace.SDFG:
    """A map over 16 elements of ``storage`` with a nested map over 2 and a temporary between two tasklets."""
    sdfg = dace.SDFG("doubling")
    sdfg.add_array("x", [16], dace.float32, storage)
    sdfg.add_array("y", [16], dace.float32, storage)
    sdfg.add_transient("t", [1], dace.float32)
    state = sdfg.add_state("compute")
    outer_in, outer_out = state.add_map("outer", {"i": "0:8"}, schedule)
    inner_in, inner_out = state.add_map("inner", {"j": "0:2"})
    first = state.add_tasklet("first", {"a"}, {"b"}, "b = a + a")
    second = state.add_tasklet("second", {"a"}, {"b"}, "b = a")
    at = dace.Memlet("x[2*i + j]")
    state.add_memlet_path(state.add_read("x"), outer_in, inner_in, first, dst_conn="a", memlet=at)
    between = state.add_access("t")
    state.add_edge(first, "b", between, None, dace.Memlet("t[0]"))
    state.add_edge(between, None, second, "a", dace.Memlet("t[0]"))
    out = dace.Memlet("y[2*i + j]")
    state.add_memlet_path(second, inner_out, outer_out, state.add_write("y"), src_conn="b", memlet=out)
    return sdfg


def schedules(sdfg: dace.SDFG) -> dict[str, ScheduleType]:
    """The schedule of each map, by its label."""
    nodes = [node for node, _ in sdfg.all_nodes_recursive()]
    return {node.map.label: node.map.schedule for node in nodes if isinstance(node, dace.nodes.MapEntry)}


@pytest.fixture
def reloaded():
    """Registration done a second time; afterwards the original functions are installed once more."""
    for module in (registration, dace_ipu.auto_optimize, dace_ipu.hooks, dace_ipu.instrumentation, dace_ipu):
        importlib.reload(module)


@pytest.mark.parametrize("enum, name", MEMBERS)
def test_members_are_known_by_name_and_value(enum, name):
    member = enum[name]
    assert getattr(enum, name) is member
    assert enum(member.value) is member
    assert member in list(enum)


@pytest.mark.parametrize("enum, name", MEMBERS)
def test_members_keep_their_identity_through_copies_and_pickles(enum, name):
    member = enum[name]
    assert copy.deepcopy(member) is member
    assert pickle.loads(pickle.dumps(member)) is member


def test_members_keep_their_identity_when_reloaded():
    before = [enum[name] for enum, name in MEMBERS]
    importlib.reload(registration)
    assert all(enum[name] is member for (enum, name), member in zip(MEMBERS, before, strict=True))
    assert registration.IPU_L1 is IPU_L1


def test_a_second_registration_of_a_member_returns_the_first():
    count = len(list(StorageType))
    assert compat.register_member(StorageType, "IPU_L1") is IPU_L1
    assert len(list(StorageType)) == count


def test_reload_leaves_one_wrapper_around_the_original(reloaded):
    from dace.transformation.auto import auto_optimize

    for function in (dtypes.can_access, auto_optimize.auto_optimize):
        original = function.__dace_ipu_original__
        assert not hasattr(original, "__dace_ipu_original__")
        assert original.__module__.startswith("dace.")


def test_reload_leaves_one_hook_and_one_extension_of_each_kind(reloaded):
    hooks = [getattr(hook, "__dace_ipu_hook__", None) for hook in dace.hooks._COMPILED_SDFG_CALL_HOOKS]
    assert hooks.count("raise_recorded_error") == 1
    types = [parameters["type"] for parameters in compat.InstrumentationProvider.extensions().values()]
    assert types.count(registration.IPU_Cycles) == 1
    targets = [parameters["name"] for parameters in TargetCodeGenerator.extensions().values()]
    assert len(targets) == len(set(targets))


def test_a_newer_extension_replaces_the_one_with_the_same_parameters():
    class Base:
        pass

    dace.registry.make_registry(Base)
    old, new, other = (type(name, (Base,), {}) for name in ("Old", "New", "Other"))
    compat.register_extension(Base, old, name="ipu")
    compat.register_extension(Base, other, name="other")
    compat.register_extension(Base, new, name="ipu")
    assert Base.extensions() == {other: {"name": "other"}, new: {"name": "ipu"}}


def test_threads_may_import_the_package_at_the_same_time(run_python):
    code = """
import threading, importlib
results = []
def load():
    import dace_ipu
    results.append(dace_ipu.registration.IPU_L1)
threads = [threading.Thread(target=load) for _ in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
assert len(results) == 8 and len(set(map(id, results))) == 1, results
"""
    run_python(code)


def test_default_tables_in_both_directions():
    assert dtypes.SCOPEDEFAULT_STORAGE[IPU_Device] == IPU_L1
    assert dtypes.SCOPEDEFAULT_STORAGE[IPU_Multicore] == StorageType.Register
    assert dtypes.SCOPEDEFAULT_SCHEDULE[IPU_Device] == IPU_Multicore
    assert dtypes.SCOPEDEFAULT_SCHEDULE[IPU_Multicore] == ScheduleType.Sequential
    assert dtypes.STORAGEDEFAULT_SCHEDULE[IPU_L1] == IPU_Multicore
    assert dtypes.STORAGEDEFAULT_SCHEDULE[IPU_Global] == IPU_Device


def test_dace_infers_schedules_and_storages_from_the_tables():
    sdfg = doubling()
    infer_types.set_default_schedule_and_storage_types(sdfg, None)
    assert schedules(sdfg) == {"outer": IPU_Multicore, "inner": ScheduleType.Sequential}
    assert sdfg.arrays["t"].storage == StorageType.Register


def test_maps_in_a_device_scope_become_compute_sets():
    sdfg = doubling(schedule=IPU_Device)
    infer_types.set_default_schedule_and_storage_types(sdfg, None)
    assert schedules(sdfg) == {"outer": IPU_Device, "inner": IPU_Multicore}


def test_sdfg_survives_saving_and_loading(tmp_path):
    sdfg = doubling(schedule=IPU_Multicore)
    sdfg.save(str(tmp_path / "doubling.sdfg"))
    loaded = dace.SDFG.from_file(str(tmp_path / "doubling.sdfg"))
    assert loaded.arrays["x"].storage is IPU_L1
    assert loaded.hash_sdfg() == sdfg.hash_sdfg()
    assert pickle.loads(pickle.dumps(sdfg)).arrays["x"].storage is IPU_L1


@pytest.mark.parametrize(
    "schedule, storage, expected",
    [
        (IPU_Device, IPU_L1, True),
        (IPU_Device, IPU_Global, True),
        (IPU_Device, StorageType.CPU_Heap, False),
        (IPU_Device, StorageType.GPU_Global, False),
        (IPU_Device, StorageType.Register, True),
        (IPU_Multicore, IPU_L1, True),
        (IPU_Multicore, IPU_Global, False),
        (IPU_Multicore, StorageType.CPU_Heap, False),
        (IPU_Multicore, StorageType.Register, True),
        (ScheduleType.Default, IPU_L1, True),
        (ScheduleType.CPU_Multicore, IPU_L1, False),
        (ScheduleType.GPU_Device, IPU_L1, False),
    ],
)
def test_can_access(schedule, storage, expected):
    assert dtypes.can_access(schedule, storage) is expected


def test_can_access_of_a_sequential_scope_stays_undefined():
    with pytest.raises(ValueError, match="Not well defined"):
        dtypes.can_access(ScheduleType.Sequential, IPU_L1)


def test_can_access_answers_as_before_where_no_ipu_is_involved():
    original = dtypes.can_access.__dace_ipu_original__
    for schedule in set(ScheduleType) - {IPU_Device, IPU_Multicore, ScheduleType.Sequential}:
        for storage in set(StorageType) - {IPU_L1, IPU_Global}:
            assert dtypes.can_access(schedule, storage) == original(schedule, storage)


def test_operands_of_library_nodes_count_as_on_one_device():
    from dace.libraries.blas import blas_helpers

    on_chip = dace.data.Array(dace.float32, [4], storage=IPU_L1)
    blas_helpers.check_one_device(on_chip, on_chip)


def test_the_module_reports_unknown_names():
    with pytest.raises(AttributeError, match="no attribute 'OffloadToGPU'"):
        _ = dace_ipu.OffloadToGPU
