"""DaCe code generators. ``ipu.py`` is the target, ``poplar/`` prints its C++."""

# The repository's root has a link to this folder; one file under two names would register everything twice.
if __name__ != "dace_ipu.targets":
    raise ImportError("import dace_ipu.targets: the entry in the repository's root is a link into the package")
