"""``dace-ipu popc``: compile codelets."""

from __future__ import annotations

import argparse

from dace_ipu.simulator.popc import driver

__all__ = ["add_parser", "run"]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    # No prefix characters: popc reads its options itself.
    parser = subparsers.add_parser(
        "popc", help="compile codelets to a module (.gp); see 'dace-ipu popc --help'", add_help=False, prefix_chars="\0"
    )
    parser.add_argument("words", nargs="*")


def run(args: argparse.Namespace) -> int:
    """Hand the words over to popc."""
    return driver.main(args.words)
