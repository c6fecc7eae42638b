"""What DaCe learns about the IPU: storages, schedules, the device, an instrumentation type, and their defaults.

| member                           | meaning                                                          |
|----------------------------------|------------------------------------------------------------------|
| ``StorageType.IPU_L1``           | a tensor spread over the tiles' SRAM                             |
| ``StorageType.IPU_Global``       | a buffer in the DRAM beside the chip (Streaming Memory)          |
| ``ScheduleType.IPU_Device``      | one device program, started by one run of the engine             |
| ``ScheduleType.IPU_Multicore``   | one compute set: the iterations are dealt out to the tiles       |
| ``DeviceType.IPU``               | the device of ``@dace.program(device=...)``                      |
| ``InstrumentationType.IPU_Cycles`` | cycles of each compute set in DaCe's report                    |

Importing this module registers them. It may be imported, reloaded, and imported from several threads: members keep
their identity. DaCe does not re-export new members: write ``dace.StorageType.IPU_L1``, not ``dace.IPU_L1``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from dace import dtypes

from dace_ipu import compat

__all__ = [
    "IPU",
    "IPU_Cycles",
    "IPU_Device",
    "IPU_Global",
    "IPU_L1",
    "IPU_Multicore",
    "IPU_SCHEDULES",
    "IPU_STORAGES",
    "register",
]

IPU_L1 = compat.register_member(dtypes.StorageType, "IPU_L1")
IPU_Global = compat.register_member(dtypes.StorageType, "IPU_Global")
IPU_Device = compat.register_member(dtypes.ScheduleType, "IPU_Device")
IPU_Multicore = compat.register_member(dtypes.ScheduleType, "IPU_Multicore")
IPU = compat.register_member(dtypes.DeviceType, "IPU")
IPU_Cycles = compat.register_member(dtypes.InstrumentationType, "IPU_Cycles")

#: All storages and schedules of this backend, in a fixed order.
IPU_STORAGES: tuple[dtypes.StorageType, ...] = (IPU_L1, IPU_Global)
IPU_SCHEDULES: tuple[dtypes.ScheduleType, ...] = (IPU_Device, IPU_Multicore)

# What code under a schedule may touch. A device program copies between both memories; a codelet sees only what the
# exchange put on its tile. 'Default' means that no schedule was chosen yet: DaCe asks for it when it checks whether
# the operands of a library node live on one device.
_ACCESSIBLE: dict[dtypes.ScheduleType, tuple[dtypes.StorageType, ...]] = {
    IPU_Device: IPU_STORAGES,
    IPU_Multicore: (IPU_L1,),
    dtypes.ScheduleType.Default: IPU_STORAGES,
}


def register() -> None:
    """Fill DaCe's default tables and teach ``dtypes.can_access`` the members of this module. Repeatable."""
    compat.set_scope_defaults(IPU_Device, storage=IPU_L1, inner_schedule=IPU_Multicore)
    sequential = dtypes.ScheduleType.Sequential
    compat.set_scope_defaults(IPU_Multicore, storage=compat.REGISTER, inner_schedule=sequential)
    dtypes.STORAGEDEFAULT_SCHEDULE[IPU_L1] = IPU_Multicore
    dtypes.STORAGEDEFAULT_SCHEDULE[IPU_Global] = IPU_Device
    compat.wrap_can_access(_with_ipu)


CanAccess = Callable[[dtypes.ScheduleType, dtypes.StorageType], "bool | None"]


def _with_ipu(original: CanAccess) -> CanAccess:
    """Return ``can_access`` that knows the IPU and asks ``original`` about everything else."""

    @functools.wraps(original)
    def can_access(schedule: dtypes.ScheduleType, storage: dtypes.StorageType) -> bool | None:
        if storage == compat.REGISTER or (storage not in IPU_STORAGES and schedule not in IPU_SCHEDULES):
            return original(schedule, storage)
        if schedule == dtypes.ScheduleType.Sequential:
            return original(schedule, storage)  # depends on where the loop stands; DaCe raises
        return storage in _ACCESSIBLE.get(schedule, ())

    return can_access


register()
