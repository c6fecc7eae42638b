"""``dace-ipu run``: run a Python program with this package imported, and print the report of what ran on the IPU."""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path

from dace_ipu.profile import ReportError, last_report

__all__ = ["add_parser", "run"]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser("run", help="run a Python program and print the report of its last call on the IPU")
    parser.add_argument("program", help="a Python file")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")


def run(args: argparse.Namespace) -> int:
    """Run the program as ``python program arguments`` does. The exit status is the program's.

    Exceptions of the program pass through, as from Python itself.
    """
    if not Path(args.program).is_file():
        print(f"dace-ipu run: there is no file {args.program}", file=sys.stderr)
        return 2
    status = _run_as_main(args.program, args.arguments)
    try:
        print(last_report())
    except ReportError as error:
        print(f"dace-ipu run: {error}", file=sys.stderr)
    return status


def _run_as_main(program: str, arguments: list[str]) -> int:
    before = sys.argv, sys.path
    sys.argv = [program, *arguments]
    sys.path = [str(Path(program).resolve().parent), *sys.path]
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as stop:
        return _exit_status(stop.code)
    finally:
        sys.argv, sys.path = before
    return 0


def _exit_status(code: object) -> int:
    """The status that Python would exit with: a text is printed and means failure."""
    if code is None or isinstance(code, int):
        return code or 0
    print(code, file=sys.stderr)
    return 1
