"""Runs a program and compares everything about it with the files of a folder.

==================  ====================================================================================================
``tile_graph.txt``  the tile graph after all passes
``host.cpp``        the generated host program
``codelets.cpp``    the generated codelets
``profile.json``    cycles, memory, and why each graph was built; compared exactly, since the simulator is deterministic
``outputs.json``    what the program wrote and returned; compared within the tolerance that the test gives
==================  ====================================================================================================
"""

from __future__ import annotations

import difflib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from dace_ipu.testing.outputs import differences, from_json, to_json
from dace_ipu.testing.record import Record, expected_values, record

__all__ = ["Golden", "GoldenError"]

OUTPUTS = "outputs.json"
_DIFF_LINES = 60

Expected = Callable[..., Any] | Mapping[str, Any]


class GoldenError(AssertionError):
    """A program's results are wrong, or something differs from its golden files."""


@dataclass
class Golden:
    """Compares one program with the golden files in ``folder``, or writes them if ``update``.

    ``build_folder`` is where DaCe compiles the program. Paths below ``root`` are written relative to it.
    """

    folder: Path
    build_folder: Path
    root: Path
    update: bool = False
    _called: bool = field(default=False, init=False)

    def __call__(
        self,
        program: Any,
        arguments: Mapping[str, Any],
        expected: Expected,
        *,
        rtol: float = 1e-5,
        atol: float = 0.0,
        symbols: Mapping[str, int] | None = None,
    ) -> dict[str, np.ndarray[Any, Any]]:
        """Offload, compile and run ``program`` (a ``@dace.program`` or an SDFG, which is left as it is).

        ``arguments`` are keyword arguments; the program gets copies. ``expected`` is either a function that is called
        with other copies and, like the program, changes arrays in place and returns the results, or a mapping from
        names to values, where ``__return`` (``__return_0``, ...) stand for what the program returns. Numbers are
        compared as ``numpy.testing.assert_allclose(rtol, atol)`` does, integers too.

        Returns what the program wrote and returned. Raises :class:`GoldenError` for wrong results, and for any
        difference from the golden files. Nothing is written if the results are wrong.
        """
        __tracebackhide__ = True
        if self._called:
            raise GoldenError("a test calls golden() once: parametrise the test to compare several programs")
        self._called = True
        made = record(program, dict(arguments), dict(symbols or {}), self.build_folder, self.root)
        wanted = expected_values(expected, arguments)
        _raise("the results are wrong:", differences(made.values, wanted, rtol, atol))
        if self.update:
            _write(self.folder, made)
        else:
            self._compare(made, rtol, atol)
        return made.outputs

    def _compare(self, made: Record, rtol: float, atol: float) -> None:
        __tracebackhide__ = True
        shown = os.path.relpath(self.folder, self.root)
        if not self.folder.is_dir():
            raise GoldenError(f"there are no golden files in {shown}: create them with 'pytest --update-golden'")
        remedy = "if the change is wanted, run 'pytest --update-golden' and review the difference"
        _raise(f"different from the golden files in {shown} ({remedy}):", _faults(self.folder, made, rtol, atol))


def _faults(folder: Path, made: Record, rtol: float, atol: float) -> Iterator[str]:
    names = sorted({*made.texts, OUTPUTS})
    present = sorted(path.name for path in folder.iterdir())
    yield from (f"{name} is missing" for name in names if name not in present)
    yield from (f"{name} is not a golden file" for name in present if name not in names)
    for name, text in sorted(made.texts.items()):
        if name in present:
            yield from _text_difference(name, (folder / name).read_text(encoding="utf-8"), text)
    if OUTPUTS in present:
        yield from _output_difference((folder / OUTPUTS).read_text(encoding="utf-8"), made, rtol, atol)


def _text_difference(name: str, golden: str, now: str) -> Iterator[str]:
    lines = difflib.unified_diff(golden.splitlines(), now.splitlines(), f"golden {name}", f"now {name}", lineterm="")
    diff = list(islice(lines, _DIFF_LINES + 1))
    if diff:
        yield "\n".join([*diff[:_DIFF_LINES], *(["... and more"] if len(diff) > _DIFF_LINES else [])])


def _output_difference(golden: str, made: Record, rtol: float, atol: float) -> Iterator[str]:
    try:
        values = from_json(golden)
    except ValueError as error:
        yield f"{OUTPUTS} cannot be read: {error}"
        return
    yield from (f"{OUTPUTS}: '{name}' is new" for name in made.outputs if name not in values)
    yield from (f"{OUTPUTS}: {line}" for line in differences(made.outputs, values, rtol, atol))


def _raise(title: str, faults: Iterator[str]) -> None:
    __tracebackhide__ = True
    found = list(faults)
    if found:
        raise GoldenError("\n".join([title, *found]))


def _write(folder: Path, made: Record) -> None:
    """Replace the folder's content."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    for name, text in {**made.texts, OUTPUTS: to_json(made.outputs)}.items():
        (folder / name).write_text(text, encoding="utf-8")
