"""``python -m dace_ipu.simulator.popc``."""

import sys

from dace_ipu.simulator.popc.driver import main

sys.exit(main(sys.argv[1:]))
