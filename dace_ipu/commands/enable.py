"""``dace-ipu enable``: print the environment for Poplar programs, for ``eval "$(dace-ipu enable)"``."""

from __future__ import annotations

import argparse
import sys

from dace_ipu.simulator.build import BuildError
from dace_ipu.simulator.enable import exports
from dace_ipu.simulator.popc.errors import PopcError
from dace_ipu.simulator.toolchain import MissingCompiler

__all__ = ["add_parser", "run"]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    subparsers.add_parser(
        "enable", help='print shell commands that set up the simulator as a Poplar SDK: eval "$(dace-ipu enable)"'
    )


def run(args: argparse.Namespace) -> int:
    """Build the simulator if need be and print the commands. Only they go to stdout."""
    try:
        print(exports())
    except (BuildError, MissingCompiler, PopcError) as error:
        print(f"dace-ipu enable: {error}", file=sys.stderr)
        print("false")  # so that the shell's eval fails too
        return 1
    return 0
