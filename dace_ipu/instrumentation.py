"""``InstrumentationType.IPU_Cycles``: cycles of compute sets and copies in DaCe's performance report.

The generated program adds the numbers itself after each run on the simulator, as counters with category 'IPU' and name
'cycles'; on hardware, which does not tell them, a call raises :class:`dace_ipu.IPURuntimeError`. The provider only
makes DaCe create and save the report.
"""

from __future__ import annotations

from dace_ipu import compat
from dace_ipu.registration import IPU_Cycles

__all__ = ["IPUCyclesProvider", "install"]


class IPUCyclesProvider(compat.InstrumentationProvider):
    """Asks DaCe for ``__state->report``; emits no code on DaCe's events."""

    def writes_to_report(self) -> bool:
        """Return True: the program's state gets a ``dace::perf::Report`` that is saved after the call."""
        return True


def install() -> None:
    """Register the provider. Without one, code generation fails for an SDFG that asks for ``IPU_Cycles``."""
    compat.register_extension(compat.InstrumentationProvider, IPUCyclesProvider, type=IPU_Cycles)
