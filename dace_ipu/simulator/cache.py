"""The folder where built things are kept between runs."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

__all__ = ["cache_folder"]


def cache_folder() -> Path:
    """Return the cache folder: the environment variable ``DACE_IPU_CACHE``, or the user's cache folder of the system.

    It need not exist.
    """
    given = os.environ.get("DACE_IPU_CACHE")
    return Path(given).absolute() if given else Path(platformdirs.user_cache_dir("dace_ipu"))
