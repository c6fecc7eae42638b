"""popc as a script, for ``python .../popc/standalone.py``: without DaCe, whose import takes longer than a compilation.

``dace_ipu/__init__.py`` registers the backend with DaCe; an empty package of the same name stands in for it here, so
that popc's own modules are found and nothing else runs.
"""

import sys
import types
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[2]

if __name__ == "__main__":
    sys.path.pop(0)  # this folder: its modules have common names
    package = types.ModuleType("dace_ipu")
    package.__path__ = [str(_PACKAGE)]
    sys.modules["dace_ipu"] = package
    from dace_ipu.simulator.popc.driver import main

    sys.exit(main(sys.argv[1:]))
