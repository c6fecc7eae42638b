"""Prints level-2 tile graphs as a Poplar host program and its codelets. Decides nothing: the passes have decided."""
