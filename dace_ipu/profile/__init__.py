"""What a run on the IPU cost: cycles, tiles, memory, and why graphs were built."""

from __future__ import annotations

from dace_ipu.profile.last import last_report
from dace_ipu.profile.reader import open_report
from dace_ipu.profile.report import Report
from dace_ipu.profile.schema import ReportError

__all__ = ["Report", "ReportError", "last_report", "open_report"]
