"""Writes the stages of a compilation into a folder, to look at: set ``DACE_IPU_DUMP`` to its path."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

__all__ = ["VARIABLE", "dump"]

#: The environment variable that names the folder.
VARIABLE = "DACE_IPU_DUMP"


def dump(program: str, stage: str, text: Callable[[], str]) -> Path | None:
    """Write what ``text`` returns into ``<folder>/<program>/<NNN>_<stage>.txt`` and return that path; None, and no text
    is made, if no dump is wanted.

    NNN counts the files of a program from 000. Characters of the names that do not belong into file names become ``_``.
    Raises OSError if the folder cannot be written.
    """
    root = os.environ.get(VARIABLE)
    if not root:
        return None
    folder = Path(root) / _file_name(program)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{_next_number(folder):03d}_{_file_name(stage)}.txt"
    path.write_text(text(), encoding="utf-8")
    return path


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.-]", "_", name)


def _next_number(folder: Path) -> int:
    numbers = [int(match[1]) for match in map(re.compile(r"(\d+)_").match, (f.name for f in folder.iterdir())) if match]
    return max(numbers, default=-1) + 1
