"""What a run on the IPU cost: cycles, tiles, memory, and why graphs were built."""

from __future__ import annotations

from dace_ipu.profile.last import last_report
from dace_ipu.profile.pva import ProgramVisitor
from dace_ipu.profile.reader import open_report
from dace_ipu.profile.report import Report
from dace_ipu.profile.schema import ReportError

__all__ = ["ProgramVisitor", "Report", "ReportError", "last_report", "openReport", "open_report"]

#: As Graphcore's libpva spells it.
openReport = open_report
