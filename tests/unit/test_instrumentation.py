"""``InstrumentationType.IPU_Cycles`` makes DaCe create a report."""

from __future__ import annotations

import dace

from dace_ipu import compat
from dace_ipu.instrumentation import IPUCyclesProvider
from dace_ipu.registration import IPU_Cycles


def test_the_provider_is_known():
    providers = compat.InstrumentationProvider.get_provider_mapping()
    assert providers[IPU_Cycles].__name__ == IPUCyclesProvider.__name__


def test_a_program_with_the_type_saves_a_report():
    sdfg = dace.SDFG("counted")
    sdfg.add_state("main").instrument = IPU_Cycles
    code = sdfg.generate_code()[0].clean_code
    assert "dace::perf::Report report;" in code
    assert "report.save(" in code


def test_a_program_without_it_does_not():
    sdfg = dace.SDFG("uncounted")
    sdfg.add_state("main")
    assert "report" not in sdfg.generate_code()[0].clean_code
