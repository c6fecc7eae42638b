"""A report: the numbers, a text to read, and a figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from dace_ipu.profile.pva import Compilation, Execution
from dace_ipu.profile.schema import Build, ProgramReport, ReportError

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

__all__ = ["Report"]


@dataclass(frozen=True)
class Report:
    """What a compiled program did on the IPU. ``str(report)`` is a text of at most 60 lines.

    ``name`` is the program's. ``programs`` are its graphs that are alive, those for the last symbol values first;
    ``builds`` all that were built, in order. ``data`` is the JSON behind it all.
    """

    name: str
    programs: tuple[ProgramReport, ...]
    builds: tuple[Build, ...]
    data: Mapping[str, Any] = field(repr=False, compare=False)

    def __str__(self) -> str:
        from dace_ipu.profile.text import report_text

        return report_text(self)

    @property
    def compilation(self) -> Compilation:
        """What was built for the first of the ``programs``, under the names of Graphcore's libpva.

        Raises :class:`ReportError` if there is no profile, or if the file holds too little of it.
        """
        return Compilation(self._profile())

    @property
    def execution(self) -> Execution:
        """What ran of the first of the ``programs``, under libpva's names. Raises as ``compilation``."""
        return Execution(self._profile(), self.compilation)

    @property
    def poplarVersion(self) -> SimpleNamespace:
        """``string``: the version of Poplar that the simulator stands for. Raises as ``compilation``."""
        return SimpleNamespace(string=self._profile()["poplarVersion"])

    def _profile(self) -> Mapping[str, Any]:
        profile = self.data["programs"][0]["profile"] if self.programs else None
        if profile is None:
            raise ReportError(f"'{self.name}' has no profile: it did not run on the simulator")
        missing = {"programs", "entryPrograms", "computeSets", "variables", "poplarVersion"} - profile.keys()
        if missing:
            raise ReportError(f"the profile of '{self.name}' has no '{min(missing)}'")
        return dict(profile)

    def figure(self, program: int = 0) -> Figure:
        """Draw one of the ``programs``: the phases of its steps in order, and the bytes on every tile.

        Needs matplotlib (the extra 'report'). Raises :class:`ReportError` if it is missing, or if there is no profile.
        """
        from dace_ipu.profile.figure import figure

        return figure(self, program)

    def save_figure(self, path: str | Path, program: int = 0) -> None:
        """Write :meth:`figure` into a file, PNG or what its name says."""
        self.figure(program).savefig(path)

    def _repr_png_(self) -> bytes | None:
        """The figure, for notebooks; None if there is nothing to draw or nothing to draw with."""
        from dace_ipu.profile.figure import png

        return png(self)
