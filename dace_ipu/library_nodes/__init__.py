"""Expansions of DaCe's library nodes for the IPU, one file for each node. Importing the package registers them.

They are SDFGs of maps and loops, registered under the name 'IPU': what has a pure expansion of DaCe's needs none here.
"""

# The repository's root has a link to this folder; one file under two names would register everything twice.
if __name__ != "dace_ipu.library_nodes":
    raise ImportError("import dace_ipu.library_nodes: the entry in the repository's root is a link into the package")

from dace_ipu.library_nodes import cholesky, fourier, inverse, solve  # noqa: F401, E402  imported for what they register
