"""The command ``dace-ipu``."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import Protocol, cast

__all__ = ["Command", "main"]

#: The sub-commands: modules of ``dace_ipu.commands``.
COMMANDS = ("build", "doctor", "enable", "popc", "report", "run")


class Command(Protocol):
    """What a module of ``dace_ipu.commands`` provides."""

    def add_parser(self, subparsers: argparse._SubParsersAction[argparse.ArgumentParser], /) -> None:
        """Add the parser of this command, under the module's name."""

    def run(self, args: argparse.Namespace, /) -> int:
        """Do what ``args`` say and return the exit status: 0 for success."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``dace-ipu`` with the words after the command's name and return its exit status."""
    commands = {name: cast(Command, importlib.import_module(f"dace_ipu.commands.{name}")) for name in COMMANDS}
    parser = argparse.ArgumentParser(prog="dace-ipu", description="DaCe on the Graphcore IPU, with a simulator.")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in commands.values():
        command.add_parser(subparsers)
    args = parser.parse_args(arguments)
    return commands[args.command].run(args)


if __name__ == "__main__":
    sys.exit(main())
