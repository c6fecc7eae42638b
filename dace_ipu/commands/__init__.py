"""The sub-commands of ``dace-ipu``, a module each.

A module defines ``add_parser(subparsers)``, which describes the command and its options, and ``run(args)``, which does
it and returns the exit status.
"""
