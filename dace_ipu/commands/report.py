"""``dace-ipu report``: print a saved profile."""

from __future__ import annotations

import argparse
import sys

from dace_ipu.profile import ReportError, open_report

__all__ = ["add_parser", "run"]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser("report", help="print a profile that the simulator wrote")
    parser.add_argument("profile", help="profile.json, as written where DACE_IPU_PROFILE says")
    parser.add_argument("--figure", metavar="FILE", help="draw it into this file too (PNG, SVG, PDF)")


def run(args: argparse.Namespace) -> int:
    """Print the report, and draw it if that is wanted."""
    try:
        report = open_report(args.profile)
        print(report)
        if args.figure:
            report.save_figure(args.figure)
    except (ReportError, OSError, ValueError) as error:  # ValueError: matplotlib does not know the format
        print(f"dace-ipu report: {error}", file=sys.stderr)
        return 1
    return 0
