"""Expansions of DaCe's library nodes into Poplar library calls, one file for each node."""

# The repository's root has a link to this folder; one file under two names would register everything twice.
if __name__ != "dace_ipu.library_nodes":
    raise ImportError("import dace_ipu.library_nodes: the entry in the repository's root is a link into the package")
