"""``dace-ipu build``: compile the simulator's libraries now."""

from __future__ import annotations

import argparse
import sys

from dace_ipu.simulator.build import BuildError, ensure_built
from dace_ipu.simulator.toolchain import MissingCompiler

__all__ = ["add_parser", "run"]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser("build", help="compile the simulator's libraries, if they are not compiled yet")
    parser.add_argument("--sanitize", action="store_true", help="with the address and undefined-behaviour sanitizers")


def run(args: argparse.Namespace) -> int:
    """Build, and print the folder of the libraries."""
    try:
        print(ensure_built(sanitize="address,undefined" if args.sanitize else "").lib_dir)
    except (BuildError, MissingCompiler) as error:
        print(f"dace-ipu build: {error}", file=sys.stderr)
        return 1
    return 0
