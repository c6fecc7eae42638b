"""``python -m dace_ipu``: the command ``dace-ipu`` of this Python."""

import sys

from dace_ipu.cli import main

sys.exit(main())
